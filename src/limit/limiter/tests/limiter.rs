//! These tests specify the guarantees of the limiter to clients and to the operator.

use super::*;

fn read() -> LimitRequest {
    LimitRequest::one(Action::Read)
}

fn save(bytes: u64) -> LimitRequest {
    LimitRequest::one(Action::Save).with_bytes(bytes)
}

#[test]
fn a_denial_names_the_rule_that_denies_longest_and_when_to_come_back() {
    let limiter = limiter("quota 3/1m, rate 1/h burst 3, quota 100B/1d", "off", "off");
    let subject = client(1, 1);
    assert_eq!(admitted(&limiter, 0, subject, save(1), 4), 3);
    let denied = refused(&limiter, 0, subject, save(1));
    let expected = LimitDenied {
        action: Action::Save,
        rule: 1,
        tier: Tier::Client,
        retry_after: Some(seconds(3600)),
    };
    assert_eq!(denied, expected);
    let too_large = refused(&limiter, 0, subject, save(101));
    assert_eq!((too_large.rule, too_large.retry_after), (2, None));
}

#[test]
fn a_client_whose_multiplier_was_lowered_waits_for_one_refill_at_most() {
    let limiter = limiter("off", "rate 1/s burst 3", "off");
    let before = Subject {
        multiplier: multiplier(100),
        ..client(1, 1)
    };
    assert_eq!(admitted(&limiter, 0, before, read(), 300), 300);
    let denied = refused(&limiter, 0, client(1, 1), read());
    assert_eq!(denied.retry_after, Some(seconds(1)));
    assert_eq!(admitted(&limiter, 3, client(1, 1), read(), 10), 3);
}

#[test]
fn a_reservation_is_not_denied_if_the_bytes_it_needs_fit() {
    let limiter = limiter("quota 100B/1d", "off", "off");
    let reserve = || limiter.reserve(seconds(0), client(1, 1), Action::Save, [30, 60]);
    let refusals = || -> u64 { limiter.stats().denied.iter().map(|c| c.count).sum() };
    assert_eq!(reserve().map(|charge| charge.bytes()), Ok(60));
    assert_eq!(reserve().map(|charge| charge.bytes()), Ok(30));
    assert_eq!(refusals(), 0);
    assert!(reserve().is_err());
    assert_eq!(refusals(), 1);
}

#[test]
fn remaining_quotas_tell_what_is_left_and_when_there_is_more() {
    let limiter = limiter("rate 1/s burst 30, quota 2000/1d", "off", "off");
    let subject = client(1, 1);
    let remaining_quotas = |remaining, reset| RemainingQuota {
        remaining,
        reset: seconds(reset),
    };
    let fresh = limiter.remaining_quotas(seconds(5), subject, Action::Save);
    assert_eq!(fresh, [remaining_quotas(30, 0), remaining_quotas(2000, 0)]);
    assert_eq!(admitted(&limiter, 5, subject, save(1), 2), 2);
    let used = limiter.remaining_quotas(seconds(5), subject, Action::Save);
    assert_eq!(
        used,
        [
            remaining_quotas(28, 1),
            remaining_quotas(1998, 86_400 + 1440 - 5)
        ]
    );
    assert_eq!(
        limiter.remaining_quotas(seconds(0), subject, Action::Read),
        []
    );
}

#[test]
fn a_thread_whose_clock_lags_gains_nothing_and_harms_nothing() {
    let limiter = limiter("off", "rate 1/s burst 1, quota 10/1m", "off");
    let subject = client(1, 1);
    assert_eq!(admitted(&limiter, 100, subject, read(), 1), 1);
    assert_eq!(admitted(&limiter, 0, subject, read(), 1), 0);
    assert_eq!(admitted(&limiter, 101, subject, read(), 2), 1);
}

#[test]
fn decisions_are_counted_by_action_rule_and_tier() {
    let limits = limits(
        "quota 5B/1d",
        "rate 1/s burst 2, quota 9/1d",
        "rate 1/s burst 1",
    );
    let limiter = Limiter::new(
        with_passwords("rate 1/10s burst 1", limits),
        TableSizes::default(),
    );
    let subject = client(1, 1);
    admitted(&limiter, 0, subject, read(), 5);
    admitted(&limiter, 0, subject, LimitRequest::one(Action::Password), 3);
    admitted(&limiter, 0, subject, save(6), 1);
    limiter.charge_miss(seconds(0), subject);
    let stats = limiter.stats();
    assert_eq!(
        stats.admitted,
        [
            (Action::Save, 0),
            (Action::Read, 2),
            (Action::Miss, 1),
            (Action::Password, 1)
        ]
    );
    let refusing: Vec<_> = stats.denied.iter().filter(|rule| rule.count > 0).collect();
    let count = |action, rule, count| DenialCount {
        action,
        rule,
        tier: Tier::Client,
        count,
    };
    assert_eq!(
        refusing,
        [
            &count(Action::Save, 0, 1),
            &count(Action::Read, 0, 3),
            &count(Action::Password, 0, 2)
        ]
    );
    assert_eq!(stats.denied.len(), 10);
    assert_eq!((stats.clients.used, stats.networks.used), (1, 1));
}

#[test]
fn many_threads_together_get_exactly_the_capacity() {
    let limiter = limiter("off", "quota 1000/1d", "off");
    let passed: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| admitted(&limiter, 0, client(1, 1), read(), 500)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!(passed, 1000);
}
