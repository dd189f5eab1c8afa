//! Rate limits in responses: a sentence when one is exceeded, and the header fields of
//! draft-ietf-httpapi-ratelimit-headers on errors and saves.
//!
//! Invariants: waiting times are rounded up. A client that returns after its waiting time is not denied by the same
//! rule, unless it sent other requests meanwhile.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue, RETRY_AFTER};

use crate::config::ByteSize;
use crate::http::problem::{Header, ProblemType, Row, Step};
use crate::limit::{
    Action, LimitDenied, NETWORK_FACTOR, QuotaPolicy, RemainingQuota, Rule, Rules, Tier, Unit,
};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STATE: HeaderName = HeaderName::from_static("ratelimit");

/// A denial by one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RateLimitExceeded {
    denied: LimitDenied,
    /// The rule as configured.
    pub(crate) rule: Rule,
    /// The factor by which the limits of the rule are multiplied.
    factor: u64,
}

impl RateLimitExceeded {
    /// The limiter's denial, with the rule that it names. `factor` is the multiplier of the client's network. Returns
    /// `None` if there is no such rule.
    pub(crate) fn new(denied: LimitDenied, rules: &Rules, factor: u64) -> Option<Self> {
        let rule = *rules.as_slice().get(denied.rule)?;
        let factor = match denied.tier {
            Tier::Client => factor,
            Tier::Network => factor.saturating_mul(NETWORK_FACTOR),
        };
        Some(Self {
            denied,
            rule,
            factor,
        })
    }

    /// The same for a body of which these bytes have arrived: a retry is useless if they are more than the rule ever
    /// allows.
    pub(crate) fn for_body(mut self, bytes: u64) -> Self {
        let QuotaPolicy { quota, unit, .. } = self.rule.policy();
        if unit == Unit::Bytes && bytes > quota.saturating_mul(self.factor) {
            self.denied.retry_after = None;
        }
        self
    }

    /// A retry is useless if the request is larger than the rule ever allows at once.
    pub(super) fn row(&self) -> Row {
        let mut row = ProblemType::QuotaExceeded.says(self.sentence());
        let Some(wait) = self.denied.retry_after else {
            (row.status, row.heading) = (StatusCode::PAYLOAD_TOO_LARGE, "Too large");
            row.step = Step::Correct;
            return row;
        };
        let (seconds, name) = (whole_seconds(wait), self.policy());
        let policy = policy_item(&name, self.rule.policy(), self.factor);
        row.header(RETRY_AFTER, seconds.to_string())
            .header(POLICY, policy)
            .header(STATE, format!("\"{name}\";r=0;t={seconds}"))
    }

    /// The sentence for people: the exceeded limit, and the time of the next try.
    fn sentence(&self) -> String {
        let who = match self.denied.tier {
            Tier::Client => "You",
            Tier::Network => "Your network",
        };
        let (verb, what) = match self.denied.action {
            Action::Save => ("save", ""),
            Action::Read => ("send", " requests"),
            Action::Miss => ("send", " wrong slugs, tokens or keys"),
            Action::Password => ("send", " wrong passwords"),
        };
        let limit = in_words(&self.rule, what, self.factor);
        match self.denied.retry_after {
            Some(wait) => {
                let wait = time_in_words(wait);
                format!("{who} can {verb} {limit}. Try again in {wait}.")
            }
            None => format!("{who} can {verb} {limit}, and this is more. Send less."),
        }
    }

    /// The name of the rule in the headers: its action and its number.
    pub(crate) fn policy(&self) -> String {
        let tier = match self.denied.tier {
            Tier::Client => "",
            Tier::Network => "-network",
        };
        format!(
            "{}-{}{tier}",
            self.denied.action.name(),
            self.denied.rule + 1
        )
    }
}

/// The header with the rules of this action, their limits multiplied by `factor`. Returns `None` if there are no rules.
pub(crate) fn policies(action: Action, rules: &Rules, factor: u64) -> Option<HeaderValue> {
    let items = rules.as_slice().iter().enumerate().map(|(index, rule)| {
        let name = format!("{}-{}", action.name(), index + 1);
        policy_item(&name, rule.policy(), factor)
    });
    let items: Vec<String> = items.collect();
    (!items.is_empty()).then(|| HeaderValue::try_from(items.join(", ")).ok())?
}

/// The headers with the rules of this action and the remaining quota under each.
pub(crate) fn remaining_quota_headers(
    action: Action,
    policies: HeaderValue,
    quotas: &[RemainingQuota],
) -> Option<[Header; 2]> {
    // Every save has these headers, so the numbers are not written by the slower `format!`.
    let mut states = String::with_capacity(40 * quotas.len());
    let mut number = itoa::Buffer::new();
    for (index, quota_left) in quotas.iter().enumerate() {
        let separator = if index == 0 { "\"" } else { ", \"" };
        let reset = whole_seconds(quota_left.reset);
        states.extend([separator, action.name(), "-"]);
        states.push_str(number.format(index + 1));
        states.push_str("\";r=");
        states.push_str(number.format(quota_left.remaining));
        states.push_str(";t=");
        states.push_str(number.format(reset));
    }
    Some([
        (POLICY, policies),
        (STATE, HeaderValue::try_from(states).ok()?),
    ])
}

fn policy_item(name: &str, policy: QuotaPolicy, factor: u64) -> String {
    let unit = match policy.unit {
        Unit::Requests => "",
        Unit::Bytes => ";qu=\"content-bytes\"",
    };
    let (quota, window) = (
        policy.quota.saturating_mul(factor),
        whole_seconds(policy.window),
    );
    format!("\"{name}\";q={quota}{unit};w={window}")
}

fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// Returns the rule for people, its figures multiplied by `factor`. `what` follows the first figure: `30 at once, then
/// one a second`.
fn in_words(rule: &Rule, what: &str, factor: u64) -> String {
    match rule {
        Rule::Rate(rate) => {
            let burst = rate.burst.saturating_mul(factor);
            let count = match rate.count.saturating_mul(factor) {
                1 => "one".to_owned(),
                count => count.to_string(),
            };
            let per = match rate.per.as_secs() {
                1 => "a second".to_owned(),
                60 => "a minute".to_owned(),
                3600 => "an hour".to_owned(),
                _ => format!("every {}", time_in_words(rate.per)),
            };
            format!("{burst}{what} at once, then {count} {per}")
        }
        Rule::Quota(quota) => {
            let (limit, window) = (
                quota.limit.saturating_mul(factor),
                time_in_words(quota.window),
            );
            match quota.unit {
                Unit::Requests => format!("{limit}{what} in {window}"),
                Unit::Bytes => {
                    let limit = ByteSize(usize::try_from(limit).unwrap_or(usize::MAX));
                    format!("{limit} in {window}")
                }
            }
        }
    }
}

/// Formats a duration, such as `90 s` or `5 h`. It is rounded up.
fn time_in_words(wait: Duration) -> String {
    match whole_seconds(wait).max(1) {
        seconds @ 0..=120 => format!("{seconds} s"),
        seconds @ 121..=7200 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exceeded(text: &str, action: Action, tier: Tier, wait: Option<u64>) -> RateLimitExceeded {
        let rules = Rules::parse(text, action).unwrap();
        let denied = LimitDenied {
            action,
            rule: 0,
            tier,
            retry_after: wait.map(Duration::from_millis),
        };
        RateLimitExceeded::new(denied, &rules, 1).unwrap()
    }

    #[test]
    fn the_sentence_of_a_denial_says_when_to_retry() {
        for (exceeded, sentence) in [
            (
                exceeded("rate 1/s burst 30", Action::Save, Tier::Client, Some(1)),
                "You can save 30 at once, then one a second. Try again in 1 s.",
            ),
            (
                exceeded(
                    "quota 64MiB/1d",
                    Action::Save,
                    Tier::Network,
                    Some(7_200_001),
                ),
                "Your network can save 1 GiB in 24 h. Try again in 3 h.",
            ),
            (
                exceeded(
                    "rate 1/s burst 60",
                    Action::Miss,
                    Tier::Client,
                    Some(121_000),
                ),
                "You can send 60 wrong slugs, tokens or keys at once, then one a second. Try again in 3 min.",
            ),
            (
                exceeded(
                    "rate 1/10s burst 10",
                    Action::Password,
                    Tier::Client,
                    Some(9_001),
                ),
                "You can send 10 wrong passwords at once, then one every 10 s. Try again in 10 s.",
            ),
            (
                exceeded("quota 1KiB/1d", Action::Save, Tier::Client, None),
                "You can save 1 KiB in 24 h, and this is more. Send less.",
            ),
        ] {
            assert_eq!(exceeded.sentence(), sentence);
        }
    }

    #[test]
    fn the_headers_of_a_denial_name_the_policy_and_the_time_to_retry() {
        let exceeded = exceeded("rate 5/8s burst 5", Action::Save, Tier::Network, Some(1601));
        let row = exceeded.row();
        let [retry_after, policy, state] = row.headers.as_slice() else {
            panic!("three headers");
        };
        assert_eq!(retry_after.1, "2");
        assert_eq!(policy.1, "\"save-1-network\";q=80;w=8");
        assert_eq!(state.1, "\"save-1-network\";r=0;t=2");
    }

    #[test]
    fn a_save_has_the_remaining_quota_of_each_rule() {
        let text = "rate 1/s burst 30, quota 64MiB/1d";
        let rules = Rules::parse(text, Action::Save).unwrap();
        let quota_left = |remaining, reset| RemainingQuota {
            remaining,
            reset: Duration::from_millis(reset),
        };
        let quotas = [quota_left(29, 1), quota_left(100, 0)];
        let policies = policies(Action::Save, &rules, 1).unwrap();
        let [policy, state] = remaining_quota_headers(Action::Save, policies, &quotas).unwrap();
        assert_eq!(
            policy.1,
            "\"save-1\";q=30;w=30, \"save-2\";q=67108864;qu=\"content-bytes\";w=86400"
        );
        assert_eq!(state.1, "\"save-1\";r=29;t=1, \"save-2\";r=100;t=0");
    }

    #[test]
    fn the_policy_header_has_the_multiplied_limits_and_is_absent_without_rules() {
        let rules = Rules::parse("rate 1/s burst 30, quota 64MiB/1d", Action::Save).unwrap();
        assert_eq!(
            policies(Action::Save, &rules, 10).unwrap(),
            "\"save-1\";q=300;w=30, \"save-2\";q=671088640;qu=\"content-bytes\";w=86400"
        );
        assert_eq!(policies(Action::Save, &Rules::default(), 1), None);
    }
}
