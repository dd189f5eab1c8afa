//! Attacks that must fail, and what everybody else notices of them: nothing.
//!
//! The tests speak as a proxy on loopback, so that they can be anybody and many.

mod evictions;
mod overload;
mod rates;
mod slowness;

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
