//! These tests specify saves, whose limits are exact on all nodes together.

use super::*;

/// Saves from tasks on random nodes that overlap. Returns how many were admitted, and how many gave up.
fn overlapping(nodes: &Nodes, now: Duration, tasks: u64, random: &mut Random) -> (usize, usize) {
    let count = nodes.limiters.len() as u64;
    let saves = (0..tasks).map(|task| {
        let limiter = &nodes.limiters[usize::try_from(random.below(count)).unwrap()];
        limiter.admit_exact(now, client(1, task % 3), save(10))
    });
    let results = interleave(saves.collect(), random);
    let admitted = results.iter().filter(|result| result.is_ok());
    let contended = |result: &&Result<_, _>| matches!(result, Err(NotAdmitted::Contended));
    (admitted.count(), results.iter().filter(contended).count())
}

#[test]
fn saves_that_overlap_on_four_nodes_never_exceed_a_limit() {
    let rules = limits("rate 1/s burst 5, quota 120B/1m", "off", "off");
    for seed in seeds() {
        let mut random = Random(seed);
        let nodes = Nodes::new(4, &rules);
        nodes.engine.lags.store(true, Relaxed);
        *nodes.engine.random.lock() = Random(seed);
        let alone = Limiter::new(rules.clone(), TableSizes::default());
        let (mut total, mut expected) = (0, 0);
        for now in 0..12 {
            let now = seconds(now);
            let (admitted, contended) = overlapping(&nodes, now, 24, &mut random);
            let asks = (0..24).map(|task| alone.admit(now, client(1, task % 3), save(10)));
            expected += asks.filter(Result::is_ok).count();
            total += admitted;
            assert!(total <= expected, "{total} of {expected} with seed {seed}");
            assert!(
                total + contended >= expected,
                "{total} of {expected} with seed {seed}"
            );
        }
    }
}

#[test]
fn saves_one_after_another_on_random_nodes_get_exactly_what_one_limiter_gives() {
    let rules = limits(
        "rate 1/2s burst 3, quota 20/1m, quota 400B/1h",
        "off",
        "off",
    );
    for seed in seeds() {
        let mut random = Random(seed);
        let (nodes, alone) = (
            Nodes::new(4, &rules),
            Limiter::new(rules.clone(), TableSizes::default()),
        );
        let mut now = Duration::ZERO;
        for step in 0..200 {
            now += Duration::from_millis(random.below(1500));
            let (subject, request) = (
                client(random.below(2), random.below(3)),
                save(random.below(20)),
            );
            let limiter = &nodes.limiters[usize::try_from(random.below(4)).unwrap()];
            let shared = finish(limiter.admit_exact(EPOCH_STEPS + now, subject, request));
            let expected = alone.admit(EPOCH + EPOCH_STEPS + now, subject, request);
            match (shared, expected) {
                (Ok(_), Ok(_)) => {}
                (Err(NotAdmitted::Denied(shared)), Err(expected)) => assert_eq!(shared, expected),
                (shared, expected) => panic!("{shared:?}, not {expected:?}: {seed}, {step}"),
            }
        }
    }
}

/// A time after the start of the process.
const EPOCH_STEPS: Duration = Duration::from_secs(3);

#[test]
fn a_save_takes_one_call_if_no_other_node_was_in_between() {
    let nodes = Nodes::new(2, &limits("quota 3/1h", "off", "off"));
    let subject = client(1, 1);
    let save_at = |node: usize| {
        let before = nodes.engine.calls();
        let saved = finish(nodes.limiters[node].admit_exact(seconds(0), subject, save(1)));
        (saved.is_ok(), nodes.engine.calls() - before)
    };
    assert_eq!(save_at(0), (true, 1), "the first of all");
    assert_eq!(save_at(0), (true, 1));
    assert_eq!(save_at(1), (true, 2), "another node");
    assert_eq!(save_at(1), (false, 1), "a denial reads");
    assert_eq!(save_at(0), (false, 1), "a conflict brings a fresh state");
}

#[test]
fn denials_that_wait_for_each_other_share_one_call() {
    let nodes = Nodes::new(1, &limits("quota 1/1h", "off", "off"));
    let (limiter, subject) = (&nodes.limiters[0], client(1, 1));
    assert!(finish(limiter.admit_exact(seconds(0), subject, save(1))).is_ok());
    nodes.engine.lags.store(true, Relaxed);
    let before = nodes.engine.calls();
    let saves = (0..50).map(|_| limiter.admit_exact(seconds(0), subject, save(1)));
    let results = interleave(saves.collect(), &mut Random(3));
    assert!(results.iter().all(Result::is_err));
    let calls = nodes.engine.calls() - before;
    assert!(calls <= 8, "{calls} calls for 50 denials");
}

#[test]
fn a_save_that_is_dropped_while_the_engine_is_asked_is_not_charged() {
    let nodes = Nodes::new(2, &limits("quota 1/1h", "off", "off"));
    let (limiter, subject) = (&nodes.limiters[0], client(1, 1));
    nodes.engine.lags.store(true, Relaxed);
    *nodes.engine.random.lock() = Random(2);
    {
        let mut dropped = pin!(limiter.admit_exact(seconds(0), subject, save(1)));
        assert!(poll(dropped.as_mut()).is_pending());
    }
    nodes.engine.lags.store(false, Relaxed);
    let saved = finish(nodes.limiters[1].admit_exact(seconds(0), subject, save(1)));
    assert!(saved.is_ok());
    nodes.settle(seconds(0));
    assert!(finish(limiter.admit_exact(seconds(0), subject, save(1))).is_err());
}

#[test]
fn a_denied_save_is_admitted_once_another_node_refunds() {
    let nodes = Nodes::new(2, &limits("quota 1/1h", "off", "off"));
    let [first, second] = &nodes.limiters[..] else {
        panic!("two nodes");
    };
    let subject = client(1, 1);
    let grant = finish(first.admit_exact(seconds(0), subject, save(1))).unwrap();
    assert!(finish(second.admit_exact(seconds(0), subject, save(1))).is_err());
    first.cancel(seconds(0), grant.charge);
    finish(first.settle(seconds(0), true));
    assert!(finish(second.admit_exact(seconds(0), subject, save(1))).is_ok());
}

#[test]
fn a_limiter_that_is_not_shared_admits_at_once() {
    let limiter = limiter("quota 1/1h", "off", "off");
    let save = || finish(limiter.admit_exact(seconds(0), client(1, 1), save(1)));
    assert!(save().is_ok());
    assert!(matches!(save(), Err(NotAdmitted::Denied(_))));
    finish(limiter.settle(seconds(0), true));
    assert!(poll(pin!(limiter.due())).is_pending());
}
