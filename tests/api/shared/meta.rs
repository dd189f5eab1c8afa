//! What nodes of one engine have in common, when it changes while they run.

use std::sync::Arc;

use serde_json::{Value, json};
use tidebin::clock::Clock;

use crate::client::until;
use crate::engine::Engine;
use crate::operate::sha256;
use crate::place::Place;
use crate::server::TestServer;

fn node(engine: &Arc<Engine>, flags: &[&str]) -> TestServer {
    TestServer::node(engine, &Clock::manual(), flags)
}

fn save(node: &TestServer) -> u16 {
    node.request("POST", "/").body("text").send().status
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_engine_that_lost_everything_is_used_again_by_running_and_by_new_nodes() {
    let engine = Arc::new(Engine::start());
    let running = node(&engine, &[]);
    running.save("lost");
    engine.ask("FLUSHALL");
    running.save("new");
    until(|| engine.ask("EXISTS tb:meta") == ":1");
    let other = node(&engine, &[]);
    assert_eq!(other.get(&running.save("seen").raw()).text(), "seen");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_node_refuses_requests_while_the_engine_belongs_to_nodes_with_other_settings() {
    let engine = Arc::new(Engine::start());
    let running = node(&engine, &[]);
    let saved = running.save("kept");
    for theirs in ["'2 theirs'", "'3 theirs'", "'4 ours'"] {
        // When the engine lost everything, and other nodes were faster
        engine.ask(&format!("SET tb:meta {theirs}"));
        // Then this one saves nothing that they would not find
        until(|| save(&running) == 503);
        assert_eq!(running.get(&saved.raw()).status, 503);
        assert_eq!(running.get("/healthz").status, 200);
        // When it is its own again
        engine.ask("DEL tb:meta");
        until(|| save(&running) == 201);
    }
    assert_eq!(running.get(&saved.raw()).text(), "kept");
}

/// What a node of format 2 left, whose secret was [`SECRET_2`]: a short link that never expires, of the owner
/// `tbo_0123456789abcdefABCDEF`.
const FORMAT_2: &str = include_str!("../fixtures/format-2.txt");
const SECRET_2: &str = "the secret of the fixture of format 2";

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_paste_of_format_2_is_read_and_named_on_the_list_once_it_was_read() {
    let engine = Arc::new(Engine::start());
    for command in FORMAT_2.lines() {
        engine.ask(command);
    }
    // When the first node of this format starts
    let node = node(&engine, &["--secret", SECRET_2]);
    // Then those of format 2 are told by the mark
    let meta = engine.lines::<2>("GET tb:meta").concat();
    assert!(meta.contains("3 82fc14b9"), "{meta}");
    // And the paste is read, and listed by its name from then on
    let names = || {
        let list = node.request("GET", "/api/v1/pastes");
        let list = list.header("Authorization", "Bearer tbo_0123456789abcdefABCDEF");
        let list: Value = serde_json::from_slice(&list.send().body).unwrap();
        let pastes = list["pastes"].as_array().unwrap().iter();
        pastes
            .map(|it| (it["name"].clone(), it["reads"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(), [(Value::Null, json!(0))]);
    let read = || node.get("/46K_ZQHmGUCQ");
    assert_eq!(read().header("location"), Some("https://example.org/a"));
    assert_eq!(names(), [(json!("https://example.org/a"), json!(1))]);
    assert_eq!(read().header("location"), Some("https://example.org/a"));
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_node_refuses_requests_while_the_engine_is_set_up_wrongly() {
    let engine = Arc::new(Engine::start());
    let running = node(&engine, &[]);
    for (wrong, right) in [
        (
            "maxmemory-policy noeviction",
            "maxmemory-policy volatile-lru",
        ),
        ("maxmemory 0", "maxmemory 256mb"),
    ] {
        engine.ask(&format!("CONFIG SET {wrong}"));
        // It looks after a reconnection
        engine.ask("CLIENT KILL TYPE normal");
        until(|| save(&running) == 503);
        engine.ask(&format!("CONFIG SET {right}"));
        until(|| save(&running) == 201);
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_block_is_known_to_all_nodes_after_the_engine_lost_everything() {
    const ADMIN: &str = "correct-horse-battery";
    let engine = Arc::new(Engine::start());
    let nodes = [(); 2].map(|()| node(&engine, &["--admin-token", ADMIN]));
    let block = |content: &[u8]| {
        let path = format!("/api/v1/operate/blocks/{}", sha256(content));
        let block = nodes[0].request("PUT", &path);
        let block = block.header("Authorization", format!("Bearer {ADMIN}"));
        assert_eq!(block.send().status, 204);
    };
    let save = |content: &str| nodes[1].request("POST", "/").body(content).send().status;
    block(b"the first");
    until(|| save("the first") == 451);
    engine.ask("FLUSHALL");
    block(b"the second");
    until(|| (save("the first"), save("the second")) == (201, 451));
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_refused_start_changes_nothing() {
    let empty = Arc::new(Engine::empty(&["--maxmemory-policy", "noeviction"]));
    let refusal = TestServer::refusal(&empty, &[]);
    assert!(
        refusal.contains("maxmemory-policy volatile-lru"),
        "{refusal}"
    );
    assert_eq!(empty.ask("DBSIZE"), ":0");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_node_whose_user_was_refused_for_a_while_works_again_without_a_restart() {
    let engine = Arc::new(Engine::start());
    engine.ask("ACL SETUSER node on >right ~* +@all");
    let url = format!("{}?user=node&pass=right", engine.url());
    let node = TestServer::at(Place::Cluster(url), &Clock::manual(), &[]);
    assert_eq!(save(&node), 201);
    // When the user has another password, and the connection is lost
    engine.ask("ACL SETUSER node resetpass >wrong");
    engine.ask("CLIENT KILL TYPE normal");
    until(|| save(&node) == 503);
    // Then the node goes on as soon as the password is the right one
    engine.ask("ACL SETUSER node resetpass >right");
    until(|| save(&node) == 201);
}
