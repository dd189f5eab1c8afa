//! Saving from a terminal: every way to save, and its response.

use std::rc::Rc;

use proptest::prelude::*;

use crate::forms::{ENCODED, Forms, MULTIPART, parts};
use crate::server::{Saved, TestServer};

#[test]
fn a_raw_post_answers_201_with_the_address_the_token_and_the_expiry() {
    let server = TestServer::start();
    let answer = server.request("POST", "/").body("hello\n").send();
    assert_eq!(answer.status, 201);
    let saved = Saved::of(&answer);
    assert_eq!(saved.url, format!("http://{}{}", server.addr, saved.path));
    assert_eq!(answer.header("location"), Some(saved.url.as_str()));
    // The clock starts at 2026-01-01, and the default lifetime is a week.
    assert_eq!(answer.header("x-expires"), Some("1767830400000"));
    assert_eq!(server.get(&saved.path).body, b"hello\n");
}

#[test]
fn a_put_to_the_root_or_to_any_one_name_saves_and_the_name_gives_title_and_language() {
    let server = TestServer::start();
    for (path, title, language) in [
        ("/", None, "Plain text"),
        ("/main.rs", Some("main.rs"), "Rust"),
        (
            "/r%C3%A9sum%C3%A9%20%22x%22.md",
            Some("résumé &#34;x&#34;.md"),
            "Markdown",
        ),
        ("/robots.txt", Some("robots.txt"), "Plain text"),
        ("/record", Some("record"), "Plain text"),
    ] {
        let answer = server.request("PUT", path).body("x").send();
        assert_eq!(answer.status, 201, "{path}");
        let page = server.browse(&Saved::of(&answer).path);
        assert!(page.text().contains(language), "{path}");
        if let Some(title) = title {
            assert!(page.text().contains(title), "{path}: {}", page.text());
        }
    }
}

#[test]
fn options_come_by_query_header_or_form_and_the_nearest_to_the_content_wins() {
    let server = TestServer::start();
    let expires = |request: crate::client::Request| {
        let answer = request.send();
        assert!(answer.status < 300, "{answer:?}");
        answer
            .header("x-expires")
            .map(|at| (at.parse::<u64>().unwrap() - 1_767_225_600_000) / 1000)
    };
    let post = |path: &str| server.request("POST", path);
    assert_eq!(expires(post("/?expires=90s").body("x")), Some(90));
    assert_eq!(
        expires(post("/").header("X-Expires", "2h").body("x")),
        Some(7200)
    );
    assert_eq!(
        expires(post("/?expires=90s").header("X-Expires", "2h").body("x")),
        Some(90)
    );
    let form = || post("/?expires=90s");
    assert_eq!(expires(form().form("content=x&expires=1m")), Some(60));
    assert_eq!(expires(form().form("content=x&expires=")), Some(90));
}

#[test]
fn a_form_answers_200_and_a_browser_is_sent_to_its_page() {
    let server = TestServer::start();
    let form = || server.request("POST", "/");
    let answer = form().form("content=hello").send();
    assert_eq!(answer.status, 200);
    assert_eq!(server.get(&Saved::of(&answer).path).body, b"hello");

    let answer = form()
        .header("Accept", "text/html")
        .form("content=hello&title=a+title&lang=rust")
        .send();
    assert_eq!(answer.status, 303);
    let saved = Saved::of(&answer);
    let page = format!("{}?saved", saved.path);
    assert_eq!(answer.header("location"), Some(page.as_str()));
    let cookie = answer.headers("set-cookie").next().unwrap();
    let expected = format!(
        "token={}; Path={}; HttpOnly; SameSite=Strict; Max-Age=604800",
        saved.token, saved.path
    );
    assert_eq!(cookie, expected);
    // And only the page that shows the token ends the cookie that it comes from
    let shown = format!("saved={}", saved.token);
    let [head, page] = ["HEAD", "GET"].map(|method| {
        let request = server.request(method, &page).header("Cookie", &*shown);
        let answer = request.header("Accept", "text/html").send();
        answer.headers("set-cookie").count()
    });
    assert_eq!([head, page], [0, 1]);
}

#[test]
fn a_browser_is_recognized_as_the_owner_for_the_longest_life_of_a_cookie() {
    let server = TestServer::with(&["--max-expiry", "never"]);
    // Browsers delete every cookie after 400 days, and a cookie without an age at the end of the session.
    for (expires, days) in [("1d", 1), ("400d", 400), ("60w", 400), ("never", 400)] {
        let request = server.request("POST", "/").header("Accept", "text/html");
        let answer = request.form(format!("content=x&expires={expires}")).send();
        let cookie = answer.headers("set-cookie").next().unwrap();
        let age = format!("; Max-Age={}", days * 86_400);
        assert!(cookie.ends_with(&age), "{expires}: {cookie}");
    }
}

#[test]
fn text_typed_in_a_browser_has_its_line_ends_as_typed_and_a_file_keeps_its_own() {
    let server = TestServer::start();
    for (part, accept, expected) in [
        ("content", "text/html", "a\nb"),
        ("file@", "text/html", "a\r\nb"),
        ("content", "*/*", "a\r\nb"),
    ] {
        let request = server.request("POST", "/").header("Accept", accept);
        let saved = Saved::of(&request.parts(&[(part, "a\r\nb")]).send());
        assert_eq!(server.get(&saved.path).text(), expected, "{part} {accept}");
    }
}

#[test]
fn a_form_is_recognized_at_any_chunk_size_and_in_any_spelling_of_its_names() {
    let server = TestServer::with(&["--max-paste-size", "64KiB"]);
    let encoded = "%41".repeat(60 << 10);
    for (first, rest) in [
        ("te", "xt="),
        ("text", "="),
        ("text=", ""),
        ("f%3A1", "="),
        ("", "&text="),
    ] {
        let rest = format!("{rest}{encoded}");
        let chunks = [first.as_bytes(), rest.as_bytes()];
        let chunks: Vec<&[u8]> = chunks
            .into_iter()
            .filter(|chunk| !chunk.is_empty())
            .collect();
        let request = server.request("POST", "/").header("Content-Type", ENCODED);
        let answer = request.chunked(&chunks).send();
        assert_eq!(answer.status, 200, "{first}: {answer:?}");
        assert_eq!(server.get(&Saved::of(&answer).path).body.len(), 60 << 10);
    }
}

#[test]
fn a_target_that_names_a_host_overrides_the_host_header() {
    let server = TestServer::start();
    let answer = server
        .request("POST", "http://paste.example/")
        .header("Host", "other.example")
        .body("x")
        .send();
    assert!(Saved::of(&answer).url.starts_with("http://paste.example/"));
}

#[test]
fn the_base_url_of_the_operator_is_used_in_answers() {
    let server = TestServer::with(&["--base-url", "https://paste.example.org"]);
    let answer = server
        .request("POST", "/")
        .header("Host", "evil.example")
        .body("x")
        .send();
    assert!(
        Saved::of(&answer)
            .url
            .starts_with("https://paste.example.org/")
    );
    let form = server.request("POST", "/");
    let answer = form.header("Accept", "text/html").form("content=x").send();
    let mut cookies = answer.headers("set-cookie");
    assert!(cookies.all(|cookie| cookie.contains("; Secure")));
}

/// Every way to save raw bytes.
fn ways_in(server: &TestServer, content: &[u8]) -> Vec<Saved> {
    let percent: String = content.iter().map(|byte| format!("%{byte:02X}")).collect();
    let (start, end) = parts(&[("file@", "|")])
        .split_once('|')
        .map(|(start, end)| (start.to_owned(), end.to_owned()))
        .expect("a place for the content");
    let multipart = [start.as_bytes(), content, end.as_bytes()].concat();
    let (first, second) = content.split_at(content.len() / 2);
    let chunks: Vec<&[u8]> = [first, second]
        .into_iter()
        .filter(|chunk| !chunk.is_empty())
        .collect();
    let post = || server.request("POST", "/");
    let mut requests = vec![
        post().body(content),
        post()
            .header("Content-Type", "application/json")
            .body(content),
        server.request("PUT", "/").chunked(&chunks),
        server
            .request("PUT", "/a.bin")
            .header("Content-Type", ENCODED)
            .body(content),
        post().header("Content-Type", MULTIPART).body(multipart),
    ];
    if !content.contains(&b'\r') {
        requests.push(post().form(format!("c={percent}")));
    }
    requests
        .iter()
        .map(|request| Saved::of(&request.send()))
        .collect()
}

proptest! {
    #[test]
    fn any_bytes_come_back_exactly_by_every_way_in_and_out(
        content in prop_oneof![
            prop::collection::vec(any::<u8>(), 1..2000),
            "[a\r\n\u{0}é-]{1,200}".prop_map(String::into_bytes),
        ]
    ) {
        let server = shared_server();
        let saved = ways_in(&server, &content);
        let [first, ..] = &saved[..] else { panic!("no way in") };
        let ways_out = [first.raw(), first.download(), format!("{}.rs", first.path)];
        for path in saved.iter().map(|saved| &saved.path).chain(&ways_out) {
            let answer = server.get(path);
            prop_assert_eq!(answer.status, 200);
            prop_assert_eq!(&answer.body, &content);
        }
    }
}

/// One server for all cases of a random test. It stops when the thread of the test ends.
fn shared_server() -> Rc<TestServer> {
    thread_local! {
        static SERVER: Rc<TestServer> = Rc::new(TestServer::start());
    }
    SERVER.with(Rc::clone)
}

#[test]
fn a_form_that_says_who_can_read_a_paste_is_held_to_it() {
    let server = TestServer::start();
    for (fields, status, read) in [
        (&[("readers", "link"), ("burn", "")][..], 303, 200),
        (
            &[("readers", "once"), ("burn", ""), ("password", "")],
            303,
            405,
        ),
        (&[("readers", "once"), ("burn", "3")], 303, 405),
        (&[("readers", "password"), ("password", "p")], 303, 401),
        (&[("readers", "password"), ("password", "")], 400, 0),
        (&[("readers", "encrypted")], 400, 0),
    ] {
        let request = server.request("POST", "/").header("Accept", "text/html");
        let fields = [&[("content", "text")], fields].concat();
        let answer = request.parts(&fields).send();
        assert_eq!(answer.status, status, "{fields:?}");
        if let Some(page) = answer.header("location") {
            let path = page.split('?').next().unwrap();
            assert_eq!(server.get(path).status, read, "{fields:?}");
        }
    }
}
