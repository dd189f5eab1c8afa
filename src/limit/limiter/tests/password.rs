//! These tests specify the limits of password attempts.

use super::*;

fn guess() -> LimitRequest {
    LimitRequest::one(Action::Password)
}

fn limiter(password: &str) -> Limiter {
    let others = limits("off", "rate 1/s burst 100", "rate 1/s burst 2");
    Limiter::new(with_passwords(password, others), TableSizes::default())
}

#[test]
fn too_many_password_attempts_deny_further_ones_and_nothing_else() {
    let limiter = limiter("rate 1/10s burst 10");
    let subject = client(1, 1);
    assert_eq!(admitted(&limiter, 0, subject, guess(), 1000), 10);
    let expected = LimitDenied {
        action: Action::Password,
        rule: 0,
        tier: Tier::Client,
        retry_after: Some(seconds(10)),
    };
    assert_eq!(refused(&limiter, 0, subject, guess()), expected);
    let look_up = LimitRequest::one(Action::Read).looking_up();
    assert_eq!(admitted(&limiter, 0, subject, look_up, 3), 3);
    assert_eq!(admitted(&limiter, 10, subject, guess(), 3), 1);
}

#[test]
fn a_network_has_sixteen_times_the_password_attempts_of_a_client() {
    let limiter = limiter("rate 1/10s burst 10");
    let all = |now| -> u64 {
        (0..100)
            .map(|n| admitted(&limiter, now, client(1, n), guess(), 10))
            .sum()
    };
    assert_eq!(all(0), 160);
    assert_eq!(all(10), 16);
}

#[test]
fn a_right_password_is_refunded_and_a_wrong_one_is_not() {
    let limiter = limiter("rate 1/10s burst 2, quota 3/1d");
    let subject = client(1, 1);
    for _ in 0..100 {
        let right = limiter
            .admit(seconds(0), subject, guess())
            .expect("a token");
        limiter.cancel(seconds(0), right.charge);
    }
    assert_eq!(admitted(&limiter, 0, subject, guess(), 10), 2);
    assert_eq!(
        admitted(&limiter, 100, subject, guess(), 10),
        1,
        "of the quota"
    );
}
