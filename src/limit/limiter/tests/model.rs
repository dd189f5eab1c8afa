//! These tests compare the limiter with its reference implementation. The tables are so large that nothing is evicted.

use proptest::prelude::*;

use super::naive::NaiveLimiter;
use super::*;

/// One step of a test.
#[derive(Debug, Clone)]
enum Step {
    LimitRequest {
        subject: Subject,
        request: LimitRequest,
    },
    Check {
        subject: Subject,
    },
    Miss {
        subject: Subject,
    },
    /// Refunds this many bytes of a charge. The charge is the one with this index, modulo the number of charges.
    Refund {
        charge: usize,
        bytes: u64,
    },
    Abandon {
        charge: usize,
    },
    Cancel {
        charge: usize,
    },
    Pass {
        millis: u64,
    },
}

fn subjects() -> impl Strategy<Value = Subject> {
    (0u64..3, 0u64..4).prop_map(|(network, number)| Subject {
        multiplier: multiplier(if network == 2 || number == 3 { 3 } else { 1 }),
        ..client(network, number)
    })
}

fn asks() -> impl Strategy<Value = LimitRequest> {
    prop_oneof![
        6 => Just(LimitRequest::one(Action::Read)),
        3 => (0u64..500).prop_map(|bytes| LimitRequest::one(Action::Save).with_bytes(bytes)),
        1 => (0u64..500).prop_map(|bytes| LimitRequest::more_bytes(Action::Save, bytes)),
        2 => Just(LimitRequest::one(Action::Password)),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => (subjects(), asks()).prop_map(|(subject, request)| Step::LimitRequest { subject, request }),
        3 => subjects().prop_map(|subject| Step::Check { subject }),
        3 => subjects().prop_map(|subject| Step::Miss { subject }),
        2 => (0usize..100, 0u64..600).prop_map(|(charge, bytes)| Step::Refund { charge, bytes }),
        2 => (0usize..100).prop_map(|charge| Step::Abandon { charge }),
        1 => (0usize..100).prop_map(|charge| Step::Cancel { charge }),
        3 => (0u64..3000).prop_map(|millis| Step::Pass { millis }),
        1 => (0u64..200_000).prop_map(|millis| Step::Pass { millis }),
    ]
}

fn rule_sets() -> impl Strategy<Value = RulesByAction> {
    let save = [
        "rate 1/s burst 3, quota 9/1m, quota 2000B/1m",
        "rate 3/2s burst 1 wait 2s, quota 5000B/1h",
        "quota 1KiB/1m, quota 2KiB/1h, rate 7/3s burst 2 wait 1s, rate 1/m burst 5",
        "off",
    ];
    let read = [
        "rate 2/s burst 4",
        "quota 5/1m, rate 1/s burst 2 wait 5s",
        "off",
    ];
    let miss = ["rate 1/s burst 2", "quota 3/1m", "off"];
    let password = ["rate 1/10s burst 3", "rate 1/s burst 2, quota 4/1m", "off"];
    let pick = prop::sample::select::<&str>;
    (
        pick(save.to_vec()),
        pick(read.to_vec()),
        pick(miss.to_vec()),
        pick(password.to_vec()),
    )
        .prop_map(|(save, read, miss, password)| with_passwords(password, limits(save, read, miss)))
}

proptest! {
    #[test]
    fn every_decision_is_that_of_a_naive_limiter_which_forgets_nothing(
        limits in rule_sets(),
        // On a grid of half seconds, many requests come exactly at a bound of a rule.
        grid in prop::sample::select(vec![1, 500]),
        steps in prop::collection::vec(steps(), 1..300),
    ) {
        let sizes = TableSizes { clients: 4096, networks: 4096 };
        let limiter = Limiter::new(limits.clone(), sizes);
        let mut twin = NaiveLimiter::new(limits);
        let mut now = Duration::from_secs(1);
        let mut charges: Vec<Charge> = Vec::new();
        for step in steps {
            match step {
                Step::LimitRequest { subject, request } => {
                    let said = limiter.admit(now, subject, request);
                    let expected = twin.admit(nanos(now), subject, &request);
                    prop_assert_eq!(said.as_ref().ok().map(|yes| yes.wait), expected);
                    match said {
                        Ok(yes) => charges.push(yes.charge),
                        Err(denied) => prop_assert!(denied.retry_after != Some(Duration::ZERO)),
                    }
                }
                Step::Check { subject } => {
                    let may_miss = limiter.check_misses(now, subject).is_ok();
                    prop_assert_eq!(may_miss, twin.may_miss(nanos(now), subject));
                }
                Step::Miss { subject } => {
                    limiter.charge_miss(now, subject);
                    twin.charge(nanos(now), subject, &LimitRequest::one(Action::Miss));
                }
                Step::Refund { charge, bytes } if !charges.is_empty() => {
                    let number = charge % charges.len();
                    let charge = &mut charges[number];
                    let back = bytes.min(charge.bytes());
                    let unused = LimitRequest::more_bytes(charge.request.action, back);
                    twin.refund(charge.charged_at, nanos(now), charge.subject, &unused);
                    limiter.refund(charge, bytes);
                }
                Step::Abandon { charge } if !charges.is_empty() => {
                    let charge = charges.swap_remove(charge % charges.len());
                    let requests = if nanos(now) < charge.starts_at { charge.request.requests } else { 0 };
                    let unused = LimitRequest { requests, ..charge.request };
                    twin.refund(charge.charged_at, nanos(now), charge.subject, &unused);
                    limiter.abandon(now, charge);
                }
                Step::Cancel { charge } if !charges.is_empty() => {
                    let charge = charges.swap_remove(charge % charges.len());
                    twin.refund(charge.charged_at, nanos(now), charge.subject, &charge.request);
                    limiter.cancel(now, charge);
                }
                Step::Refund { .. } | Step::Abandon { .. } | Step::Cancel { .. } => {}
                Step::Pass { millis } => now += Duration::from_millis(millis / grid * grid),
            }
        }
        limiter.validate();
        prop_assert_eq!(limiter.stats().clients.evicted, 0);
    }

    #[test]
    fn a_client_is_admitted_when_told_and_not_a_nanosecond_earlier(
        limits in rule_sets(),
        asks in prop::collection::vec((asks(), 0u64..1500), 1..100),
    ) {
        let limiter = Limiter::new(limits, TableSizes::default());
        let subject = client(1, 1);
        let mut now = Duration::from_secs(1);
        for (request, millis) in asks {
            now += Duration::from_millis(millis);
            let Err(denied) = limiter.admit(now, subject, request) else { continue };
            if let Some(wait) = denied.retry_after {
                let early = limiter.admit(now + wait - Duration::from_nanos(1), subject, request);
                prop_assert_eq!(early.map(|yes| yes.wait), Err(LimitDenied { retry_after: Some(Duration::from_nanos(1)), ..denied }));
                now += wait;
                prop_assert!(limiter.admit(now, subject, request).is_ok());
            }
        }
    }
}
