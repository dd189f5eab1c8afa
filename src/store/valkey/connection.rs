//! The connection to the engine. Every call has a deadline, and its outcome is counted.
//!
//! Invariants: a call that was begun is sent and counted even if its caller goes away. A call that failed may have been
//! carried out, unless the engine refused it. A call is repeated only if nothing ran, or if the caller says that it may
//! run twice. When calls begin to fail, and when they succeed again, one line is logged.
//! Cost: one connection, over which all calls are pipelined, and one task for each call on the runtime of the store's
//! own thread. So the connection lives as long as the store, whichever thread a call came from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{
    MultipleNodeRoutingInfo, ResponsePolicy, RoutingInfo, SingleNodeRoutingInfo,
};
use redis::{
    Client, Cmd, ErrorKind, FromRedisValue, RedisError, RedisResult, ServerErrorKind, Value,
};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::call::{Call, Calls};
use crate::paste::Timestamp;

/// How long a call may take, unless the operator set another time in `tb:meta`. It gets one second more for each 8 MiB
/// that it carries.
const DEADLINE: Duration = Duration::from_millis(200);
const BYTES_PER_SECOND: usize = 8 << 20;

/// How long the first connection may take.
const FIRST_CONNECTION: Duration = Duration::from_secs(5);

/// The functions of the engine. See there.
const LIBRARY: &str = include_str!("library.lua");

/// Why a call has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Failure {
    /// The engine was not reached, did not answer in time, or answered with an error. The cause was logged.
    Unavailable,
    /// The engine has no memory for this call. Nothing was changed.
    OutOfMemory,
}

/// The engine. Threads share it by reference.
pub(super) struct Connection {
    link: Link,
    runtime: Handle,
    calls: Calls,
    is_failing: AtomicBool,
    deadline: Duration,
    clock: Clock,
}

/// Tells the time, by which calls are measured to the millisecond. The sum of many is exact nevertheless.
pub(super) type Clock = Box<dyn Fn() -> Timestamp + Send + Sync>;

/// How the engine is reached.
enum Link {
    /// One server. After a failover behind its name it is resolved again, so the manager is replaced.
    Single(Client, Mutex<ConnectionManager>),
    Cluster(ClusterConnection),
}

impl Connection {
    /// Connects to one server, or to a Cluster if there are several addresses.
    ///
    /// # Errors
    /// Fails if an address is wrong, or if the engine cannot be reached.
    pub(super) async fn open(urls: &[String], runtime: Handle) -> RedisResult<Self> {
        let link = match urls {
            [url] => {
                let client = Client::open(url.as_str())?;
                let manager = client.get_connection_manager_with_config(settings());
                let manager = within(FIRST_CONNECTION, manager).await?;
                Link::Single(client, Mutex::new(manager))
            }
            urls => {
                let client = ClusterClient::builder(urls.iter().map(String::as_str))
                    .retries(3)
                    .connection_timeout(FIRST_CONNECTION)
                    .response_timeout(FIRST_CONNECTION)
                    .build()?;
                let connection = client.get_async_connection();
                Link::Cluster(within(FIRST_CONNECTION, connection).await?)
            }
        };
        Ok(Self {
            link,
            runtime,
            calls: Calls::default(),
            is_failing: AtomicBool::new(false),
            deadline: DEADLINE,
            clock: Box::new(Timestamp::default),
        })
    }

    pub(super) fn set_deadline(&mut self, deadline: Duration) {
        self.deadline = deadline;
    }

    pub(super) fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    pub(super) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(super) fn calls(&self) -> &Calls {
        &self.calls
    }

    /// Waits for an operation of the store, outside of all runtimes.
    pub(super) fn block_on<T>(&self, operation: impl Future<Output = T>) -> T {
        self.runtime.block_on(operation)
    }

    pub(super) fn is_cluster(&self) -> bool {
        matches!(self.link, Link::Cluster(_))
    }

    /// Sends a command during the start, and waits longer for its answer.
    pub(super) async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        within(FIRST_CONNECTION, self.send(command)).await
    }

    /// Sends a command to every server that keeps pastes. Returns the least of their numbers.
    pub(super) async fn ask_all(&self, command: &Cmd) -> RedisResult<i64> {
        match &self.link {
            Link::Single(..) => self.ask(command).await,
            Link::Cluster(connection) => {
                let least = ResponsePolicy::Aggregate(redis::cluster_routing::AggregateOp::Min);
                let all = (MultipleNodeRoutingInfo::AllMasters, Some(least));
                let mut connection = connection.clone();
                let answer = connection.route_command(command.clone(), RoutingInfo::MultiNode(all));
                let answer = within(FIRST_CONNECTION, answer).await?;
                Ok(FromRedisValue::from_redis_value(answer)?)
            }
        }
    }

    /// Sends a command that names no key to any server.
    pub(super) async fn ask_any<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        match &self.link {
            Link::Single(..) => self.ask(command).await,
            Link::Cluster(connection) => {
                let any = RoutingInfo::SingleNode(SingleNodeRoutingInfo::RandomPrimary);
                let mut connection = connection.clone();
                let answer = connection.route_command(command.clone(), any);
                Ok(FromRedisValue::from_redis_value(
                    within(FIRST_CONNECTION, answer).await?,
                )?)
            }
        }
    }

    /// Loads the functions into every server that keeps pastes.
    pub(super) async fn load_library(&self) -> RedisResult<()> {
        let mut load = redis::cmd("FUNCTION");
        load.arg("LOAD").arg("REPLACE").arg(LIBRARY);
        self.ask::<Value>(&load).await?;
        Ok(())
    }

    async fn send<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        match &self.link {
            Link::Single(_, manager) => {
                let mut manager = manager.lock().clone();
                command.query_async(&mut manager).await
            }
            Link::Cluster(connection) => command.query_async(&mut connection.clone()).await,
        }
    }

    /// Sends a command, and once more if nothing ran the first time, or if it may run twice.
    async fn attempt<T: FromRedisValue>(&self, call: Call, command: &Cmd) -> RedisResult<T> {
        let error = match self.send(command).await {
            Err(error) => error,
            answer => return answer,
        };
        if is_without_library(&error) {
            self.load_library().await?;
            tracing::warn!("the engine had lost its functions: they are loaded again");
        } else if matches!(error.kind(), ErrorKind::Server(ServerErrorKind::ReadOnly)) {
            self.resolve_again();
        } else if !(call.may_run_twice() && error.is_connection_dropped()) {
            return Err(error);
        }
        self.send(command).await
    }

    /// Connects anew. The name of a server may stand for another one after a failover.
    fn resolve_again(&self) {
        if let Link::Single(client, manager) = &self.link
            && let Ok(fresh) = client.get_connection_manager_lazy(settings())
        {
            *manager.lock() = fresh;
        }
    }

    fn note(&self, outcome: Result<(), &RedisError>) {
        let is_failing = outcome.is_err_and(|error| !is_out_of_memory(error));
        if self.is_failing.swap(is_failing, Ordering::Relaxed) == is_failing {
            return;
        }
        match outcome {
            Err(error) => {
                tracing::error!(%error, "the engine of the pastes does not answer: requests that need it get 503")
            }
            Ok(()) => tracing::info!("the engine of the pastes answers again"),
        }
    }
}

/// Begins a call. `bytes` is how much it carries, which lengthens its deadline.
pub(super) fn begin<T, S>(
    store: &Arc<S>,
    call: Call,
    command: Cmd,
    bytes: usize,
) -> JoinHandle<Result<T, Failure>>
where
    T: FromRedisValue + Send + 'static,
    S: AsRef<Connection> + Send + Sync + 'static,
{
    let owner = Arc::clone(store);
    let extra = u32::try_from(bytes / BYTES_PER_SECOND).unwrap_or(u32::MAX);
    let deadline = (**store).as_ref().deadline + Duration::from_secs(1) * extra;
    let work = async move {
        let connection: &Connection = (*owner).as_ref();
        let start = connection.now();
        let answer = within(deadline, connection.attempt(call, &command)).await;
        let took = connection.now().since(start);
        connection.calls.count(call, took, answer.is_ok());
        connection.note(answer.as_ref().map(|_| ()));
        answer.map_err(|error| match is_out_of_memory(&error) {
            true => Failure::OutOfMemory,
            false => Failure::Unavailable,
        })
    };
    (**store).as_ref().runtime.spawn(work)
}

async fn within<T>(
    deadline: Duration,
    answer: impl Future<Output = RedisResult<T>>,
) -> RedisResult<T> {
    let late = || RedisError::from((ErrorKind::Io, "no answer in time"));
    timeout(deadline, answer)
        .await
        .unwrap_or_else(|_| Err(late()))
}

fn settings() -> ConnectionManagerConfig {
    // A request is refused at once while there is no connection. The next one begins another attempt.
    ConnectionManagerConfig::new()
        .set_number_of_retries(0)
        .set_connection_timeout(Some(DEADLINE))
        .set_response_timeout(None)
}

fn is_without_library(error: &RedisError) -> bool {
    error
        .detail()
        .is_some_and(|detail| detail.contains("Function not found"))
        || error.to_string().contains("Function not found")
}

fn is_out_of_memory(error: &RedisError) -> bool {
    error.code() == Some("OOM")
}
