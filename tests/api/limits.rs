//! Rate limits: the requests that they admit, and the responses to the others.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use crate::client::{Request, Response, connect};
use crate::forms::Forms;
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
        "You can save 30 at once, then one a second. Try again in 1 s."
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
fn a_client_that_guesses_slugs_is_refused_all_guesses_after_the_burst() {
    let server = TestServer::limited(&[]);
    let saved = Saved::of(&save(&server, BOB));
    for guess in 0..60 {
        let path = format!("/raw/guess-{guess}");
        assert_eq!(get(&server, ALICE, &path).send().status, 404);
    }
    for path in ["/another-guess", "/record/another-guess"] {
        let refused = get(&server, ALICE, path).send();
        assert_eq!(refused.status, 429, "{path}: {refused:?}");
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    let delete = server.request("DELETE", &saved.path).from(ALICE);
    assert_eq!(delete.header("X-Token", &saved.token).send().status, 429);
    for path in [&saved.path, &saved.raw(), "/"] {
        assert_eq!(get(&server, ALICE, path).send().status, 200);
    }
    assert_eq!(get(&server, BOB, "/another-guess").send().status, 404);
    server.advance(seconds(1));
    assert_eq!(get(&server, ALICE, "/another-guess").send().status, 404);
}

#[test]
fn guesses_are_charged_when_their_bodies_have_arrived() {
    let server = TestServer::limited(&[]);
    let saved = Saved::of(&save(&server, BOB));
    let guess = || {
        let request = server.request("POST", &saved.path).from(ALICE);
        let body = "delete=1&token=AAAAAAAAAAAAAAAAAAAAAA";
        let typed = request;
        typed.form(body).bytes()
    };
    let mut streams: Vec<_> = (0..64)
        .map(|n| {
            let mut stream = connect(server.addr);
            let bytes = guess();
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
    let misses = told.iter().filter(|status| **status == 403).count();
    let refused = told.iter().filter(|status| **status == 429).count();
    assert_eq!((misses, refused), (60, 4), "{told:?}");
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
fn a_request_that_is_refused_for_its_credentials_is_charged_as_a_read() {
    let server = TestServer::with(&["--limit-read", "rate 1/s burst 3"]);
    let refused = || {
        let request = server.request("GET", "/mine");
        request.header("Authorization", "Digest tbk_abc").send()
    };
    let statuses = [(); 4].map(|()| refused().status);
    assert_eq!(statuses, [400, 400, 400, 429]);
}
