//! The limits of saves on all nodes together, by counters in an engine that the nodes share.
//!
//! The rules are those of the limiter, counted in windows that do not move: a rate in the time in which its burst comes
//! back, a quota in its own. A counter is what a client, or a network, saved in one window; see [`packing`]. Rules
//! whose windows have the same length share it. [`estimate`] tells the use of a rule from the present window and the
//! one before.
//!
//! Invariants: a save is added before it is judged, so nodes that judge at the same time admit no more than the limit
//! together. What was denied, or got no answer, is taken back. A counter gets its expiry in the same call as its first
//! save. The counters of a client are named after its network, so that they are in one place of a Cluster. Nodes with
//! other rules use other counters.
//! Cost: one call, with two additions, two expiries and two readings for each length of a window.

mod estimate;
mod packing;
#[cfg(test)]
mod tests;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use siphasher::sip::SipHasher13;

use super::limiter::{LimitDenied, StrictestDenial, Subject};
use super::policy::{Action, Rules, Tier, Unit};
use estimate::Estimate;
use packing::Packing;

/// The longest window in milliseconds: 100 years.
const LONGEST: u64 = 3_155_760_000_000;

/// Keeps counters that several nodes share: whole numbers under names. Those of one network are in one place.
pub trait SharedCounters: Send + Sync {
    /// Adds the amount to each counter. A counter without an expiry gets its own. Returns what each is then, and what
    /// the one of its previous window is. The implementation bounds the time.
    fn add(&self, network: u64, counters: &[Counter], amount: i64) -> Added<'_>;

    /// Starts to take the amount from each counter, and does not wait for it.
    fn take_back(&self, network: u64, counters: &[Counter], amount: i64);
}

/// The future of an addition.
pub type Added<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<[i64; 2]>, CountersError>> + Send + 'a>>;

/// Why nothing was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountersError {
    /// The engine does not answer.
    Unavailable,
    /// The engine has no room.
    Full,
}

/// A counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counter {
    /// Its name.
    pub name: String,
    /// The name of that of the window before.
    pub previous: String,
    /// The milliseconds after which it expires: it is read until the next window ends.
    pub expires_in: u64,
}

/// The limits of saves on all nodes together.
pub struct SharedLimits {
    engine: Arc<dyn SharedCounters>,
    rules: Vec<WindowRule>,
    /// The lengths of the windows in milliseconds.
    windows: Vec<u64>,
    packing: Packing,
    /// Differs between nodes with different rules.
    salt: u64,
}

/// A rule as it is counted.
struct WindowRule {
    quota: u64,
    unit: Unit,
    /// The length of its window in milliseconds.
    window: u64,
}

/// The charge of a save on all nodes.
#[must_use = "a charge is needed to give back what is not used"]
#[derive(Debug)]
pub struct SharedCharge {
    network: u64,
    counters: Vec<Counter>,
    amount: i64,
}

/// The reason why a save was not charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCharged {
    /// A rule denies the save.
    Denied(LimitDenied),
    /// It was not counted.
    Uncounted(CountersError),
}

impl SharedLimits {
    /// Makes the limits of these rules for saves. Returns `None` if there are no rules.
    pub fn new(rules: &Rules, engine: Arc<dyn SharedCounters>) -> Option<Self> {
        let placed = rules.as_slice().iter().map(|rule| {
            let policy = rule.policy();
            let window = u64::try_from(policy.window.as_nanos().div_ceil(1_000_000));
            WindowRule {
                quota: policy.quota,
                unit: policy.unit,
                window: window.unwrap_or(LONGEST).clamp(1, LONGEST),
            }
        });
        let placed: Vec<_> = placed.collect();
        let mut windows: Vec<_> = placed.iter().map(|rule| rule.window).collect();
        windows.sort_unstable();
        windows.dedup();
        let longest = *windows.last()?;
        // A counter has no more than a rule admits in the longest window, whatever its own length.
        let most = |unit: Unit| {
            let rules = placed.iter().filter(|rule| rule.unit == unit);
            let most =
                |rule: &WindowRule| u128::from(rule.quota) * u128::from(longest / rule.window + 2);
            rules.map(most).min()
        };
        Some(Self {
            packing: Packing::new(most(Unit::Requests), most(Unit::Bytes)),
            rules: placed,
            engine,
            windows,
            salt: SipHasher13::new().hash(rules.to_string().as_bytes()),
        })
    }

    /// Charges so many saves and bytes. `now` is the time since 1970 by a clock on which all nodes agree.
    ///
    /// # Errors
    /// If a rule denies them, or if they are not counted. Then nothing stays charged.
    pub async fn charge(
        &self,
        now: Duration,
        subject: Subject,
        used: [u64; 2],
    ) -> Result<SharedCharge, NotCharged> {
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let charge = SharedCharge {
            network: subject.client.network,
            counters: self.counters(now, subject),
            amount: self.packing.pack(used),
        };
        let added = (self.engine).add(charge.network, &charge.counters, charge.amount);
        let judged = match added.await {
            Ok(counts) => self.judge(now, subject, used, charge.amount, &counts),
            Err(error) => Err(NotCharged::Uncounted(error)),
        };
        match judged {
            Ok(()) => Ok(charge),
            Err(reason) => {
                self.give_back(&charge);
                Err(reason)
            }
        }
    }

    /// Gives a charge back that was not used.
    pub fn give_back(&self, charge: &SharedCharge) {
        (self.engine).take_back(charge.network, &charge.counters, charge.amount);
    }

    /// The counters of the client, and then those of its network, one for each length of a window.
    fn counters(&self, now: u64, subject: Subject) -> Vec<Counter> {
        let keys = [('c', subject.client.client), ('n', subject.network_key())];
        let counters = keys.into_iter().flat_map(|(tier, key)| {
            self.windows.iter().map(move |length| {
                let name = |number| format!("{tier}{:016x}.{length}.{number}", key ^ self.salt);
                let number = now / length;
                Counter {
                    name: name(number),
                    previous: name(number.saturating_sub(1)),
                    expires_in: 2 * length,
                }
            })
        });
        counters.collect()
    }

    /// Checks the counts, in the order of the counters.
    fn judge(
        &self,
        now: u64,
        subject: Subject,
        used: [u64; 2],
        amount: i64,
        counts: &[[i64; 2]],
    ) -> Result<(), NotCharged> {
        let (packing, mut denials) = (&self.packing, StrictestDenial::default());
        let tiers = [Tier::Client, Tier::Network].into_iter();
        for (tier, counts) in tiers.zip(counts.chunks(self.windows.len())) {
            let factor = tier.factor() * u64::from(subject.multiplier);
            for (number, rule) in self.rules.iter().enumerate() {
                let mut windows = self.windows.iter().zip(counts);
                let of_rule = windows.find(|(length, _)| **length == rule.window);
                let Some((length, [present, previous])) = of_rule else {
                    continue;
                };
                let estimate = Estimate {
                    previous: packing.part(rule.unit, *previous),
                    present: packing.part(rule.unit, present.saturating_sub(amount)),
                    elapsed: now % length,
                    length: *length,
                };
                let limit = packing.limit(rule.unit, rule.quota.saturating_mul(factor));
                if let Err(wait) = estimate.fits(packing.amount(rule.unit, used), limit) {
                    denials.observe(LimitDenied {
                        action: Action::Save,
                        rule: number,
                        tier,
                        retry_after: wait.map(Duration::from_millis),
                    });
                }
            }
        }
        denials
            .get()
            .map_or(Ok(()), |denied| Err(NotCharged::Denied(denied)))
    }
}
