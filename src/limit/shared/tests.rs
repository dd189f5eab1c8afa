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

/// Keeps counters without an expiry.
#[derive(Default)]
struct Map {
    counts: Mutex<HashMap<String, i64>>,
    is_silent: bool,
    updates: Mutex<Vec<CounterUpdate>>,
}

impl SharedCounters for Map {
    fn add(&self, network: u64, totals: [String; 2], amount: i64, read: Vec<String>) -> Added<'_> {
        let counts = &mut *self.counts.lock();
        let name = |name| format!("{network} {name}");
        let totals = totals.map(|total| {
            let count = counts.entry(name(total)).or_default();
            *count += amount;
            *count
        });
        let read = read.into_iter().map(|it| counts.get(&name(it)).copied());
        let answer = (totals, read.collect());
        Box::pin(ready(match self.is_silent {
            true => Err(CountersUnavailable),
            false => Ok(answer),
        }))
    }

    fn start(&self, network: u64, update: CounterUpdate) {
        let counts = &mut *self.counts.lock();
        for total in &update.totals {
            *counts.entry(format!("{network} {total}")).or_default() -= update.less;
        }
        for (mark, count, _) in &update.marks {
            counts.entry(format!("{network} {mark}")).or_insert(*count);
        }
        self.updates.lock().push(update);
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
fn what_is_given_back_can_be_used_again_and_every_total_expires() {
    let (limits, map) = limits("quota 2/1h, quota 10B/1d");
    let first = charge(&limits, START, subject(1, 1), 9).unwrap();
    assert_eq!(charged(&limits, START, subject(1, 1), 9, 1), 0);
    limits.give_back(first);
    assert_eq!(charged(&limits, START, subject(1, 1), 9, 1), 1);
    let updates = map.updates.lock();
    assert_eq!(updates[0].less, 0, "the first save sets marks");
    assert!(updates.iter().all(|it| it.expires_in == 2 * 86_400_000));
    let expiries = updates.iter().flat_map(|it| &it.marks);
    assert!(
        expiries
            .map(|(.., expires_in)| expires_in)
            .all(|it| *it == 2 * 3_600_000)
    );
}

#[test]
fn only_the_first_save_in_a_window_makes_a_second_call() {
    let (limits, map) = limits(DEFAULT);
    assert_eq!(charged(&limits, START, subject(1, 1), 0, 20), 20);
    assert_eq!(map.updates.lock().len(), 1);
    assert_eq!(charged(&limits, START + 30_000, subject(1, 1), 0, 1), 1);
    assert_eq!(map.updates.lock().len(), 2);
}

#[test]
fn a_silent_engine_charges_nothing() {
    let rules = Rules::parse(DEFAULT, Action::Save).unwrap();
    let engine = Arc::new(Map {
        is_silent: true,
        ..Map::default()
    });
    let limits = SharedLimits::new(&rules, engine).unwrap();
    let answer = charge(&limits, START, subject(1, 1), 0);
    assert!(matches!(answer, Err(NotCharged::Unavailable)), "{answer:?}");
    assert!(SharedLimits::new(&Rules::default(), Arc::new(Map::default())).is_none());
}

proptest! {
    #[test]
    fn parts_come_out_as_they_went_in_whatever_the_limits_are(
        most in proptest::array::uniform2(proptest::option::of(1_u64..)),
        used in proptest::array::uniform2(0_u64..1 << 30),
    ) {
        let packing = Packing::new(most[0].map(u128::from), most[1].map(u128::from));
        // What the rules admit to the largest network
        let most_used = most.map(|most| most.map_or(0, |most| most.saturating_mul(1600)));
        let used = [used[0].min(most_used[0]), used[1].min(most_used[1])];
        let count = packing.pack(used);
        for (unit, most) in [Unit::Requests, Unit::Bytes].into_iter().zip(most) {
            let part = [0, packing.amount(unit, used)][usize::from(most.is_some())];
            prop_assert!(most.is_none() || packing.part(unit, count) == part);
        }
    }

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
                        limits.give_back(fits.unwrap());
                    }
                    Err(NotCharged::Unavailable) => unreachable!(),
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
