//! Attacks that must fail, and what everybody else notices of them: nothing.
//!
//! The tests speak as a proxy on loopback, so that they can be anybody and many.

mod evictions;
mod overload;
mod rates;
mod slowness;

use std::time::{Duration, Instant};

use tidebin::limit::Class;

use crate::client::Response;
use crate::server::{Saved, TestServer};

/// Saves this as the client at that address.
fn save(server: &TestServer, from: &str, body: impl AsRef<[u8]>) -> Response {
    server.request("POST", "/").from(from).body(body).send()
}

/// The same, expected to work.
#[track_caller]
fn saved(server: &TestServer, from: &str, body: impl AsRef<[u8]>) -> Saved {
    let answer = save(server, from, body);
    assert_eq!(answer.status, 201, "{answer:?}");
    Saved::of(&answer)
}

/// Asks for this path as the client at that address.
fn get(server: &TestServer, from: &str, path: &str) -> Response {
    server.request("GET", path).from(from).send()
}

/// Lets the clock go on until somebody who waits is turned away, and expects it to be one of this class.
///
/// That is half a second in five steps, and a few more where the server is busy meanwhile; never so long that anybody
/// counts as standing still. In each step the server has a tenth of a second to notice.
#[track_caller]
fn until_turned_away(server: &TestServer, class: Class) {
    const MOST_STEPS: usize = 15;
    const STEP: Duration = Duration::from_millis(100);
    let mut expected = server.overload.load().shed;
    let before = expected;
    expected[class.index()] += 1;
    for _ in 0..MOST_STEPS {
        if server.overload.load().shed != before {
            break;
        }
        server.advance(STEP);
        let begun = Instant::now();
        while server.overload.load().shed == before && begun.elapsed() < STEP {
            assert_eq!(server.get("/healthz").status, 200);
        }
    }
    assert_eq!(server.overload.load().shed, expected, "{class:?}");
}
