//! The state of one connection, shared by its stream and the request that is being answered.
//!
//! Invariants: a refused read is woken by the change that permits it. A response is in progress until the operating
//! system has accepted all of it. The bytes read ahead of responses are few, however many requests they contain, and
//! the library is polled again when it may not have decoded all of them.
//! Cost: the state takes no locks, as only the connection's task uses it. Only a change of activity takes the handle's
//! lock.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use crate::http::connection::handle::{Activity, ConnectionHandle};
use crate::http::connection::head_backlog::HeadBacklog;

/// Maximum bytes that the stream reads ahead while a request without a body is answered, and the requests that the
/// library has decoded together with it. Only a read notices that the client has reset the connection.
const READ_AHEAD: usize = 4 * 1024;

/// Maximum time that a head may take. The connection is closed when a head takes longer.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection is closed when no byte of a request has arrived for this long after a response. Proxies keep their
/// connections for a minute by default. They must close them first: a request that meets the end of its connection is
/// lost.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// Bytes that may be read each time a request asks for its body.
const BODY_QUANTUM: usize = 64 * 1024;

/// Bytes that may be read with a body but are not its own: long trailers, and the requests that follow it.
const MAX_FRAMING: u64 = 256 * 1024;

/// Bytes of framing that each byte of a body may have. A chunk of one byte has five.
const FRAMING_PER_BYTE: u64 = 8;

/// The state of one connection.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    handle: Arc<ConnectionHandle>,
    inner: Cell<Inner>,
}

#[derive(Debug, Clone, Copy)]
struct Inner {
    phase: Phase,
    /// The time since when the peer has read nothing of a response, by the server's clock.
    blocked: Option<Duration>,
    /// True if a request was answered before on this connection.
    has_served: bool,
    /// True if the last bytes read did not end a head. Then a part of the next request may have been read.
    has_partial_message: bool,
    head_backlog: HeadBacklog,
    /// True if the last request's body was not read to its end. The library discards the rest and then closes the
    /// connection.
    is_body_abandoned: bool,
    /// Maximum bytes that may still be read while a request is answered.
    allowance: usize,
    /// True if bytes were read while a request was answered. The library does not decode them while 16 requests wait.
    /// After it has answered all of these, it does not look at the bytes until the task is woken.
    has_read_ahead: bool,
    /// True if a read was refused. The task is woken when a read is permitted again.
    is_read_held: bool,
    /// True if a request is deferred, see [`super::InFlightGuard::defer`].
    is_deferred: bool,
    /// True if a request said that it is the last one.
    has_last: bool,
}

/// The position of a connection in the cycle of request and response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing was read since the last response. The time is that of its end.
    Idle(Duration),
    /// The connection waits for the end of a head. The time is that of its first byte, or of the start of a new
    /// connection.
    Head(Duration),
    /// A handler works on a request, or the response is being written.
    Serving,
    /// The response is complete, but the operating system has not accepted all of it.
    Sending,
}

/// The permission of the stream to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadPermission {
    /// The stream may read at most this many bytes.
    UpTo(usize),
    /// The stream may read nothing, because the head may be too large. The head is not too large if the library finds
    /// its end in bytes that the library has not looked at yet.
    BacklogFull,
    /// The stream may read nothing until the task is woken.
    Held,
}

/// A head that the connection waits for. It has not arrived whole, or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PendingHead {
    /// The time when the connection is closed, by the server's clock.
    pub(crate) deadline: Duration,
    /// True if no request was answered before on this connection.
    pub(crate) is_first: bool,
}

impl ConnectionState {
    /// Creates the state of a new connection, which waits for its first head.
    pub(crate) fn new(handle: Arc<ConnectionHandle>, now: Duration) -> Self {
        let inner = Cell::new(Inner {
            phase: Phase::Head(now),
            blocked: None,
            has_served: false,
            has_partial_message: false,
            head_backlog: HeadBacklog::default(),
            is_body_abandoned: false,
            allowance: 0,
            has_read_ahead: false,
            is_read_held: false,
            is_deferred: false,
            has_last: false,
        });
        Self { handle, inner }
    }

    /// Notes a request. `is_last` is true if its connection shall be closed after the response. Returns true if an
    /// earlier request was the last one, so that this one must not be processed (RFC 9112, section 9.6).
    pub(crate) fn is_after_last(&self, is_last: bool) -> bool {
        let mut inner = self.inner.get();
        let is_after = inner.has_last;
        inner.has_last |= is_last;
        self.inner.set(inner);
        is_after
    }

    /// Returns how much the stream may read. A refused read is woken later. The library calls this before it decodes
    /// the bytes read. It decodes all of them if no request is waiting.
    pub(crate) fn permit_read(&self) -> ReadPermission {
        let mut inner = self.inner.get();
        let permission = inner.read_permission();
        inner.is_read_held |= permission == ReadPermission::Held;
        inner.has_read_ahead &= matches!(inner.phase, Phase::Serving | Phase::Sending);
        self.inner.set(inner);
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
            Phase::Idle(_) => {
                inner.phase = Phase::Head(now());
                inner.head_backlog.start_request();
            }
            Phase::Head(_) => (),
            Phase::Serving | Phase::Sending => {
                inner.allowance = inner.allowance.saturating_sub(bytes.len());
                inner.has_read_ahead = true;
            }
        }
        inner.head_backlog.record(bytes);
        self.inner.set(inner);
    }

    /// Notes that the peer has read nothing of a response since `now`.
    pub(crate) fn set_blocked(&self, now: Duration) {
        self.update(|inner| inner.blocked = Some(now));
    }

    /// Notes that the operating system has accepted all written bytes. Returns true if the response is complete, and
    /// the connection waits for the next head from now on. That head may have been read, or a part of it.
    pub(crate) fn record_flush(&self, now: impl FnOnce() -> Duration) -> bool {
        let before = self.inner.get();
        let is_sent = before.phase == Phase::Sending;
        if is_sent || before.blocked.is_some() {
            self.update(|inner| {
                inner.blocked = None;
                if is_sent {
                    inner.head_backlog.start_request();
                    inner.phase = match inner.has_partial_message {
                        true => Phase::Head(now()),
                        false => Phase::Idle(now()),
                    };
                }
            });
        }
        if is_sent && before.has_read_ahead {
            self.handle.wake();
        }
        is_sent
    }

    /// Returns the head that the connection waits for. Returns `None` if it does not wait for a head.
    pub(crate) fn pending_head(&self) -> Option<PendingHead> {
        let inner = self.inner.get();
        match inner.phase {
            Phase::Head(since) => Some(PendingHead {
                deadline: since.saturating_add(HEAD_TIMEOUT),
                is_first: !inner.has_served,
            }),
            Phase::Idle(since) => Some(PendingHead {
                deadline: since.saturating_add(KEEP_ALIVE),
                is_first: false,
            }),
            Phase::Serving | Phase::Sending => None,
        }
    }

    /// Notes that a request is being answered. Its head has arrived whole.
    pub(super) fn start_request(&self) {
        self.update(|inner| {
            // The library had decoded this request with an earlier one if that one's response was not sent.
            if inner.phase != Phase::Sending {
                inner.allowance = READ_AHEAD;
            }
            inner.has_served = true;
            inner.phase = Phase::Serving;
            inner.is_body_abandoned = false;
        });
    }

    /// Notes that the response is complete.
    pub(super) fn end_request(&self) {
        self.update(|inner| inner.phase = Phase::Sending);
    }

    /// Notes whether the request is deferred.
    pub(super) fn set_deferred(&self, is_deferred: bool) {
        self.update(|inner| inner.is_deferred = is_deferred);
    }

    /// Returns true if a request is deferred and has not been polled since. It returns true once per deferral.
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

    /// Returns the number of all bytes read on the connection.
    pub(super) fn bytes_read(&self) -> u64 {
        self.inner.get().head_backlog.read()
    }

    /// Returns whether a body consists mostly of the extensions, leading zeros and trailers of its chunks. `length`
    /// bytes of the body were received; `start` is the number of bytes that were read before it.
    pub(super) fn is_mostly_framing(&self, start: u64, length: u64) -> bool {
        self.bytes_read() > start + MAX_FRAMING + (1 + FRAMING_PER_BYTE) * length
    }

    /// Notes that the body has ended after `length` bytes. The last bytes read are its end. That the next head starts
    /// among them is unknown, and rare. `has_waited` is true if the request has waited for the body. Then the library
    /// has decoded all bytes read.
    pub(super) fn end_body(&self, length: u64, has_waited: bool) {
        self.update(|inner| {
            inner.has_partial_message = false;
            inner.head_backlog.end_body(length);
            if has_waited {
                inner.allowance = READ_AHEAD;
                inner.has_read_ahead = false;
            }
        });
    }

    /// Notes that the handler does not read the rest of the body.
    pub(super) fn abandon_body(&self) {
        self.update(|inner| inner.is_body_abandoned = true);
    }

    /// Changes the state. Reports the activity if it has changed. Wakes a refused read if reading is permitted now.
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
            (None, Phase::Idle(_) | Phase::Head(_)) if remaining == 0 => {
                return ReadPermission::BacklogFull;
            }
            (None, Phase::Idle(_) | Phase::Head(_) | Phase::Sending) => remaining,
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
            (None, Phase::Idle(_) | Phase::Head(_)) => Activity::Waiting,
        }
    }
}

/// Returns true if `bytes` end like a head or a chunked body: with an empty line after one that is not empty.
fn ends_with_head(bytes: &[u8]) -> bool {
    matches!(bytes, [.., last, b'\r', b'\n', b'\r', b'\n'] if *last != b'\n')
}

#[cfg(test)]
mod tests;
