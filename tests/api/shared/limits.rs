//! Limits of saves on all nodes together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tidebin::clock::Clock;

use crate::client::{Response, until};
use crate::engine::Engine;
use crate::operate::sha256;
use crate::place::Place;
use crate::rounds::rounds;
use crate::server::TestServer;

const ALICE: &str = "192.0.2.1";
const BOB: &str = "198.51.100.1";
const ADMIN: &str = "correct-horse-battery";

/// A log of all changes, so that nothing is lost when the process is killed.
const LOG: [&str; 4] = ["--appendonly", "yes", "--appendfsync", "no"];

/// Two nodes of one engine with these limits of saves.
fn nodes(rules: &str) -> ([TestServer; 2], Arc<Engine>) {
    let (engine, clock) = (Arc::new(Engine::start()), Clock::manual());
    let proxies = ["--trusted-proxies", "127.0.0.1"];
    let flags = [
        &proxies[..],
        &["--admin-token", ADMIN, "--limit-save", rules],
    ]
    .concat();
    let nodes = [(); 2].map(|()| TestServer::node(&engine, &clock, &flags));
    (nodes, engine)
}

fn save(node: &TestServer, from: &str, body: &str) -> Response {
    node.request("POST", "/").from(from).body(body).send()
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_client_saves_its_burst_on_all_nodes_together_and_others_do_not_notice() {
    let ([a, b], _engine) = nodes("rate 1/s burst 6, quota 20/1d");
    for node in [&a, &b, &a, &b, &b, &b] {
        assert_eq!(save(node, ALICE, "x").status, 201);
    }
    for node in [&a, &b] {
        let refused = save(node, ALICE, "x");
        assert_eq!(refused.status, 429);
        let sentence = "You can save 6 at once, then one a second. Try again in 7 s.";
        assert_eq!(refused.sentence(), sentence);
        assert_eq!(refused.header("retry-after"), Some("7"));
        let policy = refused.header("ratelimit-policy");
        assert_eq!(policy, Some("\"save-1\";q=6;w=6"));
        assert_eq!(refused.header("ratelimit"), Some("\"save-1\";r=0;t=7"));
        assert_eq!(save(node, BOB, "x").status, 201);
    }
    // Nodes of one engine have one clock.
    a.advance(Duration::from_secs(7));
    assert_eq!(save(&b, ALICE, "x").status, 201);
    assert_eq!(save(&a, ALICE, "x").status, 429);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn what_was_not_stored_is_given_back_and_bytes_count_on_all_nodes() {
    let ([a, b], _engine) = nodes("quota 10B/1d");
    // Given a content that is blocked, so that saving it fails
    let path = format!("/api/v1/operate/blocks/{}", sha256("blocked"));
    let block = a.request("PUT", &path);
    let block = block.header("Authorization", format!("Bearer {ADMIN}"));
    assert_eq!(block.send().status, 204);
    for _ in 0..5 {
        assert_eq!(save(&a, ALICE, "blocked").status, 451);
    }
    // Then all bytes are left, on each node and on both together
    assert_eq!(save(&a, ALICE, "123456").status, 201);
    let refused = save(&b, ALICE, "123456");
    assert_eq!(refused.status, 429);
    assert!(
        refused
            .header("ratelimit-policy")
            .is_some_and(|it| it.contains("content-bytes"))
    );
    assert_eq!(save(&b, ALICE, "1234").status, 201);
    assert_eq!(save(&a, ALICE, "1").status, 429);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn saves_at_the_same_time_on_all_nodes_are_not_more_than_the_limit() {
    // Also in a shorter window than another rule has
    for rules in ["quota 40/1d", "rate 1/1h burst 40, quota 2000/5d"] {
        saves_at_the_same_time(rules);
    }
}

/// Saves on two nodes at once, of which the rules allow 40.
fn saves_at_the_same_time(rules: &str) {
    const LIMIT: usize = 40;
    let (nodes, _engine) = nodes(rules);
    let saved = AtomicUsize::new(0);
    thread::scope(|scope| {
        for node in nodes.iter().flat_map(|node| [node; 4]) {
            scope.spawn(|| {
                for _ in 0..LIMIT / 4 {
                    let status = save(node, ALICE, "x").status;
                    saved.fetch_add(usize::from(status == 201), Ordering::SeqCst);
                }
            });
        }
    });
    // Some may have been denied for others that were denied themselves.
    let saved = saved.into_inner();
    assert!(saved <= LIMIT, "{saved}");
    let later = (saved..LIMIT).map(|_| until(|| save(&nodes[0], ALICE, "x").status == 201));
    later.for_each(drop);
    assert_eq!(save(&nodes[1], ALICE, "x").status, 429);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn counters_of_saves_expire_and_no_other_request_makes_one() {
    let ([a, _b], engine) = nodes("rate 1/s burst 6, quota 20/1d");
    let counters = || engine.ask("EVAL \"return #redis.call('KEYS','tb:{*}l*')\" 0");
    assert_eq!(a.request("GET", "/help").from(ALICE).send().status, 200);
    assert_eq!(counters(), ":0");
    assert_eq!(save(&a, ALICE, "x").status, 201);
    let lasting = "EVAL \"local n=0 for _,k in ipairs(redis.call('KEYS','tb:{*}l*')) do if redis.call('PTTL',k)<0 then n=n+1 end end return n\" 0";
    assert_ne!(counters(), ":0");
    until(|| engine.ask(lasting) == ":0");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn denied_saves_leave_nothing_in_the_engine() {
    // Given a client whose saves on both nodes together are used up
    let ([a, b], engine) = nodes("rate 1/1h burst 2, quota 20/1d");
    let keys = || engine.ask("DBSIZE");
    for _ in 0..2 {
        assert_eq!(save(&a, ALICE, "x").status, 201);
    }
    // When the other node, which counts none of them, has many more denied
    let before = keys();
    for _ in 0..50 {
        assert_eq!(save(&b, ALICE, "x").status, 429);
    }
    // Then the engine has no more keys
    until(|| keys() == before);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_save_whose_counters_do_not_answer_is_503_at_once_and_charged_to_no_one() {
    let ([a, b], engine) = nodes("quota 2/1d");
    engine.kill();
    for _ in 0..3 {
        let refused = save(&a, ALICE, "x");
        assert_eq!(refused.status, 503, "{refused:?}");
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    engine.restart(&[]);
    until(|| save(&a, ALICE, "x").status == 201);
    until(|| save(&b, ALICE, "x").status == 201);
    // What the engine lost may have been taken back from what it counts now.
    until(|| save(&a, ALICE, "x").status == 429);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_save_whose_counters_are_late_is_charged_to_no_one() {
    let (engine, clock) = (Arc::new(Engine::start()), Clock::manual());
    let place = Place::Engine(Arc::clone(&engine));
    let flags = ["--limit-save", "quota 2/1d"];
    let node = TestServer::hasty_with(place, &clock, Duration::from_millis(200), &flags);
    // When the engine hangs, and counts saves after they were refused
    engine.hang();
    assert_eq!(save(&node, ALICE, "x").status, 503);
    engine.resume();
    // Then none of them is charged
    until(|| save(&node, ALICE, "x").status == 201);
    until(|| save(&node, ALICE, "x").status == 201);
    until(|| save(&node, ALICE, "x").status == 429);
}

/// What the counters of clients sum up to.
fn counted(engine: &Engine) -> u32 {
    let sum = "EVAL \"local n=0 for _,k in ipairs(redis.call('KEYS','tb:{*}lc*')) do n=n+redis.call('GET',k) end return n\" 0";
    let sum = engine.ask(sum);
    sum[1..].parse().unwrap_or_else(|_| panic!("{sum}"))
}

/// A node whose engine keeps a log, and which gives it up soon.
fn hasty_node() -> (TestServer, Arc<Engine>) {
    let engine = Arc::new(Engine::empty(&LOG));
    let place = Place::Engine(Arc::clone(&engine));
    let flags = ["--limit-save", "quota 1000000/1d"];
    let deadline = Duration::from_millis(200);
    let node = TestServer::hasty_with(place, &Clock::manual(), deadline, &flags);
    (node, engine)
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn after_hangs_the_counters_have_exactly_the_saves_that_were_acknowledged() {
    let (node, engine) = hasty_node();
    let mut saved = 0;
    for _ in 0..4 {
        saved += u32::from(save(&node, ALICE, "x").status == 201);
        engine.hang();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        assert_eq!(save(&node, ALICE, "x").status, 503);
                    }
                });
            }
        });
        engine.resume();
    }
    until(|| save(&node, ALICE, "x").status == 201);
    until(|| counted(&engine) == saved + 1);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn after_kills_the_counters_have_exactly_the_saves_that_were_acknowledged() {
    let (node, engine) = hasty_node();
    let saved = AtomicUsize::new(0);
    for _ in 0..rounds(4) {
        let before = saved.load(Ordering::SeqCst);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while save(&node, ALICE, "x").status == 201 {
                        saved.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
            until(|| saved.load(Ordering::SeqCst) >= before + 50);
            engine.kill();
        });
        engine.restart(&LOG);
        until(|| save(&node, ALICE, "x").status == 201);
        saved.fetch_add(1, Ordering::SeqCst);
    }
    until(|| counted(&engine) as usize == saved.load(Ordering::SeqCst));
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_save_that_a_full_engine_cannot_count_is_507() {
    let ([a, _b], engine) = nodes("quota 9/1d");
    engine.ask("CONFIG SET maxmemory 1mb");
    assert_eq!(save(&a, ALICE, "x").status, 507);
}
