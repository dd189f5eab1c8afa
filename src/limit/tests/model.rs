//! The limiter beside its naive twin, where nobody has to be put out.

use proptest::prelude::*;

use super::naive::NaiveLimiter;
use super::*;

/// One thing that happens.
#[derive(Debug, Clone)]
enum Step {
    LimitRequest {
        who: Subject,
        ask: LimitRequest,
    },
    Miss {
        who: Subject,
    },
    /// The charge of this number, modulo how many there are, gives this much back.
    GiveBack {
        charge: usize,
        bytes: u64,
    },
    Leave {
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
        times: factor(if network == 2 || number == 3 { 3 } else { 1 }),
        ..client(network, number)
    })
}

fn asks() -> impl Strategy<Value = LimitRequest> {
    prop_oneof![
        3 => Just(LimitRequest::one(Action::Read)),
        3 => Just(LimitRequest::one(Action::Read).looking_up()),
        3 => (0u64..500).prop_map(|bytes| LimitRequest::one(Action::Save).with_bytes(bytes)),
        1 => (0u64..500).prop_map(|bytes| LimitRequest::more_bytes(Action::Save, bytes)),
        2 => Just(LimitRequest::one(Action::Password)),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => (subjects(), asks()).prop_map(|(who, ask)| Step::LimitRequest { who, ask }),
        3 => subjects().prop_map(|who| Step::Miss { who }),
        2 => (0usize..100, 0u64..600).prop_map(|(charge, bytes)| Step::GiveBack { charge, bytes }),
        2 => (0usize..100).prop_map(|charge| Step::Leave { charge }),
        1 => (0usize..100).prop_map(|charge| Step::Cancel { charge }),
        3 => (0u64..3000).prop_map(|millis| Step::Pass { millis }),
        1 => (0u64..200_000).prop_map(|millis| Step::Pass { millis }),
    ]
}

fn rule_books() -> impl Strategy<Value = Limits> {
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
    fn every_decision_is_that_of_a_limiter_which_keeps_everything(
        limits in rule_books(),
        steps in prop::collection::vec(steps(), 1..300),
    ) {
        let sizes = Sizes { clients: 4096, networks: 4096 };
        let limiter = Limiter::new(limits.clone(), sizes);
        let mut twin = NaiveLimiter::new(limits);
        let mut now = Duration::from_secs(1);
        let mut charges: Vec<Charge> = Vec::new();
        for step in steps {
            match step {
                Step::LimitRequest { who, ask } => {
                    let said = limiter.admit(now, who, ask);
                    let expected = twin.admit(nanos(now), who, &ask);
                    prop_assert_eq!(said.as_ref().ok().map(|yes| yes.wait), expected);
                    match said {
                        Ok(yes) => charges.push(yes.charge),
                        Err(limited) => prop_assert!(limited.retry_after != Some(Duration::ZERO)),
                    }
                }
                Step::Miss { who } => {
                    limiter.charge_miss(now, who);
                    twin.charge(nanos(now), who, &LimitRequest::one(Action::Miss));
                }
                Step::GiveBack { charge, bytes } if !charges.is_empty() => {
                    let number = charge % charges.len();
                    let charge = &mut charges[number];
                    let back = bytes.min(charge.bytes());
                    let unused = LimitRequest::more_bytes(charge.ask.action, back);
                    twin.give_back(charge.at, nanos(now), charge.who, &unused);
                    limiter.give_back(charge, bytes);
                }
                Step::Leave { charge } if !charges.is_empty() => {
                    let charge = charges.swap_remove(charge % charges.len());
                    let requests = if nanos(now) < charge.turn { charge.ask.requests } else { 0 };
                    let unused = LimitRequest { requests, ..charge.ask };
                    twin.give_back(charge.at, nanos(now), charge.who, &unused);
                    limiter.leave(now, charge);
                }
                Step::Cancel { charge } if !charges.is_empty() => {
                    let charge = charges.swap_remove(charge % charges.len());
                    twin.give_back(charge.at, nanos(now), charge.who, &charge.ask);
                    limiter.cancel(now, charge);
                }
                Step::GiveBack { .. } | Step::Leave { .. } | Step::Cancel { .. } => {}
                Step::Pass { millis } => now += Duration::from_millis(millis),
            }
        }
        limiter.validate();
        prop_assert_eq!(limiter.counters().clients.put_out, 0);
    }

    #[test]
    fn whoever_comes_back_when_told_is_admitted_and_a_nanosecond_earlier_is_not(
        limits in rule_books(),
        asks in prop::collection::vec((asks(), 0u64..1500), 1..100),
    ) {
        let limiter = Limiter::new(limits, Sizes::default());
        let who = client(1, 1);
        let mut now = Duration::from_secs(1);
        for (ask, millis) in asks {
            now += Duration::from_millis(millis);
            let Err(limited) = limiter.admit(now, who, ask) else { continue };
            if let Some(wait) = limited.retry_after {
                let early = limiter.admit(now + wait - Duration::from_nanos(1), who, ask);
                prop_assert_eq!(early.map(|yes| yes.wait), Err(LimitDenied { retry_after: Some(Duration::from_nanos(1)), ..limited }));
                now += wait;
                prop_assert!(limiter.admit(now, who, ask).is_ok());
            }
        }
    }
}
