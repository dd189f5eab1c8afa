//! Credentials that a browser or a proxy adds by itself, and requests of other sites.

use super::{KeysFile, basic, bearer};
use crate::client::Request;
use crate::server::TestServer;

/// Headers that a browser adds to a request of another site.
const CROSS_SITE: [&[(&str, &str)]; 5] = [
    &[
        ("Sec-Fetch-Site", "cross-site"),
        ("Origin", "https://evil.example"),
    ],
    &[("Sec-Fetch-Site", "same-site")],
    &[("Origin", "https://evil.example")],
    &[("Origin", "null")],
    &[("Sec-Fetch-Site", "cross-site"), ("Origin", "null")],
];

fn with(request: Request, headers: &[(&str, &str)]) -> Request {
    headers
        .iter()
        .fold(request, |it, (name, value)| it.header(name, value))
}

#[test]
fn an_ambient_credential_changes_nothing_for_a_page_of_another_site() {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let proxy = [
        "--trusted-proxies",
        "127.0.0.1",
        "--auth-header",
        "Remote-User",
    ];
    for access in ["open", "save-by-key", "private"] {
        let flags = [&["--access", access, "--keys", file.path()], &proxy[..]].concat();
        let server = TestServer::with(&flags);
        let mut saves = 0;
        let own = format!("http://{}", server.addr);
        let (cookie, password) = (format!("key={key}"), basic(&key));
        for credential in [
            ("Cookie", cookie.as_str()),
            ("Authorization", &password),
            ("Remote-User", "alice"),
        ] {
            for (method, path) in [
                ("POST", "/"),
                ("PUT", "/x.txt"),
                ("POST", "/documents"),
                ("POST", "/record"),
                ("POST", "/api/v1/pastes"),
                ("DELETE", "/0123456789AB"),
                ("POST", "/0123456789AB"),
            ] {
                for site in CROSS_SITE {
                    let request = with(server.request(method, path), &[credential]);
                    let answer = with(request, site).body("x").send();
                    assert_eq!(
                        answer.status, 403,
                        "{method} {path} {credential:?} {site:?}"
                    );
                }
            }
            assert_eq!(server.store.occupancy().pastes, saves);
            // A page of this server, and a program, may use it.
            let same_site = [("Sec-Fetch-Site", "same-origin")];
            let same_origin = [("Origin", own.as_str())];
            for site in [&[][..], &same_site, &same_origin] {
                let request = with(server.request("POST", "/"), &[credential]);
                assert_eq!(with(request, site).body("x").send().status, 201);
            }
            saves += 3;
        }
    }
}

#[test]
fn an_explicit_key_needs_no_proof_of_the_site() {
    let (server, _file, key) = super::server("save-by-key");
    for site in CROSS_SITE {
        for authorization in [format!("Bearer {key}"), key.clone()] {
            let request = with(server.request("POST", "/"), site).body("x");
            let saved = request.header("Authorization", authorization).send();
            assert_eq!(saved.status, 201, "{site:?}");
        }
    }
}

#[test]
fn a_page_of_another_site_may_link_to_a_paste_of_a_private_server() {
    let (server, _file, key) = super::server("private");
    let path = super::save(&server, &key).path;
    let request = server
        .request("GET", &path)
        .header("Cookie", format!("key={key}"));
    assert_eq!(with(request, CROSS_SITE[0]).send().body, b"x");
}

#[test]
fn a_user_is_believed_only_from_a_trusted_proxy_that_names_one() {
    let start = |proxy| {
        TestServer::with(&[
            "--access",
            "private",
            "--auth-header",
            "Remote-User",
            "--trusted-proxies",
            proxy,
        ])
    };
    let (behind, direct) = (start("127.0.0.1"), start("192.0.2.1"));
    let status = |server: &TestServer, names: &[&str]| {
        let request = server.request("GET", "/help");
        let request = names
            .iter()
            .fold(request, |it, name| it.header("remote-user", name));
        request.send().status
    };
    assert_eq!(status(&behind, &["alice"]), 200);
    for names in [&[][..], &[""], &["alice", "bob"], &[&"a".repeat(257)]] {
        assert_eq!(status(&behind, names), 401, "{names:?}");
    }
    assert_eq!(status(&direct, &["alice"]), 401);
    // A user may save and read, owns the pastes it saved, and is not an operator.
    let user = |name, method, path: &str| behind.request(method, path).header("Remote-User", name);
    let saved = crate::server::Saved::of(&user("alice", "POST", "/").body("x").send());
    assert_eq!(user("bob", "GET", &saved.path).send().body, b"x");
    assert_eq!(user("bob", "DELETE", &saved.path).send().status, 403);
    assert_eq!(user("alice", "DELETE", &saved.path).send().status, 200);
}

#[test]
fn a_password_for_a_proxy_is_not_taken_for_a_key() {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let flags = ["--access", "private", "--keys", file.path()];
    let server = TestServer::with(&flags);
    let request = server
        .request("GET", "/help")
        .header("Authorization", basic("hunter2"));
    let request = request.header("Cookie", format!("key={key}"));
    assert_eq!(request.send().status, 200);
    let request = server.request("GET", "/help");
    assert_eq!(bearer(request, "hunter2").send().status, 401);
}

#[test]
fn a_wrong_key_in_a_cookie_is_a_guess_and_takes_no_page_away_that_everyone_may_read() {
    let file = super::KeysFile::new();
    let key = file.make(&["alice"]);
    let limit = ["--limit-miss", "rate 1/h burst 2"];
    let flags = [
        &["--access", "save-by-key", "--keys", file.path()][..],
        &limit,
    ]
    .concat();
    let server = TestServer::limited(&flags);
    let saved = super::save(&server, &key);
    for _ in 0..5 {
        let page = server
            .request("GET", &saved.path)
            .header("Accept", "text/html");
        let page = page
            .header("Cookie", "key=tbk_0123456789abcdefABCDEF")
            .send();
        assert_eq!(page.status, 200);
    }
    // No key of its address is compared then.
    let right = server.request("POST", "/").body("x");
    let right = right.header("Authorization", format!("Bearer {key}"));
    assert_eq!(right.send().status, 429);
    let editor = server.request("GET", "/").header("Accept", "text/html");
    let editor = editor.header("Cookie", format!("key={key}"));
    assert_eq!(editor.send().status, 401);
}
