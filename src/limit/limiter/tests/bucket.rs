//! These tests specify the guarantees of a token bucket.

use proptest::prelude::*;

use super::super::bucket::Bucket;
use super::naive::Fraction;
use super::{Duration, Multiplier, SECOND, Tier, multiplier};
use crate::limit::policy::{Rate, ScaledRate};

/// A bucket and its rate.
struct Fixture {
    rate: Rate,
    bucket: Bucket,
    multiplier: Multiplier,
}

impl Fixture {
    fn new(count: u64, per: u64, burst: u64) -> Self {
        Self::waiting(count, per, burst, 0)
    }

    /// All times are in nanoseconds.
    fn waiting(count: u64, per: u64, burst: u64, wait: u64) -> Self {
        let [per, wait] = [per, wait].map(Duration::from_nanos);
        Self {
            rate: Rate::new(count, per, burst, wait).expect("figures that fit"),
            bucket: Bucket::default(),
            multiplier: Multiplier::ONE,
        }
    }

    fn request(&mut self, now: u64) -> Result<u64, u64> {
        let rate = &self.scaled_rate();
        let said = self.bucket.wait_for_token(now, rate);
        if said.is_ok() {
            self.bucket = self.bucket.charge(now, rate);
        }
        said
    }

    fn refund(&mut self, charged_at: u64, now: u64) {
        self.bucket = self.bucket.refund(charged_at, now, &self.scaled_rate());
    }

    fn scaled_rate(&self) -> ScaledRate {
        self.rate.scaled(Tier::Client, self.multiplier)
    }

    /// Returns how many of these requests are admitted.
    fn passing(&mut self, now: u64, requests: u64) -> u64 {
        (0..requests)
            .map(|_| u64::from(self.request(now).is_ok()))
            .sum()
    }

    fn tokens(&self, now: u64) -> u64 {
        self.bucket.tokens(now, &self.scaled_rate())
    }
}

#[test]
fn a_bucket_of_ten_refills_from_five_in_five_seconds_and_admits_ten() {
    let mut fixture = Fixture::new(1, SECOND, 10);
    assert_eq!(fixture.passing(0, 5), 5);
    assert_eq!(fixture.tokens(0), 5);
    assert_eq!(fixture.tokens(5 * SECOND), 10);
    assert_eq!(fixture.passing(5 * SECOND, 15), 10);
    assert_eq!(fixture.tokens(5 * SECOND), 0);
}

#[test]
fn five_tokens_in_eight_seconds_come_one_every_1600_milliseconds() {
    let mut fixture = Fixture::new(5, 8 * SECOND, 5);
    assert_eq!(fixture.passing(0, 6), 5);
    assert_eq!(fixture.request(0), Err(1_600_000_000));
    assert_eq!(fixture.tokens(8 * SECOND - 1), 4);
    assert_eq!(fixture.tokens(8 * SECOND), 5);
    assert_eq!(fixture.passing(8 * SECOND, 6), 5);
}

#[test]
fn a_new_client_may_burst_to_the_capacity_and_the_next_request_is_told_when() {
    let mut fixture = Fixture::new(1, SECOND, 3);
    assert_eq!(fixture.passing(7, 3), 3);
    assert_eq!(fixture.request(7), Err(SECOND));
}

#[test]
fn a_request_is_denied_until_exactly_the_promised_time_and_admitted_at_it() {
    let mut fixture = Fixture::new(3, 7 * SECOND, 1);
    assert_eq!(fixture.request(100), Ok(0));
    let wait = fixture.request(100).expect_err("the bucket is empty");
    assert_eq!(fixture.request(100 + wait - 1), Err(1));
    assert_eq!(fixture.request(100 + wait), Ok(0));
}

#[test]
fn tokens_never_exceed_the_capacity() {
    let mut fixture = Fixture::new(1, SECOND, 4);
    assert_eq!(fixture.passing(0, 1), 1);
    for idle in [4 * SECOND, 3600 * SECOND, u64::MAX] {
        assert_eq!(fixture.tokens(idle), 4, "{idle}");
    }
    assert_eq!(fixture.passing(u64::MAX, 5), 4);
}

#[test]
fn a_client_that_asks_more_often_than_tokens_come_gets_every_token() {
    // If a denied request advanced the time of the bucket, the fraction of a token gained so far would be lost.
    let mut fixture = Fixture::new(1, SECOND, 1);
    let passed = (0..=100).filter(|tenth| fixture.request(tenth * SECOND / 10).is_ok());
    assert_eq!(passed.count(), 11);
}

#[test]
fn a_steady_client_at_an_indivisible_rate_loses_no_fraction_in_a_year() {
    // A token comes every 142,857,142.857… ns. After seven tokens, the fractions add up to whole nanoseconds.
    let mut fixture = Fixture::new(7, SECOND, 2);
    let mut now = 0;
    assert_eq!(fixture.request(now), Ok(0));
    for _ in 0..7 * 1000 {
        assert_eq!(fixture.request(now), Ok(0));
        now += fixture.request(now).expect_err("one at a time");
    }
    assert_eq!(now, 1000 * SECOND);
    let a_year = 365 * 24 * 3600 * SECOND;
    assert_eq!(fixture.tokens(a_year), 2);
}

#[test]
fn a_clock_that_stands_still_or_goes_back_neither_gives_nor_takes_tokens() {
    let mut fixture = Fixture::new(1, SECOND, 2);
    assert_eq!(fixture.passing(10 * SECOND, 3), 2);
    for now in [10 * SECOND, 9 * SECOND, 0] {
        assert_eq!(fixture.request(now), Err(SECOND), "{now}");
    }
    assert_eq!(fixture.request(11 * SECOND), Ok(0));
}

#[test]
fn a_clock_that_jumps_ahead_fills_the_bucket_once() {
    let mut fixture = Fixture::new(1, SECOND, 2);
    assert_eq!(fixture.passing(0, 3), 2);
    assert_eq!(fixture.passing(u64::MAX, 10), 2);
}

#[test]
fn requests_wait_in_turn_for_tokens_that_come_soon_enough() {
    let mut fixture = Fixture::waiting(2, SECOND, 1, 2 * SECOND);
    let said: Vec<_> = (0..6).map(|_| fixture.request(0)).collect();
    let half = SECOND / 2;
    assert_eq!(
        said,
        [
            Ok(0),
            Ok(half),
            Ok(2 * half),
            Ok(3 * half),
            Ok(4 * half),
            Err(half)
        ],
        "no more wait than tokens come in the time"
    );
    assert_eq!(
        fixture.request(half),
        Ok(4 * half),
        "the queue moved up by one"
    );
}

#[test]
fn a_waiter_that_leaves_gives_its_token_to_those_behind_it() {
    let mut fixture = Fixture::waiting(1, SECOND, 1, SECOND);
    assert_eq!(
        [fixture.request(0), fixture.request(0)],
        [Ok(0), Ok(SECOND)]
    );
    assert!(fixture.request(0).is_err());
    fixture.refund(0, 0);
    assert_eq!(fixture.request(0), Ok(SECOND));
}

#[test]
fn a_refund_to_a_full_bucket_is_lost() {
    let mut fixture = Fixture::new(1, SECOND, 1);
    fixture.refund(0, 0);
    assert_eq!(fixture.passing(0, 2), 1);
}

#[test]
fn a_token_that_time_repaid_before_others_were_taken_is_not_refunded_to_them() {
    let mut fixture = Fixture::new(1, SECOND, 1);
    assert_eq!(fixture.request(0), Ok(0));
    assert_eq!(fixture.request(SECOND), Ok(0));
    fixture.refund(0, SECOND);
    assert_eq!(fixture.request(SECOND), Err(SECOND));
}

#[test]
fn a_refund_is_whole_however_late_if_no_token_was_taken_since() {
    let mut fixture = Fixture::new(1, SECOND, 10);
    assert_eq!(fixture.passing(0, 10), 10);
    fixture.refund(0, 3 * SECOND);
    assert_eq!(fixture.tokens(3 * SECOND), 4);
}

#[test]
fn a_debt_of_a_larger_rate_is_owed_by_a_smaller_one_for_one_refill_at_most() {
    let mut fixture = Fixture::waiting(1, SECOND, 3, 2 * SECOND);
    fixture.multiplier = multiplier(100);
    assert_eq!(fixture.passing(0, 1000), 500);
    fixture.multiplier = Multiplier::ONE;
    assert_eq!(
        fixture.request(0),
        Err(SECOND),
        "the queue is full, and no fuller"
    );
    assert_eq!(fixture.request(3 * SECOND), Ok(0));
    assert_eq!(fixture.tokens(6 * SECOND), 3);
}

#[test]
fn figures_that_would_overflow_are_refused_and_the_largest_that_fit_are_not() {
    let week = Duration::from_secs(7 * 24 * 3600);
    let rate = |count, per, burst| Rate::new(count, per, burst, Duration::ZERO);
    assert!(rate(1, week, 19).is_some() && rate(1, week, 20).is_none());
    assert!(rate(1000, week, 10_000).is_some());
    let day = Duration::from_secs(24 * 3600);
    assert!(rate(1, day, 133).is_some() && rate(1, day, 134).is_none());
    assert!(rate(1, Duration::MAX, 1).is_none());
    assert!(rate(u64::MAX, week, 1).is_some());
    assert!(rate(1, Duration::from_secs(1), u64::MAX).is_none());
    assert!(Rate::new(1, week, 1, Duration::MAX).is_none());
    for zero in [
        rate(0, week, 1),
        rate(1, Duration::ZERO, 1),
        rate(1, week, 0),
    ] {
        assert!(zero.is_none());
    }
}

#[test]
fn the_largest_multiplier_of_the_largest_figures_is_exact() {
    let week = 7 * 24 * 3600 * SECOND;
    let mut fixture = Fixture::new(1, week, 1);
    fixture.multiplier = Multiplier::MAX;
    assert_eq!(fixture.passing(0, 2000), 100);
    assert_eq!(fixture.request(0), Err(week / 100));
    let network = fixture.rate.scaled(Tier::Network, Multiplier::MAX);
    assert_eq!(Bucket::default().tokens(0, &network), 1600);
}

proptest! {
    #[test]
    fn every_decision_is_that_of_exact_fractions(
        (count, per, burst) in (1u64..1000, 1u64..10 * SECOND, 1u64..20),
        wait in prop_oneof![Just(0), 1u64..5 * SECOND],
        factor in prop_oneof![Just(1), Just(16), 2u32..=100],
        steps in prop::collection::vec((-2i64..100, 1u64..8, 0u8..10), 1..200),
    ) {
        let mut fixture = Fixture::waiting(count, per, burst, wait);
        fixture.multiplier = Multiplier::new(factor).unwrap();
        let factor = u64::from(factor);
        let mut twin = Fraction::full(&fixture.rate, factor);
        let (mut now, mut settled) = (10 * SECOND, 0);
        for (passing, divisor, refund) in steps {
            // Each step of the clock is about as long as a token takes. Some steps go back.
            let token = i64::try_from(per / count / factor / divisor).unwrap();
            now = now.saturating_add_signed(passing.saturating_mul(token) / 20 + passing);
            let expected = twin.judge(now, &fixture.rate, factor);
            prop_assert_eq!(fixture.request(now), expected);
            if expected.is_ok() {
                twin.take(now, &fixture.rate, factor);
                settled = settled.max(now);
            }
            if expected.is_ok() && refund == 0 {
                twin.refund(now, now, &fixture.rate, factor);
                fixture.refund(now, now);
            }
            prop_assert_eq!(fixture.tokens(now), twin.tokens(now, &fixture.rate, factor));
            let rate = &fixture.scaled_rate();
            let (tokens, more) = (fixture.tokens(now), fixture.bucket.next_token_in(now, rate));
            if more > 0 {
                let then = now.max(settled) + more;
                prop_assert_eq!(tokens + 1, fixture.tokens(then));
                prop_assert_eq!(tokens, fixture.tokens(then - 1));
            }
        }
    }

    #[test]
    fn a_refund_never_leaves_more_than_if_the_token_had_not_been_taken(
        (count, burst) in (1u64..5, 1u64..5),
        wait in prop_oneof![Just(0), Just(3 * SECOND)],
        steps in prop::collection::vec((0u64..6, 0usize..3, any::<prop::sample::Index>()), 1..100),
    ) {
        let mut fixture = Fixture::waiting(count, SECOND, burst, wait);
        let (mut now, mut taken) = (SECOND, Vec::new());
        for (passing, asks, leaver) in steps {
            now += passing * passing * SECOND / 10;
            for _ in 0..asks {
                if fixture.request(now).is_ok() {
                    taken.push(now);
                }
            }
            if asks == 0 && !taken.is_empty() {
                let charged_at = taken.remove(leaver.index(taken.len()));
                let before = fixture.tokens(now);
                fixture.refund(charged_at, now);
                prop_assert!((before..=before + 1).contains(&fixture.tokens(now)));
            }
            let mut twin = Fraction::full(&fixture.rate, 1);
            for at in &taken {
                twin.take(*at, &fixture.rate, 1);
            }
            prop_assert!(fixture.tokens(now) <= twin.tokens(now, &fixture.rate, 1));
        }
    }
}
