//! An engine that fails while nodes use it.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tidebin::clock::Clock;

use crate::client::Response;
use crate::engine::Engine;
use crate::server::{Saved, TestServer};

/// A log of all changes, so that nothing is lost when the process is killed.
const LOG: [&str; 4] = ["--appendonly", "yes", "--appendfsync", "no"];

fn start(engine: &Arc<Engine>) -> TestServer {
    TestServer::node(engine, &Clock::manual(), &[])
}

/// An engine for whose answers a node waits a second.
fn impatient() -> Arc<Engine> {
    let engine = Arc::new(Engine::start());
    engine.ask("HSET tb:meta deadline 1000");
    engine
}

fn save(server: &TestServer, content: &str) -> Response {
    server.request("POST", "/").body(content).send()
}

/// Asserts that an answer was refused for the moment, and soon.
#[track_caller]
fn is_refused_soon(since: Instant, answer: &Response) {
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(answer.text().contains("does not answer"), "{answer:?}");
    assert!(
        since.elapsed() < Duration::from_secs(15),
        "it waited for long"
    );
}

/// Waits until a save succeeds again.
#[track_caller]
fn until_it_saves(server: &TestServer) -> Saved {
    let start = Instant::now();
    loop {
        let answer = save(server, "again");
        if answer.status == 201 {
            return Saved::of(&answer);
        }
        assert_eq!(answer.status, 503, "{answer:?}");
        assert!(start.elapsed() < Duration::from_secs(30), "it stays away");
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_engine_that_is_killed_under_load_loses_no_acknowledged_paste() {
    let engine = Arc::new(Engine::empty(&LOG));
    let server = start(&engine);
    // Given savers, until the engine is killed
    let save_until_refused = || {
        let mut saved = Vec::new();
        loop {
            let answer = save(&server, "kept");
            match answer.status {
                201 => saved.push(Saved::of(&answer)),
                503 => return saved,
                _ => panic!("{answer:?}"),
            }
        }
    };
    let acknowledged: Vec<Saved> = thread::scope(|scope| {
        let savers: Vec<_> = (0..4).map(|_| scope.spawn(save_until_refused)).collect();
        while server.store.occupancy().pastes < 100 {
            thread::yield_now();
        }
        engine.kill();
        let saved = savers.into_iter().map(|saver| saver.join().unwrap());
        saved.flatten().collect()
    });
    let since = Instant::now();
    is_refused_soon(since, &server.get(&acknowledged[0].raw()));
    // When it is started again
    engine.restart(&LOG);
    until_it_saves(&server);
    // Then every acknowledged paste is there, and the counts agree
    for saved in &acknowledged {
        assert_eq!(server.get(&saved.raw()).text(), "kept");
    }
    server.store.validate();
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_engine_that_hangs_refuses_nothing_for_long_and_keeps_what_it_carried_out() {
    let engine = impatient();
    let server = start(&engine);
    let saved = server.save("before");
    engine.hang();
    let since = Instant::now();
    is_refused_soon(since, &save(&server, "meanwhile"));
    is_refused_soon(since, &server.get(&saved.raw()));
    is_refused_soon(since, &server.browse(&saved.path));
    engine.resume();
    until_it_saves(&server);
    assert_eq!(server.get(&saved.raw()).text(), "before");
    server.store.validate();
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn many_requests_at_once_do_not_wait_for_each_other_while_the_engine_hangs() {
    let engine = impatient();
    let server = start(&engine);
    engine.hang();
    let since = Instant::now();
    thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| is_refused_soon(since, &save(&server, "meanwhile")));
        }
    });
    engine.resume();
    until_it_saves(&server);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_engine_that_lost_everything_is_used_again_by_running_and_by_new_nodes() {
    let engine = Arc::new(Engine::start());
    let server = start(&engine);
    server.save("lost");
    engine.ask("FLUSHALL");
    server.save("new");
    let since = Instant::now();
    while engine.ask("HEXISTS tb:meta format") == ":0" {
        assert!(since.elapsed() < Duration::from_secs(60), "never written");
    }
    let other = start(&engine);
    assert_eq!(engine.ask("HGET tb:meta shards"), "$1");
    assert_eq!(other.get(&server.save("seen").raw()).text(), "seen");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_view_whose_answer_was_lost_may_be_used_up_and_is_never_shown_twice() {
    let engine = impatient();
    let server = start(&engine);
    for _ in 0..5 {
        let saved = server.request("POST", "/?burn=2").body("secret").send();
        let saved = Saved::of(&saved);
        let read = || server.request("POST", &saved.path).send().status;
        // Given readers while the engine hangs and comes back
        let hung = thread::scope(|scope| {
            engine.hang();
            let readers: Vec<_> = (0..2).map(|_| scope.spawn(read)).collect();
            let seen: Vec<_> = readers.into_iter().map(|it| it.join().unwrap()).collect();
            engine.resume();
            seen
        });
        until_it_saves(&server);
        let after = [read(), read(), read()];
        // Then the content was shown at most twice in all
        let shown = hung.iter().chain(&after).filter(|status| **status == 200);
        assert!(shown.count() <= 2, "{hung:?} {after:?}");
        assert_eq!(read(), 410);
    }
    server.store.validate();
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn functions_that_the_engine_lost_are_loaded_again_without_an_error() {
    let engine = Arc::new(Engine::start());
    let server = start(&engine);
    let saved = server.save("before");
    engine.ask("FUNCTION FLUSH");
    assert_eq!(server.get("/missing-id12").status, 404);
    engine.ask("FUNCTION FLUSH");
    server.save("after");
    assert_eq!(server.get(&saved.raw()).text(), "before");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_full_engine_refuses_saves_alone() {
    let engine = Arc::new(Engine::start());
    let server = start(&engine);
    let saved = server.save("before");
    let burning = Saved::of(&server.request("POST", "/?burn=1").body("once").send());
    engine.ask("CONFIG SET maxmemory 1mb");
    let refused = save(&server, "more");
    assert_eq!(refused.status, 507, "{refused:?}");
    // Then reads, burns and deletions go on
    assert_eq!(server.get(&saved.raw()).text(), "before");
    let read = server.request("POST", &burning.path).send();
    assert_eq!((read.status, read.text()), (200, "once"));
    let delete = server
        .request("DELETE", &saved.path)
        .header("X-Token", &saved.token);
    assert_eq!(delete.send().status, 200);
    engine.ask("CONFIG SET maxmemory 0");
    server.save("again");
    server.store.validate();
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_engine_that_became_a_replica_refuses_saves_until_it_is_a_primary() {
    let engine = Arc::new(Engine::start());
    let server = start(&engine);
    let saved = server.save("before");
    engine.ask("REPLICAOF 127.0.0.1 1");
    let since = Instant::now();
    is_refused_soon(since, &save(&server, "meanwhile"));
    engine.ask("REPLICAOF NO ONE");
    until_it_saves(&server);
    assert_eq!(server.get(&saved.raw()).text(), "before");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn metrics_tell_the_calls_to_the_engine_and_their_failures() {
    let engine = Arc::new(Engine::start());
    let flags = ["--admin-token", "correct-horse-battery"];
    let server = TestServer::node(&engine, &Clock::manual(), &flags);
    server.save("one");
    engine.ask("REPLICAOF 127.0.0.1 1");
    assert_eq!(save(&server, "two").status, 503);
    let metrics = server
        .request("GET", "/metrics")
        .header("Authorization", "Bearer correct-horse-battery")
        .send();
    for line in [
        "tidebin_engine_calls_total{call=\"save\"} 2",
        "tidebin_engine_failures_total{call=\"save\"} 1",
        "tidebin_store_pastes{tier=\"engine\"} 1",
    ] {
        assert!(metrics.text().contains(line), "{line}");
    }
}
