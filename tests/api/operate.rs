//! Actions of the operator: blocking contents, and allowing them again.

use serde_json::json;

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::keys::KeysFile;
use crate::process::Running;
use crate::server::{Saved, TestServer, Tier};
use sha2::{Digest, Sha256};

pub const ADMIN: &str = "correct-horse-battery";

pub fn as_operator(request: Request) -> Request {
    request.header("Authorization", format!("Bearer {ADMIN}"))
}

pub fn sha256(content: impl AsRef<[u8]>) -> String {
    let hash = Sha256::digest(content);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn operate(server: &TestServer, method: &str, path: &str) -> Response {
    as_operator(server.request(method, path)).send()
}

/// Removes a paste and blocks its content.
fn remove_and_block(server: &TestServer, path: &str) -> Response {
    operate(server, "DELETE", &format!("{path}?block=1&reason=spam"))
}

#[test]
fn a_change_to_a_blocked_content_is_refused_even_behind_a_password() {
    let server = TestServer::with(&["--admin-token", ADMIN]);
    assert_eq!(
        remove_and_block(&server, &server.save("bad").path).status,
        200
    );
    let (open, burning) = (server.save("good"), server.request("POST", "/?burn=2"));
    let burning = crate::server::Saved::of(&burning.body("good").send());
    let locked = server.request("POST", "/").header("X-Password", "secret");
    let locked = crate::server::Saved::of(&locked.body("good").send());
    let put = |saved: &crate::server::Saved, content: &str| {
        let request = server.request("PUT", &saved.path);
        request.header("X-Token", &saved.token).body(content)
    };
    assert_eq!(put(&open, "bad").send().status, 451);
    assert_eq!(put(&burning, "bad").send().status, 451);
    let with_password = put(&locked, "bad").header("X-Password", "secret");
    assert_eq!(with_password.send().status, 451);
    assert_eq!(server.get(&open.path).text(), "good");
    assert_eq!(put(&open, "better").send().status, 200);
}

#[test]
fn a_blocked_content_is_refused_as_a_file_among_others() {
    let server = TestServer::with(&["--admin-token", ADMIN]);
    remove_and_block(&server, &server.save("bad").path);
    let save = |content: &str| {
        let files = [("a.txt", "good"), ("b.txt", content)];
        let files = files.map(|(name, content)| json!({ "name": name, "content": content }));
        let body = json!({ "files": files }).to_string();
        let request = server.request("POST", "/api/v1/pastes").body(body);
        request.send().status
    };
    assert_eq!((save("bad"), save("better")), (451, 201));
}

#[test]
fn the_target_of_a_short_link_can_be_blocked() {
    let server = TestServer::with(&["--admin-token", ADMIN]);
    let shorten = || {
        let request = server.request("POST", "/");
        request.form("url=https%3A%2F%2Fphishing.example%2F").send()
    };
    let link = crate::server::Saved::of(&shorten());
    assert_eq!(remove_and_block(&server, &link.path).status, 200);
    assert_eq!(shorten().status, 451);
}

#[test]
fn only_the_operator_blocks_and_an_unknown_content_is_not_blocked() {
    let server = TestServer::with(&["--admin-token", ADMIN]);
    let saved = server.save("mine");
    // The owner of a paste cannot block its content.
    let own = server.request("DELETE", &format!("{}?block=1", saved.path));
    let own = own.header("X-Token", &saved.token).send();
    let sentence = "Only the operator can block. Remove `block` to delete your paste.";
    assert_eq!((own.status, own.sentence()), (403, sentence));
    let none = server.request("DELETE", &format!("{}?block=1", saved.path));
    assert_eq!(none.send().status, 401);
    assert_eq!(server.get(&saved.path).status, 200);
    // The server does not know the content of a protected paste, so it stays.
    let locked = server.request("POST", "/").header("X-Password", "secret");
    let locked = crate::server::Saved::of(&locked.body("hidden").send());
    let refused = remove_and_block(&server, &locked.path);
    assert_eq!(refused.status, 400, "{refused:?}");
    assert_eq!(server.get(&locked.path).status, 401);
    assert_eq!(operate(&server, "DELETE", &locked.path).status, 200);
    // A value that is neither true nor false changes nothing.
    let typo = operate(&server, "DELETE", &format!("{}?block=maybe", saved.path));
    assert_eq!(typo.status, 400);
    assert_eq!(server.get(&saved.path).status, 200);
}

#[test]
fn the_operator_lists_blocks_and_allows_a_content_again_after_a_restart() {
    // Given a block by its hash alone, on a server with a data directory
    let server = TestServer::of(Tier::Disk, &["--admin-token", ADMIN]);
    let path = format!("/api/v1/operate/blocks/{}", sha256("bad"));
    let blocked = operate(&server, "PUT", &format!("{path}?reason=known+malware"));
    assert_eq!(blocked.status, 204);
    // When the server restarts
    let server = server.restart();
    // Then the content is still refused, and the list says why
    assert_eq!(server.request("POST", "/").body("bad").send().status, 451);
    let list = operate(&server, "GET", "/api/v1/operate/blocks");
    assert!(list.text().contains(&sha256("bad")) && list.text().contains("known malware"));
    assert_eq!(list.header("cache-control"), Some("no-store"));
    // And a second block replaces the reason, if it has one
    for query in ["?reason=ransomware", ""] {
        assert_eq!(
            operate(&server, "PUT", &format!("{path}{query}")).status,
            204
        );
        let list = operate(&server, "GET", "/api/v1/operate/blocks");
        assert!(list.text().contains("ransomware") && !list.text().contains("known malware"));
    }
    let server = server.restart();
    let list = operate(&server, "GET", "/api/v1/operate/blocks");
    assert_eq!(list.text().matches("ransomware").count(), 1);
    // And the operator allows it again, once
    let unblocked = [204, 404].map(|_| operate(&server, "DELETE", &path).status);
    assert_eq!(unblocked, [204, 404]);
    assert_eq!(server.request("POST", "/").body("bad").send().status, 201);
    assert_eq!(
        operate(&server, "PUT", "/api/v1/operate/blocks/abc").status,
        400
    );
}

#[test]
fn an_act_with_a_mistyped_name_does_nothing() {
    let server = TestServer::with(&["--admin-token", ADMIN]);
    let saved = server.save("bad");
    let hash = sha256("bad");
    let form = |path: &str, body: &str| {
        let request = as_operator(server.request("POST", path));
        request.form(body.replace("ID", &saved.id)).send()
    };
    let request = |method, path: &str| operate(&server, method, &path.replace("ID", &saved.id));
    for refused in [
        request("DELETE", "/ID?blok=1"),
        request("DELETE", "/raw/ID?block=1&raeson=spam"),
        request("DELETE", "/api/v1/pastes/ID?blok=1"),
        form(&format!("{}?blok=1", saved.path), "delete=1"),
        form("/operate?block=1", "act=remove&paste=ID"),
        form("/operate", "act=remove&paste=ID&blok=1"),
        request("DELETE", "/api/v1/operate/reports/ID?block=1"),
        request("PUT", &format!("/api/v1/operate/blocks/{hash}?raeson=spam")),
        request("DELETE", &format!("/api/v1/operate/blocks/{hash}?x")),
    ] {
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.text().contains("Unknown field `"), "{refused:?}");
    }
    let typo = request("DELETE", "/ID?blok=1");
    assert!(typo.sentence().contains("did you mean `block`?"));
    assert_eq!(server.get(&saved.path).status, 200);
    assert_eq!(server.request("POST", "/").body("bad").send().status, 201);
    // A query of an owner's deletion is ignored, as it always was.
    let own = server.request("DELETE", &format!("{}?blok=1", saved.path));
    assert_eq!(own.header("X-Token", &saved.token).send().status, 200);
}

#[test]
fn the_log_line_of_a_removal_has_the_hash_of_what_was_blocked_and_no_id() {
    let mut running = Running::start(&["--admin-token", ADMIN]);
    for (query, hash) in [
        ("?block=1&reason=spam", Some(sha256("bad"))),
        ("?reason=spam", None),
    ] {
        let saved = Saved::of(&running.request("POST", "/").body("bad").send());
        let path = [&saved.path, query].concat();
        let removal = as_operator(running.request("DELETE", &path));
        assert_eq!(removal.send().status, 200);
        let lines = std::iter::from_fn(|| Some(running.next_line()));
        let line = lines.take(9).find(|line| line.contains("the operator"));
        let line = line.expect("a line of the act");
        assert!(line.contains("removed a paste") && line.contains("spam"));
        assert_eq!(line.contains("hash="), hash.is_some(), "{line}");
        assert!(hash.is_none_or(|hash| line.contains(&hash)), "{line}");
        assert!(!line.contains(&saved.id), "{line}");
        // Saving it is refused, until it is unblocked by the hash from the log.
        let path = format!("/api/v1/operate/blocks/{}", sha256("bad"));
        if line.contains("hash=") {
            let unblock = as_operator(running.request("DELETE", &path));
            assert_eq!(unblock.send().status, 204);
            while !running.next_line().contains("allowed a content again") {}
        }
    }
}

#[test]
fn the_log_says_which_operator_acted_and_why() {
    let keys = KeysFile::new();
    let key = keys.make(&["carol", "--rights", "operate"]);
    let flags = ["--admin-token", ADMIN, "--keys", keys.path()];
    let mut running =
        Running::start(&[&flags[..], &["--log", "info,tidebin::http::log=warn"]].concat());
    let path = format!("/api/v1/operate/blocks/{}", sha256("x"));
    for (method, token, by) in [
        ("PUT", ADMIN, "by=\"token\" reason=\"spam\""),
        ("PUT", &*key, "by=\"key carol\" reason=\"spam\""),
        ("DELETE", &*key, "by=\"key carol\""),
    ] {
        let query = if method == "PUT" { "?reason=spam" } else { "" };
        let request = running.request(method, &format!("{path}{query}"));
        let request = request.header("Authorization", format!("Bearer {token}"));
        assert_eq!(request.send().status, 204);
        let line = running.next_line();
        assert!(line.contains("the operator") && line.contains(by), "{line}");
    }
    let saved = running.request("POST", "/").body("y").send();
    let path = format!("{}?reason=spam", Saved::of(&saved).path);
    let delete = running.request("DELETE", &path);
    let deleted = delete
        .header("Authorization", format!("Bearer {key}"))
        .send();
    assert_eq!(deleted.status, 200);
    let line = running.next_line();
    let told = "the operator removed a paste by=\"key carol\" reason=\"spam\"";
    assert!(line.contains(told), "{line}");
}
