//! What a connection is doing, shared by its stream, the request being answered and the list of all connections.
//!
//! What it must not know: sockets, HTTP.
//! Invariants: a read that was held is woken by what lets it go on; a connection that was ended stays so.
//! Cost: a lock without contention for a moment each read, write that blocks, and request.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix_web::dev;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_core::Stream;
use parking_lot::Mutex;

/// Bytes that are read ahead while a request is answered that wants none: so a client that resets is noticed.
const AHEAD: usize = 4 * 1024;

/// Bytes that a request gets each time it asks for its body.
const BODY: usize = 64 * 1024;

/// One connection's state.
#[derive(Debug)]
pub(crate) struct Wire(Mutex<State>);

#[derive(Debug)]
struct State {
    phase: Phase,
    /// The peer does not take what was written.
    is_stalled: bool,
    has_served: bool,
    /// Bytes that may be read while a request is answered.
    allowance: usize,
    /// A read was refused, and is to be tried again when it may go on.
    is_held: bool,
    /// The task of the connection.
    task: Option<Waker>,
}

/// What is between the ends at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing came since the last answer.
    Idle,
    /// Bytes of a request's head came, the first at this time, as the clock counts; or a new connection has it to come.
    Head(Duration),
    /// A request is with its handler.
    Serving,
    /// To be closed as soon as its task is polled.
    Ended,
}

/// What a read may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Read as many bytes at most.
    Allowed(usize),
    /// Wait to be woken.
    Held,
    /// The connection was ended.
    Ended,
}

/// How little a connection would be missed, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leisure {
    /// Idle, or in the middle of a head.
    Waiting,
    /// Its peer does not read.
    Stalled,
}

/// A head that is being waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// As the clock counts.
    pub(crate) since: Duration,
    /// No request was served before on this connection.
    pub(crate) is_first: bool,
}

impl Wire {
    /// A connection that was made now and waits for its first head.
    pub(crate) fn new(now: Duration) -> Self {
        Self(Mutex::new(State {
            phase: Phase::Head(now),
            is_stalled: false,
            has_served: false,
            allowance: 0,
            is_held: false,
            task: None,
        }))
    }

    /// What the connection's task may read; it is woken if it may read later, or is ended.
    pub(crate) fn may_read(&self, task: &Waker) -> Reading {
        let mut state = self.0.lock();
        if !state
            .task
            .as_ref()
            .is_some_and(|known| known.will_wake(task))
        {
            state.task = Some(task.clone());
        }
        let allowed = match state.phase {
            Phase::Ended => return Reading::Ended,
            Phase::Idle | Phase::Head(_) => usize::MAX,
            Phase::Serving => state.allowance,
        };
        if state.is_stalled || allowed == 0 {
            state.is_held = true;
            return Reading::Held;
        }
        Reading::Allowed(allowed)
    }

    /// So many bytes were read.
    pub(crate) fn has_read(&self, bytes: usize, now: impl FnOnce() -> Duration) {
        let mut state = self.0.lock();
        match state.phase {
            Phase::Idle if bytes > 0 => state.phase = Phase::Head(now()),
            Phase::Serving => state.allowance = state.allowance.saturating_sub(bytes),
            Phase::Idle | Phase::Head(_) | Phase::Ended => (),
        }
    }

    /// The peer takes no more, or all has gone.
    pub(crate) fn stall(&self, is_stalled: bool) {
        self.change(|state| state.is_stalled = is_stalled);
    }

    /// The head that is being waited for, if any.
    pub(crate) fn head(&self) -> Option<Head> {
        let state = self.0.lock();
        match state.phase {
            Phase::Head(since) => Some(Head {
                since,
                is_first: !state.has_served,
            }),
            Phase::Idle | Phase::Serving | Phase::Ended => None,
        }
    }

    /// How little it would be missed; none while a request is with its handler. A connection that is sending the rest
    /// of a large answer counts as waiting or stalled.
    pub(crate) fn leisure(&self) -> Option<Leisure> {
        let state = self.0.lock();
        match state.phase {
            Phase::Idle | Phase::Head(_) if state.is_stalled => Some(Leisure::Stalled),
            Phase::Idle | Phase::Head(_) => Some(Leisure::Waiting),
            Phase::Serving | Phase::Ended => None,
        }
    }

    /// Whether it was ended. A connection that only writes never reads again, and hears of its end here.
    pub(crate) fn is_ended(&self) -> bool {
        self.0.lock().phase == Phase::Ended
    }

    /// Ends it, from wherever.
    pub(crate) fn end(&self) {
        self.change(|state| {
            state.phase = Phase::Ended;
            state.is_held = true;
        });
    }

    /// A request has arrived whole but for its body, and is being answered until this is dropped.
    pub(crate) fn serve(self: &Arc<Self>) -> Serving {
        self.change(|state| {
            state.has_served = true;
            state.enter(Phase::Serving);
            state.allowance = AHEAD;
        });
        Serving(Arc::clone(self))
    }

    /// Changes the state and wakes a read that was held, to look again.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.0.lock();
        change(&mut state);
        let woken = match std::mem::take(&mut state.is_held) {
            true => state.task.clone(),
            false => None,
        };
        drop(state);
        if let Some(task) = woken {
            task.wake();
        }
    }
}

impl State {
    fn enter(&mut self, phase: Phase) {
        if self.phase != Phase::Ended {
            self.phase = phase;
        }
    }
}

/// A request being answered.
#[derive(Debug)]
pub(crate) struct Serving(Arc<Wire>);

impl Serving {
    /// The same body, which lets the connection be read whenever somebody asks for more of it.
    pub(crate) fn watch(&self, body: dev::Payload) -> dev::Payload {
        match body {
            dev::Payload::None => body,
            dev::Payload::H1 { .. } | dev::Payload::Stream { .. } => dev::Payload::Stream {
                payload: Box::pin(Watched {
                    body,
                    wire: Arc::clone(&self.0),
                }),
            },
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.change(|state| state.enter(Phase::Idle));
    }
}

/// A request's body that tells when it is asked for.
struct Watched {
    body: dev::Payload,
    wire: Arc<Wire>,
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
        let allowance = match next {
            Poll::Pending | Poll::Ready(Some(Ok(_))) => BODY,
            Poll::Ready(None | Some(Err(_))) => AHEAD,
        };
        self.wire.change(|state| state.allowance = allowance);
        next
    }
}
