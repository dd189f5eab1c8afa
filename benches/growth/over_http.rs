//! The latency of a read over HTTP while pages are rendered or pastes evicted as fast as the server can.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::curve::Series;
use crate::flags::{BELIEVING, OFF, QUIET};
use crate::load::{Client, Server, request};
use crate::percentiles::{draw, line};
use crate::timing::Latencies;

/// The time in which reads are measured.
const TIME: Duration = Duration::from_secs(5);
/// The number of connections of the load. Each is another network, because one client may render few pages at once.
const CONNECTIONS: u64 = 8;

/// Flags of a server without a page cache, and with a store that is soon full.
const SMALL: &[&str] = &["--max-page-cache", "0", "--max-store-size", "16MiB"];

pub(crate) fn run(folder: &Path) {
    println!("raw reads of 1 KiB over HTTP:");
    let source = "fn main() { println!(\"hello\"); }\n".repeat(4096);
    let page = |server: &Server| {
        let path = format!("/{}.rs", server.save(&source));
        load(|from| request("GET", &path, from, "Accept: text/html\r\n", b""))
    };
    let saves = |_: &Server| load(|from| request("POST", "/", from, "", &[b'x'; 1024]));
    let series = vec![
        condition("no load", |_| Vec::new()),
        condition("pages of 128 KiB are rendered", page),
        condition("saves evict", saves),
    ];
    draw(
        "Reads over HTTP while the server is busy",
        series,
        folder,
        "over-http",
    );
}

/// The request that each connection of a load repeats.
fn load(request: impl Fn(&str) -> Vec<u8>) -> Vec<Vec<u8>> {
    let networks = (0..CONNECTIONS).map(|n| format!("10.0.{n}.1"));
    networks.map(|from| request(&from)).collect()
}

/// Measures reads while the requests of the load are repeated, each on a connection of its own.
fn condition(name: &str, load: impl FnOnce(&Server) -> Vec<Vec<u8>>) -> Series {
    let server = Server::tidebin(&[QUIET, OFF, BELIEVING, SMALL].concat());
    let path = format!("/raw/{}", server.save(&"x".repeat(1024)));
    let load = load(&server);
    let (done, served, refused) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let repeat = |request: &[u8]| {
        let mut client = Client::connect(server.address()).unwrap();
        while !done.load(Ordering::SeqCst) {
            match client.ask(request).unwrap().status {
                200 | 201 => served.fetch_add(1, Ordering::Relaxed),
                _ => refused.fetch_add(1, Ordering::Relaxed),
            };
        }
    };
    let reads = thread::scope(|scope| {
        for request in &load {
            scope.spawn(|| repeat(request));
        }
        let reads = scope.spawn(|| reads(server.address(), &path)).join();
        done.store(true, Ordering::SeqCst);
        reads.unwrap()
    });
    let line = line(name, &Latencies::of(reads));
    if !load.is_empty() {
        println!(
            "    the load: {} requests succeeded and {} got an error in {} s",
            served.into_inner(),
            refused.into_inner(),
            2 * TIME.as_secs()
        );
    }
    line
}

/// Sends reads one after the other. The first half is not measured, because the store fills up in this time.
fn reads(address: &str, path: &str) -> Vec<Duration> {
    let mut client = Client::connect(address).unwrap();
    let read = request("GET", path, "192.0.2.1", "", b"");
    let begin = Instant::now();
    let mut reads = Vec::new();
    while begin.elapsed() < 2 * TIME {
        let start = Instant::now();
        let answer = client.ask(&read).unwrap();
        let took = start.elapsed();
        assert_eq!((answer.status, answer.body.len()), (200, 1024));
        if begin.elapsed() > TIME {
            reads.push(took);
        }
    }
    reads
}
