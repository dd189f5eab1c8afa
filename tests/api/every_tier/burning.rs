//! Burning after reading: the responses to a GET and to a read, and the state afterwards.

use std::time::Duration;

use crate::client::{Request, Response};
use crate::forms::{Forms, MULTIPART};
use crate::server::{Saved, TestServer};

/// These strings occur nowhere else in a response.
const CONTENT: &str = "Zpx7-content";
const TITLE: &str = "Zpx7-title";

fn save(server: &TestServer, options: &str) -> Saved {
    let path = format!("/?title={TITLE}&{options}");
    let answer = server.request("POST", &path).body(CONTENT).send();
    assert_eq!(answer.status, 201, "{answer:?}");
    Saved::of(&answer)
}

fn read(server: &TestServer, path: &str) -> Response {
    server.request("POST", path).send()
}

fn accepting(request: Request, accept: &str) -> Response {
    request.header("Accept", accept).send()
}

/// Asserts that neither content nor title is in the body or in a header.
#[track_caller]
fn shows_nothing(answer: &Response) {
    let everything = format!("{answer:?} {}", String::from_utf8_lossy(&answer.body));
    assert!(!everything.contains("Zpx7"), "{everything}");
}

#[test]
fn a_read_returns_the_content_once_and_deletes_it() {
    let server = TestServer::start();
    let saved = save(&server, "burn=1");
    let answer = read(&server, &saved.path);
    assert_eq!((answer.status, answer.text()), (200, CONTENT));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(
        answer.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    for name in ["etag", "accept-ranges", "content-disposition"] {
        assert_eq!(answer.header(name), None);
    }
    for method in ["POST", "GET"] {
        let gone = server.request(method, &saved.path).send();
        assert_eq!(gone.status, 410);
        assert_eq!(
            gone.sentence(),
            "This paste was deleted after its last view. If it was not you, someone else has read it: tell the sender."
        );
    }
    assert_eq!(server.pastes(), 0);
    assert_eq!(server.store.removal_counts().burned, 1);
}

#[test]
fn a_paste_is_read_as_often_as_requested_by_any_of_its_addresses() {
    let server = TestServer::start();
    let saved = save(&server, "burn=4");
    let with_ending = format!("{}.rs?lines=2-3", saved.path);
    for path in [&saved.path, &with_ending, &saved.raw()] {
        let part = server.request("POST", path).header("Range", "bytes=0-0");
        let answer = part.header("If-None-Match", "*").send();
        assert_eq!((answer.status, answer.text()), (200, CONTENT), "{path}");
    }
    let file = read(&server, &saved.download());
    assert_eq!((file.status, file.text()), (200, CONTENT));
    let disposition = file.header("content-disposition").unwrap();
    assert!(disposition.contains(TITLE), "{disposition}");
    assert_eq!(read(&server, &saved.raw()).status, 410);
}

#[test]
fn a_get_is_refused_with_the_command_that_reads() {
    let server = TestServer::start();
    let saved = save(&server, "burn=1");
    for path in [saved.path.clone(), saved.raw(), saved.download()] {
        let text = server.get(&path);
        assert_eq!(
            (text.status, text.header("allow")),
            (405, Some("POST, DELETE"))
        );
        assert_eq!(
            text.sentence(),
            "This paste burns after reading. Open it with `curl -X POST URL`, which uses up one view."
        );
        let head = server.request("HEAD", &path).send();
        assert_eq!(
            (head.status, head.header("allow")),
            (405, Some("POST, DELETE"))
        );
        let json = accepting(server.request("GET", &path), "application/json");
        assert_eq!(json.header("allow"), Some("POST, DELETE"));
        assert!(json.text().contains("/api#post-required"), "{json:?}");
    }
    let locked = save(&server, "burn=1&password=right");
    let refused = server.get(&locked.path);
    assert_eq!(
        (refused.status, refused.sentence()),
        (
            405,
            "This paste is password-protected and burns after reading. Open it with `curl -F 'password=<pw.txt' URL`."
        )
    );
}

#[test]
fn a_browser_gets_a_page_with_a_button_that_reads() {
    let server = TestServer::start();
    let saved = save(&server, "burn=2");
    let page = server.browse(&saved.path);
    assert_eq!(page.status, 200);
    assert_eq!(page.header("cache-control"), Some("no-store"));
    shows_nothing(&page);
    for part in [
        "This paste has 2 views left.",
        &format!("<form method=\"post\" action=\"{}\">", saved.path),
        "<button type=\"submit\">View paste</button>",
    ] {
        assert!(page.text().contains(part), "no {part}");
    }
    let pressed = accepting(server.request("POST", &saved.path), "text/html");
    assert_eq!(pressed.status, 200);
    assert_eq!(pressed.header("cache-control"), Some("no-store"));
    assert!(pressed.text().contains(CONTENT) && pressed.text().contains(TITLE));
    assert_eq!(server.pages.used_bytes(), 0);
    let last = server.browse(&saved.path);
    assert!(last.text().contains("You can view this once."));
    accepting(server.request("POST", &saved.path), "text/html");
    let gone = server.browse(&saved.path);
    assert_eq!(gone.status, 410);
    assert!(gone.text().contains("deleted after its last view"));
    shows_nothing(&gone);
    server.until_all_have_ended();
}

#[test]
fn a_paste_that_a_page_cannot_show_whole_is_sent_to_a_browser_as_a_file() {
    let server = TestServer::start();
    let long = "x\n".repeat(20_001).into_bytes();
    for content in [&b"\xff\x00Zpx7"[..], &long] {
        let answer = server.request("POST", "/?burn=1").body(content).send();
        let saved = Saved::of(&answer);
        let file = accepting(server.request("POST", &saved.path), "text/html");
        assert_eq!((file.status, file.body.as_slice()), (200, content));
        let disposition = file.header("content-disposition").unwrap();
        assert!(disposition.starts_with("attachment"), "{disposition}");
        assert_eq!(file.header("cache-control"), Some("no-store"));
    }
}

/// Every address that might show content of a paste or count a read.
pub fn addresses(Saved { id, path, .. }: &Saved) -> [String; 16] {
    [
        path.clone(),
        format!("{path}.rs"),
        format!("{path}.nonsense"),
        format!("{path}?lines=1"),
        format!("{path}?lines=99"),
        format!("{path}?view=source"),
        format!("/raw/{id}"),
        format!("/raw/{id}?lines=1"),
        format!("/dl/{id}"),
        format!("/qr/{id}"),
        format!("/record/{id}"),
        format!("{path}+"),
        format!("{path}/stats"),
        format!("{path}/edit"),
        format!("/?from={id}"),
        format!("//{id}"),
    ]
}

/// Requests that must not read the paste: every address with every method, for every kind of client.
fn looks(server: &TestServer, saved: &Saved) -> Vec<Request> {
    let mut looks = Vec::new();
    for path in addresses(saved) {
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND"] {
            for accept in ["*/*", "text/html", "application/json"] {
                let look = server.request(method, &path).header("Accept", accept);
                looks.push(look.clone());
                looks.push(look.clone().header("Range", "bytes=0-3"));
                looks.push(look.clone().header("If-None-Match", "*"));
                looks.push(look.clone().header("If-Modified-Since", DATE));
                looks.push(look.clone().header("Purpose", "prefetch"));
                looks.push(look.header("X-Token", &saved.token));
            }
        }
    }
    looks
}

const DATE: &str = "Thu, 01 Jan 2099 00:00:00 GMT";

#[test]
fn no_get_by_any_route_and_method_shows_content_or_uses_up_a_read() {
    let server = TestServer::start();
    let saved = save(&server, "burn=3");
    for look in looks(&server, &saved) {
        let answer = look.send();
        shows_nothing(&answer);
        let shown = String::from_utf8_lossy(&look.bytes()).into_owned();
        assert_ne!(answer.status, 206, "{shown}");
        assert_ne!(answer.status, 304, "{shown}");
    }
    let counts = server
        .request("GET", &format!("{}/stats", saved.path))
        .header("X-Token", &saved.token);
    let counts = accepting(counts, "application/json");
    let counts: serde_json::Value = serde_json::from_slice(&counts.body).unwrap();
    assert_eq!(
        (&counts["reads"], &counts["reads_left"]),
        (&0.into(), &3.into())
    );
    for _ in 0..3 {
        assert_eq!(read(&server, &saved.path).text(), CONTENT);
    }
    assert_eq!(read(&server, &saved.path).status, 410);
    assert_eq!(server.pages.used_bytes(), 0);
}

#[test]
fn a_malformed_form_reads_nothing() {
    let server = TestServer::start();
    let saved = save(&server, "burn=1");
    let post = || server.request("POST", &saved.path);
    for (request, status) in [
        (post().form("burm=1"), 400),
        (post().form("some text"), 400),
        (post().form("token=wrong"), 400),
        (post().form("title=a"), 401),
        (post().form("delete=1"), 401),
        (
            post().header("Content-Type", MULTIPART).body("--b\r\nno"),
            400,
        ),
        (post().header("Content-Type", "text/plain").body("{}"), 400),
    ] {
        let answer = request.send();
        assert_eq!(answer.status, status, "{answer:?}");
        shows_nothing(&answer);
    }
    let packed = server
        .request("POST", &saved.path)
        .header("Content-Encoding", "gzip");
    assert_eq!(packed.body("x").send().status, 415);
    assert_eq!(read(&server, &saved.path).text(), CONTENT);
}

#[test]
fn the_owner_deletes_an_unread_paste_at_any_of_its_addresses() {
    let server = TestServer::start();
    for path in [
        |saved: &Saved| saved.path.clone(),
        Saved::raw,
        Saved::download,
    ] {
        let saved = save(&server, "burn=1");
        let delete = server.request("DELETE", &path(&saved));
        assert_eq!(delete.send().status, 401);
        let answer = delete.header("X-Token", &saved.token).send();
        assert_eq!(answer.status, 200, "{answer:?}");
        shows_nothing(&answer);
        let gone = read(&server, &saved.path);
        assert_eq!(gone.status, 410);
        assert!(gone.sentence().contains("deleted by its owner"), "{gone:?}");
    }
}

#[test]
fn a_post_to_an_open_paste_answers_as_a_get() {
    let server = TestServer::start();
    let saved = server.save(CONTENT);
    for path in [&saved.path, &saved.raw(), &saved.download()] {
        let (get, post) = (server.get(path), read(&server, path));
        assert_eq!((post.status, &post.body), (200, &get.body));
        for name in ["content-type", "cache-control", "etag"] {
            assert_eq!(post.header(name), get.header(name), "{path} {name}");
        }
    }
    let page = accepting(server.request("POST", &saved.path), "text/html");
    assert!(page.text().contains(CONTENT) && page.text().contains("<html"));
}

#[test]
fn an_invalid_number_of_reads_is_refused_and_nothing_is_saved() {
    let server = TestServer::start();
    for reads in ["0", "101", "1000000000", "+1", "1.0", "once", ""] {
        let query = format!("/?burn={reads}");
        for request in [
            server.request("POST", &query).body(CONTENT),
            server
                .request("PUT", "/")
                .header("X-Burn", reads)
                .body(CONTENT),
            server
                .request("POST", "/")
                .form(format!("text={CONTENT}&burn={reads}")),
        ] {
            let answer = request.send();
            assert_eq!(answer.status, 400, "{reads:?}");
            let start = "`burn` is not a number from 1 to 100. ";
            assert!(answer.sentence().starts_with(start), "{answer:?}");
        }
    }
    for reads in ["1", "100", "007"] {
        save(&server, &format!("burn={reads}"));
    }
    assert_eq!(server.pastes(), 3);
}

#[test]
fn a_burning_paste_expires_whether_it_was_read_or_not() {
    let server = TestServer::start();
    let saved = save(&server, "burn=2&expires=10m");
    assert_eq!(read(&server, &saved.path).status, 200);
    server.advance(Duration::from_secs(600));
    let gone = read(&server, &saved.path);
    assert_eq!(gone.status, server.expired());
    assert!(gone.sentence().contains("expired"));
}
