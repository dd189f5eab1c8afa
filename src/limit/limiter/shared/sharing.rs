//! How a limiter reaches the engine: the engine itself, and whose turn it is to ask it.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::sync::{Mutex, MutexGuard, Notify};

use super::engine::{Exchange, LimitEngine, LimitEntry};
use crate::limit::policy::{Action, Rule, RulesByAction, nanos};

/// The number of locks. Networks that share a lock wait for each other.
const TURNS: usize = 4096;

/// How many times longer an entry in full debt takes to refill than an empty one.
const LONGEST_DEBT: u32 = 16;

/// The engine of a limiter that several nodes share.
pub(in crate::limit::limiter) struct Sharing {
    engine: Arc<dyn LimitEngine>,
    /// After this time without a change, every entry is full again.
    ttl: Duration,
    /// Two exchanges of one entry at the same time would count its pending charges twice.
    turns: Vec<Mutex<()>>,
    due: Arc<Notify>,
}

impl Sharing {
    pub(in crate::limit::limiter) fn new(
        engine: Arc<dyn LimitEngine>,
        rules: &RulesByAction,
        due: Arc<Notify>,
    ) -> Self {
        let rules = Action::ALL.map(|action| rules.of(action).as_slice().iter());
        let full_in = |rule: &Rule| match rule {
            Rule::Rate(rate) => (rate.fills_in() + rate.wait()).saturating_mul(LONGEST_DEBT),
            // A used unit counts for a slot longer than the window.
            Rule::Quota(quota) => quota.window().saturating_mul(2),
        };
        let longest = rules.into_iter().flatten().map(full_in).max();
        Self {
            engine,
            ttl: longest.unwrap_or_default() + Duration::from_mins(1),
            turns: (0..TURNS).map(|_| Mutex::default()).collect(),
            due,
        }
    }

    /// Waits until no other task of this node exchanges entries of this network. Returns `None` if that takes too long.
    pub(super) async fn turn_soon(&self, network: u64) -> Option<MutexGuard<'_, ()>> {
        let (turn, too_long) = (pin!(self.turn(network)), self.engine.longest_wait());
        match select(turn, too_long).await {
            Either::Left((turn, _)) => Some(turn),
            Either::Right(_) => None,
        }
    }

    /// Waits until no other task of this node exchanges entries of this network.
    pub(super) async fn turn(&self, network: u64) -> MutexGuard<'_, ()> {
        let turns = self.turns.len() as u64;
        let turn = usize::try_from(network % turns).expect("less than the number of locks");
        self.turns[turn].lock().await
    }

    /// Exchanges entries with the engine.
    pub(super) fn exchange(&self, network: u64, entries: &[LimitEntry]) -> Exchange<'_> {
        self.engine.exchange(network, entries.to_vec(), self.ttl)
    }

    /// Returns the time after which the engine may have forgotten an entry, in nanoseconds.
    pub(super) fn ttl(&self) -> u64 {
        nanos(self.ttl)
    }

    /// Waits until charges are due to be settled.
    pub(super) async fn due(&self) {
        self.due.notified().await;
    }
}
