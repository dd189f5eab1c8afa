//! Limits that several nodes share.

use std::sync::Arc;
use std::time::Duration;

use tidebin::clock::Clock;
use tidebin::limit::{LimitEngine, LimitEntry, LimitExchange};
use tidebin::store::Store;

use crate::engine::Engine;
use crate::server::{TestServer, block_on};

const NODES: usize = 4;

/// Nodes of one engine with these flags.
fn nodes(flags: &[&str]) -> Vec<TestServer> {
    let (engine, clock) = (Arc::new(Engine::start()), Clock::manual());
    (0..NODES)
        .map(|_| TestServer::node(&engine, &clock, flags))
        .collect()
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn saves_on_all_nodes_together_are_exactly_as_many_as_the_rule_allows() {
    let nodes = nodes(&["--limit-save", "rate 1/s burst 10, quota 40/1d"]);
    let save = |node: &TestServer| node.request("POST", "/").body("x").send().status == 201;
    // Given clients that save on all nodes at once
    let burst = || {
        std::thread::scope(|scope| {
            let work = |node| move || (0..8).filter(|_| save(node)).count();
            let savers: Vec<_> = nodes.iter().map(|node| scope.spawn(work(node))).collect();
            savers
                .into_iter()
                .map(|it| it.join().unwrap())
                .sum::<usize>()
        })
    };
    assert_eq!(burst(), 10);
    nodes[0].advance(Duration::from_secs(5));
    assert_eq!(burst(), 5);
    // Then the quota ends what the rate would allow
    nodes[0].advance(Duration::from_secs(3600));
    let rest: usize = (0..4)
        .map(|_| {
            nodes[0].advance(Duration::from_secs(60));
            burst()
        })
        .sum();
    assert_eq!(rest, 25);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn reads_on_all_nodes_together_stay_near_the_rule_once_they_are_settled() {
    let nodes = nodes(&["--limit-read", "rate 10/s burst 100"]);
    let saved = nodes[0].save("x");
    let read = |node: &TestServer| node.get(&saved.raw()).status == 200;
    let mut admitted = 0;
    for _ in 0..120 {
        for node in &nodes {
            admitted += (0..10).filter(|_| read(node)).count();
        }
        for node in &nodes {
            block_on(node.limiter.settle(node.clock.elapsed(), true));
        }
        nodes[0].advance(Duration::from_millis(250));
    }
    // One node alone admits the burst and the rate.
    let alone = 100 + 10 * 30;
    let ratio = f64::from(u32::try_from(admitted).unwrap()) / f64::from(alone);
    assert!((0.95..=1.05).contains(&ratio), "{admitted} of {alone}");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn the_engine_keeps_a_bounded_number_of_limits_and_forgets_old_ones_first() {
    const MOST: u64 = 512;
    let (engine, clock) = (Arc::new(Engine::start()), Clock::manual());
    let node = TestServer::node(&engine, &clock, &[]);
    let Store::Valkey(store) = &*node.store else {
        panic!("a node of an engine");
    };
    let exchange = |version, keys: std::ops::Range<u64>, state: &[u8]| {
        let entry = |key| LimitEntry {
            key,
            version,
            state: state.to_vec(),
        };
        block_on(store.exchange(1, keys.map(entry).collect(), Duration::from_mins(60)))
            .expect("the engine answers")
    };
    let entries = || {
        let length = engine.ask("HLEN tb:{l1}");
        length[1..].parse::<u64>().expect("a number")
    };
    // When clients of one network use more entries than the engine keeps for it, some of them at a time
    let batches = (0..2 * MOST).step_by(64).map(|key| key..key + 64);
    for keys in batches {
        // A damaged entry is as good as none.
        engine.ask("HSET tb:{l1} damaged x");
        assert_eq!(exchange(0, keys, &[1; 66]), LimitExchange::Stored);
        node.advance(Duration::from_secs(1));
        assert!(entries() <= MOST);
    }
    // Then nearly all that are there are newer ones: it looks for old ones by samples
    assert_eq!(entries(), MOST);
    let kept = |keys| match exchange(0, keys, &[]) {
        LimitExchange::Stored => panic!("it only asks"),
        LimitExchange::Conflict(found) => found.iter().filter(|it| it.version == 1).count(),
    };
    assert!(kept(2 * MOST - 64..2 * MOST) > 56);
    assert!(kept(0..MOST) < 128);
}
