//! Engines on which a node does not start. Each refusal names the way out, and changes nothing.

use std::sync::Arc;

use tidebin::clock::Clock;

use crate::engine::Engine;
use crate::free_port::free_address;
use crate::place::Place;
use crate::server::TestServer;

#[track_caller]
fn refuses(engine: &Arc<Engine>, flags: &[&str], says: &str) {
    let refusal = TestServer::refusal(engine, flags);
    assert!(refusal.contains(says), "{refusal}");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn another_secret_than_that_of_the_pastes_is_refused() {
    let engine = Arc::new(Engine::start());
    let server = TestServer::node(&engine, &Clock::manual(), &[]);
    let saved = server.save("kept");
    let other = ["--secret", "another secret that is long enough too"];
    refuses(&engine, &other, "TIDEBIN_SECRET is not the secret");
    assert_eq!(server.get(&saved.raw()).text(), "kept");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn keys_of_another_program_are_left_alone() {
    let engine = Arc::new(Engine::empty(&[]));
    engine.ask("SET theirs 1");
    refuses(&engine, &[], "keys of another program");
    engine.ask("SET tb:meta 1");
    refuses(&engine, &[], "keys of another program");
    assert_eq!(engine.ask("DBSIZE"), ":2");
    // Keys of running nodes, whose engine lost everything
    engine.ask("FLUSHALL");
    engine.ask("HSET tb:{m}b version 1");
    TestServer::node(&engine, &Clock::manual(), &[]).save("text");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn pastes_of_an_older_and_of_a_newer_version_are_refused() {
    let engine = Arc::new(Engine::start());
    drop(TestServer::node(&engine, &Clock::manual(), &[]));
    let refusal = "a version of tidebin that is newer, or older than 0.2. Start that version, give tidebin an engine of its own";
    engine.ask("SET tb:meta '4 theirs'");
    refuses(&engine, &[], refusal);
    engine.ask("DEL tb:meta");
    engine.ask("HSET tb:meta format 1");
    refuses(&engine, &[], refusal);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_engine_that_would_not_make_room_or_would_drop_any_key_is_refused() {
    let engine = Arc::new(Engine::start());
    for policy in [
        "noeviction",
        "allkeys-lru",
        "allkeys-random",
        "volatile-random",
    ] {
        engine.ask(&format!("CONFIG SET maxmemory-policy {policy}"));
        refuses(&engine, &[], &format!("and maxmemory-policy {policy}"));
        refuses(
            &engine,
            &[],
            "maxmemory 512mb\nmaxmemory-policy volatile-lru",
        );
    }
    for policy in ["volatile-lru", "volatile-lfu", "volatile-ttl"] {
        engine.ask(&format!("CONFIG SET maxmemory-policy {policy}"));
        TestServer::node(&engine, &Clock::manual(), &[]).save("text");
    }
    engine.ask("CONFIG SET maxmemory 0");
    refuses(&engine, &[], "has maxmemory 0 and");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_largest_paste_that_no_engine_takes_is_refused() {
    let engine = Arc::new(Engine::empty(&[]));
    let large = ["--max-paste-size", "512MiB", "--max-in-flight", "1GiB"];
    let large = [&large[..], &["--max-store-size", "8GiB"]].concat();
    refuses(&engine, &large, "Set it to 511 MiB or less");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn several_addresses_of_servers_that_are_no_cluster_are_refused() {
    let port = free_address().port().to_string();
    let _engine = Engine::empty(&["--bind", "127.0.0.1", "--port", &port]);
    let url = format!("redis://127.0.0.1:{port}");
    let place = Place::Cluster([&url[..], &url].join(","));
    let refusal = TestServer::refusal_at(&place, &[]);
    assert!(refusal.contains("are not a Cluster"), "{refusal}");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_replica_a_wrong_password_and_a_missing_right_are_refused() {
    let engine = Arc::new(Engine::start());
    engine.ask("REPLICAOF 127.0.0.1 1");
    refuses(&engine, &[], "Name the primary");
    engine.ask("REPLICAOF NO ONE");
    engine.ask("ACL SETUSER default -info");
    refuses(&engine, &[], "Give the rights that docs/cluster.md names");
    engine.ask("ACL SETUSER default +info >password resetpass >password");
    refuses(&engine, &[], "refuses the user or the password");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn nodes_that_start_at_once_on_an_empty_engine_all_start() {
    let engines = [(); 5].map(|()| Arc::new(Engine::empty(&[])));
    std::thread::scope(|scope| {
        for engine in engines.iter().flat_map(|engine| [engine; 4]) {
            scope.spawn(|| drop(TestServer::node(engine, &Clock::manual(), &[])));
        }
    });
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_engine_that_does_not_run_is_named_in_a_sentence() {
    let engine = Arc::new(Engine::start());
    engine.kill();
    refuses(&engine, &[], "cannot be used");
}
