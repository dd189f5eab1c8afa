//! The connection to the engine. Every call has a deadline, and its outcome is counted.
//!
//! Invariants: a call that was started is sent and counted even if its caller goes away. A call that failed may have
//! been carried out, unless the engine refused it. A call is repeated only if nothing ran, or if the caller says that
//! it may run twice. The log tells when calls start to fail and when they succeed again, see [`outage`].
//! Cost: one connection, over which all calls are pipelined, and one task for each call on the runtime of the store's
//! own thread. So the connection lives as long as the store, whichever thread a call came from.

mod call;
mod cluster;
mod link;
mod outage;

pub(in crate::store) use call::Failure;
pub use call::{Call, CallCount};

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::{Cmd, ErrorKind, FromRedisValue, RedisError, RedisResult, ServerErrorKind, Value};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::open_error::OpenError;
use crate::paste::Timestamp;
use call::Calls;
use link::Link;
use outage::Outages;

/// How long a call may take, unless the operator set another time in `tb:meta`. It gets one second more for each 8 MiB
/// that it carries.
const DEADLINE: Duration = Duration::from_millis(200);
const BYTES_PER_SECOND: u64 = 8 << 20;

/// How long the first connection and each call may take until the node has started.
const PATIENCE_AT_START: Duration = Duration::from_secs(5);

/// How long a later connection may take, and the pause after it. Then another one is tried, because packets of the
/// first may have been lost.
const RECONNECTION: Duration = Duration::from_secs(1);

/// The functions of the engine. See there.
pub(super) const LIBRARY_SOURCE: &str = concat!(
    include_str!("../library/1_shard.lua"),
    include_str!("../library/2_pastes.lua"),
    include_str!("../library/3_states.lua"),
);

/// The engine. Threads share it by reference.
pub(super) struct Connection {
    link: Link,
    runtime: Handle,
    calls: Calls,
    outages: Outages,
    /// Whether the connection was replaced within the last [`RECONNECTION`].
    is_replaced: Arc<AtomicBool>,
    /// Whether calls are refused, because the engine belongs to other nodes, or has another time.
    is_refusing: AtomicBool,
    /// Whether a single engine did not answer the last question of the upkeep in time. Then calls fail at once, instead
    /// of keeping their requests waiting.
    is_silent: AtomicBool,
    deadline: Duration,
    /// How long a call outside of the operations of the store may take.
    patience: Duration,
    clock: Box<dyn EngineClock>,
}

/// The clock of a node.
pub trait EngineClock: Send + Sync {
    /// Returns the time of the engine, as far as this node knows it.
    fn now(&self) -> Timestamp;

    /// Returns the time since the start, by which calls are measured.
    fn elapsed(&self) -> Duration;

    /// Returns by how much the clock and the engine differ. A clock that is not to follow differs by nothing.
    fn difference(&self, time: Timestamp) -> Duration;

    /// Sets the clock to the time of the engine.
    fn agree_with(&self, time: Timestamp);
}

/// A clock that stands still: that of a node until it has started, and of tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandingClock(pub Timestamp);

impl EngineClock for StandingClock {
    fn now(&self) -> Timestamp {
        self.0
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn difference(&self, _time: Timestamp) -> Duration {
        Duration::ZERO
    }

    fn agree_with(&self, _time: Timestamp) {}
}

impl Connection {
    /// Connects to one server, or to a Cluster if there are several addresses.
    ///
    /// # Errors
    /// Fails if an address is wrong, or if the engine cannot be reached.
    pub(super) async fn open(urls: &[String], runtime: Handle) -> RedisResult<Self> {
        Ok(Self {
            link: within(PATIENCE_AT_START, Link::open(urls, PATIENCE_AT_START)).await?,
            runtime,
            calls: Calls::default(),
            outages: Outages::default(),
            is_replaced: Arc::default(),
            is_refusing: AtomicBool::new(false),
            is_silent: AtomicBool::new(false),
            deadline: DEADLINE,
            patience: PATIENCE_AT_START,
            clock: Box::new(StandingClock::default()),
        })
    }

    /// Ends the start. Calls get this deadline, or the usual one, and are measured by this clock.
    pub(super) fn finish_start(&mut self, deadline: Option<Duration>, clock: Box<dyn EngineClock>) {
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
                tracing::error!(%error, "this node and the engine do not agree: requests that need it get 503")
            }
            None if was_refusing => tracing::info!("this node and the engine agree again"),
            _ => {}
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) fn clock(&self) -> &dyn EngineClock {
        &*self.clock
    }

    pub(super) fn call_counts(&self) -> [CallCount; Call::ALL.len()] {
        self.calls.counts()
    }

    pub(super) fn is_cluster(&self) -> bool {
        self.link.is_cluster()
    }

    /// Sends a command outside of the operations of the store. It is not counted, and waits longer during the start.
    pub(super) async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        let answer = within(self.patience, self.link.send(command)).await;
        let is_late = answer.as_ref().is_err_and(RedisError::is_timeout);
        if is_late {
            self.resolve_again();
        }
        // Other servers of a Cluster may answer.
        self.is_silent
            .store(is_late && !self.is_cluster(), Ordering::Relaxed);
        answer
    }

    /// Returns whether the engine did not answer the last question of the upkeep in time.
    pub(super) fn is_silent(&self) -> bool {
        self.is_silent.load(Ordering::Relaxed)
    }

    /// Sends a command to every server that keeps pastes. Returns their numbers.
    pub(super) async fn ask_all(&self, command: &Cmd) -> RedisResult<Vec<i64>> {
        within(self.patience, self.link.send_to_all(command)).await
    }

    /// Sends a command that names no key to any server.
    pub(super) async fn ask_any<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        within(self.patience, self.link.send_to_any(command)).await
    }

    /// Loads the functions into every server that keeps pastes, also where others of this name are.
    pub(super) async fn replace_library(&self) -> RedisResult<()> {
        let mut load = redis::cmd("FUNCTION");
        load.arg("LOAD").arg("REPLACE").arg(LIBRARY_SOURCE);
        self.ask::<Value>(&load).await?;
        tracing::info!("the older functions of tidebin in the engine were replaced");
        Ok(())
    }

    /// Loads the functions into every server that has none of this name. Another node may have loaded a newer library
    /// meanwhile, or another server has it still.
    pub(super) async fn add_library(&self) -> RedisResult<()> {
        let mut load = redis::cmd("FUNCTION");
        load.arg("LOAD").arg(LIBRARY_SOURCE);
        match self.ask::<Value>(&load).await {
            Err(error) if error.to_string().contains("already exists") => Ok(()),
            Err(error) => Err(error),
            Ok(_) => {
                tracing::info!("the functions of tidebin were loaded into the engine");
                Ok(())
            }
        }
    }

    /// Sends a command, and once more if nothing ran the first time, or if it may run twice.
    async fn attempt<T: FromRedisValue>(&self, call: Call, command: &Cmd) -> RedisResult<T> {
        let error = match self.link.send(command).await {
            Err(error) => error,
            answer => return answer,
        };
        if is_without_library(&error) {
            self.add_library().await?;
        } else if matches!(error.kind(), ErrorKind::Server(ServerErrorKind::ReadOnly)) {
            self.resolve_again();
        } else if !(call.may_run_twice() && error.is_connection_dropped()) {
            return Err(error);
        }
        self.link.send(command).await
    }

    /// Connects again: the name of a server may stand for another one after a failover, and a connection whose other
    /// end is gone may never tell. This happens once per second at most.
    fn resolve_again(&self) {
        if self.is_replaced.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_replaced = Arc::clone(&self.is_replaced);
        let replacement = self.link.replace(RECONNECTION);
        self.runtime.spawn(async move {
            let _ = within(PATIENCE_AT_START, replacement).await;
            let _ = timeout(RECONNECTION, pending::<()>()).await;
            is_replaced.store(false, Ordering::Relaxed);
        });
    }

    /// Shortens the pauses of the log by a period of the upkeep that has passed.
    pub(super) fn shorten_pauses(&self) {
        self.outages.shorten_pauses();
    }

    /// The runtime on which all calls are made.
    pub(super) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Makes a call of the store. `bytes` is how much it carries, which lengthens its deadline.
    pub(super) async fn call<T: FromRedisValue>(
        &self,
        call: Call,
        command: &Cmd,
        bytes: usize,
    ) -> Result<T, Failure> {
        if self.is_refusing.load(Ordering::Relaxed) || self.is_silent() {
            self.calls.count(call, Duration::ZERO, false);
            return Err(Failure::Unavailable);
        }
        let millis = (bytes as u64).saturating_mul(1000) / BYTES_PER_SECOND;
        let deadline = self.deadline + Duration::from_millis(millis);
        let start = self.clock.elapsed();
        let answer = within(deadline, self.attempt(call, command)).await;
        let took = self.clock.elapsed().saturating_sub(start);
        self.calls.count(call, took, answer.is_ok());
        let error = match answer {
            Ok(answer) => {
                self.outages.succeeded(call);
                return Ok(answer);
            }
            Err(error) => error,
        };
        if error.is_timeout() {
            self.resolve_again();
        }
        let failure = match error.code() {
            // MISCONF: the engine cannot write to its disk.
            Some("OOM" | "MISCONF") => Failure::Full,
            _ => Failure::Unavailable,
        };
        self.outages.failed(call, failure, &error);
        Err(failure)
    }
}

pub(super) fn is_without_library(error: &RedisError) -> bool {
    error.to_string().contains("Function not found")
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
