//! The state of one connection, shared by its stream and the request that is being answered.
//!
//! Invariants: the library gets the bytes of one message at a time. It gets those of the next one after the operating
//! system has accepted the whole response ([`Inner::read_permission`]). A read that was put off is woken by the change
//! that permits it.
//! Cost: the state takes no locks, as only the connection's task uses it. Only a change of activity takes the handle's
//! lock.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use crate::http::connection::handle::{Activity, ConnectionHandle};
use crate::http::connection::message::{BodyLength, Message, lower_post};
use crate::http::connection::unused_headers::blank_unused;

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
pub(crate) struct ConnectionState {
    handle: Arc<ConnectionHandle>,
    /// True if all requests are of the peer itself. A proxy's connection carries those of many clients.
    is_direct: bool,
    inner: RefCell<Inner>,
}

#[derive(Default)]
struct Inner {
    phase: Phase,
    /// The start of the phase, if it is one without a request.
    since: Duration,
    message: Message,
    /// The time since when the peer has read nothing of a response, by the server's clock.
    blocked: Option<Duration>,
    /// True if a request was answered before on this connection.
    has_served: bool,
    /// Maximum bytes of the body that the library may still get.
    allowance: usize,
    /// True if a read was put off. The task is woken when a read is permitted again.
    is_read_put_off: bool,
    /// True if the library may discard what it gets, because a body was abandoned or a head was no request.
    may_discard: bool,
    /// True if a request is deferred, see [`super::InFlightGuard::defer`].
    is_deferred: bool,
    /// The time that the client waits after the present response, which refuses its request.
    refused: Option<Duration>,
    /// The last time that the client waited. It is zero after a request that was not refused.
    delay: Duration,
    /// The next head is not read before this time.
    resumes: Option<Duration>,
}

/// The position of a connection in the cycle of request and response.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    /// Nothing was read since the last response. It starts with the end of that response.
    Idle,
    /// The connection waits for the end of a head. It starts with the first byte of that head, or with a new
    /// connection.
    #[default]
    Head,
    /// A handler works on a request, or the response is being written.
    Serving,
    /// The response is complete, but the operating system has not accepted all of it.
    Sending,
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
    pub(super) fn new(handle: Arc<ConnectionHandle>, now: Duration, is_direct: bool) -> Self {
        let inner = RefCell::new(Inner {
            since: now,
            ..Inner::default()
        });
        Self {
            handle,
            is_direct,
            inner,
        }
    }

    /// Returns how much the library may get.
    pub(super) fn permit_read(&self) -> ReadPermission {
        self.inner.borrow().read_permission()
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
        let inner = &mut *self.inner.borrow_mut();
        if inner.phase == Phase::Idle {
            (inner.phase, inner.since) = (Phase::Head, now());
        }
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
        self.update(|inner| inner.blocked = Some(now));
    }

    /// Notes that the operating system has accepted all written bytes. Returns true if the response is complete, and
    /// the connection waits for the next head from now on. `has_more` is true if a part of that head was read already.
    pub(super) fn record_flush(&self, has_more: bool, now: impl FnOnce() -> Duration) -> bool {
        let before = self.inner.borrow();
        let is_sent = before.phase == Phase::Sending;
        // The library got a head and made no request of it: it discards what it gets, or refuses it itself.
        let is_ignored = before.phase == Phase::Head && before.message.is_over();
        let is_blocked = before.blocked.is_some();
        drop(before);
        if is_sent || is_ignored || is_blocked {
            self.update(|inner| {
                inner.blocked = None;
                if is_ignored {
                    inner.message = Message::default();
                    inner.may_discard = true;
                }
                if is_sent {
                    inner.end_response(has_more, now());
                }
            });
        }
        is_sent
    }

    /// Returns the time when the connection is closed, by the server's clock, unless the head that it waits for has
    /// arrived whole. Returns `None` if it does not wait for a head.
    pub(super) fn head_deadline(&self) -> Option<Duration> {
        let inner = self.inner.borrow();
        match inner.phase {
            Phase::Head => Some(inner.since.saturating_add(HEAD_TIMEOUT)),
            Phase::Idle => Some(inner.since.saturating_add(KEEP_ALIVE)),
            Phase::Serving | Phase::Sending => None,
        }
    }

    /// Returns true if a request was answered before on this connection.
    pub(super) fn has_served(&self) -> bool {
        self.inner.borrow().has_served
    }

    /// Notes that a request is being answered, and the length of its body.
    pub(super) fn start_request(&self, body: BodyLength) {
        self.update(|inner| {
            inner.has_served = true;
            inner.phase = Phase::Serving;
            inner.message.start_body(body);
            inner.allowance = 0;
        });
    }

    /// Returns whether the peer has not read all of the response that is being written.
    pub(super) fn is_blocked(&self) -> bool {
        self.inner.borrow().blocked.is_some()
    }

    /// Returns whether the library has got the whole message.
    pub(super) fn has_whole_message(&self) -> bool {
        self.inner.borrow().message.is_over()
    }

    /// Returns whether the connection was evicted.
    pub(super) fn is_evicted(&self) -> bool {
        self.handle.is_evicted()
    }

    /// Notes that the request is refused. If all requests are of the peer itself, its next head is not read for a time
    /// that doubles with each refusal in a row, and is at most `retry_after`.
    pub(crate) fn refuse(&self, retry_after: Duration) {
        self.inner.borrow_mut().refused = self.is_direct.then_some(retry_after);
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
    pub(super) fn take_deferred(&self) -> bool {
        std::mem::take(&mut self.inner.borrow_mut().is_deferred)
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

    /// Changes the state. Reports the activity if it has changed. Wakes a read that was put off if reading is permitted
    /// now.
    fn update(&self, change: impl FnOnce(&mut Inner)) {
        let mut inner = self.inner.borrow_mut();
        let before = inner.activity();
        change(&mut inner);
        let is_released = inner.is_read_put_off && inner.read_permission() != ReadPermission::Later;
        inner.is_read_put_off &= !is_released;
        let activity = inner.activity();
        drop(inner);
        if activity != before {
            self.handle.set_activity(activity);
        }
        if is_released {
            self.handle.wake();
        }
    }
}

impl Inner {
    fn read_permission(&self) -> ReadPermission {
        match &self.message {
            _ if self.blocked.is_some() => ReadPermission::Later,
            Message::Head(head) => match head.remaining() {
                0 => ReadPermission::HeadTooLarge,
                remaining => ReadPermission::Head(remaining),
            },
            message if message.is_over() || self.allowance == 0 => ReadPermission::Later,
            _ => ReadPermission::Body,
        }
    }

    /// Starts the wait for the next head. The library discards the rest of an abandoned body before.
    fn end_response(&mut self, has_more: bool, now: Duration) {
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
        self.since = start;
        self.phase = match has_more || !is_ended {
            true => Phase::Head,
            false => Phase::Idle,
        };
        if is_ended {
            self.message = Message::default();
        }
    }

    fn activity(&self) -> Activity {
        match (self.blocked, self.phase) {
            (Some(since), _) => Activity::Blocked(since),
            (None, Phase::Serving | Phase::Sending) => Activity::Answering,
            (None, Phase::Idle | Phase::Head) => Activity::Waiting,
        }
    }
}

#[cfg(test)]
mod tests;
