//! These tests specify the guarantees of a sliding window.

use proptest::prelude::*;

use super::super::window::Window;
use super::naive::Log;
use super::{Duration, SECOND};
use crate::limit::policy::{Quota, Unit};

/// A window and its quota of bytes.
struct Fixture {
    quota: Quota,
    window: Window,
}

impl Fixture {
    fn new(most: u64, length: u64) -> Self {
        let quota = Quota::new(most, Unit::Bytes, Duration::from_nanos(length));
        let quota = quota.expect("figures that fit");
        Self {
            window: Window::new(0, &quota),
            quota,
        }
    }

    /// Charges the amount if it fits. Otherwise returns when it will fit.
    fn request(&mut self, now: u64, amount: u64) -> Result<(), Option<u64>> {
        let (quota, limit) = (&self.quota, self.quota.limit);
        self.window.check(now, quota, limit, amount)?;
        self.window.charge(now, quota, limit, amount);
        Ok(())
    }

    fn used(&mut self, now: u64) -> u64 {
        self.window.slide(now, &self.quota)
    }

    fn refund(&mut self, charged_at: u64, amount: u64) {
        self.window.refund(charged_at, &self.quota, amount);
    }
}

const MINUTE: u64 = 60 * SECOND;

#[test]
fn more_than_the_whole_quota_never_fits() {
    let mut fixture = Fixture::new(10, MINUTE);
    assert_eq!(fixture.request(0, 11), Err(None));
    assert_eq!(fixture.request(0, u64::MAX), Err(None));
    assert_eq!(fixture.request(0, 10), Ok(()));
    assert_eq!(fixture.request(0, u64::MAX), Err(None));
}

#[test]
fn a_full_slot_denies_until_the_next_one_starts() {
    let most = 10 * u64::from(u32::MAX);
    let mut fixture = Fixture::new(most, MINUTE);
    assert_eq!(fixture.request(SECOND, u64::from(u32::MAX)), Ok(()));
    assert_eq!(fixture.request(SECOND, 1), Err(Some(SECOND)));
    assert_eq!(fixture.request(2 * SECOND, u64::from(u32::MAX)), Ok(()));
    assert_eq!(fixture.used(2 * SECOND), 2 * u64::from(u32::MAX));
}

#[test]
fn a_charge_that_no_longer_counts_is_not_refunded() {
    let mut fixture = Fixture::new(10, MINUTE);
    assert_eq!(fixture.request(SECOND, 4), Ok(()));
    assert_eq!(
        fixture.request(62 * SECOND, 4),
        Ok(()),
        "in the same place of the ring"
    );
    fixture.refund(SECOND, 4);
    assert_eq!(fixture.used(62 * SECOND), 4);
}

#[test]
fn a_clock_that_goes_back_gives_nothing_and_the_end_of_time_does_not_panic() {
    let mut fixture = Fixture::new(1, MINUTE);
    assert_eq!(fixture.request(100 * SECOND, 1), Ok(()));
    assert!(fixture.request(0, 1).is_err());
    assert_eq!(fixture.used(u64::MAX), 0);
    assert_eq!(fixture.request(u64::MAX, 1), Ok(()));
    assert!(fixture.request(u64::MAX, 1).is_err());
}

proptest! {
    #[test]
    fn never_more_than_the_quota_in_any_window_and_every_decision_is_that_of_a_log(
        (most, length) in (1u64..1000, prop_oneof![1u64..200, Just(MINUTE), 1u64..100 * MINUTE]),
        steps in prop::collection::vec((0u64..40, 1u64..300, 0u8..8), 1..200),
    ) {
        let mut fixture = Fixture::new(most, length);
        let (mut log, mut now, mut charges) = (Log::default(), 0, Vec::new());
        for (passing, amount, refund) in steps {
            now += length * passing * passing / 600;
            let fits = log.counting(now, &fixture.quota) + amount <= most;
            let said = fixture.request(now, amount);
            prop_assert_eq!(said.is_ok(), fits);
            match said {
                Ok(()) => {
                    log.charge(now, amount);
                    charges.push((now, amount));
                }
                Err(None) => prop_assert!(amount > most),
                Err(Some(wait)) => {
                    prop_assert!(log.counting(now + wait, &fixture.quota) + amount <= most);
                    prop_assert!(log.counting(now + wait - 1, &fixture.quota) + amount > most);
                    // Only charges within the length of the window and one more slot can deny a request.
                    let slot = length.div_ceil(60);
                    prop_assert!(log.within(now, 61 * slot) + amount > most);
                }
            }
            if refund == 0 && let Some((at, charged)) = charges.pop() {
                let back = amount.min(charged);
                fixture.refund(at, back);
                if fixture.quota.slot_at(at) + 61 > fixture.quota.slot_at(now) {
                    log.refund(at, &fixture.quota, back);
                }
            }
            prop_assert!(log.within(now, length) <= most);
            prop_assert_eq!(fixture.used(now), log.counting(now, &fixture.quota));
        }
    }
}
