//! Attacks on the server that must fail without any effect on other clients.
//!
//! Each test acts as a proxy on loopback, so that it can send requests as any number of clients.

mod addresses;
mod evictions;
mod overload;
mod rates;
mod renders;
mod slowness;

use crate::client::Response;
use crate::server::{Saved, TestServer};

/// Saves the body as the client at this address.
fn save(server: &TestServer, from: &str, body: impl AsRef<[u8]>) -> Response {
    server.request("POST", "/").from(from).body(body).send()
}

/// Does the same as [`save`], and asserts success.
#[track_caller]
fn saved(server: &TestServer, from: &str, body: impl AsRef<[u8]>) -> Saved {
    let answer = save(server, from, body);
    assert_eq!(answer.status, 201, "{answer:?}");
    Saved::of(&answer)
}

/// Requests the path as the client at this address.
fn get(server: &TestServer, from: &str, path: &str) -> Response {
    server.request("GET", path).from(from).send()
}
