//! The state of one connection, shared by its stream and the request that is being answered.
//!
//! Invariants: the library gets the bytes of one message at a time. It gets those of the next one after the operating
//! system has accepted the whole response ([`Inner::read_permission`]). A read that was put off is woken by the change
//! that permits it. What may follow a phase is a table of the [register](crate::overload::Phase), which sees the phase.
//! Cost: the state takes no locks, as only the connection's task uses it.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Bytes;

use crate::http::connection::message::{BodyLength, Message, lower_post};
use crate::http::connection::unused_headers::blank_unused;
use crate::overload::{ConnectionHandle, Phase};

/// Maximum time that a head may take. The connection is closed when a head takes longer.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection is closed when no byte of a request has arrived for this long after a response. Proxies keep their
/// connections for a minute by default. They must close them first: a request that meets the end of its connection is
/// lost.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// The time that a client waits after its first refusal. It doubles with each further one in a row.
const FIRST_DELAY: Duration = Duration::from_millis(4);

/// The longest time that a client waits after a refusal.
const MAX_DELAY: Duration = Duration::from_secs(2);

/// Bytes that the library gets each time a request asks for its body. The last read may exceed them.
const BODY_QUANTUM: usize = 32 * 1024;

/// The state of one connection.
#[derive(Default)]
pub(crate) struct ConnectionState {
    pub(crate) handle: Arc<ConnectionHandle>,
    /// True if all requests are of the peer itself. A proxy's connection carries those of many clients.
    is_direct: bool,
    /// What a large response still has to send, unless it has given that back.
    pub(crate) unsent: RefCell<Option<Bytes>>,
    inner: RefCell<Inner>,
}

#[derive(Default)]
struct Inner {
    message: Message,
    /// Maximum bytes of the body that the library may still get.
    allowance: usize,
    /// True if a read was put off. The task is woken when a read is permitted again.
    is_read_put_off: bool,
    /// True if the library may discard what it gets, because a body was abandoned or a head was no request.
    may_discard: bool,
    /// The time that the client waits after the present response, which refuses its request.
    refused: Option<Duration>,
    /// The last time that the client waited. It is zero after a request that was not refused.
    delay: Duration,
    /// The next head is not read before this time.
    resumes: Option<Duration>,
}

/// The permission of the library to get bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadPermission {
    /// It may get at most this many bytes of a head.
    Head(usize),
    Body,
    /// It may get nothing, because the head is too large.
    HeadTooLarge,
    /// It may get nothing until the task is woken.
    Later,
}

impl ConnectionState {
    /// Creates the state of a new connection, which waits for its first head.
    pub(crate) fn new(handle: Arc<ConnectionHandle>, is_direct: bool) -> Self {
        Self {
            handle,
            is_direct,
            ..Self::default()
        }
    }

    /// Returns how much the library may get.
    pub(super) fn permit_read(&self) -> ReadPermission {
        self.inner.borrow().read_permission(self.phase())
    }

    /// Notes that a read was put off, and that the socket does not wake the task for it.
    pub(super) fn put_off_read(&self) {
        self.inner.borrow_mut().is_read_put_off = true;
    }

    /// Returns how many of these bytes the library gets now: those of the present message.
    pub(super) fn take(&self, bytes: &mut [u8], now: impl FnOnce() -> Duration) -> usize {
        if bytes.is_empty() {
            return 0;
        }
        if self.phase() == Phase::Idle {
            self.handle.enter(Phase::Head, now());
        }
        let inner = &mut *self.inner.borrow_mut();
        let mut end = None;
        if inner.message.is_new() {
            lower_post(bytes);
            end = blank_unused(bytes);
        }
        let taken = match end {
            Some(end) => inner.message.end_head(bytes, end),
            None => inner.message.take(bytes),
        };
        if inner.allowance < usize::MAX {
            // If not all bytes were taken, they have as many chunks as the library may get at once.
            let is_whole = taken == bytes.len();
            inner.allowance = inner.allowance.saturating_sub(taken) * usize::from(is_whole);
        }
        taken
    }

    /// Returns whether the library may discard what it gets. Then a head that is too large gets no response.
    pub(super) fn may_discard(&self) -> bool {
        self.inner.borrow().may_discard
    }

    /// Returns the time before which the next head is not read, because the client's last request was refused.
    pub(super) fn resumes(&self) -> Option<Duration> {
        self.inner.borrow().resumes
    }

    /// Notes that the client has waited after a refusal.
    pub(super) fn resume(&self) {
        self.update(|inner| inner.resumes = None);
    }

    /// Notes that the peer has read nothing of a response since `now`.
    pub(super) fn set_blocked(&self, now: Duration) {
        let blocked = match self.phase() {
            Phase::Answering | Phase::Blocked => Phase::Blocked,
            _ => Phase::Stuck,
        };
        self.handle.enter(blocked, now);
    }

    /// Notes that the operating system has accepted all written bytes. Returns true if the response is complete, and
    /// the connection waits for the next head from now on. `has_more` is true if a part of that head was read already.
    pub(super) fn record_flush(&self, has_more: bool, now: impl FnOnce() -> Duration) -> bool {
        match self.phase() {
            Phase::Blocked => {
                self.handle.enter(Phase::Answering, Duration::ZERO);
                self.update(|_| ());
            }
            Phase::Sending | Phase::Stuck => {
                self.update(|inner| {
                    let (phase, since) = inner.end_response(has_more, now());
                    self.handle.enter(phase, since);
                });
                return true;
            }
            // The library got a head and made no request of it: it discards what it gets, or refuses it itself.
            Phase::New | Phase::Head if self.has_whole_message() => self.update(|inner| {
                inner.message = Message::default();
                inner.may_discard = true;
            }),
            _ => {}
        }
        false
    }

    /// Returns the time when the connection is closed, by the server's clock, unless the head that it waits for has
    /// arrived whole. Returns `None` if it does not wait for a head.
    pub(super) fn head_deadline(&self) -> Option<Duration> {
        let (phase, since) = self.handle.phase();
        match phase {
            Phase::New | Phase::Head => Some(since.saturating_add(HEAD_TIMEOUT)),
            Phase::Idle => Some(since.saturating_add(KEEP_ALIVE)),
            _ => None,
        }
    }

    /// Returns what the connection does.
    pub(super) fn phase(&self) -> Phase {
        self.handle.phase().0
    }

    /// Notes that a request is being answered, and the length of its body.
    pub(super) fn start_request(&self, body: BodyLength) {
        self.handle.enter(Phase::Answering, Duration::ZERO);
        self.update(|inner| {
            inner.message.start_body(body);
            inner.allowance = 0;
        });
    }

    /// Returns whether the library has got the whole message.
    pub(super) fn has_whole_message(&self) -> bool {
        self.inner.borrow().message.is_over()
    }

    /// Notes that the request is refused. If all requests are of the peer itself, its next head is not read for a time
    /// that doubles with each refusal in a row, and is at most `retry_after`.
    pub(crate) fn refuse(&self, retry_after: Duration) {
        self.inner.borrow_mut().refused = self.is_direct.then_some(retry_after);
    }

    /// Notes that the response is complete.
    pub(super) fn end_request(&self) {
        match self.handle.phase() {
            (Phase::Blocked, since) => self.handle.enter(Phase::Stuck, since),
            _ => self.handle.enter(Phase::Sending, Duration::ZERO),
        }
    }

    /// Notes that the request waits for its body.
    pub(super) fn wait_for_body(&self) {
        self.update(|inner| inner.allowance = BODY_QUANTUM);
    }

    /// Notes that the request got a chunk of its body. The library may have decoded more of it.
    pub(super) fn receive_chunk(&self) {
        self.update(|inner| inner.allowance = 0);
    }

    /// Returns whether the body consists mostly of the extensions, leading zeros and trailers of its chunks.
    pub(super) fn is_mostly_framing(&self) -> bool {
        self.inner.borrow().message.is_mostly_framing()
    }

    /// Notes that the handler does not read the rest of the body. The library discards it.
    pub(super) fn abandon_body(&self) {
        self.update(|inner| {
            inner.allowance = usize::MAX;
            inner.may_discard = true;
        });
    }

    /// Changes the state. Wakes a read that was put off if reading is permitted now.
    fn update(&self, change: impl FnOnce(&mut Inner)) {
        let mut inner = self.inner.borrow_mut();
        change(&mut inner);
        let is_released =
            inner.is_read_put_off && inner.read_permission(self.phase()) != ReadPermission::Later;
        inner.is_read_put_off &= !is_released;
        drop(inner);
        if is_released {
            self.handle.wake();
        }
    }
}

impl Inner {
    fn read_permission(&self, phase: Phase) -> ReadPermission {
        match &self.message {
            _ if phase.is_blocked() => ReadPermission::Later,
            Message::Head(head) => match head.remaining() {
                0 => ReadPermission::HeadTooLarge,
                remaining => ReadPermission::Head(remaining),
            },
            message if message.is_over() || self.allowance == 0 => ReadPermission::Later,
            _ => ReadPermission::Body,
        }
    }

    /// Starts the wait for the next head, and returns its phase and time. The library discards the rest of an abandoned
    /// body before.
    fn end_response(&mut self, has_more: bool, now: Duration) -> (Phase, Duration) {
        self.delay = match self.refused.take() {
            Some(longest) => (2 * self.delay)
                .max(FIRST_DELAY)
                .min(MAX_DELAY)
                .min(longest),
            None => Duration::ZERO,
        };
        let start = now + self.delay;
        self.resumes = (!self.delay.is_zero()).then_some(start);
        let is_ended = self.message.is_over();
        if is_ended {
            self.message = Message::default();
        }
        match has_more || !is_ended {
            true => (Phase::Head, start),
            false => (Phase::Idle, start),
        }
    }
}

#[cfg(test)]
mod tests;
