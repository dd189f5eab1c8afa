//! How a limiter reaches the engine: the engine itself, and whose turn it is to ask it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard, Notify};

use super::engine::{Exchange, LimitEngine, LimitEntry};
use super::entry_state::EntryState;
use crate::limit::policy::{Action, Rule, RulesByAction, nanos};

/// The number of locks. Networks that share a lock wait for each other.
const TURNS: usize = 256;

/// The longest time that an entry in the engine may take until it is full again, compared with an empty one.
const LONGEST_DEBT: u32 = 16;

/// The engine of a limiter that several nodes share.
#[derive(Debug)]
pub(in crate::limit::limiter) struct Sharing {
    engine: Arc<dyn LimitEngine>,
    /// After this time without a change, an entry whose quotas are unused is full again, and any entry is.
    ttl_of_rates: Duration,
    ttl: Duration,
    /// Two exchanges of one entry at the same time would count its pending charges twice.
    turns: Vec<Mutex<()>>,
    /// The bytes of an entry whose quotas are unused.
    least_bytes: usize,
    due: Arc<Notify>,
}

impl Sharing {
    pub(in crate::limit::limiter) fn new(
        engine: Arc<dyn LimitEngine>,
        rules: &RulesByAction,
        due: Arc<Notify>,
    ) -> Self {
        let rules = Action::ALL.map(|action| rules.of(action).as_slice().iter());
        let (mut rates, mut quotas) = (Duration::ZERO, Duration::ZERO);
        let mut buckets = 0;
        for rule in rules.into_iter().flatten() {
            match rule {
                Rule::Rate(rate) => {
                    let full_in = (rate.fills_in() + rate.wait()).saturating_mul(LONGEST_DEBT);
                    rates = rates.max(full_in);
                    buckets += 1;
                }
                // A used unit counts for a slot longer than the window.
                Rule::Quota(quota) => quotas = quotas.max(quota.window().saturating_mul(2)),
            }
        }
        let ttl_of_rates = rates + Duration::from_mins(1);
        Self {
            engine,
            ttl_of_rates,
            ttl: ttl_of_rates.max(quotas),
            least_bytes: EntryState::least_bytes(buckets),
            turns: (0..TURNS).map(|_| Mutex::default()).collect(),
            due,
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
        // Most clients read and save nothing. The engine does not keep their entries for as long as a quota lasts.
        let uses_quotas = |entry: &LimitEntry| entry.state.len() > self.least_bytes;
        let ttl = match entries.iter().any(uses_quotas) {
            true => self.ttl,
            false => self.ttl_of_rates,
        };
        self.engine.exchange(network, entries.to_vec(), ttl)
    }

    /// Returns the time after which the engine may have forgotten an entry, in nanoseconds.
    pub(super) fn ttl_of_rates(&self) -> u64 {
        nanos(self.ttl_of_rates)
    }

    /// Waits until charges are due to be settled.
    pub(super) async fn due(&self) {
        self.due.notified().await;
    }
}
