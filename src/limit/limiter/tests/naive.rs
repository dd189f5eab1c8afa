//! The reference implementations. They are a bucket of exact fractions, a log of all charges, and a limiter made of
//! both.
//!
//! They are slow and use unbounded memory, but are simple enough to be obviously correct.

use std::collections::HashMap;
use std::time::Duration;

use super::super::nanos;
use crate::limit::{
    Action, LimitRequest, Multiplier, Quota, Rate, Rule, RulesByAction, Subject, Tier, Unit,
};

/// The tokens as a fraction whose denominator is `per`. The number is negative while requests wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fraction {
    parts: i128,
    at: u64,
}

/// The figures of a rate times a factor.
struct Figures {
    per: i128,
    pay: i128,
    full: i128,
    patience: i128,
}

fn figures(rate: &Rate, factor: u64) -> Figures {
    let (per, factor) = (i128::from(nanos(rate.per)), i128::from(factor));
    let pay = i128::from(rate.count) * factor;
    Figures {
        per,
        pay,
        full: i128::from(rate.burst) * factor * per,
        patience: i128::from(nanos(rate.wait)) * pay,
    }
}

fn ceil(whole: i128, by: i128) -> u64 {
    u64::try_from((whole + by - 1) / by).unwrap()
}

impl Fraction {
    pub(super) fn full(rate: &Rate, factor: u64) -> Self {
        let parts = figures(rate, factor).full;
        Self { parts, at: 0 }
    }

    fn refill(&mut self, now: u64, rate: &Rate, factor: u64) -> Figures {
        let figures = figures(rate, factor);
        let elapsed = now.saturating_sub(self.at);
        self.parts = figures
            .full
            .min(self.parts + figures.pay * i128::from(elapsed));
        self.at = self.at.max(now);
        figures
    }

    pub(super) fn judge(mut self, now: u64, rate: &Rate, factor: u64) -> Result<u64, u64> {
        let figures = self.refill(now, rate, factor);
        let left = self.parts - figures.per;
        if left >= 0 {
            Ok(0)
        } else if left >= -figures.patience {
            Ok(ceil(-left, figures.pay))
        } else {
            Err(ceil(-figures.patience - left, figures.pay))
        }
    }

    /// Takes a token. The number of tokens never falls below that of an empty bucket with a full queue.
    pub(super) fn take(&mut self, now: u64, rate: &Rate, factor: u64) {
        let figures = self.refill(now, rate, factor);
        self.parts = (self.parts - figures.per).max(-figures.patience);
    }

    /// Gives back the whole token if no other was taken since. Otherwise gives back only the part that has not come
    /// back with time.
    pub(super) fn refund(&mut self, charged_at: u64, now: u64, rate: &Rate, factor: u64) {
        let figures = figures(rate, factor);
        let elapsed = if self.at == charged_at {
            0
        } else {
            i128::from(now - charged_at)
        };
        let left = (figures.per - figures.pay * elapsed).max(0);
        self.parts = figures.full.min(self.parts + left);
    }

    /// Returns the nanoseconds until the bucket is full. Returns `None` if it contains no whole token.
    fn full_in(mut self, now: u64, rate: &Rate, factor: u64) -> Option<u64> {
        let figures = self.refill(now, rate, factor);
        let missing = figures.full - self.parts;
        (self.parts >= figures.per).then(|| ceil(missing, figures.pay))
    }

    pub(super) fn tokens(mut self, now: u64, rate: &Rate, factor: u64) -> u64 {
        let figures = self.refill(now, rate, factor);
        u64::try_from(self.parts.max(0) / figures.per).unwrap()
    }
}

/// Every charge and its time.
#[derive(Debug, Clone, Default)]
pub(super) struct Log(Vec<(u64, u64)>);

impl Log {
    /// Returns the amount charged within the last `length` nanoseconds, including both ends.
    pub(super) fn within(&self, now: u64, length: u64) -> u64 {
        let counts = |(at, _): &&(u64, u64)| *at >= now.saturating_sub(length);
        self.0.iter().filter(counts).map(|(_, amount)| amount).sum()
    }

    /// Returns the amount that counts as used. A charge counts until 60 whole slots have passed after its own slot.
    pub(super) fn counting(&self, now: u64, quota: &Quota) -> u64 {
        let counts = |(at, _): &&(u64, u64)| quota.slot_at(*at) + 61 > quota.slot_at(now);
        self.0.iter().filter(counts).map(|(_, amount)| amount).sum()
    }

    /// Returns the nanoseconds until nothing counts as used, if the use expires evenly. Returns `None` if no request is
    /// left, or less than a sixteenth of the bytes.
    fn full_in(&self, now: u64, quota: &Quota, factor: u64) -> Option<u64> {
        let (most, used) = (quota.limit * factor, self.counting(now, quota));
        let enough = match quota.unit {
            Unit::Requests => used < most,
            Unit::Bytes => (most - used) * 16 >= most,
        };
        let evenly = i128::from(used) * i128::from(nanos(quota.window));
        enough.then(|| ceil(evenly, most.into()))
    }

    pub(super) fn charge(&mut self, now: u64, amount: u64) {
        self.0.push((now, amount));
    }

    /// Subtracts the amount from the charges of one slot.
    pub(super) fn refund(&mut self, at: u64, quota: &Quota, mut amount: u64) {
        for (charged_at, charged) in &mut self.0 {
            if quota.slot_at(*charged_at) == quota.slot_at(at) {
                let back = amount.min(*charged);
                *charged -= back;
                amount -= back;
            }
        }
    }
}

/// Records how much one client or network used of one rule.
#[derive(Debug, Clone)]
enum Used {
    Rate(Fraction),
    Quota(Log),
}

/// A limiter without tables. Its memory use is not limited.
pub(super) struct NaiveLimiter {
    limits: RulesByAction,
    /// The multiplier of a client never changes. The clients of a network that have the same multiplier are counted
    /// together.
    used: HashMap<(Tier, u64, Multiplier, Action, usize), Used>,
}

const TIERS: [(Tier, u64); 2] = [(Tier::Client, 1), (Tier::Network, 16)];

impl NaiveLimiter {
    pub(super) fn new(limits: RulesByAction) -> Self {
        Self {
            limits,
            used: HashMap::new(),
        }
    }

    /// Returns how long the request must wait. Returns `None` if a rule denies the request.
    pub(super) fn admit(
        &mut self,
        now: u64,
        subject: Subject,
        request: &LimitRequest,
    ) -> Option<Duration> {
        let verdicts = self.judge(now, subject, request);
        let waits: Option<Vec<u64>> = verdicts.into_iter().collect();
        let wait = waits?.into_iter().max().unwrap_or(0);
        self.charge(now, subject, request);
        Some(Duration::from_nanos(wait))
    }

    pub(super) fn may_miss(&mut self, now: u64, subject: Subject) -> bool {
        let verdicts = self.judge(now, subject, &LimitRequest::one(Action::Miss));
        verdicts.iter().all(Option::is_some)
    }

    pub(super) fn charge(&mut self, now: u64, subject: Subject, request: &LimitRequest) {
        self.each(subject, request.action, |rule, used, factor| {
            match (rule, used) {
                (Rule::Rate(rate), Used::Rate(tokens)) if request.requests > 0 => {
                    tokens.take(now, rate, factor);
                }
                (Rule::Quota(quota), Used::Quota(log)) => {
                    let left = (quota.limit * factor).saturating_sub(log.counting(now, quota));
                    log.charge(now, amount(quota, request).min(left));
                }
                _ => {}
            }
        });
    }

    pub(super) fn refund(&mut self, at: u64, now: u64, subject: Subject, unused: &LimitRequest) {
        self.each(subject, unused.action, |rule, used, factor| {
            match (rule, used) {
                (Rule::Rate(rate), Used::Rate(tokens)) if unused.requests > 0 => {
                    tokens.refund(at, now, rate, factor);
                }
                (Rule::Quota(quota), Used::Quota(log)) => {
                    log.refund(at, quota, amount(quota, unused));
                }
                _ => {}
            }
        });
    }

    /// Forgets everything that the client used. The use of the client's network is kept.
    pub(super) fn forget(&mut self, client: u64) {
        self.used
            .retain(|(tier, key, ..), _| (*tier, *key) != (Tier::Client, client));
    }

    /// Returns the nanoseconds until nothing counts as used, if the use expires evenly. Returns `None` if the client is
    /// limited now.
    pub(super) fn full_in(&self, now: u64, client: u64) -> Option<u64> {
        let own = self
            .used
            .iter()
            .filter(|((tier, key, ..), _)| (*tier, *key) == (Tier::Client, client));
        let mut multiplier = own.map(|((.., multiplier, action, rule), used)| {
            let factor = u64::from(*multiplier);
            match (&self.limits.of(*action).as_slice()[*rule], used) {
                (Rule::Rate(rate), Used::Rate(tokens)) => tokens.full_in(now, rate, factor),
                (Rule::Quota(quota), Used::Quota(log)) => log.full_in(now, quota, factor),
                _ => unreachable!("a rule keeps what is used of it"),
            }
        });
        multiplier.try_fold(0, |longest, time| Some(longest.max(time?)))
    }

    fn judge(&mut self, now: u64, subject: Subject, request: &LimitRequest) -> Vec<Option<u64>> {
        let mut verdicts = Vec::new();
        self.each(subject, request.action, |rule, used, factor| {
            match (rule, used) {
                (Rule::Rate(rate), Used::Rate(tokens)) if request.requests > 0 => {
                    verdicts.push(tokens.judge(now, rate, factor).ok());
                }
                (Rule::Quota(quota), Used::Quota(log)) => {
                    let whole = log.counting(now, quota) + amount(quota, request);
                    verdicts.push((whole <= quota.limit * factor).then_some(0));
                }
                _ => {}
            }
        });
        verdicts
    }

    fn each(
        &mut self,
        subject: Subject,
        action: Action,
        mut visit: impl FnMut(&Rule, &mut Used, u64),
    ) {
        for (tier, factor) in TIERS {
            let key = match tier {
                Tier::Client => subject.client.client,
                Tier::Network => subject.client.network,
            };
            let multiplier = subject.multiplier;
            let factor = factor * u64::from(multiplier);
            for (number, rule) in self.limits.of(action).as_slice().iter().enumerate() {
                let used = self
                    .used
                    .entry((tier, key, multiplier, action, number))
                    .or_insert_with(|| match rule {
                        Rule::Rate(rate) => Used::Rate(Fraction::full(rate, factor)),
                        Rule::Quota(_) => Used::Quota(Log::default()),
                    });
                visit(rule, used, factor);
            }
        }
    }
}

fn amount(quota: &Quota, request: &LimitRequest) -> u64 {
    match quota.unit {
        Unit::Requests => request.requests,
        Unit::Bytes => request.bytes,
    }
}
