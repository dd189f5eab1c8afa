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
fn a_clock_that_jumps_ahead_fills_the_bucket_once() {
    let mut fixture = Fixture::new(1, SECOND, 2);
    assert_eq!(fixture.passing(0, 3), 2);
    assert_eq!(fixture.passing(u64::MAX, 10), 2);
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
        is_even in any::<bool>(),
        steps in prop::collection::vec((-2i64..100, 1i64..8, 0u8..10), 1..200),
    ) {
        let multiplier = Multiplier::new(factor).unwrap();
        let factor = u64::from(factor);
        // In an even case, all times are multiples of the time of a token, so that many requests come at a bound.
        let (per, wait) = if is_even {
            let token = (per / count / factor).max(1);
            (token * count * factor, wait - wait % token)
        } else {
            (per, wait)
        };
        let mut fixture = Fixture::waiting(count, per, burst, wait);
        fixture.multiplier = multiplier;
        let mut twin = Fraction::full(&fixture.rate, factor);
        let (mut now, mut settled) = (10 * SECOND, 0);
        for (passing, divisor, refund) in steps {
            // Each step of the clock is about as long as a token takes. Some steps go back.
            let token = i64::try_from(per / count / factor).unwrap();
            now = now.saturating_add_signed(if is_even {
                passing / 30 * token
            } else {
                passing.saturating_mul(token / divisor) / 20 + passing
            });
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
