//! Tests of the limits on all nodes together, on an engine that is a map.

use std::collections::HashMap;
use std::future::ready;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;
use proptest::prelude::*;

use super::*;
use crate::fairness::ClientKey;
use crate::limit::{MAX_RULES, Multiplier, NETWORK_FACTOR};

/// Keeps counters without an expiry, and counts nothing if it fails.
#[derive(Default)]
struct Map {
    counts: Mutex<HashMap<String, i64>>,
    error: Option<CountersError>,
}

impl SharedCounters for Map {
    fn add(&self, network: u64, counters: &[Counter]) -> Added<'_> {
        if let Some(error) = self.error {
            return Box::pin(ready(Err(error)));
        }
        let counts = &mut *self.counts.lock();
        let added = counters.iter().map(|it| {
            assert!(it.expires_in > 0);
            let previous = counts.get(&format!("{network} {}", it.previous)).copied();
            let count = counts.entry(format!("{network} {}", it.name)).or_default();
            *count += i64::try_from(it.amount).unwrap();
            [*count, previous.unwrap_or(0)]
        });
        Box::pin(ready(Ok((0, added.collect()))))
    }

    fn take_back(&self, network: u64, counters: &[Counter], _mark: u64) {
        let counts = &mut *self.counts.lock();
        for counter in counters {
            let name = format!("{network} {}", counter.name);
            *counts.entry(name).or_default() -= i64::try_from(counter.amount).unwrap();
        }
    }
}

fn limits(rules: &str) -> (SharedLimits, Arc<Map>) {
    let rules = Rules::parse(rules, Action::Save).unwrap();
    let map = Arc::new(Map::default());
    let engine = Arc::<Map>::clone(&map);
    (SharedLimits::new(&rules, engine).unwrap(), map)
}

fn subject(client: u64, factor: u32) -> Subject {
    Subject {
        client: ClientKey { network: 7, client },
        multiplier: Multiplier::new(factor).unwrap(),
    }
}

fn charge(
    limits: &SharedLimits,
    millis: u64,
    subject: Subject,
    bytes: u64,
) -> Result<SharedCharge, NotCharged> {
    let charging = limits.charge(Duration::from_millis(millis), subject, [1, bytes]);
    match pin!(charging).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(charged) => charged,
        Poll::Pending => panic!("the map does not wait"),
    }
}

/// Returns how many of `asks` saves of so many bytes are charged.
fn charged(limits: &SharedLimits, millis: u64, subject: Subject, bytes: u64, asks: u64) -> u64 {
    let charged = (0..asks).map(|_| charge(limits, millis, subject, bytes).is_ok());
    charged.map(u64::from).sum()
}

fn denied(limits: &SharedLimits, millis: u64, subject: Subject, bytes: u64) -> LimitDenied {
    match charge(limits, millis, subject, bytes) {
        Err(NotCharged::Denied(denied)) => denied,
        other => panic!("{other:?}"),
    }
}

const DEFAULT: &str = "rate 1/s burst 30, quota 2000/1d, quota 64MiB/1d";

/// A day, and some windows of 30 seconds later, both of which begin at this time.
const START: u64 = 20_000 * 86_400_000 + 90_000;

#[test]
fn a_burst_is_charged_and_comes_back_in_its_time() {
    let (limits, _) = limits(DEFAULT);
    assert_eq!(charged(&limits, START, subject(1, 1), 0, 40), 30);
    // The whole window counts until it ends, and then a thirtieth of it less each second.
    let denied = denied(&limits, START + 10_000, subject(1, 1), 0);
    assert_eq!((denied.rule, denied.tier), (0, Tier::Client));
    assert_eq!(denied.retry_after, Some(Duration::from_secs(21)));
    assert_eq!(charged(&limits, START + 30_999, subject(1, 1), 0, 1), 0);
    assert_eq!(charged(&limits, START + 31_000, subject(1, 1), 0, 2), 1);
    assert_eq!(charged(&limits, START + 45_000, subject(1, 1), 0, 40), 14);
    assert_eq!(charged(&limits, START + 120_000, subject(1, 1), 0, 40), 30);
}

#[test]
fn a_rate_is_what_the_documents_say_wherever_a_burst_is_in_its_window() {
    for burst_at in (0..30_000).step_by(2_500) {
        let (limits, _) = limits("rate 1/s burst 30");
        let start = START + burst_at;
        assert_eq!(charged(&limits, start, subject(1, 1), 0, 40), 30);
        let wait = denied(&limits, start, subject(1, 1), 0).retry_after;
        assert!(wait <= Some(Duration::from_secs(31)), "{wait:?}");
        let steps = (0..30_000).step_by(100);
        let more = steps.map(|step| charged(&limits, start + step, subject(1, 1), 0, 9));
        let more: u64 = more.sum();
        assert!(more <= 30, "{more} after a burst at {burst_at}");
    }
}

#[test]
fn a_quota_counts_over_a_day_however_slowly_it_is_used() {
    let (limits, _) = limits("rate 1/s burst 30, quota 50/1d, quota 1MiB/1d");
    let mut sum = 0;
    for minute in 0..10 {
        sum += charged(&limits, START + minute * 60_000, subject(1, 1), 1, 10);
    }
    assert_eq!(sum, 50);
    let denied = denied(&limits, START + 600_000, subject(1, 1), 1);
    assert_eq!(denied.rule, 1);
    let again = START + 600_000 + u64::try_from(denied.retry_after.unwrap().as_millis()).unwrap();
    assert_eq!(charged(&limits, again - 1, subject(1, 1), 1, 2), 0);
    assert_eq!(charged(&limits, again, subject(1, 1), 1, 2), 1);
}

#[test]
fn bytes_are_counted_beside_requests_and_too_many_never_fit() {
    let (limits, _) = limits("quota 10/1h, quota 1000B/1d");
    assert_eq!(charged(&limits, START, subject(1, 1), 300, 9), 3);
    assert_eq!(charged(&limits, START, subject(1, 1), 100, 9), 1);
    assert_eq!(denied(&limits, START, subject(1, 1), 1).rule, 1);
    let denied = denied(&limits, START, subject(2, 1), 1001);
    assert_eq!((denied.rule, denied.retry_after), (1, None));
    assert_eq!(charged(&limits, START, subject(1, 1), 0, 9), 6);
}

#[test]
fn a_network_has_sixteen_times_the_limits_and_factors_multiply_them() {
    let (limits, _) = limits("quota 5/1h");
    let of_network: u64 = (0..20)
        .map(|client| charged(&limits, START, subject(client, 1), 0, 9))
        .sum();
    assert_eq!(of_network, 5 * NETWORK_FACTOR);
    assert_eq!(
        denied(&limits, START, subject(99, 1), 0).tier,
        Tier::Network
    );
    // Clients with another factor count as a network of their own.
    assert_eq!(charged(&limits, START, subject(99, 3), 0, 99), 15);
}

#[test]
fn what_is_given_back_can_be_used_again() {
    let (limits, _) = limits("quota 2/1h, quota 10B/1d");
    let first = charge(&limits, START, subject(1, 1), 9).unwrap();
    assert_eq!(charged(&limits, START, subject(1, 1), 9, 1), 0);
    limits.give_back(&first);
    assert_eq!(charged(&limits, START, subject(1, 1), 9, 1), 1);
}

#[test]
fn each_rule_has_a_counter_that_lasts_two_windows() {
    let (limits, map) = limits(DEFAULT);
    let counters = limits.counters(START, subject(1, 1), [1, 7]);
    let expiries: Vec<_> = counters.iter().map(|it| it.expires_in / 2000).collect();
    assert_eq!(expiries, [30, 86_400, 86_400, 30, 86_400, 86_400]);
    let amounts: Vec<_> = counters.iter().map(|it| it.amount).collect();
    assert_eq!(amounts, [1, 1, 7, 1, 1, 7]);
    let next = limits.counters(START + 30_000, subject(1, 1), [1, 7]);
    assert_eq!(next[0].previous, counters[0].name);
    assert_eq!(next[1], counters[1]);
    assert_eq!(charged(&limits, START, subject(1, 1), 0, 20), 20);
    assert_eq!(map.counts.lock().len(), 6);
}

#[test]
fn quotas_of_every_size_admit_exactly_what_they_say_beside_each_other() {
    const ASKS: u64 = 40;
    let requests = [1, 30, 1_000_000, 1_000_000_000_000, u64::MAX / 1600];
    let bytes = [1, 4096, 64 << 30, 16_384 << 30, u64::MAX / 1600];
    let windows = ["1s", "1d", "500w"];
    for (number, byte) in requests.iter().flat_map(|it| bytes.map(|byte| (it, byte))) {
        for window in windows {
            for size in [0, 1, 8, 1000, 1 << 20, 511 << 20] {
                let rules = format!("quota {number}/{window}, quota {byte}B/1d");
                let (limits, _) = limits(&rules);
                let by_bytes = byte.checked_div(size).unwrap_or(u64::MAX);
                let most = ASKS.min(*number).min(by_bytes);
                let admitted = charged(&limits, START, subject(1, 1), size, ASKS);
                assert_eq!(admitted, most, "{rules}: {size} bytes");
            }
        }
    }
}

#[test]
fn what_is_not_counted_stays_charged_to_no_one() {
    let rules = Rules::parse(DEFAULT, Action::Save).unwrap();
    for error in [CountersError::Unavailable, CountersError::Full] {
        let engine = Arc::new(Map {
            error: Some(error),
            ..Map::default()
        });
        let limits = SharedLimits::new(&rules, Arc::<Map>::clone(&engine)).unwrap();
        let answer = charge(&limits, START, subject(1, 1), 0);
        assert_eq!(answer.unwrap_err(), NotCharged::Uncounted(error));
        // The engine takes back what it may have counted: nothing is taken back twice.
        assert!(engine.counts.lock().is_empty());
    }
    assert!(SharedLimits::new(&Rules::default(), Arc::new(Map::default())).is_none());
}

proptest! {
    /// In any window, nodes admit at most twice the limit together, and a denied save fits after its wait.
    #[test]
    fn no_window_has_twice_the_limit_and_every_wait_is_right(
        steps in proptest::collection::vec((0_u64..20_000, 1_u64..4, 0_u64..50), 1..100),
        rule in 0..4_usize,
    ) {
        let text = ["rate 1/s burst 10", "quota 7/20s, quota 30/50s", "quota 100B/30s", "quota 9/13s, quota 120B/60s"][rule];
        let (limits, _) = limits(text);
        let rules = Rules::parse(text, Action::Save).unwrap();
        prop_assert!(rules.as_slice().len() <= MAX_RULES);
        let (mut now, mut log) = (START, Vec::new());
        for (pause, saves, bytes) in steps {
            now += pause;
            for _ in 0..saves {
                match charge(&limits, now, subject(1, 1), bytes) {
                    Ok(_) => log.push((now, bytes)),
                    Err(NotCharged::Denied(denied)) => {
                        let wait = denied.retry_after.map_or(0, |wait| wait.as_millis());
                        let then = now + u64::try_from(wait).unwrap();
                        let fits = charge(&limits, then, subject(1, 1), bytes);
                        prop_assert!(fits.is_ok(), "{fits:?} after {wait} ms");
                        limits.give_back(&fits.unwrap());
                    }
                    Err(NotCharged::Uncounted(_)) => unreachable!(),
                }
            }
        }
        for policy in rules.as_slice().iter().map(|rule| rule.policy()) {
            let window = u64::try_from(policy.window.as_millis()).unwrap();
            for (end, _) in &log {
                let inside = log.iter().filter(|(at, _)| at <= end && at + window > *end);
                let used: u64 = inside.map(|(_, bytes)| if policy.unit == Unit::Bytes { *bytes } else { 1 }).sum();
                prop_assert!(used <= 2 * policy.quota, "{used} of {}", policy.quota);
            }
        }
    }
}
