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
    engine.ask("HSET tb:{l1} key state");
    TestServer::node(&engine, &Clock::manual(), &[]).save("text");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn pastes_and_functions_of_a_newer_version_are_refused() {
    let engine = Arc::new(Engine::start());
    drop(TestServer::node(&engine, &Clock::manual(), &[]));
    engine.ask("HSET tb:meta format 2");
    refuses(&engine, &[], "pastes of a newer tidebin (format 2)");
    engine.ask("HSET tb:meta format 1");
    engine.load("#!lua name=tidebin\nredis.register_function{function_name='tidebin_version',callback=function() return 99 end,flags={'no-writes'}}");
    refuses(&engine, &[], "functions of a newer tidebin (version 99)");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn older_functions_are_replaced() {
    let engine = Arc::new(Engine::start());
    engine.load("#!lua name=tidebin\nredis.register_function{function_name='tidebin_version',callback=function() return 0 end,flags={'no-writes'}}");
    TestServer::node(&engine, &Clock::manual(), &[]).save("text");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_engine_that_drops_keys_or_has_too_little_memory_is_refused() {
    let engine = Arc::new(Engine::start());
    engine.ask("CONFIG SET maxmemory 100mb");
    refuses(&engine, &[], "Raise maxmemory");
    engine.ask("CONFIG SET maxmemory 1gb");
    engine.ask("CONFIG SET maxmemory-policy allkeys-lru");
    refuses(&engine, &[], "maxmemory-policy allkeys-lru");
    engine.ask("CONFIG SET maxmemory-policy volatile-lru");
    refuses(&engine, &[], "maxmemory-policy volatile-lru");
    engine.ask("CONFIG SET maxmemory-policy noeviction");
    TestServer::node(&engine, &Clock::manual(), &[]).save("text");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_budget_whose_shards_hold_no_large_paste_is_refused() {
    let engine = Arc::new(Engine::empty(&[]));
    let large = [
        "--max-paste-size",
        "512MiB",
        "--max-in-flight",
        "1GiB",
        "--max-store-size",
        "8GiB",
    ];
    refuses(&engine, &large, "Set it to 511 MiB or less");
    engine.ask("HSET tb:meta shards 64");
    refuses(
        &engine,
        &["--max-store-size", "64MiB"],
        "divided among the shards. Set it to 81 MiB or more",
    );
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
    engine.ask("ACL SETUSER default -function");
    refuses(&engine, &[], "run FUNCTION LOAD");
    engine.ask("ACL SETUSER default +function >password resetpass >password");
    refuses(&engine, &[], "refuses the user or the password");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_smaller_budget_than_that_of_the_other_nodes_is_refused() {
    let engine = Arc::new(Engine::start());
    let node = |size| TestServer::node(&engine, &Clock::manual(), &["--max-store-size", size]);
    drop(node("64MiB"));
    drop(node("96MiB"));
    refuses(
        &engine,
        &["--max-store-size", "64MiB"],
        "would evict pastes",
    );
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn nodes_that_start_at_once_on_an_empty_engine_all_start() {
    // On five engines at once, because a node waits for seconds before it makes an empty engine its own.
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
