//! Rate limits: the requests that they admit, and the responses to the others.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use tidebin::limit::Action;

use crate::client::{Request, Response, connect};
use crate::server::{Saved, TestServer};

const ALICE: &str = "192.0.2.1";
const BOB: &str = "198.51.100.1";

fn save(server: &TestServer, from: &str) -> Response {
    server.request("POST", "/").from(from).body("x").send()
}

fn get(server: &TestServer, from: &str, path: &str) -> Request {
    server.request("GET", path).from(from)
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn a_client_saves_its_burst_and_then_one_a_second_and_others_do_not_notice() {
    let server = TestServer::limited(&[]);
    for _ in 0..30 {
        assert_eq!(save(&server, ALICE).status, 201);
    }
    let refused = save(&server, ALICE);
    assert_eq!(refused.status, 429);
    assert_eq!(
        refused.sentence(),
        "You have reached the limit for saves (rate 1/s burst 30). Try again in 1 second."
    );
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(
        refused.header("ratelimit-policy"),
        Some("\"save-1\";q=30;w=30")
    );
    assert_eq!(refused.header("ratelimit"), Some("\"save-1\";r=0;t=1"));
    assert_eq!(save(&server, BOB).status, 201);
    server.advance(seconds(1));
    assert_eq!(save(&server, ALICE).status, 201);
    assert_eq!(save(&server, ALICE).status, 429);
}

#[test]
fn the_answer_to_a_save_states_the_remaining_limit_of_its_client() {
    let server = TestServer::limited(&[]);
    let saved = save(&server, ALICE);
    assert_eq!(
        saved.header("ratelimit-policy"),
        Some(
            "\"save-1\";q=30;w=30, \"save-2\";q=2000;w=86400, \"save-3\";q=67108864;qu=\"content-bytes\";w=86400"
        )
    );
    let left = saved.header("ratelimit").unwrap();
    assert!(
        left.starts_with("\"save-1\";r=29;t=1, \"save-2\";r=1999;t="),
        "{left}"
    );
    assert!(left.contains("\"save-3\";r=67108863;t="), "{left}");
}

#[test]
fn a_refusal_is_a_page_for_a_person_and_problem_details_for_a_program() {
    let server = TestServer::limited(&["--limit-read", "rate 1/1m burst 1"]);
    assert_eq!(get(&server, ALICE, "/").send().status, 200);
    let page = get(&server, ALICE, "/")
        .header("Accept", "text/html")
        .send();
    assert_eq!(page.status, 429);
    assert!(page.text().contains("<h1>Too many requests</h1>"));
    assert!(page.text().contains("Try again in 60 seconds"));
    let details = get(&server, ALICE, "/")
        .header("Accept", "application/json")
        .send();
    assert_eq!(
        details.header("content-type"),
        Some("application/problem+json")
    );
    for part in [
        "\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\"",
        "\"violated-policies\":[\"read-1\"]",
        "\"status\":429",
    ] {
        assert!(details.text().contains(part), "{details:?}");
    }
}

#[test]
fn the_2019_api_reports_limits_in_its_own_format() {
    let server = TestServer::limited(&["--limit-save", "rate 1/s burst 1"]);
    let body = r#"{"title":"","lang":"","content":"x","expiration":9}"#;
    let save = || {
        server
            .request("POST", "/record")
            .from(ALICE)
            .body(body)
            .send()
    };
    assert_eq!(save().status, 200);
    let refused = save();
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (429, Some("1"))
    );
    assert!(refused.text().contains("\"code\":1004"), "{refused:?}");
}

#[test]
fn a_request_for_a_static_answer_is_not_charged() {
    let server = TestServer::limited(&["--limit-read", "rate 1/s burst 1"]);
    for _ in 0..20 {
        for path in ["/healthz", "/robots.txt", "/favicon.ico"] {
            assert_eq!(get(&server, ALICE, path).send().status, 200);
        }
    }
    assert_eq!(get(&server, ALICE, "/help").send().status, 200);
    assert_eq!(get(&server, ALICE, "/help").send().status, 429);
}

#[test]
fn sixteen_clients_of_one_network_use_up_the_limit_of_the_network() {
    let server = TestServer::limited(&["--limit-save", "rate 1/s burst 2"]);
    for client in 1..=16 {
        for _ in 0..2 {
            assert_eq!(save(&server, &format!("192.0.2.{client}")).status, 201);
        }
    }
    let refused = save(&server, "192.0.2.17");
    assert_eq!(refused.status, 429);
    assert!(
        refused
            .sentence()
            .starts_with("Your network has reached its limit for saves")
    );
    assert_eq!(
        refused.header("ratelimit-policy"),
        Some("\"save-1-network\";q=32;w=2")
    );
    assert_eq!(save(&server, "192.0.3.1").status, 201);
}

#[test]
fn bytes_that_were_not_stored_are_refunded_and_stored_ones_are_not() {
    let server = TestServer::limited(&["--limit-save", "quota 10KiB/1h"]);
    let post = |body: &[u8]| server.request("POST", "/").from(ALICE).body(body).send();
    let chunked = |chunks: &[&[u8]]| {
        server
            .request("PUT", "/")
            .from(ALICE)
            .chunked(chunks)
            .send()
    };
    let half = [b'x'; 5 * 1024];
    for _ in 0..5 {
        // The body is rejected after its arrival, because it is not a valid form.
        let refused = server
            .request("POST", "/")
            .from(ALICE)
            .header("Content-Type", "multipart/form-data; boundary=b")
            .body(half)
            .send();
        assert_eq!(refused.status, 400);
    }
    assert_eq!(chunked(&[&half]).status, 201);
    assert_eq!(post(&half).status, 201);
    for refused in [post(b"x"), chunked(&[b"x"])] {
        assert_eq!(refused.status, 429, "{refused:?}");
    }
    server.advance(seconds(3661));
    assert_eq!(post(&half).status, 201);
    let large = [b'x'; 11 * 1024];
    for never in [post(&large), chunked(&[&large, b"x"])] {
        assert_eq!((never.status, never.header("retry-after")), (413, None));
    }
}

#[test]
fn an_aborted_body_is_not_charged() {
    // The quota allows two saves, because the refund of the first may still be pending when the second starts.
    let server = TestServer::limited(&["--limit-save", "quota 1900B/1h"]);
    let request = server
        .request("POST", "/")
        .from(ALICE)
        .body([b'x'; 900])
        .bytes();
    for _ in 0..5 {
        let mut stream = connect(server.addr);
        stream.write_all(&request[..request.len() - 100]).unwrap();
        server.until("received", |load| load.receiving == 1);
        drop(stream);
        server.until("ended", |load| load.receiving == 0);
    }
    assert_eq!(
        server
            .request("POST", "/")
            .from(ALICE)
            .body([b'x'; 900])
            .send()
            .status,
        201
    );
}

#[test]
fn a_client_that_guesses_ids_is_refused_after_the_burst_hits_included() {
    let server = TestServer::limited(&[]);
    let saved = Saved::of(&save(&server, BOB));
    for guess in 0..60 {
        let path = format!("/raw/AAAAAAAAAA{guess:02}");
        assert_eq!(get(&server, ALICE, &path).send().status, 404);
    }
    for path in [
        &saved.path,
        &saved.raw(),
        "/malformed",
        &format!("/record/{}", saved.id),
    ] {
        let refused = get(&server, ALICE, path).send();
        assert_eq!(refused.status, 429, "{path}: {refused:?}");
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    let delete = server.request("DELETE", &saved.path).from(ALICE);
    assert_eq!(delete.header("X-Token", &saved.token).send().status, 429);
    assert_eq!(get(&server, BOB, &saved.path).send().status, 200);
    assert_eq!(get(&server, ALICE, "/").send().status, 200);
    server.advance(seconds(1));
    assert_eq!(get(&server, ALICE, &saved.path).send().status, 200);
}

#[test]
fn guesses_are_charged_when_their_bodies_have_arrived() {
    let server = TestServer::limited(&[]);
    let guess = |n: usize| {
        let request = server
            .request("POST", &format!("/AAAAAAAAAA{n:02}"))
            .from(ALICE);
        let body = "delete=1&token=AAAAAAAAAAAAAAAAAAAAAA";
        let typed = request.header("Content-Type", "application/x-www-form-urlencoded");
        typed.body(body).bytes()
    };
    // One client may have 64 requests in progress.
    let mut streams: Vec<_> = (0..64)
        .map(|n| {
            let mut stream = connect(server.addr);
            let bytes = guess(n);
            stream.write_all(&bytes[..bytes.len() - 2]).unwrap();
            server.until("received", |load| load.receiving == n + 1);
            stream
        })
        .collect();
    let mut answer = |stream: &mut TcpStream| {
        stream.write_all(b"AA").unwrap();
        Response::read(stream, false).status
    };
    let told: Vec<u16> = streams.iter_mut().map(&mut answer).collect();
    let misses = told.iter().filter(|status| **status == 404).count();
    let refused = told.iter().filter(|status| **status == 429).count();
    assert_eq!((misses, refused), (60, 4), "{told:?}");
}

#[test]
fn a_wrong_token_is_a_guess_like_any_other() {
    let server = TestServer::limited(&["--admin-token", "correct-horse-battery"]);
    let saved = Saved::of(&save(&server, BOB));
    let delete = || server.request("DELETE", &saved.path).from(ALICE);
    for turn in 0..60 {
        let wrong = delete().header("Authorization", format!("Bearer wrong-{turn}"));
        let wrong = if turn % 2 == 0 {
            wrong.header("X-Token", "x")
        } else {
            wrong
        };
        assert_eq!(wrong.send().status, 403);
    }
    let right = delete().header("Authorization", "Bearer correct-horse-battery");
    assert_eq!(right.send().status, 429);
}

#[test]
fn a_request_whose_body_is_not_read_is_answered_and_its_connection_closed() {
    let server = TestServer::start();
    let mut stream = connect(server.addr);
    let head = "GET /healthz HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(Response::read(&mut stream, false).status, 200);
    // The server does not read the whole body. It closes the connection after a few seconds.
    let chunk = [b"8000\r\n".to_vec(), vec![b'x'; 0x8000], b"\r\n".to_vec()].concat();
    let start = Instant::now();
    while stream.write_all(&chunk).is_ok() {
        assert!(start.elapsed() < seconds(30), "it is read for ever");
    }
}

#[test]
fn a_rule_that_shapes_makes_a_client_wait_for_its_turn() {
    let server = TestServer::limited(&["--limit-read", "rate 1/s burst 1 wait 2s"]);
    assert_eq!(get(&server, ALICE, "/").send().status, 200);
    let waiting: Vec<_> = (0..2)
        .map(|turn| {
            let request = get(&server, ALICE, "/");
            let waiting = std::thread::spawn(move || request.send().status);
            server.until("waiting", |load| load.waiting == turn + 1);
            waiting
        })
        .collect();
    assert_eq!(get(&server, ALICE, "/").send().status, 429);
    assert_eq!(get(&server, BOB, "/").send().status, 200);
    let mut waiting = waiting.into_iter();
    for turn in [1, 0] {
        server.advance(seconds(1));
        server.until("one was let in", |load| load.waiting == turn);
        assert_eq!(waiting.next().unwrap().join().unwrap(), 200);
    }
}

#[test]
fn an_exempt_network_has_no_limits_and_one_with_a_factor_has_multiplied_limits() {
    let server = TestServer::limited(&[
        "--limit-save",
        "rate 1/s burst 1",
        "--networks",
        "192.0.2.0/24 allow, 198.51.100.0/24 limit x3",
    ]);
    for _ in 0..10 {
        let saved = save(&server, ALICE);
        assert_eq!((saved.status, saved.header("ratelimit")), (201, None));
    }
    for _ in 0..3 {
        assert_eq!(save(&server, BOB).status, 201);
    }
    let refused = save(&server, BOB);
    assert_eq!(refused.status, 429);
    assert_eq!(
        refused.header("ratelimit-policy"),
        Some("\"save-1\";q=3;w=1")
    );
}

#[test]
fn every_decision_of_the_limiter_is_counted() {
    let server = TestServer::limited(&["--limit-save", "rate 1/s burst 2"]);
    for expected in [201, 201, 429, 429] {
        assert_eq!(save(&server, ALICE).status, expected);
    }
    assert_eq!(get(&server, BOB, "/AAAAAAAAAAAA").send().status, 404);
    let counters = server.counters();
    let admitted = counters.limits.admitted;
    assert_eq!(
        admitted,
        [
            (Action::Save, 2),
            (Action::Read, 1),
            (Action::Miss, 1),
            (Action::Password, 0)
        ]
    );
    let limited: Vec<u64> = counters
        .limits
        .denied
        .iter()
        .map(|rule| rule.count)
        .collect();
    // The rules of the client and of the network, for saves, reads, misses and password guesses.
    assert_eq!(limited, [2, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(
        (counters.limits.clients.used, counters.limits.networks.used),
        (2, 2)
    );
    assert_eq!(
        (counters.load.shed, server.store.occupancy().pastes),
        ([0, 0, 0], 2)
    );
}

#[test]
fn a_limit_that_is_off_limits_nothing() {
    let server = TestServer::with(&["--trusted-proxies", "127.0.0.1"]);
    for _ in 0..100 {
        let saved = save(&server, ALICE);
        assert_eq!((saved.status, saved.header("ratelimit")), (201, None));
    }
}
