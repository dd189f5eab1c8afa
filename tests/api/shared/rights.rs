//! The user of the engine with the rights that the documents name.

use std::sync::Arc;

use tidebin::clock::Clock;

use crate::engine::Engine;
use crate::operate::sha256;
use crate::place::Place;
use crate::server::{Saved, TestServer, block_on};

/// The words of the user's rights in a text, from the first right to the last.
fn rights(text: &str) -> String {
    let start = text.find("+ping").expect("the rights");
    let end = text[start..].find("+exec").expect("the last right") + "+exec".len();
    let words = text[start..][..end].split_whitespace();
    let rights = words.map(|word| word.trim_matches('\''));
    rights
        .filter(|right| right.starts_with('+'))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn the_documented_rights_of_the_user_are_enough_for_everything_that_nodes_do() {
    let documented = rights(include_str!("../../../docs/cluster.md"));
    let engine = Arc::new(Engine::start());
    engine.ask(&format!(
        "ACL SETUSER tidebin on >secret resetkeys ~tb:* resetchannels -@all {documented}"
    ));
    let url = format!("{}?user=tidebin&pass=secret", engine.url());
    let limit = "rate 1/s burst 30, quota 2000/1d";
    let flags = [
        "--admin-token",
        "correct-horse-battery",
        "--limit-save",
        limit,
    ];
    let node = TestServer::at(Place::Cluster(url), &Clock::manual(), &flags);
    // When a node does everything
    let saved = node.save("text");
    assert_eq!(node.get(&saved.raw()).text(), "text");
    let owned = node.request("POST", "/").body("owned");
    let owner = "Bearer tbo_0123456789abcdefABCDEF";
    let owned = Saved::of(&owned.header("Authorization", owner).send());
    let list = node.request("GET", "/api/v1/pastes");
    let list = list.header("Authorization", owner).send();
    assert!(list.text().contains(&owned.id), "{list:?}");
    let change = node.request("PUT", &saved.path).body("changed");
    assert_eq!(change.header("X-Token", &saved.token).send().status, 200);
    for (burn, expected) in [(2, &[200, 200, 410][..]), (1, &[200, 410])] {
        let burning = node
            .request("POST", &format!("/?burn={burn}"))
            .body("x")
            .send();
        let read = node.request("POST", &Saved::of(&burning).path);
        let statuses: Vec<_> = expected.iter().map(|_| read.send().status).collect();
        assert_eq!(statuses, expected);
    }
    let path = format!("/api/v1/operate/blocks/{}", sha256("blocked"));
    let block = node.request("PUT", &path);
    let block = block.header("Authorization", "Bearer correct-horse-battery");
    assert_eq!(block.send().status, 204);
    assert_eq!(node.request("POST", "/").body("blocked").send().status, 451);
    let delete = node.request("DELETE", &saved.path);
    assert_eq!(delete.header("X-Token", &saved.token).send().status, 200);
    assert_eq!(node.get(&saved.raw()).status, 410);
    block_on(node.store.sweep(node.clock.timestamp()));
    // Then the engine refused nothing
    assert_eq!(engine.ask("ACL LOG"), "*0");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_node_does_not_start_without_any_one_of_the_documented_rights() {
    let documented = rights(include_str!("../../../docs/cluster.md"));
    let engine = Arc::new(Engine::start());
    let url = format!("{}?user=tidebin&pass=secret", engine.url());
    let place = Place::Cluster(url);
    for missing in documented.split(' ') {
        // When the user has all rights except one
        let others = documented.split(' ').filter(|right| *right != missing);
        let others: Vec<_> = others.collect();
        engine.ask(&format!(
            "ACL SETUSER tidebin reset on >secret ~tb:* -@all {}",
            others.join(" ")
        ));
        // Then the start is refused, and tells which
        let refusal = TestServer::refusal_at(&place, &[]);
        let command = missing[1..].split('|').next().expect("a command");
        assert!(refusal.contains(command), "{missing}: {refusal}");
        let way_out = "Give the rights that docs/cluster.md names";
        assert!(refusal.contains(way_out), "{missing}: {refusal}");
    }
    assert_eq!(engine.ask("DBSIZE"), ":0");
}

#[test]
fn the_containers_give_the_user_the_documented_rights() {
    let documented = rights(include_str!("../../../docs/cluster.md"));
    let given = rights(include_str!("../../../deploy/cluster/compose.yml"));
    assert_eq!(given, documented);
}
