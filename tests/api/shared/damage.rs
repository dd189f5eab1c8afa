//! Pastes whose values in the engine were lost or damaged.

use std::sync::Arc;
use std::time::Duration;

use tidebin::clock::Clock;

use crate::engine::Engine;
use crate::keys::KeysFile;
use crate::server::{Saved, TestServer, block_on};

const OWNER: &str = "Bearer tbo_0123456789abcdefABCDEF";

/// Does this with each value of a paste: `k` is its key.
fn with_values(engine: &Engine, script: &str) {
    let pastes = "redis.call('KEYS','tb:{0}:p:*')";
    engine.ask(&format!(
        "EVAL \"for i,k in ipairs({pastes}) do {script} end return 1\" 0"
    ));
}

/// A node whose engine has room for about 30 pastes of 8 KiB.
fn start(engine: &Arc<Engine>) -> TestServer {
    let flags = ["--max-store-size", "300KiB", "--max-paste-size", "10KiB"];
    TestServer::node(engine, &Clock::manual(), &flags)
}

fn incompressible() -> [u8; 8000] {
    let mut content = [0; 8000];
    getrandom::fill(&mut content).expect("random bytes");
    content.map(|byte| b'!' + byte % 90)
}

fn save(node: &TestServer, options: &str) -> Saved {
    let save = node.request("POST", &format!("/{options}"));
    let save = save.header("Authorization", OWNER).body(incompressible());
    Saved::of(&save.send())
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn lost_and_damaged_pastes_stop_no_others_and_make_room() {
    for script in [
        "redis.call('DEL',k)",
        "redis.call('SET',k,'damaged')",
        "if i%2==0 then redis.call('DEL',k) end",
        // The client of another paste.
        "redis.call('SETRANGE',k,40,'12345678')",
    ] {
        let engine = Arc::new(Engine::start());
        let node = start(&engine);
        // Given a full shard, with pastes that expire
        let damaged: Vec<_> = (0..45)
            .map(|i| save(&node, ["?expires=1m", ""][i % 2]))
            .collect();
        with_values(&engine, script);
        for paste in &damaged {
            let status = node.get(&paste.raw()).status;
            assert!(matches!(status, 200 | 404 | 410 | 500), "{status}");
        }
        // Then its owner lists the others
        let list = node.request("GET", "/mine").header("Authorization", OWNER);
        assert_eq!(list.send().status, 200);
        // When others are saved, and those expire
        let saved: Vec<_> = (0..20).map(|_| save(&node, "")).collect();
        node.advance(Duration::from_secs(61));
        block_on(node.store.sweep(node.clock.timestamp()));
        let saved = saved.into_iter().chain((0..60).map(|_| save(&node, "")));
        // Then the last ones are there, and what is left is counted rightly
        let last: Vec<_> = saved.collect();
        for paste in &last[last.len() - 20..] {
            assert_eq!(node.get(&paste.raw()).status, 200, "{script}");
        }
        // Pastes that were lost leave the list of their owner when it is shown
        while list.send().text().contains("More:") {}
        node.store.validate();
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_lost_slug_that_is_saved_again_is_kept_and_counted_once() {
    for again in ["10.1.0.1", "10.2.0.1"] {
        let engine = Arc::new(Engine::start());
        let file = KeysFile::new();
        let key = format!("Bearer {}", file.make(&["alice"]));
        let flags = ["--max-store-size", "300KiB", "--max-paste-size", "10KiB"];
        let proxy = ["--trusted-proxies", "127.0.0.1", "--keys", file.path()];
        let node = TestServer::node(&engine, &Clock::manual(), &[flags, proxy].concat());
        let save = |client: &str, slug: Option<&str>| {
            let save = node.request("POST", "/").header("Authorization", &key);
            let save = match slug {
                Some(slug) => save.header("X-Slug", slug),
                None => save,
            };
            let status = save.from(client).body(incompressible()).send().status;
            assert_eq!(status, 201);
        };
        // Given a slug whose paste was lost, and that is saved again
        save("10.1.0.1", Some("my-slug"));
        with_values(&engine, "redis.call('DEL',k)");
        save(again, Some("my-slug"));
        // When the first client fills the shard
        for _ in 0..50 {
            save("10.1.0.1", None);
            if again == "10.2.0.1" {
                assert_eq!(node.get("/my-slug").status, 200);
            }
        }
        node.store.validate();
    }
}
