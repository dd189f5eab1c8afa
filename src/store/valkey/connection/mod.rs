//! The connection to the engine. Every call has a deadline, and its outcome is counted.
//!
//! Invariants: a call is one command, or several that run together or not at all. One that failed may have been carried
//! out, unless the engine refused it. It is repeated only if nothing ran, or if it may run twice.
//! The deadline: an engine answers in less than a millisecond, and a request that waits holds a place of others.
//! [`DEADLINE`] is longer than a fork or the sync of a log usually takes, and short for a reader. A busy machine lives:
//! while the engine answers other calls, a call waits up to [`MOST_DEADLINES`] times as long.
//! Cost: one connection, over which all calls are pipelined. It lives on the runtime of the store's own thread.

mod call;
mod host_names;
mod link;
mod script;

pub use call::{Call, CallCount};
pub(super) use script::Script;

use std::future::pending;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use redis::{
    Cmd, ErrorKind, FromRedisValue, Pipeline, RedisError, RedisResult, ServerErrorKind,
    ToRedisArgs, Value,
};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::open_error::OpenError;
use crate::paste::Timestamp;
use crate::store::StoreError;
use call::Calls;
use link::Link;

/// How long the engine may be silent during a call. A call gets one second more for each 8 MiB that it carries.
pub const DEADLINE: Duration = Duration::from_millis(200);
const BYTES_PER_SECOND: u64 = 8 << 20;

/// How many deadlines a call waits at most, while the engine answers others.
const MOST_DEADLINES: u32 = 10;

/// How long connecting may take, and each call until the node has started.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a later connection to one server may take, and the pause after it. Then another one is tried, because
/// packets of the first may have been lost.
const RECONNECTION: Duration = Duration::from_secs(1);

/// The engine. Threads share it by reference.
pub(super) struct Connection {
    urls: Arc<[String]>,
    /// It is replaced: after a failover the name may stand for another server, and the library keeps a connection whose
    /// other end is silent.
    link: Arc<Mutex<Link>>,
    pub(super) is_cluster: bool,
    /// The runtime on which all calls are made.
    pub(super) runtime: Handle,
    pub(super) calls: Calls,
    /// Whether the connection was replaced within the last [`RECONNECTION`].
    is_replaced: Arc<AtomicBool>,
    /// Whether the connection failed since the engine was checked, so that it may lead to another one now.
    pub(super) is_unchecked: AtomicBool,
    /// Whether calls are refused at once, because the engine is silent or failed a check.
    pub(super) is_refusing: AtomicBool,
    pub(super) deadline: Duration,
    pub(super) clock: Box<dyn EngineClock>,
}

/// The clock of a node.
pub trait EngineClock: Send + Sync {
    /// Returns the time since the start, by which calls are measured.
    fn elapsed(&self) -> Duration;

    /// Sets the clock to the time of the engine, which an answer told that may have taken a moment.
    fn follow(&self, time: Timestamp);
}

impl Connection {
    /// Connects to one server, or to a Cluster if there are several addresses. The caller sets the deadline once the
    /// node has started.
    ///
    /// # Errors
    /// Fails if an address is wrong, or if the engine cannot be reached.
    pub(super) async fn open(
        urls: &[String],
        runtime: Handle,
        clock: Box<dyn EngineClock>,
    ) -> Result<Self, OpenError> {
        let link = timeout(PATIENCE, Link::open(urls, PATIENCE)).await;
        let link = link.unwrap_or_else(|_| too_late()).map_err(OpenError::of)?;
        Ok(Self {
            urls: urls.into(),
            is_cluster: matches!(link, Link::Cluster(_)),
            link: Arc::new(Mutex::new(link)),
            runtime,
            calls: Calls::default(),
            is_replaced: Arc::default(),
            is_unchecked: AtomicBool::new(false),
            is_refusing: AtomicBool::new(false),
            deadline: PATIENCE,
            clock,
        })
    }

    fn link(&self) -> Link {
        self.link.lock().clone()
    }

    /// Sends a command outside of the operations of the store. It is not counted.
    pub(super) async fn ask<T: FromRedisValue>(&self, command: Cmd) -> Result<T, OpenError> {
        let command = together([command]);
        let answers = self.while_it_answers(self.deadline, self.link().send(&command));
        answers.await.and_then(last).map_err(OpenError::of)
    }

    /// Sends a command to every server that keeps pastes.
    pub(super) async fn ask_all(&self, command: &Cmd) -> Result<Vec<Value>, OpenError> {
        let answers = self.while_it_answers(self.deadline, self.link().send_to_all(command));
        answers.await.map_err(OpenError::of)
    }

    /// Makes a call of the store: one command, or several that run together. `bytes` is how much it carries, which
    /// lengthens its deadline.
    pub(super) async fn call<T: FromRedisValue, const N: usize>(
        &self,
        call: Call,
        commands: [Cmd; N],
        bytes: usize,
    ) -> Result<T, StoreError> {
        if self.is_refusing.load(Ordering::Relaxed) {
            self.calls.record_refused(call);
            return Err(StoreError::Unavailable);
        }
        let commands = together(commands);
        let millis = (bytes as u64).saturating_mul(1000) / BYTES_PER_SECOND;
        let deadline = self.deadline + Duration::from_millis(millis);
        let start = self.clock.elapsed();
        let answers = self.while_it_answers(deadline, self.attempt(call, &commands));
        let answer = answers.await.and_then(last);
        let took = self.clock.elapsed().saturating_sub(start);
        self.calls.record(call, took, answer.as_ref().err());
        answer.map_err(|error| match error.code() {
            // MISCONF: the engine cannot write to its disk.
            Some("OOM" | "MISCONF") => StoreError::DiskFull,
            _ => StoreError::Unavailable,
        })
    }

    /// Waits for an answer until the engine is silent for this long. Of a Cluster, other servers may answer.
    async fn while_it_answers<T>(
        &self,
        deadline: Duration,
        answer: impl Future<Output = RedisResult<T>>,
    ) -> RedisResult<T> {
        let mut answer = pin!(answer);
        for _ in 0..MOST_DEADLINES {
            let answered = self.calls.answered();
            let found = timeout(deadline, &mut answer).await;
            // Of what is late, the connection may be dead.
            let is_late =
                |found: &RedisResult<T>| found.as_ref().is_err_and(RedisError::is_timeout);
            if found.as_ref().map_or(true, is_late) {
                self.resolve_again();
            }
            match found {
                Ok(answer) => return answer,
                Err(_) if self.is_cluster || self.calls.answered() == answered => break,
                Err(_) => {}
            }
        }
        too_late()
    }

    /// Sends commands, and once more if nothing ran the first time, or if they may run twice.
    async fn attempt(&self, call: Call, commands: &Pipeline) -> RedisResult<Vec<Value>> {
        let error = match self.link().send(commands).await {
            Err(error) => error,
            answers => return answers,
        };
        self.is_unchecked.store(true, Ordering::Relaxed);
        match error.kind() {
            ErrorKind::Server(ServerErrorKind::NoScript) => {
                for source in Script::SOURCES {
                    let load = command("SCRIPT", ("LOAD", source));
                    self.link().send_to_all(&load).await?;
                }
            }
            ErrorKind::Server(ServerErrorKind::ReadOnly) => self.resolve_again(),
            _ if call.may_run_twice() && error.is_connection_dropped() => {}
            _ => return Err(error),
        }
        self.link().send(commands).await
    }

    /// Connects again: the name of a server may stand for another one after a failover, and a connection whose other
    /// end is gone may never tell. This happens once per second at most.
    pub(super) fn resolve_again(&self) {
        if self.is_replaced.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_replaced = Arc::clone(&self.is_replaced);
        let (urls, link) = (Arc::clone(&self.urls), Arc::clone(&self.link));
        self.runtime.spawn(async move {
            let fresh = Link::open(&urls, RECONNECTION);
            if let Ok(Ok(fresh)) = timeout(PATIENCE, fresh).await {
                *link.lock() = fresh;
            }
            let _ = timeout(RECONNECTION, pending::<()>()).await;
            is_replaced.store(false, Ordering::Relaxed);
        });
    }
}

/// Returns a command with these arguments, the first of which is its key.
pub(super) fn command(name: &str, args: impl ToRedisArgs) -> Cmd {
    let mut command = redis::cmd(name);
    command.arg(args);
    command
}

/// Makes several commands run together or not at all. Then the last answer has theirs.
fn together<const N: usize>(commands: [Cmd; N]) -> Pipeline {
    let [begin, end] = ["MULTI", "EXEC"].map(|name| (N > 1).then(|| redis::cmd(name)));
    let mut pipeline = Pipeline::with_capacity(N + 2);
    for command in begin.into_iter().chain(commands).chain(end) {
        pipeline.add_command(command);
    }
    pipeline
}

/// Reads the last answer.
fn last<T: FromRedisValue>(mut answers: Vec<Value>) -> RedisResult<T> {
    let last = answers.pop().unwrap_or(Value::Nil);
    Ok(FromRedisValue::from_redis_value(last)?)
}

fn too_late<T>() -> RedisResult<T> {
    Err(io::Error::from(io::ErrorKind::TimedOut).into())
}
