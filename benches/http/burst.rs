//! A burst: many clients that connect at the same moment. A client that finds the queue of new connections full is
//! ignored by the system and tries again after a second.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::flags::{AMPLE, QUIET};
use crate::load::{Request, Server};

/// What is measured, in milliseconds.
pub(crate) const NAME: &str = "400 connections at once, ten times: longest wait";

const CONNECTIONS: usize = 400;
const TIMES: usize = 10;

/// Returns the longest time from the start of a connection to the end of its first response, in milliseconds.
pub(crate) fn longest_wait() -> f64 {
    let server = Server::tidebin(&[QUIET, AMPLE].concat());
    let request = Request::get(format!("/raw/{}", server.save(&"x".repeat(1024))));
    let all = (0..TIMES).flat_map(|_| waits(&server, &request));
    all.max().unwrap().as_secs_f64() * 1e3
}

fn waits(server: &Server, request: &Request) -> Vec<Duration> {
    let together = Barrier::new(CONNECTIONS);
    let wait = || {
        together.wait();
        let start = Instant::now();
        assert!(server.ask(request).status == 200, "no paste");
        start.elapsed()
    };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(wait)).collect();
        let waits = clients.into_iter().map(|client| client.join().unwrap());
        waits.collect()
    })
}
