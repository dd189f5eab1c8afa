//! These tests specify the texts that an operator may write as rules.

use std::time::Duration;

use super::{Action, QuotaPolicy, Rule, RuleErrorKind, Rules, Unit};

fn rules(text: &str, action: Action) -> Rules {
    Rules::parse(text, action).unwrap_or_else(|error| panic!("{text:?} {error}"))
}

#[test]
fn rules_are_displayed_in_canonical_form_and_read_back_the_same() {
    for (text, canonical) in [
        ("rate 1/s burst 30", "rate 1/s burst 30"),
        ("rate 5/8s burst 5", "rate 5/8s burst 5"),
        ("rate 2/s burst 10 wait 2s", "rate 2/s burst 10 wait 2s"),
        ("rate 60/1m burst 007", "rate 60/m burst 7"),
        ("rate 1/60s burst 1 wait 7200s", "rate 1/m burst 1 wait 2h"),
        ("quota 2000/1d", "quota 2000/1d"),
        ("quota 2000/24h", "quota 2000/1d"),
        ("quota 5/w", "quota 5/1w"),
        ("quota 64mib/1d", "quota 64MiB/1d"),
        ("quota 1024KiB/1d", "quota 1MiB/1d"),
        ("quota 1000B/1h", "quota 1kB/1h"),
        (
            " rate\t1/s  burst 30 ,quota 2000/1d,quota 64MiB/7d ",
            "rate 1/s burst 30, quota 2000/1d, quota 64MiB/1w",
        ),
        (
            "quota 10/1m, quota 100/1h, quota 500/1d, quota 1000/1w",
            "quota 10/1m, quota 100/1h, quota 500/1d, quota 1000/1w",
        ),
        ("off", "off"),
        (" off ", "off"),
    ] {
        let read = rules(text, Action::Save);
        assert_eq!(read.to_string(), canonical);
        assert_eq!(rules(canonical, Action::Save), read, "{text}");
    }
}

#[test]
fn a_malformed_rule_is_refused_at_the_character_where_it_goes_wrong() {
    for (text, position, kind) in [
        ("", 1, RuleErrorKind::UnknownRule),
        ("  ", 3, RuleErrorKind::UnknownRule),
        ("none", 1, RuleErrorKind::UnknownRule),
        ("Rate 1/s burst 1", 1, RuleErrorKind::UnknownRule),
        ("rate 1/s burst 1,", 18, RuleErrorKind::UnknownRule),
        ("rate 1/s burst 1,, off", 18, RuleErrorKind::UnknownRule),
        (",rate 1/s burst 1", 1, RuleErrorKind::UnknownRule),
        ("rate 1/s burst 1, limit 3", 19, RuleErrorKind::UnknownRule),
        ("rate 1/s burst 1, off", 19, RuleErrorKind::OffWithRules),
        ("off, rate 1/s burst 1", 1, RuleErrorKind::OffWithRules),
        ("rate", 5, RuleErrorKind::Malformed),
        ("rate 1 burst 3", 6, RuleErrorKind::Malformed),
        ("rate 1per/s burst 3", 6, RuleErrorKind::ExpectedNumber),
        ("rate /s burst 3", 6, RuleErrorKind::ExpectedNumber),
        ("rate -1/s burst 3", 6, RuleErrorKind::ExpectedNumber),
        ("rate +1/s burst 3", 6, RuleErrorKind::ExpectedNumber),
        ("rate 1.5/s burst 3", 6, RuleErrorKind::ExpectedNumber),
        ("rate ٣/s burst 3", 6, RuleErrorKind::ExpectedNumber),
        ("rate 1/ burst 3", 8, RuleErrorKind::ExpectedDuration),
        ("rate 1/5 burst 3", 8, RuleErrorKind::ExpectedDuration),
        ("rate 1/sec burst 3", 8, RuleErrorKind::ExpectedDuration),
        ("rate 1/S burst 3", 8, RuleErrorKind::ExpectedDuration),
        ("rate 1/s/s burst 3", 8, RuleErrorKind::ExpectedDuration),
        ("rate 1/s", 9, RuleErrorKind::MissingBurst),
        ("rate 1/s, quota 3/d", 9, RuleErrorKind::MissingBurst),
        ("rate 1/s brust 30", 10, RuleErrorKind::MissingBurst),
        ("rate 1/s burst", 15, RuleErrorKind::ExpectedNumber),
        ("rate 1/s burst ten", 16, RuleErrorKind::ExpectedNumber),
        ("rate 1/s burst 30s", 16, RuleErrorKind::ExpectedNumber),
        ("rate 1/s burst 3 4", 18, RuleErrorKind::TrailingText),
        ("rate 1/s burst 3; off", 16, RuleErrorKind::ExpectedNumber),
        ("rate 1/s burst 3 wait", 22, RuleErrorKind::ExpectedDuration),
        (
            "rate 1/s burst 3 wait 2",
            23,
            RuleErrorKind::ExpectedDuration,
        ),
        (
            "rate 1/s burst 3 wait s",
            23,
            RuleErrorKind::ExpectedDuration,
        ),
        (
            "rate 1/s burst 3 wait 2s 3s",
            26,
            RuleErrorKind::TrailingText,
        ),
        ("quota 2000", 7, RuleErrorKind::Malformed),
        ("quota 64M/1d", 7, RuleErrorKind::Malformed),
        ("quota 64 MiB/1d", 7, RuleErrorKind::Malformed),
        ("quota MiB/1d", 7, RuleErrorKind::ExpectedNumber),
        ("quota 2000/1y", 12, RuleErrorKind::ExpectedDuration),
        ("quota 2000/1d burst 3", 15, RuleErrorKind::TrailingText),
        ("rate 0/s burst 3", 6, RuleErrorKind::Zero),
        ("rate 1/0s burst 3", 8, RuleErrorKind::Zero),
        ("rate 1/s burst 0", 16, RuleErrorKind::Zero),
        ("rate 1/s burst 1 wait 0s", 23, RuleErrorKind::Zero),
        ("quota 0MiB/1d", 7, RuleErrorKind::Zero),
        (
            "rate 99999999999999999999/s burst 1",
            6,
            RuleErrorKind::TooLarge,
        ),
        (
            "rate 1/s burst 9999999999999",
            16,
            RuleErrorKind::BurstTooLarge,
        ),
        ("rate 1/1d burst 134", 17, RuleErrorKind::BurstTooLarge),
        ("rate 1/s burst 1 wait 99999w", 23, RuleErrorKind::TooLarge),
        ("rate 1/99999999999w burst 1", 6, RuleErrorKind::TooLarge),
        ("quota 17179869184GiB/1d", 7, RuleErrorKind::TooLarge),
        ("quota 1/99999999999w", 7, RuleErrorKind::TooLarge),
        ("quota 1/9999999999999999999w", 9, RuleErrorKind::TooLarge),
    ] {
        let error = Rules::parse(text, Action::Save).expect_err(text);
        assert_eq!((error.position, error.kind), (position, kind), "{text:?}");
    }
}

#[test]
fn eight_rules_are_accepted_and_the_ninth_is_refused() {
    let eight = ["quota 1/d"; 8].join(",");
    assert_eq!(rules(&eight, Action::Read).as_slice().len(), 8);
    let error = Rules::parse(&format!("{eight},quota 1/d"), Action::Read);
    let error = error.expect_err("nine rules");
    assert_eq!(
        (error.position, error.kind),
        (81, RuleErrorKind::TooManyRules)
    );
}

#[test]
fn a_rule_without_effect_for_its_action_is_refused() {
    for (text, action, position, kind) in [
        (
            "quota 1MiB/1d",
            Action::Read,
            7,
            RuleErrorKind::BytesNotCounted,
        ),
        (
            "quota 1MiB/1d",
            Action::Miss,
            7,
            RuleErrorKind::BytesNotCounted,
        ),
        (
            "rate 1/s burst 1 wait 2s",
            Action::Miss,
            18,
            RuleErrorKind::WaitNotAllowed,
        ),
        (
            "quota 1MiB/1d",
            Action::Password,
            7,
            RuleErrorKind::BytesNotCounted,
        ),
        (
            "rate 1/10s burst 10 wait 2s",
            Action::Password,
            21,
            RuleErrorKind::WaitNotAllowed,
        ),
    ] {
        let error = Rules::parse(text, action).expect_err(text);
        assert_eq!((error.position, error.kind), (position, kind), "{text:?}");
    }
}

#[test]
fn a_quota_policy_of_a_rate_has_the_time_in_which_its_burst_comes_back() {
    let policies: Vec<QuotaPolicy> = rules(
        "rate 5/8s burst 30, quota 2000/1d, quota 64MiB/1h",
        Action::Save,
    )
    .as_slice()
    .iter()
    .map(Rule::policy)
    .collect();
    let policy = |quota, window, unit| QuotaPolicy {
        quota,
        window: Duration::from_secs(window),
        unit,
    };
    assert_eq!(
        policies,
        [
            policy(30, 48, Unit::Requests),
            policy(2000, 86_400, Unit::Requests),
            policy(64 << 20, 3600, Unit::Bytes),
        ]
    );
}
