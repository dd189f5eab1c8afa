//! The connection to the engine. Every call has a deadline, and its outcome is counted.
//!
//! Invariants: a call that was started is sent and counted even if its caller goes away. A call that failed may have
//! been carried out, unless the engine refused it. A call is repeated only if nothing ran, or if the caller says that it
//! may run twice. When calls start to fail, and when they succeed again, one line is logged, but at most one in ten
//! seconds.
//! Cost: one connection, over which all calls are pipelined, and one task for each call on the runtime of the store's
//! own thread. So the connection lives as long as the store, whichever thread a call came from.

mod call;
mod cluster;

pub(in crate::store) use call::Failure;
pub use call::{Call, CallCount};

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{
    Client, Cmd, ErrorKind, FromRedisValue, RedisError, RedisResult, ServerErrorKind, Value,
};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::open_error::OpenError;
use crate::paste::Timestamp;
use call::Calls;
use cluster::Cluster;

/// How long a call may take, unless the operator set another time in `tb:meta`. It gets one second more for each 8 MiB
/// that it carries.
const DEADLINE: Duration = Duration::from_millis(200);
const BYTES_PER_SECOND: u64 = 8 << 20;

/// In this number of periods of the upkeep, the connection is replaced once at most.
const REPLACE_PAUSE: u32 = 4;

/// In this number of periods of the upkeep, at most one line is logged about an engine that fails or answers again.
const LOG_PAUSE: u32 = 40;

/// How long the first connection and each call may take until the node has started.
const PATIENCE_AT_START: Duration = Duration::from_secs(5);

/// How long a later connection may take. Then another one is tried, because packets of the first may have been lost.
const RECONNECTION: Duration = Duration::from_secs(1);

/// The functions of the engine. See there.
pub(super) const LIBRARY_SOURCE: &str = include_str!("../library.lua");

/// The engine. Threads share it by reference.
pub(super) struct Connection {
    link: Link,
    runtime: Handle,
    calls: Calls,
    is_failing: AtomicBool,
    /// For this number of periods of the upkeep, no line is logged about that.
    log_pause: AtomicU32,
    /// For this number of periods, the connection is not replaced.
    replace_pause: AtomicU32,
    /// Whether calls are refused, because the engine belongs to other nodes.
    is_refusing: AtomicBool,
    deadline: Duration,
    /// How long a call outside of the operations of the store may take.
    patience: Duration,
    clock: Clock,
}

/// Tells the time, by which calls are measured to the millisecond. The sum of many is exact nevertheless.
pub(super) type Clock = Box<dyn Fn() -> Timestamp + Send + Sync>;

/// How the engine is reached.
enum Link {
    /// One server. After a failover behind its name it is resolved again, so the manager is replaced.
    Single(Box<Client>, Mutex<ConnectionManager>),
    /// The servers of a Cluster, by addresses of some. The library keeps a connection whose other end is silent, so
    /// the connections are replaced too.
    Cluster(Arc<[String]>, Arc<Mutex<Cluster>>),
}

impl Connection {
    /// Connects to one server, or to a Cluster if there are several addresses.
    ///
    /// # Errors
    /// Fails if an address is wrong, or if the engine cannot be reached.
    pub(super) async fn open(urls: &[String], runtime: Handle) -> RedisResult<Self> {
        #[cfg(feature = "tls")]
        if urls.iter().any(|url| url.starts_with("rediss://")) {
            // It fails only if a provider of cryptography is installed already, by an earlier store of this process.
            let _ = rustls_graviola::default_provider().install_default();
        }
        let link = match urls {
            [url] => match Self::single(url).await? {
                (link, true) => link,
                (_, false) => Self::cluster(urls).await?,
            },
            urls => Self::cluster(urls).await?,
        };
        Ok(Self {
            link,
            runtime,
            calls: Calls::default(),
            is_failing: AtomicBool::new(false),
            log_pause: AtomicU32::new(0),
            replace_pause: AtomicU32::new(0),
            is_refusing: AtomicBool::new(false),
            deadline: DEADLINE,
            patience: PATIENCE_AT_START,
            clock: Box::new(Timestamp::default),
        })
    }

    /// Connects to one server. Returns false if it is one of a Cluster.
    async fn single(url: &str) -> RedisResult<(Link, bool)> {
        let client = Client::open(url)?;
        let manager = client.get_connection_manager_with_config(settings(PATIENCE_AT_START));
        let mut manager = within(PATIENCE_AT_START, manager).await?;
        let mut ask = redis::cmd("INFO");
        let info: String = ask.arg("cluster").query_async(&mut manager).await?;
        let is_alone = !info.contains("cluster_enabled:1");
        let link = Link::Single(Box::new(client), Mutex::new(manager));
        Ok((link, is_alone))
    }

    async fn cluster(urls: &[String]) -> RedisResult<Link> {
        let cluster = Cluster::open(urls, PATIENCE_AT_START);
        let cluster = within(PATIENCE_AT_START, cluster).await?;
        Ok(Link::Cluster(urls.into(), Arc::new(Mutex::new(cluster))))
    }

    /// Ends the start. Calls get this deadline, or the usual one, and are measured by this clock.
    pub(super) fn finish_start(&mut self, deadline: Option<Duration>, clock: Clock) {
        self.deadline = deadline.unwrap_or(DEADLINE);
        self.patience = self.deadline;
        self.clock = clock;
    }

    pub(super) fn deadline(&self) -> Duration {
        self.deadline
    }

    /// Refuses all calls of the store for this reason, or none. The log says when that changes.
    pub(super) fn refuse_if(&self, reason: Option<&OpenError>) {
        let was_refusing = self.is_refusing.swap(reason.is_some(), Ordering::Relaxed);
        match reason {
            Some(error) if !was_refusing => {
                tracing::error!(%error, "the engine belongs to other nodes now: requests that need it get 503. Stop this node, or start it again with their settings")
            }
            None if was_refusing => tracing::info!("the engine belongs to this node again"),
            _ => {}
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(super) fn call_counts(&self) -> [CallCount; Call::ALL.len()] {
        self.calls.counts()
    }

    /// Waits for an operation of the store, outside of all runtimes.
    pub(super) fn block_on<T>(&self, operation: impl Future<Output = T>) -> T {
        self.runtime.block_on(operation)
    }

    pub(super) fn is_cluster(&self) -> bool {
        matches!(self.link, Link::Cluster(..))
    }

    /// Sends a command outside of the operations of the store. It is not counted, and waits longer during the start.
    pub(super) async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        let answer = within(self.patience, self.send(command)).await;
        if answer.as_ref().is_err_and(RedisError::is_timeout) {
            self.resolve_again();
        }
        answer
    }

    /// Sends a command to every server that keeps pastes. Returns their numbers.
    pub(super) async fn ask_all(&self, command: &Cmd) -> RedisResult<Vec<i64>> {
        match &self.link {
            Link::Single(..) => Ok(vec![self.ask(command).await?]),
            Link::Cluster(_, cluster) => {
                let cluster = cluster.lock().clone();
                let answers = within(self.patience, cluster.send_to_all(command)).await?;
                let numbers = answers.into_iter().map(FromRedisValue::from_redis_value);
                Ok(numbers.collect::<Result<_, _>>()?)
            }
        }
    }

    /// Sends a command that names no key to any server.
    pub(super) async fn ask_any<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        match &self.link {
            Link::Single(..) => self.ask(command).await,
            Link::Cluster(_, cluster) => {
                let cluster = cluster.lock().clone();
                let answer = within(self.patience, cluster.send_to_any(command)).await?;
                Ok(FromRedisValue::from_redis_value(answer)?)
            }
        }
    }

    /// Loads the functions into every server that keeps pastes, also where others of this name are.
    pub(super) async fn replace_library(&self) -> RedisResult<()> {
        let mut load = redis::cmd("FUNCTION");
        load.arg("LOAD").arg("REPLACE").arg(LIBRARY_SOURCE);
        self.ask::<Value>(&load).await?;
        Ok(())
    }

    /// Loads the functions into every server that has none of this name. Another node may have loaded a newer library
    /// meanwhile, or another server has it still.
    pub(super) async fn add_library(&self) -> RedisResult<()> {
        let mut load = redis::cmd("FUNCTION");
        load.arg("LOAD").arg(LIBRARY_SOURCE);
        match self.ask::<Value>(&load).await {
            Err(error) if !error.to_string().contains("already exists") => Err(error),
            _ => Ok(()),
        }
    }

    async fn send<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        match &self.link {
            Link::Single(_, manager) => {
                let mut manager = manager.lock().clone();
                command.query_async(&mut manager).await
            }
            Link::Cluster(_, cluster) => {
                let cluster = cluster.lock().clone();
                let answer = cluster.send(command).await?;
                Ok(FromRedisValue::from_redis_value(answer)?)
            }
        }
    }

    /// Sends a command, and once more if nothing ran the first time, or if it may run twice.
    async fn attempt<T: FromRedisValue>(&self, call: Call, command: &Cmd) -> RedisResult<T> {
        let error = match self.send(command).await {
            Err(error) => error,
            answer => return answer,
        };
        if is_without_library(&error) {
            self.add_library().await?;
            tracing::warn!("the engine had lost its functions: they are loaded again");
        } else if matches!(error.kind(), ErrorKind::Server(ServerErrorKind::ReadOnly)) {
            self.resolve_again();
        } else if !(call.may_run_twice() && error.is_connection_dropped()) {
            return Err(error);
        }
        self.send(command).await
    }

    /// Connects again: the name of a server may stand for another one after a failover, and a connection whose other
    /// end is gone may never tell. This happens once per second at most.
    fn resolve_again(&self) {
        if self.replace_pause.swap(REPLACE_PAUSE, Ordering::Relaxed) > 0 {
            return;
        }
        match &self.link {
            Link::Single(client, manager) => {
                if let Ok(fresh) = client.get_connection_manager_lazy(settings(RECONNECTION)) {
                    *manager.lock() = fresh;
                }
            }
            Link::Cluster(urls, cluster) => {
                let (urls, cluster) = (Arc::clone(urls), Arc::clone(cluster));
                self.runtime.spawn(async move {
                    let fresh = Cluster::open(&urls, RECONNECTION);
                    if let Ok(fresh) = within(PATIENCE_AT_START, fresh).await {
                        *cluster.lock() = fresh;
                    }
                });
            }
        }
    }

    /// Shortens both pauses by a period of the upkeep that has passed.
    pub(super) fn shorten_pauses(&self) {
        let one_less = |pause: u32| pause.checked_sub(1);
        for pause in [&self.replace_pause, &self.log_pause] {
            let _ = pause.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        }
    }

    fn record_outcome(&self, outcome: Result<(), &RedisError>) {
        let is_failing = outcome.is_err_and(|error| !is_out_of_memory(error));
        // One server of a Cluster may fail while others answer, so the lines would alternate.
        if self.is_failing.load(Ordering::Relaxed) == is_failing
            || self.log_pause.load(Ordering::Relaxed) > 0
        {
            return;
        }
        self.log_pause.store(LOG_PAUSE, Ordering::Relaxed);
        self.is_failing.store(is_failing, Ordering::Relaxed);
        match outcome {
            Err(error) => {
                tracing::error!(%error, "the engine of the pastes does not answer: requests that need it get 503")
            }
            Ok(()) => tracing::info!("the engine of the pastes answers again"),
        }
    }
}

/// Starts a call. `bytes` is how much it carries, which lengthens its deadline.
pub(super) fn start_call<T, S>(
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
    let millis = (bytes as u64).saturating_mul(1000) / BYTES_PER_SECOND;
    let deadline = (**store).as_ref().deadline + Duration::from_millis(millis);
    let work = async move {
        let connection: &Connection = (*owner).as_ref();
        if connection.is_refusing.load(Ordering::Relaxed) {
            connection.calls.count(call, Duration::ZERO, false);
            return Err(Failure::Unavailable);
        }
        let start = connection.now();
        let answer = within(deadline, connection.attempt(call, &command)).await;
        if answer.as_ref().is_err_and(RedisError::is_timeout) {
            connection.resolve_again();
        }
        let took = connection.now().since(start);
        connection.calls.count(call, took, answer.is_ok());
        connection.record_outcome(answer.as_ref().map(|_| ()));
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
    let late = || RedisError::from(io::Error::from(io::ErrorKind::TimedOut));
    timeout(deadline, answer)
        .await
        .unwrap_or_else(|_| Err(late()))
}

fn settings(timeout: Duration) -> ConnectionManagerConfig {
    // A request is refused at once while there is no connection. The next one starts another attempt.
    ConnectionManagerConfig::new()
        .set_number_of_retries(0)
        .set_connection_timeout(Some(timeout))
        .set_response_timeout(None)
}

pub(super) fn is_without_library(error: &RedisError) -> bool {
    error
        .detail()
        .is_some_and(|detail| detail.contains("Function not found"))
        || error.to_string().contains("Function not found")
}

fn is_out_of_memory(error: &RedisError) -> bool {
    error.code() == Some("OOM")
}
