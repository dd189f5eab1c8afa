//! A queue for turns at a resource that only a few may use at once, such as a core to render a page.
//!
//! The waiting client whose network used least lately goes first, and among those of one network the client that did. A
//! turn in progress counts as the time that it is expected to take, and later as the time that its holder reports. The
//! turn that a waiter asks for counts too when waiters are compared. So among clients that used nothing lately, the
//! shortest work goes first, and then who came first. All loads count the same.
//! Invariants: a client has a quarter of all turns at most, and a network half, but each may always have one. At most
//! [`MAX_WAITING`] of one network wait: for one more, its oldest leaves. The use of about [`MAX_REMEMBERED`] clients is
//! known at most. All use is halved once they are more, and after [`HALF_LIFE`].
//! Cost: a few tree operations, and a look at each waiter.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::fairness::{ClientKey, FairShares};

/// Maximum number of waiters of one network.
pub(super) const MAX_WAITING: usize = 512;

/// The number of clients whose recent use is known.
pub(super) const MAX_REMEMBERED: usize = 4096;

/// The time after which use counts half.
const HALF_LIFE: Duration = Duration::from_secs(5);

/// The turns, and those who wait for one.
pub struct TurnQueue(Mutex<State>);

struct State {
    turns: u64,
    /// The number of turns that each client has.
    held: FairShares,
    /// The recent use of each client, in microseconds.
    used: FairShares,
    /// The last time at which the use was halved.
    halved: Duration,
    /// Those who wait, in the order in which they came.
    waiting: Vec<Waiter>,
}

struct Waiter {
    client: ClientKey,
    expected: u64,
    sender: oneshot::Sender<Turn>,
}

/// One turn. It ends when this is dropped.
#[must_use = "the turn ends when dropped"]
pub struct Turn {
    queue: Arc<TurnQueue>,
    client: ClientKey,
    /// The expected and the actual use in microseconds.
    expected: u64,
    used: u64,
}

impl TurnQueue {
    /// Creates a queue for this many turns.
    pub(super) fn of(turns: usize) -> Arc<Self> {
        let share = |part: usize| (turns / part).max(1) as u64;
        let state = State {
            turns: turns as u64,
            held: FairShares::new(share(4), share(2)),
            used: FairShares::unlimited(),
            halved: Duration::ZERO,
            waiting: Vec::new(),
        };
        Arc::new(Self(Mutex::new(state)))
    }

    /// Asks for a turn that is expected to take this long. It is there at once if one is free. The receiver gets an
    /// error if it had to leave the queue. Dropping the receiver leaves the queue too.
    pub fn enter(
        self: &Arc<Self>,
        now: Duration,
        client: ClientKey,
        expected: Duration,
    ) -> oneshot::Receiver<Turn> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.0.lock();
        state.forget(now);
        let waiter = Waiter {
            client,
            expected: micros(expected),
            sender,
        };
        match state.may_start(client) {
            true => self.start(state, waiter),
            false => state.wait(waiter),
        }
        receiver
    }

    /// Returns the number of turns in use.
    pub(super) fn in_use(&self) -> u64 {
        self.0.lock().held.total()
    }

    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.0.lock().used.client_count()
    }

    fn start(self: &Arc<Self>, mut state: MutexGuard<'_, State>, waiter: Waiter) {
        let (client, expected) = (waiter.client, waiter.expected);
        state.held.add(client, 1);
        state.used.add(client, expected);
        drop(state);
        let queue = Arc::clone(self);
        // If the receiver is gone, this drops the turn, which starts the next one.
        _ = waiter.sender.send(Turn {
            queue,
            client,
            expected,
            used: 0,
        });
    }
}

impl State {
    fn may_start(&self, client: ClientKey) -> bool {
        self.held.total() < self.turns && self.held.exceeded(client, 0, 1).is_none()
    }

    fn wait(&mut self, waiter: Waiter) {
        self.waiting.retain(|waiter| !waiter.sender.is_closed());
        let of_network = |other: &Waiter| other.client.network == waiter.client.network;
        let own = self.waiting.iter().filter(|other| of_network(other));
        if own.count() >= MAX_WAITING
            && let Some(oldest) = self.waiting.iter().position(of_network)
        {
            self.waiting.remove(oldest);
        }
        self.waiting.push(waiter);
    }

    /// Removes and returns the waiter that is next, if one may start.
    fn next(&mut self) -> Option<Waiter> {
        self.waiting.retain(|waiter| !waiter.sender.is_closed());
        let waiting = self.waiting.iter().enumerate();
        let ready = waiting.filter(|(_, waiter)| self.may_start(waiter.client));
        // Among equals, this finds the first.
        let next = ready.min_by_key(|(_, waiter)| {
            let (network, client) = (waiter.client.network, waiter.client);
            let used = [self.used.of_network(network), self.used.of_client(client)];
            used.map(|used| used.saturating_add(waiter.expected))
        });
        next.map(|(at, _)| at).map(|at| self.waiting.remove(at))
    }

    /// Halves the use of all clients if it is time, or if they are too many.
    fn forget(&mut self, now: Duration) {
        let is_time = now.saturating_sub(self.halved) >= HALF_LIFE;
        if is_time || self.used.client_count() >= MAX_REMEMBERED {
            self.halved = now;
            for (client, used, ..) in self.used.all().collect::<Vec<_>>() {
                self.used.sub(client, used.div_ceil(2));
            }
        }
    }
}

impl Turn {
    /// Sets how long the turn was used.
    pub fn set_use(&mut self, used: Duration) {
        self.used = micros(used);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.queue.0.lock();
        state.held.sub(self.client, 1);
        state.used.sub(self.client, self.expected);
        state.used.add(self.client, self.used);
        if let Some(next) = state.next() {
            self.queue.start(state, next);
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
