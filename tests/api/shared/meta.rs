//! What nodes of one engine have in common, when it changes while they run.

use std::sync::Arc;

use tidebin::clock::Clock;

use crate::client::until;
use crate::engine::Engine;
use crate::operate::sha256;
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
    until(|| engine.ask("HEXISTS tb:meta format") == ":1");
    let other = node(&engine, &[]);
    assert_eq!(engine.ask("HGET tb:meta shards"), "$1");
    assert_eq!(other.get(&running.save("seen").raw()).text(), "seen");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_node_refuses_requests_while_the_engine_belongs_to_nodes_with_other_settings() {
    for theirs in ["'shards','2'", "'secret','theirs'"] {
        let engine = Arc::new(Engine::start());
        let running = node(&engine, &[]);
        // When the engine lost everything, and other nodes were faster
        engine.ask(&format!(
            "EVAL \"local s=redis.call('HGET','tb:meta','secret') redis.call('FLUSHALL') return redis.call('HSET','tb:meta','deadline','20000','format','1','shards','1','secret',s,{theirs})\" 0"
        ));
        // Then this one saves nothing that they would not find
        until(|| save(&running) == 503);
        assert_eq!(running.get("/healthz").status, 200);
        // When it is its own again
        engine.ask("FLUSHALL");
        until(|| save(&running) == 201);
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_running_node_takes_the_larger_budget_of_a_new_one() {
    let engine = Arc::new(Engine::start());
    let small = node(&engine, &["--max-store-size", "64MiB"]);
    assert_eq!(small.store.room(), 64 << 20);
    let _large = node(&engine, &["--max-store-size", "96MiB"]);
    until(|| small.store.room() == 96 << 20);
    // Also when the engine lost everything, and the smaller one was faster
    let secret = "redis.call('HGET','tb:meta','secret')";
    engine.ask(&format!(
        "EVAL \"local s={secret} redis.call('FLUSHALL') return redis.call('HSET','tb:meta','secret',s,'shards','1','budget','67108864','format','1')\" 0"
    ));
    until(|| {
        engine.ask("EVAL \"return tonumber(redis.call('HGET','tb:meta','budget'))\" 0")
            == ":100663296"
    });
    until(|| small.store.room() == 96 << 20);
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
    assert_eq!(save("the first"), 451);
    engine.ask("FLUSHALL");
    block(b"the second");
    assert_eq!((save("the first"), save("the second")), (201, 451));
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_refused_start_changes_nothing() {
    let engine = Arc::new(Engine::start());
    let running = node(&engine, &["--max-store-size", "64MiB"]);
    engine.load("#!lua name=tidebin\nredis.register_function{function_name='tidebin_version',callback=function() return 99 end,flags={'no-writes'}}");
    drop(running);
    let budget = engine.ask("HSTRLEN tb:meta budget");
    let refusal = TestServer::refusal(&engine, &["--max-store-size", "960MiB"]);
    assert!(refusal.contains("version 99"), "{refusal}");
    assert_eq!(engine.ask("HSTRLEN tb:meta budget"), budget);
    // Nor does it make an empty engine tidebin's
    let empty = Arc::new(Engine::empty(&["--maxmemory", "100mb"]));
    let refusal = TestServer::refusal(&empty, &[]);
    assert!(refusal.contains("Raise maxmemory"), "{refusal}");
    assert_eq!(empty.ask("DBSIZE"), ":0");
}
