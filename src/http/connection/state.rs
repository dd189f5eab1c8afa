//! The state of one connection, shared by its stream and the request that it answers.
//!
//! Invariants: a held read is woken by the change that permits it. An answer is in progress until the system has taken
//! all of it.
//! Cost: no locks, as all of it happens in the connection's task. Only a change of activity is reported through the
//! handle's lock.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use crate::http::connection::handle::{Activity, ConnectionHandle};
use crate::http::connection::head_backlog::HeadBacklog;

/// Bytes that are read ahead while a request is answered that wants no body. A reset by the client is noticed only by
/// reading.
const READ_AHEAD: usize = 4 * 1024;

/// Bytes that may be read each time a request asks for its body.
const BODY_QUANTUM: usize = 64 * 1024;

/// The state of one connection.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    handle: Arc<ConnectionHandle>,
    inner: Cell<Inner>,
}

#[derive(Debug, Clone, Copy)]
struct Inner {
    phase: Phase,
    /// The time of the clock since which the peer has taken nothing of an answer.
    blocked: Option<Duration>,
    /// A request was answered before on this connection.
    has_served: bool,
    /// The last bytes read did not end a head, so a part of the next request may have been read.
    has_partial_message: bool,
    head_backlog: HeadBacklog,
    /// The last request's body was not read to its end. The library discards the rest and then closes the connection.
    is_body_abandoned: bool,
    /// Bytes that may be read while a request is answered.
    allowance: usize,
    /// A read was refused. Its task is woken when it is permitted.
    is_read_held: bool,
    /// A request is deferred, see [`super::InFlightGuard::defer`].
    is_deferred: bool,
}

/// The position of a connection in the cycle of request and answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing was read since the last answer.
    Idle,
    /// A head is awaited since this time of the clock: its first byte, or the start of a new connection.
    Head(Duration),
    /// A request is with its handler, or its answer is being written.
    Serving,
    /// The answer is complete, but the system has not taken all of it.
    Sending,
}

/// What the stream may read now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadPermission {
    /// At most this many bytes.
    UpTo(usize),
    /// Nothing: the head is too large, unless the library finds its end in the bytes that it has not looked at yet.
    BacklogFull,
    /// Nothing until the task is woken.
    Held,
}

/// A head that has not arrived whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PendingHead {
    /// The time of the clock since which it is awaited.
    pub(crate) since: Duration,
    /// No request was answered before on this connection.
    pub(crate) is_first: bool,
}

impl ConnectionState {
    /// The state of a new connection, which waits for its first head.
    pub(crate) fn new(handle: Arc<ConnectionHandle>, now: Duration) -> Self {
        let inner = Cell::new(Inner {
            phase: Phase::Head(now),
            blocked: None,
            has_served: false,
            has_partial_message: false,
            head_backlog: HeadBacklog::default(),
            is_body_abandoned: false,
            allowance: 0,
            is_read_held: false,
            is_deferred: false,
        });
        Self { handle, inner }
    }

    /// Returns what the stream may read. A held read is woken later.
    pub(crate) fn permit_read(&self) -> ReadPermission {
        let mut inner = self.inner.get();
        let permission = inner.read_permission();
        if permission == ReadPermission::Held {
            inner.is_read_held = true;
            self.inner.set(inner);
        }
        permission
    }

    /// Notes bytes that were read.
    pub(crate) fn record_read(&self, bytes: &[u8], now: impl FnOnce() -> Duration) {
        let mut inner = self.inner.get();
        if bytes.is_empty() {
            return;
        }
        inner.has_partial_message = !ends_with_head(bytes);
        match inner.phase {
            Phase::Idle => {
                inner.phase = Phase::Head(now());
                inner.head_backlog.start_request();
            }
            Phase::Serving => inner.allowance = inner.allowance.saturating_sub(bytes.len()),
            Phase::Head(_) | Phase::Sending => (),
        }
        inner.head_backlog.record(bytes);
        self.inner.set(inner);
    }

    /// Notes that the peer has taken nothing of an answer since `now`.
    pub(crate) fn set_blocked(&self, now: Duration) {
        self.update(|inner| inner.blocked = Some(now));
    }

    /// Notes that the system has taken all that was written. Returns whether the next head is awaited from now on: an
    /// answer is complete, and a part of the next request may have been read.
    pub(crate) fn record_flush(&self, now: impl FnOnce() -> Duration) -> bool {
        let before = self.inner.get();
        let is_sent = before.phase == Phase::Sending;
        let is_head_pending = is_sent && before.has_partial_message;
        if is_sent || before.blocked.is_some() {
            self.update(|inner| {
                inner.blocked = None;
                if is_sent {
                    inner.head_backlog.start_request();
                    inner.phase = match is_head_pending {
                        true => Phase::Head(now()),
                        false => Phase::Idle,
                    };
                }
            });
        }
        is_head_pending
    }

    /// Returns the head that the connection waits for, if any.
    pub(crate) fn pending_head(&self) -> Option<PendingHead> {
        let inner = self.inner.get();
        match inner.phase {
            Phase::Head(since) => Some(PendingHead {
                since,
                is_first: !inner.has_served,
            }),
            Phase::Idle | Phase::Serving | Phase::Sending => None,
        }
    }

    /// Notes that a request whose head is whole is being answered.
    pub(super) fn start_request(&self) {
        self.update(|inner| {
            inner.has_served = true;
            inner.phase = Phase::Serving;
            inner.is_body_abandoned = false;
            inner.allowance = READ_AHEAD;
        });
    }

    /// Notes that the answer is complete.
    pub(super) fn end_request(&self) {
        self.update(|inner| inner.phase = Phase::Sending);
    }

    /// Notes whether the request is deferred.
    pub(super) fn set_deferred(&self, is_deferred: bool) {
        self.update(|inner| inner.is_deferred = is_deferred);
    }

    /// Returns whether a request is deferred that was not polled since. Returns `true` once per deferral.
    pub(crate) fn take_deferred(&self) -> bool {
        let mut inner = self.inner.get();
        let is_deferred = std::mem::take(&mut inner.is_deferred);
        self.inner.set(inner);
        is_deferred
    }

    /// Notes that the request waits for its body: the library has decoded all bytes read, except those read ahead.
    pub(super) fn wait_for_body(&self) {
        self.update(|inner| {
            inner.head_backlog.continue_body(READ_AHEAD);
            inner.allowance = BODY_QUANTUM;
        });
    }

    /// Notes that the request got a chunk of its body. The library may have decoded more of it.
    pub(super) fn receive_chunk(&self) {
        self.update(|inner| inner.allowance = inner.allowance.min(READ_AHEAD));
    }

    /// Notes that the body has ended after `length` bytes.
    pub(super) fn end_body(&self, length: u64) {
        self.update(|inner| {
            inner.head_backlog.end_body(length);
            inner.allowance = READ_AHEAD;
        });
    }

    /// Notes that the request does not want the rest of its body.
    pub(super) fn abandon_body(&self) {
        self.update(|inner| inner.is_body_abandoned = true);
    }

    /// Changes the state, reports a new activity, and wakes a held read that is permitted now.
    fn update(&self, change: impl FnOnce(&mut Inner)) {
        let mut inner = self.inner.get();
        let before = inner.activity();
        change(&mut inner);
        let is_released = inner.is_read_held && inner.read_permission() != ReadPermission::Held;
        inner.is_read_held &= !is_released;
        self.inner.set(inner);
        if inner.activity() != before {
            self.handle.set_activity(inner.activity());
        }
        if is_released {
            self.handle.wake();
        }
    }
}

impl Inner {
    fn read_permission(&self) -> ReadPermission {
        let remaining = match self.is_body_abandoned {
            true => usize::MAX,
            false => self.head_backlog.remaining(),
        };
        let allowed = match (self.blocked, self.phase) {
            (Some(_), _) => 0,
            (None, Phase::Serving) => self.allowance.min(remaining),
            (None, Phase::Idle | Phase::Head(_)) if remaining == 0 => {
                return ReadPermission::BacklogFull;
            }
            (None, Phase::Idle | Phase::Head(_) | Phase::Sending) => remaining,
        };
        match allowed {
            0 => ReadPermission::Held,
            allowed => ReadPermission::UpTo(allowed),
        }
    }

    fn activity(&self) -> Activity {
        match (self.blocked, self.phase) {
            (Some(since), _) => Activity::Blocked(since),
            (None, Phase::Serving | Phase::Sending) => Activity::Answering,
            (None, Phase::Idle | Phase::Head(_)) => Activity::Waiting,
        }
    }
}

/// Returns whether `bytes` end with a head or a chunked body: with an empty line after one that is not empty.
fn ends_with_head(bytes: &[u8]) -> bool {
    matches!(bytes, [.., last, b'\r', b'\n', b'\r', b'\n'] if *last != b'\n')
}

#[cfg(test)]
mod tests;
