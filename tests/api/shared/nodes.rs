//! What all nodes of an engine agree on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tidebin::clock::Clock;

use super::stale_reads;
use crate::client::{Response, until};
use crate::engine::Engine;
use crate::every_tier::receipts::wait;
use crate::rounds::rounds;
use crate::server::{Saved, TestServer, block_on};

const ADMIN: &str = "correct-horse-battery";

/// Nodes with these flags.
struct Nodes(Vec<TestServer>);

impl Nodes {
    fn start(count: usize, flags: &[&str]) -> Self {
        let (engine, clock) = (Arc::new(Engine::start()), Clock::manual());
        let node = |_| TestServer::node(&engine, &clock, flags);
        Self((0..count).map(node).collect())
    }

    /// Reports what was read on each node.
    fn settle(&self) {
        for node in &self.0 {
            block_on(node.store.sweep(node.clock.timestamp()));
        }
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn what_one_node_acknowledged_every_node_answers() {
    let nodes = Nodes::start(2, &[]);
    let [a, b] = &nodes.0[..] else { unreachable!() };
    // Given a paste of one node
    let saved = a.save("first");
    assert_eq!(b.get(&saved.raw()).text(), "first");
    // When the other changes it
    let change = b
        .request("PUT", &saved.path)
        .header("X-Token", &saved.token);
    assert_eq!(change.body("second").send().status, 200);
    // Then the first has the change, on pages too
    assert_eq!(a.get(&saved.raw()).text(), "second");
    assert!(a.browse(&saved.path).text().contains("second"));
    // When the first deletes it
    let delete = a
        .request("DELETE", &saved.path)
        .header("X-Token", &saved.token);
    assert_eq!(delete.send().status, 200);
    // Then the other knows why it is gone
    let gone = b.get(&saved.raw());
    assert_eq!(gone.status, 410);
    assert!(gone.sentence().contains("deleted"), "{gone:?}");
    b.store.validate();
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_view_on_one_node_ends_the_wait_on_another() {
    let nodes = Nodes::start(2, &[]);
    let [a, b] = &nodes.0[..] else { unreachable!() };
    let burning = Saved::of(&a.request("POST", "/?burn=1").body("x").send());
    for (saved, method, status) in [(a.save("x"), "GET", 200), (burning, "POST", 410)] {
        let mut waiting = wait(a, &saved, "wait=9m");
        assert_eq!(b.request(method, &saved.path).send().status, 200);
        nodes.settle();
        a.advance(Duration::from_secs(5));
        assert_eq!(Response::read(&mut waiting, false).status, status);
        a.until("over", |load| load.paused == 0);
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_paste_that_burns_is_shown_as_often_as_allowed_by_all_nodes_together() {
    const NODES: usize = 4;
    const READERS: usize = 4;
    let nodes = Nodes::start(NODES, &[]);
    for views in [1_usize, 2, 7, 40] {
        let path = format!("/?burn={views}");
        let saved = nodes.0[0].request("POST", &path).body("secret").send();
        let saved = Saved::of(&saved);
        let shown = AtomicUsize::new(0);
        thread::scope(|scope| {
            for node in nodes.0.iter().flat_map(|node| [node; READERS]) {
                scope.spawn(|| {
                    for _ in 0..views {
                        let answer = node.request("POST", &saved.path).send();
                        match answer.status {
                            200 => assert_eq!(answer.text(), "secret"),
                            409 | 410 => continue,
                            other => panic!("{other}: {answer:?}"),
                        }
                        shown.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(shown.into_inner(), views);
    }
    nodes.0[0].store.validate();
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn three_nodes_that_race_for_the_only_view_show_it_once() {
    let nodes = Nodes::start(3, &[]);
    for number in 0..rounds(100) {
        let content = format!("secret {number}");
        let saved = nodes.0[0].request("POST", "/?burn=1").body(&content).send();
        let path = Saved::of(&saved).path;
        let shown = AtomicUsize::new(0);
        thread::scope(|scope| {
            for node in &nodes.0 {
                scope.spawn(|| {
                    let answer = node.request("POST", &path).send();
                    assert!(matches!(answer.status, 200 | 410), "{answer:?}");
                    shown.fetch_add(usize::from(answer.text() == content), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(shown.into_inner(), 1);
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn no_read_on_any_node_is_older_than_an_acknowledged_change() {
    let reads = rounds(4000).into();
    let nodes = Nodes::start(4, &[]);
    let addresses: Vec<_> = nodes.0.iter().map(|node| node.addr).collect();
    let counts = stale_reads::count(&addresses, reads);
    assert_eq!(counts.stale.load(Ordering::SeqCst), 0, "{counts:?}");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_content_that_one_node_blocks_is_refused_by_all_until_one_allows_it() {
    let nodes = Nodes::start(2, &["--admin-token", ADMIN]);
    let [a, b] = &nodes.0[..] else { unreachable!() };
    // FIPS 180-4: the SHA-256 of `abc`
    let path =
        "/api/v1/operate/blocks/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let act = |node: &TestServer, method| {
        let bearer = format!("Bearer {ADMIN}");
        node.request(method, path)
            .header("Authorization", bearer)
            .send()
            .status
    };
    let save = |node: &TestServer| node.request("POST", "/").body("abc").send().status;
    for node in [a, b] {
        assert_eq!(save(node), 201);
    }
    // A node knows its own change at once, and that of another one a second later.
    assert_eq!(act(a, "PUT"), 204);
    assert_eq!(save(a), 451);
    until(|| save(b) == 451);
    assert_eq!(act(b, "DELETE"), 204);
    assert_eq!(save(b), 201);
    until(|| save(a) == 201);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_owner_lists_the_pastes_of_all_nodes_with_their_views() {
    const OWNER: &str = "Bearer tbo_ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let (engine, clock) = (Arc::new(Engine::empty(&[])), Clock::manual());
    let nodes = [(); 2].map(|()| TestServer::node(&engine, &clock, &[]));
    let nodes = Nodes(nodes.into());
    // Given pastes of one owner, saved by both nodes
    let mut saved = Vec::new();
    for number in 0..60 {
        let node = &nodes.0[number % 2];
        let save = node.request("POST", "/").header("Authorization", OWNER);
        saved.push(Saved::of(&save.body(number.to_string()).send()));
        node.advance(Duration::from_millis(1));
    }
    // When one is read on both nodes
    for node in &nodes.0 {
        assert_eq!(node.get(&saved[59].raw()).status, 200);
    }
    nodes.settle();
    // Then both list all of them, the newest first, page by page
    for node in &nodes.0 {
        let list = |path: &str| {
            let list = node.request("GET", path).header("Authorization", OWNER);
            let list: serde_json::Value = serde_json::from_str(list.send().text()).expect("JSON");
            list
        };
        let first = list("/api/v1/pastes");
        let next = first["next"].as_u64().expect("a second page");
        let second = list(&format!("/api/v1/pastes?cursor={next}"));
        let ids = [first["pastes"].clone(), second["pastes"].clone()];
        let ids: Vec<_> = ids
            .iter()
            .filter_map(|it| it.as_array())
            .flatten()
            .collect();
        let expected: Vec<_> = saved.iter().rev().map(|it| it.id.as_str()).collect();
        let found: Vec<_> = ids.iter().filter_map(|it| it["id"].as_str()).collect();
        assert_eq!(found, expected);
        assert_eq!(ids[0]["reads"], 2);
    }
    nodes.0[0].store.validate();
}
