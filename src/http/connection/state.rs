//! What a connection is doing, shared by its stream and the request being answered.
//!
//! What it must not know: sockets, other connections.
//! Invariants: a read that was held is woken by what lets it go on; an answer is under way until the system has taken
//! all of it.
//! Cost: nothing is locked, as all of it happens in the connection's task, but for what others judge it by.

use std::cell::Cell;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix_web::dev;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_core::Stream;

use crate::http::connection::handle::{Activity, ConnectionHandle};
use crate::http::connection::large_head::Backlog;

#[cfg(test)]
mod tests;

/// Bytes that are read ahead while a request is answered that wants none: so a client that resets is noticed.
const AHEAD: usize = 4 * 1024;

/// Bytes that a request gets each time it asks for its body.
const BODY: usize = 64 * 1024;

/// One connection's state.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    handle: Arc<ConnectionHandle>,
    state: Cell<State>,
}

#[derive(Debug, Clone, Copy)]
struct State {
    phase: Phase,
    /// Since when the peer has taken nothing of what is written, as the clock counts.
    blocked: Option<Duration>,
    has_served: bool,
    /// What was read ended in the middle of something: of a head, or of a body.
    has_rest: bool,
    /// What may be of a head that is not whole.
    backlog: Backlog,
    /// The last request's body was not read to its end: what comes goes into the void, and then the connection is closed.
    is_unread: bool,
    /// Bytes that may be read while a request is answered.
    allowance: usize,
    /// A read was refused, and is to be tried again when it may go on.
    is_held: bool,
    /// A request waits for what of its body came with its head.
    is_put_off: bool,
}

/// What is between the ends at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing came since the last answer.
    Idle,
    /// Bytes of a request's head came, the first at this time, as the clock counts; or a new connection has it to come.
    Head(Duration),
    /// A request is with its handler, or its answer is being sent.
    Serving,
    /// The answer is made to its end, but the system has not taken all of it.
    Sending,
}

/// What a read may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Read as many bytes at most.
    Allowed(usize),
    /// Read no more of a head that has not ended by now, once the library has looked at all of it that was read.
    Full,
    /// Wait to be woken.
    Held,
}

/// A head that is being waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// As the clock counts.
    pub(crate) since: Duration,
    /// No request was served before on this connection.
    pub(crate) is_first: bool,
}

impl ConnectionState {
    /// A connection that was made now and waits for its first head.
    pub(crate) fn new(handle: Arc<ConnectionHandle>, now: Duration) -> Self {
        let state = Cell::new(State {
            phase: Phase::Head(now),
            blocked: None,
            has_served: false,
            has_rest: false,
            backlog: Backlog::default(),
            is_unread: false,
            allowance: 0,
            is_held: false,
            is_put_off: false,
        });
        Self { handle, state }
    }

    /// What the connection's task may read; it is woken if it may read later.
    pub(crate) fn may_read(&self) -> Reading {
        let mut state = self.state.get();
        let reading = state.reading();
        if reading == Reading::Held {
            state.is_held = true;
            self.state.set(state);
        }
        reading
    }

    /// These bytes were read.
    pub(crate) fn has_read(&self, bytes: &[u8], now: impl FnOnce() -> Duration) {
        let mut state = self.state.get();
        if bytes.is_empty() {
            return;
        }
        state.has_rest = !ends_with_head(bytes);
        match state.phase {
            Phase::Idle => {
                state.phase = Phase::Head(now());
                state.backlog.begin();
            }
            Phase::Serving => state.allowance = state.allowance.saturating_sub(bytes.len()),
            Phase::Head(_) | Phase::Sending => (),
        }
        state.backlog.has_read(bytes);
        self.state.set(state);
    }

    /// The peer has taken nothing of what is written since now.
    pub(crate) fn block(&self, now: Duration) {
        self.change(|state| state.blocked = Some(now));
    }

    /// The system has taken all that was written. Behind an answer a head is waited for from now on, if something of it
    /// may have come before; tells whether that is so.
    pub(crate) fn flush(&self, now: impl FnOnce() -> Duration) -> bool {
        let State {
            phase,
            has_rest,
            blocked,
            ..
        } = self.state.get();
        let next = match phase {
            Phase::Sending if has_rest => Phase::Head(now()),
            Phase::Sending => Phase::Idle,
            Phase::Idle | Phase::Head(_) | Phase::Serving => phase,
        };
        if next != phase || blocked.is_some() {
            self.change(|state| {
                (state.phase, state.blocked) = (next, None);
                if phase == Phase::Sending {
                    state.backlog.begin();
                }
            });
        }
        phase == Phase::Sending && has_rest
    }

    /// The head that is being waited for, if any.
    pub(crate) fn head(&self) -> Option<Head> {
        let state = self.state.get();
        match state.phase {
            Phase::Head(since) => Some(Head {
                since,
                is_first: !state.has_served,
            }),
            Phase::Idle | Phase::Serving | Phase::Sending => None,
        }
    }

    /// Whether a request was put off that nobody has asked again since, as the library mostly does before it writes
    /// anything: its task has to look at it once more. Told once.
    pub(crate) fn has_put_off(&self) -> bool {
        let mut state = self.state.get();
        let is_put_off = std::mem::take(&mut state.is_put_off);
        self.state.set(state);
        is_put_off
    }

    /// A request has arrived whole but for its body, and is being answered until this is dropped.
    pub(crate) fn serve(self: &Rc<Self>) -> InFlightGuard {
        self.change(|state| {
            state.has_served = true;
            state.phase = Phase::Serving;
            state.is_unread = false;
            state.allowance = AHEAD;
        });
        InFlightGuard(Rc::clone(self))
    }

    /// Changes the state, tells others what they are to know of it, and wakes a read that was held and may go on.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.get();
        let before = state.doing();
        change(&mut state);
        let is_released = state.is_held && state.reading() != Reading::Held;
        state.is_held &= !is_released;
        self.state.set(state);
        if state.doing() != before {
            self.handle.set_activity(state.doing());
        }
        if is_released {
            self.handle.wake();
        }
    }
}

impl State {
    /// What a read may do.
    fn reading(&self) -> Reading {
        let room = match self.is_unread {
            true => usize::MAX,
            false => self.backlog.room(),
        };
        let allowed = match (self.blocked, self.phase) {
            (Some(_), _) => 0,
            (None, Phase::Serving) => self.allowance.min(room),
            (None, Phase::Idle | Phase::Head(_)) if room == 0 => return Reading::Full,
            (None, Phase::Idle | Phase::Head(_) | Phase::Sending) => room,
        };
        match allowed {
            0 => Reading::Held,
            allowed => Reading::Allowed(allowed),
        }
    }

    fn doing(&self) -> Activity {
        match (self.blocked, self.phase) {
            (Some(since), _) => Activity::Blocked(since),
            (None, Phase::Serving | Phase::Sending) => Activity::Answering,
            (None, Phase::Idle | Phase::Head(_)) => Activity::Waiting,
        }
    }
}

/// Whether the last of these is the end of a head, or of a body in chunks: an empty line behind one that is not.
fn ends_with_head(bytes: &[u8]) -> bool {
    matches!(bytes, [.., last, b'\r', b'\n', b'\r', b'\n'] if *last != b'\n')
}

/// A request being answered.
#[derive(Debug)]
pub(crate) struct InFlightGuard(Rc<ConnectionState>);

impl InFlightGuard {
    /// The same body, which lets the connection be read whenever somebody asks for more of it.
    pub(crate) fn watch(&self, body: dev::Payload) -> dev::Payload {
        match body {
            dev::Payload::None => body,
            dev::Payload::H1 { .. } | dev::Payload::Stream { .. } => dev::Payload::Stream {
                payload: Box::pin(Watched {
                    body,
                    wire: Rc::clone(&self.0),
                    length: 0,
                    has_ended: false,
                }),
            },
        }
    }

    /// Puts a request with a body off until the library, which hands it on as soon as its head is read, has taken in what
    /// came behind that. A small body is whole then, and nothing has to be done to wait for it.
    pub(crate) async fn put_off(&self) {
        let mut is_asked_again = false;
        poll_fn(|_| {
            self.0.change(|state| state.is_put_off = !is_asked_again);
            match std::mem::replace(&mut is_asked_again, true) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        })
        .await;
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.change(|state| state.phase = Phase::Sending);
    }
}

/// A request's body that tells when it is asked for.
struct Watched {
    body: dev::Payload,
    wire: Rc<ConnectionState>,
    /// Bytes of it that came.
    length: u64,
    has_ended: bool,
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watched").field(&self.wire).finish()
    }
}

impl Stream for Watched {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = Pin::new(&mut self.body).poll_next(context);
        self.wire.change(|state| match &next {
            // Nobody has more of it, so the library has decoded what was read, but for what was read ahead.
            Poll::Pending => {
                state.backlog.in_body(AHEAD);
                state.allowance = BODY;
            }
            // There may be more of it that came before.
            Poll::Ready(Some(Ok(_))) => state.allowance = state.allowance.min(AHEAD),
            Poll::Ready(None | Some(Err(_))) => state.allowance = AHEAD,
        });
        match &next {
            Poll::Pending => (),
            Poll::Ready(Some(Ok(chunk))) => self.length += chunk.len() as u64,
            Poll::Ready(None | Some(Err(_))) => self.end(),
        }
        next
    }
}

impl Watched {
    /// It has come to its end.
    fn end(&mut self) {
        self.has_ended = true;
        let length = self.length;
        self.wire.change(|state| state.backlog.behind_body(length));
    }
}

/// Whoever lets go of it may not have read all that came.
impl Drop for Watched {
    fn drop(&mut self) {
        let context = &mut Context::from_waker(Waker::noop());
        while !self.has_ended {
            match Pin::new(&mut self.body).poll_next(context) {
                Poll::Ready(Some(Ok(chunk))) => self.length += chunk.len() as u64,
                Poll::Ready(None | Some(Err(_))) => self.end(),
                Poll::Pending => return self.wire.change(|state| state.is_unread = true),
            }
        }
    }
}
