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

pub use counters::{Added, CounterUpdate, CountersUnavailable, SharedCounters};

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
    engine: Arc<dyn SharedCounters>,
    rules: Vec<WindowRule>,
    /// The lengths of the windows in milliseconds, the longest first.
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
    /// What takes it back.
    undo: CounterUpdate,
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
    tier: Tier,
    /// How the names of the counters begin.
    name: String,
    /// The lengths of the windows in milliseconds, the longest first.
    windows: &'a [u64],
    /// The number of the period, which is as long as the longest window.
    period: u64,
    /// The milliseconds since the period began.
    elapsed: u64,
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
        windows.sort_unstable_by(|one, other| other.cmp(one));
        windows.dedup();
        let longest = *windows.first()?;
        let most = |unit: Unit| {
            let rules = placed.iter().filter(|rule| rule.unit == unit);
            // Windows begin anew in each period, and one begins at its end.
            let windows = |rule: &WindowRule| match longest / rule.window {
                1 if rule.window == longest => 1,
                whole => u128::from(whole) + 2,
            };
            rules
                .map(|rule| u128::from(rule.quota) * windows(rule))
                .min()
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
    /// If a rule denies them, or if the engine does not answer. Then nothing is charged.
    pub async fn charge(
        &self,
        now: Duration,
        subject: Subject,
        used: [u64; 2],
    ) -> Result<SharedCharge, NotCharged> {
        let (network, tallies) = (subject.client.network, self.tallies(now, subject));
        let amount = self.packing.pack(used);
        let undo = CounterUpdate {
            totals: tallies.each_ref().map(|tally| tally.total(tally.period)),
            less: amount,
            // The total of a period is read until the next period ends.
            expires_in: 2 * self.windows[0],
            marks: Vec::new(),
        };
        let read: Vec<_> = tallies.iter().flat_map(Tally::names).collect();
        let of_tier = read.len() / 2;
        let added = (self.engine).add(network, undo.totals.clone(), amount, read.clone());
        let (totals, found) = added.await.map_err(|_| NotCharged::Unavailable)?;
        let (mut denials, mut marks) = (StrictestDenial::default(), Vec::new());
        let answers = found.chunks(of_tier).zip(read.chunks(of_tier));
        for ((tally, total), (found, names)) in tallies.iter().zip(totals).zip(answers) {
            let before = total.saturating_sub(amount);
            let estimates = tally.estimates(before, found);
            self.judge(tally.tier, subject, used, &estimates, &mut denials);
            let starts = estimates
                .iter()
                .skip(1)
                .zip(names.iter().skip(1).step_by(2));
            let new = starts.filter(|(estimate, _)| !estimate.is_marked);
            // A mark is read until the window after its own ends.
            marks.extend(new.map(|(it, name)| (name.clone(), before, 2 * it.length)));
        }
        let is_new = totals.contains(&amount) || !marks.is_empty();
        match denials.get() {
            Some(denied) => {
                self.engine.start(network, undo);
                return Err(NotCharged::Denied(denied));
            }
            None if is_new => {
                let mut update = undo.clone();
                (update.less, update.marks) = (0, marks);
                self.engine.start(network, update);
            }
            None => {}
        }
        Ok(SharedCharge { network, undo })
    }

    /// Gives a charge back that was not used.
    pub fn give_back(&self, charge: SharedCharge) {
        self.engine.start(charge.network, charge.undo);
    }

    /// The counters of the client and of its network.
    fn tallies(&self, now: Duration, subject: Subject) -> [Tally<'_>; 2] {
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let longest = self.windows[0];
        let client = (Tier::Client, 'c', subject.client.client);
        let network = (Tier::Network, 'n', subject.network_key());
        [client, network].map(|(tier, letter, key)| Tally {
            tier,
            name: format!("{letter}{:016x}", key ^ self.salt),
            windows: &self.windows,
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
        let (packing, factor) = (&self.packing, tier.factor() * u64::from(subject.multiplier));
        for (number, rule) in self.rules.iter().enumerate() {
            let part = |count| packing.part(rule.unit, count);
            let amount = packing.amount(rule.unit, used);
            let limit = packing.limit(rule.unit, rule.quota.saturating_mul(factor));
            let mut windows = estimates.iter();
            let estimate = windows.find(|it| it.length == rule.window);
            if let Some(Err(wait)) = estimate.map(|it| it.fits(part, amount, limit)) {
                denials.observe(LimitDenied {
                    action: Action::Save,
                    rule: number,
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

    /// Returns where a window of this length begins, and where the one before it did: the period, and the number in the
    /// period. The last window of a period ends with it.
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

    /// Returns the names of what is read: the total of the period before, and for each shorter window the marks of its start
    /// and of that of the one before.
    fn names(&self) -> Vec<String> {
        let shorter = self.windows.iter().skip(1).flat_map(|length| {
            let starts = self.starts(*length);
            starts.map(|(period, number)| format!("{}.{period}.{length}.{number}", self.name))
        });
        let last_total = self.total(self.period.saturating_sub(1));
        once(last_total).chain(shorter).collect()
    }

    /// Returns the use in each window, from the total before the save and from what was found under [`Self::names`].
    fn estimates(&self, before: i64, found: &[Option<i64>]) -> Vec<Estimate> {
        let last_total = found.first().copied().flatten().unwrap_or(0);
        let marks = found.get(1..).unwrap_or_default().as_chunks().0;
        let windows = self.windows.iter().zip(once(&[None; 2]).chain(marks));
        let estimates = windows.map(|(length, [mark, last_mark])| {
            let [(_, number), (_, last_number)] = self.starts(*length);
            // A period starts with nothing. Without a mark, nothing was saved in a window.
            let is_marked = number == 0 || mark.is_some();
            let (start, last_end) = match number {
                0 => (0, last_total),
                _ => (mark.unwrap_or(before), mark.unwrap_or(before)),
            };
            let last_start = if last_number == 0 {
                Some(0)
            } else {
                *last_mark
            };
            Estimate {
                previous: last_start.map_or(0, |start| last_end.saturating_sub(start)),
                present: before.saturating_sub(start),
                elapsed: self.elapsed % length,
                length: *length,
                is_marked,
            }
        });
        estimates.collect()
    }
}
