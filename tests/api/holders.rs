//! `/operate/pastes`: who holds how much, and the removal of all pastes of one, by the page, the API and the command.

use std::process::Output;

use serde_json::Value;

use crate::client::{Request, Response};
use crate::folder::Folder;
use crate::forms::Forms;
use crate::keys::KeysFile;
use crate::operate::ADMIN;
use crate::process::{Running, tidebin};
use crate::server::{Saved, TestServer, Tier};

const PAGE: &str = "/operate/pastes";
const API: &str = "/api/v1/operate/pastes";

/// A server whose pastes are in this tier, with the keys of this file, users of a proxy, and an operator.
fn server(tier: Tier, file: &KeysFile) -> TestServer {
    TestServer::of(
        tier,
        &[
            "--keys",
            file.path(),
            "--admin-token",
            ADMIN,
            "--auth-header",
            "Remote-User",
            "--trusted-proxies",
            "127.0.0.1",
        ],
    )
}

fn bearer(request: Request, token: &str) -> Request {
    request.header("Authorization", format!("Bearer {token}"))
}

fn operate(server: &TestServer, method: &str, path: &str) -> Request {
    bearer(server.request(method, path), ADMIN)
}

fn json(answer: &Response) -> Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    serde_json::from_str(answer.text()).expect("JSON")
}

/// Who holds something, with the number of pastes.
fn holders(server: &TestServer) -> Vec<(String, u64)> {
    let answer = json(&operate(server, "GET", API).send());
    let holders = answer["holders"].as_array().expect("a list").iter();
    let holder = |it: &Value| {
        (
            it["of"].as_str().unwrap().to_owned(),
            it["pastes"].as_u64().unwrap(),
        )
    };
    holders.map(holder).collect()
}

fn ask(server: &TestServer, of: &str) -> Value {
    json(&operate(server, "GET", &format!("{API}?of={of}")).send())
}

fn removal(server: &TestServer, of: &str) -> Request {
    operate(server, "POST", API).form(format!("of={of}&reason=spam"))
}

/// Removes all pastes of one. Returns how many these were.
fn remove(server: &TestServer, of: &str) -> u64 {
    let answer = json(&removal(server, of).send());
    assert_eq!(answer["more"], false);
    answer["removed"].as_u64().expect("a number")
}

fn save(request: Request) -> Saved {
    let answer = request.body("x").send();
    assert_eq!(answer.status, 201, "{answer:?}");
    Saved::of(&answer)
}

/// Saves a paste as a stranger, two with a key, and three as a user of the proxy.
fn save_all(server: &TestServer, key: &str) -> Vec<Saved> {
    let from = |address: &str| {
        server
            .request("POST", "/")
            .header("X-Forwarded-For", address)
    };
    let mut saved = vec![save(from("198.51.100.7"))];
    saved.extend((0..2).map(|_| save(bearer(from("192.0.2.1"), key))));
    saved.extend((0..3).map(|_| save(from("192.0.2.1").header("Remote-User", "bob/x"))));
    saved
}

fn statuses(server: &TestServer, saved: &[Saved]) -> Vec<u16> {
    saved.iter().map(|it| server.get(&it.path).status).collect()
}

#[test]
fn the_operator_sees_who_holds_how_much_and_addresses_of_accounts_alone() {
    for tier in [Tier::Memory, Tier::Disk] {
        let file = KeysFile::new();
        let key = file.make(&["alice"]);
        let server = server(tier, &file);
        let saved = save_all(&server, &key);
        // The heaviest are first, with their names
        let listed = holders(&server);
        let (stranger, count) = listed[2].clone();
        assert_eq!(
            listed[..2],
            [("user:bob/x".to_owned(), 3), ("key:alice".to_owned(), 2)]
        );
        assert!(stranger.starts_with("network:") && count == 1, "{listed:?}");
        // The pastes of an account have addresses
        let alice = ask(&server, "key:alice");
        assert_eq!(alice["holders"][0]["pastes"], 2);
        let first = &alice["pastes"][1];
        assert_eq!(first["of"], saved[1].id);
        assert_eq!(
            (&first["bytes"], &first["access"]),
            (&1.into(), &"open".into())
        );
        assert_eq!(
            ask(&server, "user:bob%2Fx")["pastes"]
                .as_array()
                .unwrap()
                .len(),
            3
        );
        // Those of a stranger have a size, a time, an access and views
        server.get(&saved[0].path);
        let strangers = ask(&server, &stranger);
        let paste = &strangers["pastes"][0];
        assert_eq!(strangers["pastes"].as_array().unwrap().len(), 1);
        assert_eq!(
            (&paste["access"], &paste["views"], &paste["bytes"]),
            (&"open".into(), &1.into(), &strangers["holders"][0]["bytes"])
        );
        assert_eq!(paste["saved"], alice["pastes"][0]["saved"]);
        // And addresses of a stranger are nowhere
        for path in [
            PAGE.to_owned(),
            API.to_owned(),
            format!("{PAGE}?of={stranger}"),
        ] {
            for format in ["text/html", "text/plain", "application/json"] {
                let shown = operate(&server, "GET", &path)
                    .header("Accept", format)
                    .send();
                assert_eq!(shown.status, 200, "{shown:?}");
                assert!(!shown.text().contains(&saved[0].id), "{path} {shown:?}");
            }
        }
    }
}

#[test]
fn all_pastes_of_one_are_removed_for_good_and_those_of_others_stay() {
    for tier in [Tier::Memory, Tier::Disk] {
        let file = KeysFile::new();
        let key = file.make(&["alice"]);
        let server = server(tier, &file);
        let saved = save_all(&server, &key);
        let stranger = holders(&server)[2].0.clone();
        assert_eq!(remove(&server, "user:bob%2Fx"), 3);
        assert_eq!(statuses(&server, &saved), [200, 200, 200, 410, 410, 410]);
        assert_eq!(remove(&server, &stranger), 1);
        assert_eq!(remove(&server, &stranger), 0);
        assert_eq!(statuses(&server, &saved), [410, 200, 200, 410, 410, 410]);
        assert_eq!(holders(&server), [("key:alice".to_owned(), 2)]);
        let page = server.get(&saved[0].path);
        assert!(page.text().contains("removed by the operator"), "{page:?}");
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn with_an_engine_the_pastes_of_a_name_are_seen_and_removed() {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let server = server(Tier::Engine, &file);
    let saved = save_all(&server, &key);
    assert!(holders(&server).is_empty());
    let page = operate(&server, "GET", PAGE)
        .header("Accept", "text/html")
        .send();
    assert!(
        page.text().contains("does not know which network"),
        "{page:?}"
    );
    let alice = ask(&server, "key:alice");
    assert_eq!(alice["holders"][0]["pastes"], Value::Null);
    assert_eq!(alice["pastes"].as_array().unwrap().len(), 2);
    assert_eq!(remove(&server, "key:alice"), 2);
    assert_eq!(statuses(&server, &saved), [200, 410, 410, 200, 200, 200]);
    // Of a network it says that it cannot know
    let network = "network:0123456789abcdef";
    let asked = operate(&server, "GET", &format!("{API}?of={network}"));
    for request in [asked, removal(&server, network)] {
        let refused = request.send();
        assert_eq!(refused.status, 400);
        assert!(
            refused.text().contains("does not know which network"),
            "{refused:?}"
        );
    }
}

#[test]
fn what_names_no_one_is_refused_and_one_without_pastes_has_nothing_to_remove() {
    let server = TestServer::with(&["--admin-token", ADMIN]);
    let saved = server.save("x");
    for of in [
        "",
        "alice",
        "key:",
        "owner:alice",
        "network:",
        "network:1",
        "network:%2B123456789abcde",
        "network:00000000000000000",
        "network:000000000000000g",
        "user:%00",
    ] {
        let asked = operate(&server, "GET", &format!("{API}?of={of}")).send();
        assert_eq!(asked.status, 400, "{of} {asked:?}");
        assert_eq!(removal(&server, of).send().status, 400, "{of}");
    }
    for of in ["key:nobody", "user:nobody", "network:0000000000000000"] {
        assert_eq!(ask(&server, of)["holders"][0]["pastes"], 0);
        assert_eq!(remove(&server, of), 0, "{of}");
    }
    let long = "x".repeat(301);
    let request = operate(&server, "POST", PAGE);
    let refused = request.form(format!("of=key:a&reason={long}")).send();
    assert_eq!(refused.status, 400);
    assert_eq!(server.get(&saved.path).status, 200);
}

#[test]
fn only_the_operator_sees_and_removes_and_no_page_of_another_site() {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let metrics = file.make(&["prometheus", "--rights", "metrics"]);
    let server = server(Tier::Memory, &file);
    let saved = save_all(&server, &key);
    for path in [PAGE, API] {
        for (token, status) in [(&*key, 403), (&metrics, 403), ("wrong", 403)] {
            assert_eq!(
                bearer(server.request("GET", path), token).send().status,
                status
            );
            let post = bearer(server.request("POST", path), token);
            assert_eq!(post.form("of=key:alice").send().status, status);
        }
    }
    // A browser repeats its password for every site
    use base64::Engine;
    let basic = base64::engine::general_purpose::STANDARD.encode(format!("x:{ADMIN}"));
    let form = |site: &str| {
        let request = server.request("POST", PAGE);
        let request = request.header("Authorization", format!("Basic {basic}"));
        let request = request.header("Accept", "text/html");
        request
            .header("Sec-Fetch-Site", site)
            .form("of=key:alice")
            .send()
    };
    assert_eq!(form("cross-site").status, 403);
    assert_eq!(statuses(&server, &saved), [200; 6]);
    let done = form("same-origin");
    assert!(done.text().contains("2 pastes removed."), "{done:?}");
}

fn run(args: &[&str]) -> Output {
    tidebin(args).output().expect("it runs")
}

fn told(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr].concat()).expect("text")
}

#[test]
fn the_command_asks_the_running_server_and_removes_with_yes_alone() {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let base_url = "https://bin.example/paste";
    let running = Running::start(&[
        "--keys",
        file.path(),
        "--admin-token",
        ADMIN,
        "--base-url",
        base_url,
    ]);
    let addr = running.addr().to_string();
    let saved: Vec<Saved> = (0..2)
        .map(|_| save(bearer(running.request("POST", "/paste/"), &key)))
        .collect();
    let pastes = |args: &[&str]| {
        let access = [
            "--addr",
            &addr,
            "--admin-token",
            ADMIN,
            "--base-url",
            base_url,
        ];
        run(&[&["pastes"], args, &access].concat())
    };
    let listed = pastes(&[]);
    assert!(
        told(&listed).starts_with("key:alice 2 pastes, "),
        "{listed:?}"
    );
    let one = pastes(&["key:alice"]);
    assert!(told(&one).contains(&saved[0].id), "{one:?}");
    assert!(told(&one).ends_with(", open, 0 views\n"), "{one:?}");
    for refused in [
        &["key:alice", "--remove", "spam"][..],
        &["--remove", "spam", "--yes"],
        &["key:alice", "--yes"],
        &["alice", "--remove", "spam", "--yes"],
    ] {
        let refused = pastes(refused);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    }
    let removed = pastes(&["key:alice", "--remove", "spam", "--yes"]);
    assert_eq!(told(&removed), "2 pastes removed.\n");
    let nobody = pastes(&["user:alice", "--remove", "spam", "--yes"]);
    assert!(
        told(&nobody).contains("user:alice has no pastes."),
        "{nobody:?}"
    );
    assert!(!nobody.status.success());
    let wrong = run(&[
        "pastes",
        "--addr",
        &addr,
        "--admin-token",
        "another-token-of-16",
    ]);
    assert!(told(&wrong).contains("not"), "{wrong:?}");
    let unset = told(&run(&["pastes", "--addr", &addr]));
    assert!(unset.contains("TIDEBIN_ADMIN_TOKEN is not set."), "{unset}");
    drop(running);
    let stopped = told(&pastes(&[]));
    assert!(stopped.contains("refused"), "{stopped}");
}

#[test]
fn a_key_is_revoked_with_its_pastes_and_its_name_is_not_given_by_mistake() {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let folder = Folder::new("socket");
    let addr = format!("unix:{}", folder.path().join("s").display());
    let flags = ["--keys", file.path(), "--admin-token", ADMIN];
    let running = Running::start(&flags);
    let on = running.addr().to_string();
    let saved = save(bearer(running.request("POST", "/"), &key));
    let new = |flags: &[&str]| file.run(&[&["new", "alice"], flags].concat());
    // A revoked name is not given to another one
    assert!(file.run(&["revoke", "alice"]).status.success());
    let refused = new(&[]);
    assert!(told(&refused).contains("--take-over"), "{refused:?}");
    // When its pastes are removed, the running server forgets the key first
    let revoke = |addr: &str| {
        let access = ["--addr", addr, "--admin-token", ADMIN];
        file.run(&[&["revoke", "alice", "--with-pastes"][..], &access].concat())
    };
    let unreachable = revoke(&addr);
    assert!(!unreachable.status.success(), "{unreachable:?}");
    assert!(!new(&[]).status.success());
    let revoked = revoke(&on);
    assert!(revoked.status.success(), "{revoked:?}");
    assert_eq!(running.request("GET", &saved.path).send().status, 410);
    let with_old = bearer(running.request("POST", "/"), &key).body("x").send();
    assert_eq!(with_old.status, 401);
    // Another node may just have saved one
    assert!(!new(&[]).status.success());
    assert!(new(&["--take-over"]).status.success());
}
