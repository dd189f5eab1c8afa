//! Rows: the kinds of load, and the server that each needs.
//!
//! Unless its name says otherwise, a row uses the default settings with two exceptions: requests are not logged, and
//! the rate limits are checked on every request but reject none.

use crate::flags::{AMPLE, OFF, QUIET};
use crate::load::{Request, Server};
use crate::traffic::Traffic;

/// One kind of load.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) connections: &'static [usize],
    /// The expected status of every response.
    pub(crate) status: u16,
    pub(crate) start: fn() -> (Server, Traffic),
}

const EACH: &[usize] = &[1, 64, 256];
const SOME: &[usize] = &[64];
/// So few connections that the largest responses in progress fit in the byte budget.
const LARGE: &[usize] = &[8];
/// One client may render few pages at once. Requests on more connections would only wait.
const FEW: &[usize] = &[1, 4];

pub(crate) const ROWS: &[Row] = &[
    Row::of("GET raw 1 KiB, hot", EACH, || hot(QUIET, AMPLE, 1024)),
    Row::of("GET raw 1 KiB, Zipf over 10^5", EACH, zipf),
    Row::of("GET raw 1 KiB, uniform, 10^4 of 10^5", EACH, uniform),
    Row::of("GET raw 100 KiB, hot", EACH, || hot(QUIET, AMPLE, 102_400)),
    Row::of("GET raw 1 MiB, hot", LARGE, || hot(QUIET, ROOM, MEBIBYTE)),
    Row::of("GET page, rendered (at most 4 at once)", FEW, page_first),
    Row::of("GET page, cached, brotli, Zipf, 10^3", EACH, pages_kept),
    Row::of("GET page, cached, brotli, hot", SOME, || page_coded("br")),
    Row::of("GET page, cached, gzip, hot", SOME, || page_coded("gzip")),
    Row::of("GET page, cached, uncompressed, hot", SOME, || {
        page_coded("identity")
    }),
    Row::of("POST raw 1 KiB, store full", EACH, || {
        save(AMPLE, Request::post(kibibyte()))
    })
    .answers(201),
    Row::of("POST raw 1 MiB, store full", LARGE, save_large).answers(201),
    Row::of("POST multipart 1 KiB, store full", EACH, || {
        save(AMPLE, Request::multipart(&kibibyte()))
    }),
    Row::of("GET raw, unknown id: 404", EACH, not_there).answers(404),
    Row::of("GET raw, not modified: 304", EACH, not_modified).answers(304),
    Row::of("GET raw, rate limited: 429", EACH, over_the_limit).answers(429),
    Row::of("95 % GET (Zipf, 10^4), 5 % POST, full", EACH, mixed),
    Row::of("GET raw 1 KiB, hot, limits off", SOME, || {
        hot(QUIET, OFF, 1024)
    }),
    Row::of("GET raw 1 KiB, hot, log on", SOME, || hot(&[], AMPLE, 1024)),
    Row::of("POST raw 1 KiB, store full, limits off", SOME, || {
        save(OFF, Request::post(kibibyte()))
    })
    .answers(201),
];

impl Row {
    const fn of(
        name: &'static str,
        connections: &'static [usize],
        start: fn() -> (Server, Traffic),
    ) -> Self {
        Self {
            name,
            connections,
            status: 200,
            start,
        }
    }

    const fn answers(mut self, status: u16) -> Self {
        self.status = status;
        self
    }
}

/// Flags for bodies of the largest size on several connections. There is no quota of bytes, because the largest quota
/// would be too small for these rows: a client gets at most 4 GiB in a sixtieth of its time.
const ROOM: &[&str] = &[
    "--max-in-flight",
    "256MiB",
    "--limit-save",
    "rate 1000000/s burst 1000000, quota 1000000000/1d",
    "--limit-read",
    "rate 1000000/s burst 1000000",
];

/// The largest size of a paste by default.
const MEBIBYTE: usize = 1 << 20;

/// The number of pastes for reads of many different pastes.
const MANY: usize = 100_000;

/// Starts the program with these flags in addition to the usual ones.
fn tidebin(more: &[&str]) -> Server {
    Server::tidebin(&[QUIET, AMPLE, more].concat())
}

fn kibibyte() -> String {
    "x".repeat(1024)
}

fn raw(id: &str) -> Request {
    Request::get(format!("/raw/{id}"))
}

fn raws(ids: &[String]) -> Vec<Request> {
    ids.iter().map(|id| raw(id)).collect()
}

fn hot(log: &[&str], limits: &[&str], size: usize) -> (Server, Traffic) {
    let server = Server::tidebin(&[log, limits].concat());
    let id = server.save(&"x".repeat(size));
    (server, Traffic::same(raw(&id)))
}

/// Starts a server that stores [`MANY`] pastes. Also returns their ids.
fn many() -> (Server, Vec<String>) {
    let server = tidebin(&["--max-store-size", "256MiB"]);
    let ids = server.save_many(&kibibyte(), MANY);
    (server, ids)
}

fn zipf() -> (Server, Traffic) {
    let (server, ids) = many();
    (server, Traffic::zipf(raws(&ids)))
}

fn uniform() -> (Server, Traffic) {
    let (server, ids) = many();
    (server, Traffic::uniform(raws(&ids[..MANY / 10])))
}

/// Starts a server whose store is full. Also returns the ids of all saves; only the last ones are still stored.
fn full(limits: &[&str]) -> (Server, Vec<String>) {
    full_of(&kibibyte(), MANY * 5 / 4, limits)
}

fn full_of(content: &str, count: usize, flags: &[&str]) -> (Server, Vec<String>) {
    let server = Server::tidebin(&[QUIET, flags].concat());
    let ids = server.save_many(content, count);
    let first = server.ask(&raw(&ids[0]));
    assert!(first.status != 200, "no paste was evicted");
    (server, ids)
}

fn save(limits: &[&str], request: Request) -> (Server, Traffic) {
    (full(limits).0, Traffic::same(request))
}

fn save_large() -> (Server, Traffic) {
    let content = "x".repeat(MEBIBYTE);
    let (server, _) = full_of(&content, 160, ROOM);
    (server, Traffic::same(Request::post(content)))
}

/// Reads of 10,000 pastes in a full store, and saves. Each paste is read so often that it is not evicted.
fn mixed() -> (Server, Traffic) {
    let (server, ids) = full(AMPLE);
    let reads = Traffic::zipf(raws(&ids[ids.len() - MANY / 10..]));
    (server, reads.mixed_with(Request::post(kibibyte()), 5.0))
}

/// A request for the page of a paste, shown as Rust.
fn page(id: &str, coding: &str) -> Request {
    Request::get(format!("/{id}.rs"))
        .with("Accept", "text/html")
        .with("Accept-Encoding", coding)
}

fn rust() -> String {
    "fn main() { println!(\"hello\"); }\n".repeat(32)
}

fn page_first() -> (Server, Traffic) {
    let server = tidebin(&["--max-page-cache", "0"]);
    let id = server.save(&rust());
    (server, Traffic::same(page(&id, "identity")))
}

fn page_coded(coding: &str) -> (Server, Traffic) {
    let server = tidebin(&[]);
    let id = server.save(&rust());
    (server, Traffic::same(page(&id, coding)))
}

/// Requests of a browser for pages that are in the page cache.
fn pages_kept() -> (Server, Traffic) {
    // This many pages use somewhat more than half of the page cache.
    const PAGES: usize = 1000;
    let server = tidebin(&[]);
    let ids = server.save_many(&rust(), PAGES);
    let pages: Vec<Request> = ids.iter().map(|id| page(id, "br")).collect();
    let mut connection = server.connect();
    for page in &pages {
        assert!(connection.ask(page).status == 200, "{page:?}");
    }
    (server, Traffic::zipf(pages))
}

/// Well-formed ids without a paste. They come from an earlier server with the same secret.
fn not_there() -> (Server, Traffic) {
    let start = || {
        let flags = [QUIET, AMPLE].concat();
        Server::start(Server::program(&flags).env("TIDEBIN_SECRET", "of both servers"))
    };
    let ids = start().save_many("x", 10_000);
    (start(), Traffic::uniform(raws(&ids)))
}

fn not_modified() -> (Server, Traffic) {
    let (server, traffic) = hot(QUIET, AMPLE, 1024);
    let answer = server.ask(traffic.example());
    let tag = answer.header("etag").unwrap().to_owned();
    let request = traffic.example().clone().with("If-None-Match", tag);
    (server, Traffic::same(request))
}

fn over_the_limit() -> (Server, Traffic) {
    let limits = &["--limit-read", "rate 1/1d burst 1"];
    let (server, traffic) = hot(QUIET, limits, 1024);
    // The one read that the limit allows.
    server.ask(traffic.example());
    (server, traffic)
}
