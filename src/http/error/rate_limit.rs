//! What a client is told about its limits: in a sentence when it is over one, and in the fields of
//! draft-ietf-httpapi-ratelimit-headers on refusals and saves.
//!
//! What it must not know: how limits are kept.
//! Invariants: whoever comes back after the time it was told is not refused by the same rule, unless it asked for more
//! meanwhile: times are rounded up.

use std::time::Duration;

use actix_web::http::header::{HeaderName, HeaderValue, RETRY_AFTER};

use crate::limit::{
    Action, LimitDenied, NETWORK_FACTOR, QuotaPolicy, RemainingQuota, Rule, Rules, Tier, Unit,
};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STATE: HeaderName = HeaderName::from_static("ratelimit");

/// One header of an answer.
pub(crate) type Header = (HeaderName, HeaderValue);

/// A refusal by one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RateLimitExceeded {
    limited: LimitDenied,
    /// The rule as it was written.
    rule: Rule,
    /// How many times its figures are.
    factor: u64,
}

impl RateLimitExceeded {
    /// What the limiter said, with the rule that it names, to a client whose figures are so many times those of the
    /// rules.
    pub(crate) fn new(limited: LimitDenied, rules: &Rules, times: u64) -> Option<Self> {
        let rule = *rules.as_slice().get(limited.rule)?;
        let factor = match limited.tier {
            Tier::Client => times,
            Tier::Network => times.saturating_mul(NETWORK_FACTOR),
        };
        Some(Self {
            limited,
            rule,
            factor,
        })
    }

    /// The rule.
    pub(crate) fn rule(&self) -> Rule {
        self.rule
    }

    /// Whether it is no use to come back: more was asked for at once than the rule ever allows.
    pub(crate) fn is_for_good(&self) -> bool {
        self.limited.retry_after.is_none()
    }

    /// What happened and when to come back.
    pub(crate) fn sentence(&self) -> String {
        let who = match self.limited.tier {
            Tier::Client => "You",
            Tier::Network => "All in your network together",
        };
        let what = match self.limited.action {
            Action::Save => "have saved as much as",
            Action::Read => "have asked as often as",
            Action::Miss => "have asked for what is not here as often as",
            Action::Password => "have tried as many passwords as",
        };
        let rule = match self.factor {
            1 => self.rule.to_string(),
            factor => format!("{}, {factor} times", self.rule),
        };
        match self.limited.retry_after {
            Some(wait) => format!(
                "{who} {what} is allowed for now ({rule}): try again in {}.",
                in_words(wait)
            ),
            None => format!("This is more than may ever be saved at once ({rule}): send less."),
        }
    }

    /// The name of the rule, as in the headers: its action and its number.
    pub(crate) fn policy(&self) -> String {
        let tier = match self.limited.tier {
            Tier::Client => "",
            Tier::Network => "-network",
        };
        format!(
            "{}-{}{tier}",
            name_of(self.limited.action),
            self.limited.rule + 1
        )
    }

    /// What tells a program when to come back; nothing if that is no use.
    pub(crate) fn headers(&self) -> Option<[Header; 3]> {
        let seconds = whole_seconds(self.limited.retry_after?);
        let name = self.policy();
        let QuotaPolicy {
            quota,
            window,
            unit,
        } = self.rule.policy();
        let policy = policy_item(&name, quota.saturating_mul(self.factor), window, unit);
        Some([
            header(RETRY_AFTER, seconds.to_string())?,
            header(POLICY, policy)?,
            header(STATE, format!("\"{name}\";r=0;t={seconds}"))?,
        ])
    }
}

/// The rules of this action, for a client whose figures are so many times those; none if there are none.
pub(crate) fn policies(action: Action, rules: &Rules, times: u64) -> Option<HeaderValue> {
    let items = rules.as_slice().iter().enumerate().map(|(index, rule)| {
        let QuotaPolicy {
            quota,
            window,
            unit,
        } = rule.policy();
        let name = format!("{}-{}", name_of(action), index + 1);
        policy_item(&name, quota.saturating_mul(times), window, unit)
    });
    let items: Vec<String> = items.collect();
    (!items.is_empty()).then(|| HeaderValue::try_from(items.join(", ")).ok())?
}

/// What tells a client where it stands with each rule of this action, beside what these are.
pub(crate) fn standing_headers(
    action: Action,
    policies: HeaderValue,
    standings: &[RemainingQuota],
) -> Option<[Header; 2]> {
    // Every save has it, so its numbers are not written by the machinery of `format!`.
    let mut states = String::with_capacity(40 * standings.len());
    let mut number = itoa::Buffer::new();
    for (index, standing) in standings.iter().enumerate() {
        let separator = if index == 0 { "\"" } else { ", \"" };
        let reset = whole_seconds(standing.reset);
        states.extend([separator, name_of(action), "-"]);
        states.push_str(number.format(index + 1));
        states.push_str("\";r=");
        states.push_str(number.format(standing.remaining));
        states.push_str(";t=");
        states.push_str(number.format(reset));
    }
    Some([(POLICY, policies), header(STATE, states)?])
}

fn header(name: HeaderName, value: String) -> Option<Header> {
    Some((name, HeaderValue::try_from(value).ok()?))
}

fn policy_item(name: &str, quota: u64, window: Duration, unit: Unit) -> String {
    let unit = match unit {
        Unit::Requests => "",
        Unit::Bytes => ";qu=\"content-bytes\"",
    };
    format!("\"{name}\";q={quota}{unit};w={}", whole_seconds(window))
}

fn name_of(action: Action) -> &'static str {
    match action {
        Action::Save => "save",
        Action::Read => "read",
        Action::Miss => "miss",
        Action::Password => "password",
    }
}

fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// `1 second`, `90 seconds`, `3 minutes`, `5 hours`; rounded up.
fn in_words(wait: Duration) -> String {
    let seconds = whole_seconds(wait).max(1);
    let (count, unit) = match seconds {
        0..=120 => (seconds, "second"),
        121..=7200 => (seconds.div_ceil(60), "minute"),
        _ => (seconds.div_ceil(3600), "hour"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(text: &str, action: Action, tier: Tier, wait: Option<u64>) -> RateLimitExceeded {
        let rules = Rules::parse(text, action).unwrap();
        let limited = LimitDenied {
            action,
            rule: 0,
            tier,
            retry_after: wait.map(Duration::from_millis),
        };
        RateLimitExceeded::new(limited, &rules, 1).unwrap()
    }

    #[test]
    fn a_refusal_says_in_a_sentence_when_to_come_back() {
        for (over, sentence) in [
            (
                over("rate 1/s burst 30", Action::Save, Tier::Client, Some(1)),
                "You have saved as much as is allowed for now (rate 1/s burst 30): try again in 1 second.",
            ),
            (
                over(
                    "quota 64MiB/1d",
                    Action::Save,
                    Tier::Network,
                    Some(7_200_001),
                ),
                "All in your network together have saved as much as is allowed for now (quota 64MiB/1d, 16 times): try again in 3 hours.",
            ),
            (
                over(
                    "rate 1/s burst 60",
                    Action::Miss,
                    Tier::Client,
                    Some(121_000),
                ),
                "You have asked for what is not here as often as is allowed for now (rate 1/s burst 60): try again in 3 minutes.",
            ),
            (
                over(
                    "rate 1/10s burst 10",
                    Action::Password,
                    Tier::Client,
                    Some(9_001),
                ),
                "You have tried as many passwords as is allowed for now (rate 1/10s burst 10): try again in 10 seconds.",
            ),
            (
                over("quota 1KiB/1d", Action::Save, Tier::Client, None),
                "This is more than may ever be saved at once (quota 1KiB/1d): send less.",
            ),
        ] {
            assert_eq!(over.sentence(), sentence);
        }
    }

    #[test]
    fn a_refusal_tells_a_program_which_policy_it_broke_and_when_to_come_back() {
        let over = over("rate 5/8s burst 5", Action::Save, Tier::Network, Some(1601));
        let [retry_after, policy, state] = over.headers().unwrap();
        assert_eq!(retry_after.1, "2");
        assert_eq!(policy.1, "\"save-1-network\";q=80;w=8");
        assert_eq!(state.1, "\"save-1-network\";r=0;t=2");
    }

    #[test]
    fn a_policy_is_named_after_its_action() {
        let names = Action::ALL.map(|action| {
            let over = over("rate 1/10s burst 10", action, Tier::Client, Some(1000));
            over.policy()
        });
        assert_eq!(names, ["save-1", "read-1", "miss-1", "password-1"]);
    }

    #[test]
    fn a_save_tells_where_its_client_stands_with_each_rule() {
        let text = "rate 1/s burst 30, quota 64MiB/1d";
        let rules = Rules::parse(text, Action::Save).unwrap();
        let standing = |remaining, reset| RemainingQuota {
            remaining,
            reset: Duration::from_millis(reset),
        };
        let standings = [standing(29, 1), standing(100, 0)];
        let policies = policies(Action::Save, &rules, 1).unwrap();
        let [policy, state] = standing_headers(Action::Save, policies, &standings).unwrap();
        assert_eq!(
            policy.1,
            "\"save-1\";q=30;w=30, \"save-2\";q=67108864;qu=\"content-bytes\";w=86400"
        );
        assert_eq!(state.1, "\"save-1\";r=29;t=1, \"save-2\";r=100;t=0");
    }

    #[test]
    fn a_client_with_a_factor_is_told_so_many_times_the_figures_and_without_rules_nobody_is_told_any()
     {
        let rules = Rules::parse("rate 1/s burst 30, quota 64MiB/1d", Action::Save).unwrap();
        assert_eq!(
            policies(Action::Save, &rules, 10).unwrap(),
            "\"save-1\";q=300;w=30, \"save-2\";q=671088640;qu=\"content-bytes\";w=86400"
        );
        assert_eq!(policies(Action::Save, &Rules::default(), 1), None);
    }
}
