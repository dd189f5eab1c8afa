//! These tests specify how much nodes together admit if each decides on its own and settles later.

use super::*;

/// One client sends this many requests to each node at each step.
const FLOOD: u64 = 3;

const HUNDREDTH: Duration = Duration::from_millis(10);

/// Returns how many requests `nodes` nodes admit together, and how many one limiter admits in the same time. The nodes
/// settle at random phases, and what is due at the end of each step.
fn flood(
    nodes: usize,
    rules: &RulesByAction,
    action: Action,
    [step, lasts]: [Duration; 2],
) -> (u64, u64) {
    let (subject, request) = (client(1, 1), LimitRequest::one(action));
    let nodes = Nodes::new(nodes, rules);
    let alone = Limiter::new(rules.clone(), TableSizes::default());
    let mut random = Random(7);
    let mut phase = || HUNDREDTH * u32::try_from(random.below(25)).unwrap();
    let phases: Vec<_> = nodes.limiters.iter().map(|_| phase()).collect();
    let ticks = |now: Duration, phase: Duration| (now + phase).as_millis() / TICK.as_millis();
    let (mut admitted, mut expected) = (0, 0);
    let mut now = Duration::ZERO;
    while now < lasts {
        for limiter in &nodes.limiters {
            for _ in 0..FLOOD {
                admitted += u64::from(limiter.admit(now, subject, request).is_ok());
                expected += u64::from(alone.admit(now, subject, request).is_ok());
            }
        }
        for (limiter, phase) in nodes.limiters.iter().zip(&phases) {
            let is_tick = ticks(now + step, *phase) > ticks(now, *phase);
            finish(limiter.settle(now + step, is_tick));
        }
        now += step;
    }
    (admitted, expected)
}

#[test]
fn nodes_together_admit_0_95_to_1_05_times_as_much_as_one_limiter() {
    let reads = |rules| limits("off", rules, "off");
    let passwords = with_passwords("rate 1/10s burst 10", RulesByAction::default());
    for (rules, action, times) in [
        (
            reads("rate 10/s burst 100"),
            Action::Read,
            [HUNDREDTH, seconds(100)],
        ),
        (
            reads("quota 2000/1m"),
            Action::Read,
            [HUNDREDTH, seconds(125)],
        ),
        (passwords, Action::Password, [seconds(1), seconds(5_000)]),
    ] {
        for nodes in [1, 2, 8] {
            let (admitted, expected) = flood(nodes, &rules, action, times);
            let permille = admitted * 1000 / expected;
            let told = format!("{nodes} nodes: {admitted} of {expected}, {permille} permille");
            assert!((950..=1050).contains(&permille), "{told}");
        }
    }
}

#[test]
fn settling_takes_one_call_a_network_unless_another_node_was_faster() {
    let nodes = Nodes::new(2, &limits("off", "rate 100/s burst 1000", "off"));
    let [first, second] = &nodes.limiters[..] else {
        panic!("two nodes");
    };
    for n in 0..10 {
        assert_eq!(admitted(first, 0, client(1, n), READ, 3), 3);
    }
    finish(first.settle(TICK, true));
    assert_eq!(nodes.engine.calls(), 1);
    finish(first.settle(TICK, true));
    assert_eq!(nodes.engine.calls(), 1, "nothing was pending");
    assert_eq!(admitted(second, 0, client(1, 0), READ, 3), 3);
    finish(second.settle(TICK, true));
    assert_eq!(nodes.engine.calls(), 3, "the first node was faster");
}

#[test]
fn charges_are_due_at_a_sixteenth_of_a_burst() {
    let nodes = Nodes::new(1, &limits("off", "rate 1/s burst 160", "off"));
    let (limiter, subject) = (&nodes.limiters[0], client(1, 1));
    assert_eq!(admitted(limiter, 0, subject, READ, 9), 9);
    assert!(poll(pin!(limiter.due())).is_pending());
    finish(limiter.settle(seconds(0), false));
    assert_eq!(nodes.engine.calls(), 0);
    assert_eq!(admitted(limiter, 0, subject, READ, 1), 1);
    assert!(poll(pin!(limiter.due())).is_ready());
    finish(limiter.settle(seconds(0), false));
    assert_eq!(nodes.engine.calls(), 1);
}

#[test]
fn clocks_that_differ_by_a_second_give_one_second_more_in_all() {
    let rules = limits("off", "rate 10/s burst 100", "off");
    let engine = Arc::new(MapEngine::default());
    let nodes = [(); 2].map(|()| node(rules.clone(), &engine));
    let (mut total, lasts) = (0, 100);
    for step in 0..lasts * 10 {
        let now = Duration::from_millis(step * 100);
        for (limiter, ahead) in nodes.iter().zip([Duration::ZERO, seconds(1)]) {
            let asks = (0..5).map(|_| limiter.admit(now + ahead, client(1, 1), READ));
            total += asks.filter(Result::is_ok).count();
            finish(limiter.settle(now + ahead, true));
        }
    }
    let expected = usize::try_from(100 + 10 * lasts).unwrap();
    assert!((expected - 10..expected + 25).contains(&total), "{total}");
}
