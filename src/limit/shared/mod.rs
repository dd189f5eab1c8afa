//! The limits of saves on all nodes together, by counters in an engine that the nodes share.
//!
//! The rules are those of the limiter, counted in windows that do not move: a rate in the time in which its burst comes
//! back, a quota in its own. A counter is what a client, or a network, used of one rule in one window. [`estimate`]
//! tells the use of a rule from the present window and the one before.
//!
//! Invariants: a save is added before it is judged, so nodes that judge at the same time admit no more than the limit
//! together. What was denied, or got no answer, is taken back once, and only if it was added. A counter gets its expiry
//! with its first save. The counters of a client are named after its network, so that they are in one place of a
//! Cluster. Nodes with other rules use other counters.
//! Cost: one call, with two additions, two expiries and two readings for each rule.

mod estimate;
#[cfg(test)]
mod tests;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use siphasher::sip::SipHasher13;

use super::limiter::{LimitDenied, StrictestDenial, Subject};
use super::policy::{Action, Rules, Tier, Unit};
use estimate::Estimate;

/// The longest window in milliseconds: 100 years.
const LONGEST: u64 = 3_155_760_000_000;

/// Keeps counters that several nodes share: whole numbers under names. Those of one network are in one place.
pub trait SharedCounters: Send + Sync {
    /// Adds its amount to each counter. A counter without an expiry gets its own. If this fails, what was added all the
    /// same is taken back once the engine answers again. The implementation bounds the time.
    fn add(&self, network: u64, counters: &[Counter]) -> Added<'_>;

    /// Starts to take back what a call added, and does not wait for it.
    fn take_back(&self, network: u64, counters: &[Counter], mark: u64);
}

/// The future of an addition: its mark, and for each counter what it is then, and what that of the window before is.
pub type Added<'a> =
    Pin<Box<dyn Future<Output = Result<(u64, Vec<[i64; 2]>), CountersError>> + Send + 'a>>;

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
    /// What is added to it.
    pub amount: u64,
}

/// The limits of saves on all nodes together.
pub struct SharedLimits {
    engine: Arc<dyn SharedCounters>,
    rules: Vec<WindowRule>,
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
    mark: u64,
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
        let counted = rules.as_slice().iter().map(|rule| {
            let policy = rule.policy();
            let window = u64::try_from(policy.window.as_nanos().div_ceil(1_000_000));
            WindowRule {
                quota: policy.quota,
                unit: policy.unit,
                window: window.unwrap_or(LONGEST).clamp(1, LONGEST),
            }
        });
        let counted: Vec<_> = counted.collect();
        (!counted.is_empty()).then(|| Self {
            rules: counted,
            engine,
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
        let network = subject.client.network;
        let counters = self.counters(now, subject, used);
        let added = self.engine.add(network, &counters).await;
        let (mark, counts) = added.map_err(NotCharged::Uncounted)?;
        let judged = self.judge(now, subject, &counters, &counts);
        let charge = SharedCharge {
            network,
            counters,
            mark,
        };
        match judged {
            Ok(()) => Ok(charge),
            Err(denied) => {
                self.give_back(&charge);
                Err(NotCharged::Denied(denied))
            }
        }
    }

    /// Gives a charge back that was not used.
    pub fn give_back(&self, charge: &SharedCharge) {
        (self.engine).take_back(charge.network, &charge.counters, charge.mark);
    }

    /// The counters of the client, and then those of its network, one for each rule.
    fn counters(&self, now: u64, subject: Subject, used: [u64; 2]) -> Vec<Counter> {
        let keys = [('c', subject.client.client), ('n', subject.network_key())];
        let counters = keys.into_iter().flat_map(|(tier, key)| {
            self.rules.iter().enumerate().map(move |(number, rule)| {
                let name = |window| format!("{tier}{:016x}.{number}.{window}", key ^ self.salt);
                let window = now / rule.window;
                Counter {
                    name: name(window),
                    previous: name(window.saturating_sub(1)),
                    expires_in: 2 * rule.window,
                    amount: used[rule.unit as usize],
                }
            })
        });
        counters.collect()
    }

    /// Checks what the counters are, in their order.
    fn judge(
        &self,
        now: u64,
        subject: Subject,
        counters: &[Counter],
        counts: &[[i64; 2]],
    ) -> Result<(), LimitDenied> {
        let mut denials = StrictestDenial::default();
        let rules = [Tier::Client, Tier::Network]
            .into_iter()
            .flat_map(|tier| (self.rules.iter().enumerate()).map(move |rule| (tier, rule)));
        let counted = counters.iter().zip(counts);
        for ((tier, (number, rule)), (counter, [present, previous])) in rules.zip(counted) {
            let factor = tier.factor() * u64::from(subject.multiplier);
            let estimate = Estimate {
                previous: u64::try_from(*previous).unwrap_or(0),
                present: u64::try_from(present.saturating_sub_unsigned(counter.amount))
                    .unwrap_or(0),
                elapsed: now % rule.window,
                length: rule.window,
            };
            let limit = rule.quota.saturating_mul(factor);
            if let Err(wait) = estimate.fits(counter.amount, limit) {
                denials.observe(LimitDenied {
                    action: Action::Save,
                    rule: number,
                    tier,
                    retry_after: wait.map(Duration::from_millis),
                });
            }
        }
        denials.get().map_or(Ok(()), Err)
    }
}
