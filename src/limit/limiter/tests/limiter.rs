//! These tests specify the guarantees of the limiter to clients and to the operator.

use super::*;

fn read() -> LimitRequest {
    LimitRequest::one(Action::Read)
}

fn save(bytes: u64) -> LimitRequest {
    LimitRequest::one(Action::Save).with_bytes(bytes)
}

#[test]
fn clients_and_actions_do_not_interfere() {
    let limiter = limiter("rate 1/s burst 2", "rate 1/s burst 3", "off");
    let (this, other) = (client(1, 1), client(1, 2));
    assert_eq!(admitted(&limiter, 0, this, read(), 10), 3);
    assert_eq!(admitted(&limiter, 0, other, read(), 10), 3);
    assert_eq!(admitted(&limiter, 0, this, save(1), 10), 2);
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
fn quotas_of_a_minute_an_hour_a_day_and_a_week_hold_together() {
    let limiter = limiter(
        "off",
        "quota 10/1m, quota 20/1h, quota 30/1d, quota 40/1w",
        "off",
    );
    let subject = client(1, 1);
    let in_a = |length: u64, step: usize| -> u64 {
        (0..length)
            .step_by(step)
            .map(|now| admitted(&limiter, now, subject, read(), 1))
            .sum()
    };
    assert_eq!(in_a(60, 1), 10);
    assert_eq!(in_a(3600, 1), 10, "20 with those of the first minute");
    assert_eq!(in_a(86_400, 60), 10);
    assert_eq!(in_a(7 * 86_400, 600), 10);
}

#[test]
fn a_request_that_one_rule_denies_is_charged_to_no_other() {
    let limiter = limiter("rate 1/s burst 100, quota 10B/1d", "off", "off");
    let subject = client(1, 1);
    for _ in 0..50 {
        refused(&limiter, 0, subject, save(11));
    }
    let remaining: Vec<u64> = limiter
        .remaining_quotas(seconds(0), subject, Action::Save)
        .iter()
        .map(|remaining_quotas| remaining_quotas.remaining)
        .collect();
    assert_eq!(remaining, [100, 10]);
}

#[test]
fn a_request_that_the_network_denies_is_not_charged_to_the_client() {
    let limiter = limiter("off", "quota 2/1d", "off");
    for n in 0..16 {
        assert_eq!(admitted(&limiter, 0, client(1, n), read(), 3), 2);
    }
    let late = client(1, 16);
    let denied = refused(&limiter, 0, late, read());
    assert_eq!(denied.tier, Tier::Network);
    let remaining_quotas = limiter.remaining_quotas(seconds(0), late, Action::Read);
    assert_eq!(remaining_quotas[0].remaining, 2);
    assert_eq!(admitted(&limiter, 0, client(2, 0), read(), 3), 2);
    let used = limiter.stats().clients.used;
    assert_eq!(used, 17, "a refusal adds no entry");
}

#[test]
fn a_network_has_sixteen_times_the_figures_of_a_client() {
    let limiter = limiter("off", "rate 1/s burst 3", "off");
    let all = |now| -> u64 {
        (0..100)
            .map(|n| admitted(&limiter, now, client(1, n), read(), 1))
            .sum()
    };
    assert_eq!(all(0), 48);
    assert_eq!(all(1), 16);
}

#[test]
fn a_multiplier_applies_to_the_client_and_to_its_network() {
    let limiter = limiter("off", "rate 1/s burst 3", "off");
    let subject = Subject {
        multiplier: multiplier(10),
        ..client(1, 1)
    };
    assert_eq!(admitted(&limiter, 0, subject, read(), 100), 30);
    let others: u64 = (2..100)
        .map(|n| {
            admitted(
                &limiter,
                0,
                Subject {
                    multiplier: multiplier(10),
                    ..client(1, n)
                },
                read(),
                100,
            )
        })
        .sum();
    assert_eq!(30 + others, 480);
}

#[test]
fn a_client_with_its_own_multiplier_uses_nothing_of_its_neighbours_share() {
    let limiter = limiter("off", "rate 1/s burst 3, quota 100/1d", "off");
    let large = Subject {
        multiplier: multiplier(100),
        ..client(1, 0)
    };
    assert_eq!(admitted(&limiter, 0, large, read(), 1000), 300);
    let neighbours = |now| -> u64 {
        (1..100)
            .map(|n| admitted(&limiter, now, client(1, n), read(), 3))
            .sum()
    };
    assert_eq!(neighbours(0), 48);
    assert_eq!(admitted(&limiter, 1, large, read(), 1000), 100);
    assert_eq!(neighbours(1), 16);
}

#[test]
fn clients_of_one_network_with_the_same_multiplier_share_its_limits() {
    let limiter = limiter("off", "rate 1/s burst 3", "off");
    let larger = |n| Subject {
        multiplier: multiplier(10),
        ..client(1, n)
    };
    let all: u64 = (0..100)
        .map(|n| admitted(&limiter, 0, larger(n), read(), 30))
        .sum();
    assert_eq!(all, 480);
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
fn a_late_cancellation_does_not_pay_for_requests_that_came_meanwhile() {
    let limiter = limiter("rate 1/s burst 1", "off", "off");
    let subject = client(1, 1);
    let early = limiter
        .admit(seconds(0), subject, save(1))
        .expect("a token")
        .charge;
    assert_eq!(admitted(&limiter, 1, subject, save(1), 2), 1);
    limiter.cancel(seconds(1), early);
    assert_eq!(admitted(&limiter, 1, subject, save(1), 1), 0);
}

#[test]
fn refunded_bytes_may_be_charged_again_and_no_more_than_those() {
    let limiter = limiter("quota 100B/1d", "off", "off");
    let subject = client(1, 1);
    let mut kept = limiter
        .admit(seconds(0), subject, save(60))
        .expect("there is room")
        .charge;
    assert_eq!(admitted(&limiter, 0, subject, save(41), 1), 0);
    limiter.refund(&mut kept, 50);
    assert_eq!(kept.bytes(), 10);
    assert_eq!(admitted(&limiter, 0, subject, save(41), 1), 1);
    limiter.refund(&mut kept, 1000);
    let remaining_quotas = limiter.remaining_quotas(seconds(0), subject, Action::Save);
    assert_eq!(remaining_quotas[0].remaining, 59);
}

#[test]
fn a_body_of_unknown_length_is_charged_as_it_comes_and_is_one_request() {
    let limiter = limiter("rate 1/h burst 1, quota 100B/1d", "off", "off");
    let subject = client(1, 1);
    assert_eq!(admitted(&limiter, 0, subject, save(0), 1), 1);
    let chunk = LimitRequest::more_bytes(Action::Save, 30);
    assert_eq!(admitted(&limiter, 0, subject, chunk, 10), 3);
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
fn a_client_that_missed_too_often_may_look_nothing_up_until_a_token_comes() {
    let limiter = limiter("off", "rate 1/s burst 1000", "rate 1/s burst 2");
    let subject = client(1, 1);
    for _ in 0..5 {
        limiter.charge_miss(seconds(0), subject);
    }
    let denied = refused(&limiter, 0, subject, read().looking_up());
    assert_eq!(
        (denied.action, denied.retry_after),
        (Action::Miss, Some(seconds(1)))
    );
    assert_eq!(
        admitted(&limiter, 0, subject, read(), 1),
        1,
        "what looks nothing up"
    );
    assert_eq!(
        admitted(&limiter, 1, subject, read().looking_up(), 10),
        10,
        "misses beyond the limit make no debt, and hits take nothing"
    );
}

#[test]
fn a_waiter_is_told_how_long_and_one_that_leaves_early_is_refunded() {
    let limiter = limiter(
        "rate 1/s burst 1 wait 2s, quota 3/1d, quota 100B/1d",
        "off",
        "off",
    );
    let subject = client(1, 1);
    let admit = |now, bytes| limiter.admit(seconds(now), subject, save(bytes));
    let waits: Vec<_> = (0..3)
        .map(|_| admit(0, 10).expect("there is room in the queue"))
        .collect();
    let turns: Vec<u64> = waits.iter().map(|yes| yes.wait.as_secs()).collect();
    assert_eq!(turns, [0, 1, 2]);
    let full = admit(0, 10).expect_err("the queue is full");
    assert_eq!(full.rule, 1, "the quota is used up for longer");
    for (yes, now) in waits.into_iter().zip([0, 0, 0]) {
        limiter.abandon(seconds(now), yes.charge);
    }
    let remaining: Vec<u64> = limiter
        .remaining_quotas(seconds(0), subject, Action::Save)
        .iter()
        .map(|remaining_quotas| remaining_quotas.remaining)
        .collect();
    assert_eq!(
        remaining,
        [0, 2, 100],
        "the first had its turn and used its token; its bytes go back"
    );
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
fn an_action_without_rules_is_never_denied_and_takes_no_entry() {
    let limiter = limiter("off", "off", "off");
    assert_eq!(
        admitted(&limiter, 0, client(1, 1), save(1 << 40), 10_000),
        10_000
    );
    assert_eq!(limiter.stats().clients.used, 0);
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
