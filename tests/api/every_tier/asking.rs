//! Questions: each gets one answer, which anyone who has its link may send, and only the person who asked can read.

use std::thread;

use crate::client::Response;
use crate::forms::Forms;
use crate::keys::KeysFile;
use crate::rounds::rounds;
use crate::server::{Saved, TestServer};

/// The bytes of the longest answer, with its key and its tag.
const LONGEST: usize = 32 + 64 * 1024 + 16;

pub fn ask(server: &TestServer, fields: &[(&str, &str)]) -> Saved {
    let fields = [&[("question", "WiFi <b>password</b>?")], fields].concat();
    let asked = server.request("POST", "/").parts(&fields).send();
    assert_eq!(asked.status, 200, "{asked:?}");
    Saved::of(&asked)
}

/// Sends these bytes as the answer.
fn send(server: &TestServer, saved: &Saved, message: &[u8]) -> Response {
    let path = format!("/api/v1/pastes/{}/answer", saved.id);
    server.request("POST", &path).body(message).send()
}

fn answer(server: &TestServer, saved: &Saved, message: &[u8]) -> u16 {
    send(server, saved, message).status
}

#[test]
fn a_question_is_shown_until_it_is_answered_once() {
    let server = TestServer::start();
    // Given questions, of which one burns when its answer is read
    for fields in [&[][..], &[("burn", "1")]] {
        let saved = ask(&server, fields);
        // Then reading a question uses up nothing, and shows the text alone
        for method in ["GET", "POST"] {
            let read = server.request(method, &saved.path).send();
            assert_eq!(read.text(), "WiFi <b>password</b>?", "{fields:?}");
        }
        let of_api = server.get(&format!("/api/v1/pastes/{}", saved.id));
        assert!(of_api.text().contains(r#""size":21,"#), "{of_api:?}");
        let page = server.browse(&saved.path);
        assert!(
            page.text()
                .contains("WiFi &#60;b&#62;password&#60;/b&#62;?")
        );
        assert!(page.text().contains(r#"content="noindex, nofollow""#));
        // When it is answered, the answer is in its place, and no other follows
        server.advance(std::time::Duration::from_secs(1));
        assert_eq!(answer(&server, &saved, &[1; 50]), 204);
        assert_eq!(answer(&server, &saved, &[2; 50]), 409);
        let read = server.request("POST", &saved.path).send();
        assert_eq!(
            read.body,
            [b"\xfftidebin answer 1\n", &[1; 50][..]].concat()
        );
        let is_gone = server.request("POST", &saved.path).send().status == 410;
        assert_eq!(is_gone, !fields.is_empty());
    }
}

#[test]
fn the_first_visit_of_the_form_takes_twelve_kibibytes_at_most() {
    let server = TestServer::start();
    let size = |path: &str| {
        let request = server.request("GET", path).header("Accept", "text/html");
        let answer = request.header("Accept-Encoding", "gzip, br").send();
        let size: usize = answer.header("content-length").unwrap().parse().unwrap();
        size
    };
    let page = server.browse("/ask");
    let assets = page
        .text()
        .split('"')
        .filter(|it| it.starts_with("/assets/"));
    let assets: std::collections::BTreeSet<_> = assets.collect();
    let sum = size("/ask") + assets.into_iter().map(size).sum::<usize>();
    assert!(sum <= 12 * 1024, "{sum}");
}

#[test]
fn of_many_answers_at_once_one_is_stored() {
    for _ in 0..rounds(2) {
        let server = TestServer::start();
        let saved = ask(&server, &[]);
        let send = |byte| (answer(&server, &saved, &[byte; 500]), byte);
        let answers: Vec<(u16, u8)> = thread::scope(|scope| {
            let senders: Vec<_> = (0..16)
                .map(|byte| scope.spawn(move || send(byte)))
                .collect();
            senders.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let (won, lost): (Vec<_>, Vec<_>) = answers.iter().partition(|(status, _)| *status == 204);
        assert!(lost.iter().all(|(status, _)| *status == 409), "{answers:?}");
        let [(_, byte)] = *won else {
            panic!("{answers:?}")
        };
        assert!(server.get(&saved.raw()).body.ends_with(&[byte; 500]));
    }
}

#[test]
fn an_answer_that_is_none_or_has_no_question_changes_nothing() {
    let server = TestServer::start();
    let saved = ask(&server, &[]);
    for (length, status) in [(0, 400), (48, 400), (LONGEST + 1, 413), (10 << 20, 413)] {
        let sent = vec![1; length];
        assert_eq!(answer(&server, &saved, &sent), status, "{length}");
    }
    assert_eq!(server.get(&saved.raw()).text(), "WiFi <b>password</b>?");
    assert_eq!(answer(&server, &saved, &[1; LONGEST]), 204);
    let paste = server.save("a text");
    assert_eq!(answer(&server, &paste, &[1; 50]), 409);
    assert_eq!(server.get(&paste.raw()).text(), "a text");
    let short = ask(&server, &[("expires", "1m")]);
    server.advance(std::time::Duration::from_secs(61));
    assert_eq!(answer(&server, &short, &[1; 50]), server.expired());
}

#[test]
fn what_is_no_question_is_not_asked() {
    let server = TestServer::start();
    for (fields, status) in [
        (&[("question", "see https://evil.example")][..], 400),
        (&[("question", "see WWW.evil.example")], 400),
        (&[("question", &*"x".repeat(301))], 400),
        (&[("question", &*"x".repeat(64 << 10))], 400),
        (&[("question", " ")], 400),
        (&[("question", "a?"), ("content", "b")], 400),
        (&[("question", "a?"), ("password", "b")], 400),
    ] {
        let refused = server.request("POST", "/").parts(fields).send();
        assert_eq!(refused.status, status, "{:.99?}", fields);
    }
    // It is known in both forms, and a raw body is not judged by what it says.
    let encoded = server
        .request("POST", "/")
        .form("question=a%3F+%C3%A9")
        .send();
    assert_eq!(server.get(&Saved::of(&encoded).path).text(), "a? é");
    let raw = server
        .request("POST", "/")
        .body(r#"{"question":"a?"}"#)
        .send();
    assert_eq!(
        server.get(&Saved::of(&raw).path).text(),
        r#"{"question":"a?"}"#
    );
    // A question is a paste of its own.
    let saved = server.save("a text");
    let token = &*saved.token;
    for (path, fields) in [
        (
            "/",
            &[("question", "a?"), ("id:1", &*saved.id), ("token", token)][..],
        ),
        (&format!("{}/edit", saved.path), &[("question", "a?")]),
    ] {
        let request = server.request("POST", path).header("X-Token", token);
        assert_eq!(request.parts(fields).send().status, 400, "{path}");
    }
    assert_eq!(server.get(&saved.raw()).text(), "a text");
}

#[test]
fn an_answer_needs_no_key_to_save_and_a_private_server_asks_nothing() {
    let file = KeysFile::new();
    let key = format!("Bearer {}", file.make(&["alice"]));
    let by_key = |access| TestServer::with(&["--access", access, "--keys", file.path()]);
    let asks = |server: &TestServer| {
        let request = server.request("POST", "/").header("Authorization", &key);
        request.parts(&[("question", "a?")]).send()
    };
    let server = by_key("save-by-key");
    assert_eq!(server.request("POST", "/").body("x").send().status, 401);
    let saved = Saved::of(&asks(&server));
    assert_eq!(answer(&server, &saved, &[1; 50]), 204);
    let server = by_key("private");
    let refused = asks(&server);
    assert_eq!(refused.status, 403);
    assert!(refused.text().contains("private"), "{refused:?}");
    // Nor is a raw body in the form of a question
    let mut raw = b"\xfftidebin question 1\na?\xff".to_vec();
    raw.resize(LONGEST + 18, b'x');
    for path in ["/", "/documents"] {
        let request = server.request("POST", path).header("Authorization", &key);
        assert_eq!(request.body(&raw).send().status, 403, "{path}");
    }
}

#[test]
fn without_encryption_nothing_is_asked_or_answered() {
    let server = TestServer::start();
    let saved = ask(&server, &[]);
    let raw = [b"\xfftidebin answer 1\n", &[1; 50][..]].concat();
    assert_eq!(server.request("POST", "/").body(&raw).send().status, 201);
    let off = server.restart_with(&["--encryption", "off"]);
    assert_eq!(off.browse("/ask").status, 403);
    assert!(!off.browse("/").text().contains("/ask"));
    assert_eq!(off.request("POST", "/").body(&raw).send().status, 403);
    let asked = off.request("POST", "/").parts(&[("question", "a?")]).send();
    assert_eq!(asked.status, 403);
    // In memory, the question is lost.
    assert!(matches!(answer(&off, &saved, &[1; 50]), 403 | 404));
}

#[test]
fn a_server_whose_pastes_are_smaller_than_an_answer_asks_nothing() {
    let server = TestServer::with(&["--max-paste-size", "64KiB"]);
    assert!(!server.browse("/").text().contains("/ask"));
    let asked = server.request("POST", "/").parts(&[("question", "a?")]);
    for refused in [server.browse("/ask"), asked.send()] {
        assert_eq!(refused.status, 403);
        assert!(refused.text().contains("takes no answers"), "{refused:?}");
    }
}

#[test]
fn an_answer_costs_its_sender_and_the_asker_paid_for_the_longest_from_the_start() {
    let server = TestServer::limited(&["--limit-save", "quota 136KiB/1d"]);
    let ask = |address| {
        let request = server.request("POST", "/").from(address);
        request.parts(&[("question", "a?")]).send()
    };
    // Given an asker who has room for two longest answers
    let saved = Saved::of(&ask("192.0.2.1"));
    assert_eq!(ask("192.0.2.1").status, 200);
    assert_eq!(ask("192.0.2.1").status, 429);
    // When a stranger answers, it is the stranger who is charged
    let path = format!("/api/v1/pastes/{}/answer", saved.id);
    let sent = vec![1; LONGEST];
    let request = server.request("POST", &path).from("198.51.100.7");
    let sent = request.body(&sent).send();
    assert_eq!(sent.status, 204);
    assert!(sent.header("ratelimit").is_some(), "{sent:?}");
    let request = server.request("POST", "/").from("198.51.100.7");
    assert_eq!(request.body(vec![b'x'; 80 << 10]).send().status, 429);
}

#[test]
fn a_question_that_other_routes_meet_is_neither_used_up_nor_a_message_or_a_card() {
    let server = TestServer::start();
    let saved = ask(&server, &[("burn", "1"), ("title", "x")]);
    let get = |path: &str| server.request("GET", path);
    let bin = get(&format!("/?{}", saved.id)).header("X-Requested-With", "JSONHttpRequest");
    assert_eq!(bin.send().status, 404);
    let card = get(&saved.path).header("User-Agent", "Slackbot-LinkExpanding 1.0");
    assert!(!card.send().text().contains("og:"));
    let read = server.request("POST", &format!("/api/v1/pastes/{}/read", saved.id));
    assert_eq!(read.send().status, 200);
    let edit = get(&format!("{}/edit", saved.path)).header("X-Token", &saved.token);
    assert_eq!(edit.send().status, 400);
    let put = server
        .request("PUT", &saved.path)
        .header("X-Token", &saved.token);
    assert_eq!(put.body("another text").send().status, 200);
    assert_eq!(answer(&server, &saved, &[1; 50]), 409);
}
