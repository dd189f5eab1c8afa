//! The limits of saves on all nodes together, by counters in an engine that the nodes share.
//!
//! The rules are those of the limiter, counted in windows: a rate in the time in which its burst comes back, a quota in its
//! own. See [`estimate`] for the use of a rule in the window that ends now.
//!
//! ```text
//! total   what a client, or a network, saved in a period as long as the longest window; see [`packing`]
//! mark    what the total was when a shorter window began. The first save in the window sets it
//! ```
//!
//! So a save changes two counters, however many rules there are. What was saved in a window is the difference of two marks.
//!
//! Invariants: a save is added before it is judged, so nodes that judge at the same time admit no more than the limit
//! together. What was denied is taken back. Every counter expires. The counters of a client are named after its network, so
//! that they are in one place of a Cluster. Nodes with other rules use other counters.
//! Cost: one call: two additions and one reading. The first save in a window starts another call, and does not wait for it.

mod counters;
mod estimate;
mod packing;
#[cfg(test)]
mod tests;

pub use counters::{Added, CounterUpdate, Counters, CountersUnavailable};

use std::iter::once;
use std::sync::Arc;
use std::time::Duration;

use siphasher::sip::SipHasher13;

use super::limiter::{LimitDenied, StrictestDenial, Subject};
use super::policy::{Action, Rules, Tier, Unit};
use estimate::Estimate;
use packing::Packing;

/// The longest window in milliseconds: 100 years.
const LONGEST: u64 = 3_155_760_000_000;

/// The limits of saves on all nodes together.
pub struct SharedLimits {
    engine: Arc<dyn Counters>,
    rules: Vec<WindowRule>,
    /// The lengths of the windows in milliseconds, the longest first.
    windows: Vec<u64>,
    packing: Packing,
    /// Differs between nodes with different rules.
    salt: u64,
}

/// A rule and the index of its window.
struct WindowRule {
    quota: u64,
    unit: Unit,
    window: usize,
}

/// The charge of a save on all nodes.
#[must_use = "a charge is needed to give back what is not used"]
#[derive(Debug)]
pub struct SharedCharge {
    network: u64,
    totals: [String; 2],
    amount: i64,
}

/// The reason why a save was not charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCharged {
    /// A rule denies the save.
    Denied(LimitDenied),
    /// The engine does not answer.
    Unavailable,
}

/// The counters of a client or a network at one time.
struct Tally<'a> {
    /// The lengths of the windows in milliseconds, the longest first.
    windows: &'a [u64],
    /// How the names of the counters begin.
    name: String,
    /// The number of the period, which is as long as the longest window.
    period: u64,
    /// The milliseconds since the period began.
    elapsed: u64,
}

impl SharedLimits {
    /// Makes the limits of these rules for saves. Returns `None` if there are no rules.
    pub fn new(rules: &Rules, engine: Arc<dyn Counters>) -> Option<Self> {
        let policies = rules.as_slice().iter().map(|rule| {
            let policy = rule.policy();
            let window = u64::try_from(policy.window.as_nanos().div_ceil(1_000_000));
            let window = window.unwrap_or(LONGEST).clamp(1, LONGEST);
            (policy.quota, policy.unit, window)
        });
        let policies: Vec<_> = policies.collect();
        let mut windows: Vec<_> = policies.iter().map(|(.., window)| *window).collect();
        windows.sort_unstable_by(|one, other| other.cmp(one));
        windows.dedup();
        let longest = *windows.first()?;
        let most = |of: Unit| {
            let rules = policies.iter().filter(|(_, unit, _)| *unit == of);
            let most = rules.map(|(quota, _, window)| match longest / window {
                1 if *window == longest => u128::from(*quota),
                windows => u128::from(*quota) * u128::from(windows + 2),
            });
            most.min()
        };
        let packing = Packing::new(most(Unit::Requests), most(Unit::Bytes));
        let placed = policies.into_iter().filter_map(|(quota, unit, window)| {
            let window = windows.iter().position(|length| *length == window)?;
            Some(WindowRule {
                quota,
                unit,
                window,
            })
        });
        Some(Self {
            rules: placed.collect(),
            engine,
            windows,
            packing,
            salt: SipHasher13::new().hash(rules.to_string().as_bytes()),
        })
    }

    /// Charges so many saves and bytes. `now` is the time since 1970 by a clock on which all nodes agree.
    ///
    /// # Errors
    /// If a rule denies them, or if the engine does not answer. Then nothing is charged.
    pub async fn charge(
        &self,
        now: Duration,
        subject: Subject,
        used: [u64; 2],
    ) -> Result<SharedCharge, NotCharged> {
        let tallies = self.tallies(now, subject);
        let charge = SharedCharge {
            network: subject.client.network,
            totals: tallies.each_ref().map(|tally| tally.total(tally.period)),
            amount: self.packing.pack(used),
        };
        let read = tallies.each_ref().map(Tally::names);
        let (totals, amount) = (charge.totals.clone(), charge.amount);
        let added = (self.engine).add(charge.network, totals, amount, read.concat());
        let (totals, found) = added.await.map_err(|_| NotCharged::Unavailable)?;
        let (mut denials, mut marks) = (StrictestDenial::default(), Vec::new());
        let tiers = [Tier::Client, Tier::Network].into_iter().zip(tallies);
        let (of_client, of_network) = found.split_at(read[0].len().min(found.len()));
        let answers = totals.into_iter().zip([of_client, of_network]);
        for (((tier, tally), (total, found)), names) in tiers.zip(answers).zip(read) {
            let before = total.saturating_sub(charge.amount);
            let estimates = tally.estimates(before, found);
            self.judge(tier, subject, used, &estimates, &mut denials);
            marks.extend(tally.new_marks(before, found, names));
        }
        if let Some(denied) = denials.get() {
            self.give_back(charge);
            return Err(NotCharged::Denied(denied));
        }
        if !marks.is_empty() || totals.contains(&charge.amount) {
            self.update(charge.network, charge.totals.clone(), 0, marks);
        }
        Ok(charge)
    }

    /// Gives a charge back that was not used.
    pub fn give_back(&self, charge: SharedCharge) {
        self.update(charge.network, charge.totals, charge.amount, Vec::new());
    }

    fn update(&self, network: u64, totals: [String; 2], less: i64, marks: Vec<(String, i64, u64)>) {
        let update = CounterUpdate {
            totals,
            less,
            // The total of a period is read until the next period ends.
            expires_in: 2 * self.windows[0],
            marks,
        };
        self.engine.start(network, update);
    }

    /// The counters of the client and of its network.
    fn tallies(&self, now: Duration, subject: Subject) -> [Tally<'_>; 2] {
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let longest = self.windows[0];
        let keys = [('c', subject.client.client), ('n', subject.network_key())];
        keys.map(|(tier, key)| Tally {
            windows: &self.windows,
            name: format!("{tier}{:016x}", key ^ self.salt),
            period: now / longest,
            elapsed: now % longest,
        })
    }

    /// Reports each rule that denies this use to `denials`.
    fn judge(
        &self,
        tier: Tier,
        subject: Subject,
        used: [u64; 2],
        estimates: &[Estimate],
        denials: &mut StrictestDenial,
    ) {
        let factor = tier.factor() * u64::from(subject.multiplier);
        for (rule, placed) in self.rules.iter().enumerate() {
            let Some(estimate) = estimates.get(placed.window) else {
                continue;
            };
            let limit = placed.quota.saturating_mul(factor);
            let fits = estimate.fits(
                |count| self.packing.part(placed.unit, count),
                self.packing.amount(placed.unit, used),
                self.packing.limit(placed.unit, limit),
            );
            if let Err(wait) = fits {
                denials.observe(LimitDenied {
                    action: Action::Save,
                    rule,
                    tier,
                    retry_after: wait.map(Duration::from_millis),
                });
            }
        }
    }
}

impl Tally<'_> {
    fn total(&self, period: u64) -> String {
        format!("{}.{period}", self.name)
    }

    /// Returns where a shorter window begins, and where the one before it did: the period, and the number in the period. The
    /// last window of a period ends with it.
    fn starts(&self, length: u64) -> [(u64, u64); 2] {
        let number = self.elapsed / length;
        let before = match number.checked_sub(1) {
            Some(before) => (self.period, before),
            None => (
                self.period.saturating_sub(1),
                (self.windows[0] - 1) / length,
            ),
        };
        [(self.period, number), before]
    }

    /// Returns the names of what is read: the total of the period before, and two marks of each shorter window.
    fn names(&self) -> Vec<String> {
        let shorter = self.windows.iter().enumerate().skip(1);
        let marks = shorter.flat_map(|(window, length)| {
            let starts = self.starts(*length);
            starts.map(|(period, number)| format!("{}.{period}.{window}.{number}", self.name))
        });
        once(self.total(self.period.saturating_sub(1)))
            .chain(marks)
            .collect()
    }

    /// Returns the use in each window, from the total before the save and what was found under [`Self::names`].
    fn estimates(&self, before: i64, found: &[Option<i64>]) -> Vec<Estimate> {
        let last_total = found.first().copied().flatten().unwrap_or(0);
        let longest = Estimate {
            previous: last_total,
            present: before,
            elapsed: self.elapsed,
            length: self.windows[0],
        };
        let shorter = self.shorter(found).map(|(length, [start, last_start])| {
            let begins_period = self.elapsed < length;
            let start = start.unwrap_or(before);
            let last_end = if begins_period { last_total } else { start };
            Estimate {
                // Without a mark, nothing was saved in that window.
                previous: last_start.map_or(0, |start| last_end - start),
                present: before - start,
                elapsed: self.elapsed % length,
                length,
            }
        });
        once(longest).chain(shorter).collect()
    }

    /// Returns the shorter windows with the totals at their starts. A period starts with nothing.
    fn shorter(&self, found: &[Option<i64>]) -> impl Iterator<Item = (u64, [Option<i64>; 2])> {
        let marks = found.get(1..).unwrap_or_default().as_chunks().0;
        self.windows
            .iter()
            .skip(1)
            .zip(marks)
            .map(|(length, marks)| {
                let [(_, number), (_, last)] = self.starts(*length);
                let [mark, last_mark] = *marks;
                let known = |number, mark| if number == 0 { Some(0) } else { mark };
                (*length, [known(number, mark), known(last, last_mark)])
            })
    }

    /// Returns the marks of the windows in which this save is the first.
    fn new_marks(
        &self,
        before: i64,
        found: &[Option<i64>],
        names: Vec<String>,
    ) -> Vec<(String, i64, u64)> {
        let names = names.into_iter().skip(1).step_by(2);
        let shorter = self.shorter(found).zip(names);
        let new = shorter.filter(|((_, [start, _]), _)| start.is_none());
        // A mark is read until the window after it ends.
        new.map(|((length, _), name)| (name, before, 2 * length))
            .collect()
    }
}
