//! Rows: the kinds of load, and the server that each needs.
//!
//! Unless its name says otherwise, a row uses the default settings with two exceptions: requests are not logged, and
//! the rate limits are checked on every request but reject none.

use crate::flags::{AMPLE, OFF, QUIET};
use crate::load::{Request, Server};
use crate::traffic::Traffic;

/// Rows with the same flags, which share one server. It is started for the first of them.
pub(crate) struct Group {
    pub(crate) start: fn() -> Server,
    pub(crate) rows: &'static [Row],
}

/// One kind of load.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The numbers of connections. Only the middle one is measured by default.
    pub(crate) connections: &'static [usize],
    /// Whether the row is measured by default.
    pub(crate) is_usual: bool,
    /// The expected status of every response.
    pub(crate) status: u16,
    /// Saves the pastes that the row needs, and returns its requests.
    pub(crate) traffic: fn(&Server) -> Traffic,
}

const EACH: &[usize] = &[1, 64, 256];
const SOME: &[usize] = &[64];
/// So few connections that the largest responses in progress fit in the byte budget.
const LARGE: &[usize] = &[8];
/// One client may render few pages at once. Requests on more connections would only wait.
const FEW: &[usize] = &[1, 4];

pub(crate) const GROUPS: &[Group] = &[
    Group {
        start: || tidebin(&[]),
        rows: &[
            Row::usual("GET raw 1 KiB, hot", EACH, |server| hot(server, 1024)),
            Row::usual("GET raw 100 KiB, hot", EACH, |server| hot(server, 102_400)),
            Row::usual("GET raw, not modified: 304", EACH, |server| {
                not_modified(server, hot(server, 1024))
            })
            .answers(304),
            Row::usual("GET page, cached, gzip, hot", SOME, |server| {
                page_of(server, "gzip")
            }),
            Row::usual("GET page, cached, not modified: 304", SOME, |server| {
                not_modified(server, page_of(server, "gzip"))
            })
            .answers(304),
            Row::extra("GET page, cached, uncoded, hot", SOME, |server| {
                page_of(server, "identity")
            }),
            Row::extra("GET page, cached, gzip, Zipf, 10^3", EACH, pages_kept),
        ],
    },
    Group {
        start: || tidebin(&["--max-page-cache", "0"]),
        rows: &[
            Row::usual("GET first page, Rust, gzip", FEW, |server| {
                page_of(server, "gzip")
            }),
            Row::usual("GET first page, Rust, uncoded", FEW, |server| {
                page_of(server, "identity")
            }),
        ],
    },
    Group {
        start: || tidebin(&["--max-store-size", "256MiB"]),
        rows: &[Row::usual(
            "GET raw 1 KiB, uniform, 10^4 of 10^5",
            EACH,
            |server| Traffic::uniform(raws(&many(server)[..MANY / 10])),
        )],
    },
    Group {
        start: || tidebin(&["--max-store-size", "256MiB"]),
        rows: &[Row::extra(
            "GET raw 1 KiB, Zipf over 10^5",
            EACH,
            |server| Traffic::zipf(raws(&many(server))),
        )],
    },
    Group {
        start: || full(AMPLE),
        rows: &[
            Row::usual("POST raw 1 KiB, store full", EACH, save).answers(201),
            Row::usual("POST multipart 1 KiB, store full", EACH, |_| {
                Traffic::same(Request::multipart(&kibibyte()))
            }),
            Row::usual("95 % GET (Zipf, 10^4), 5 % POST, full", EACH, mixed),
        ],
    },
    Group {
        start: with_secret,
        rows: &[Row::usual("GET raw, unknown id: 404", EACH, not_there).answers(404)],
    },
    Group {
        start: || Server::tidebin(&[QUIET, &["--limit-read", "rate 1/1d burst 1"]].concat()),
        rows: &[Row::usual("GET raw, rate limited: 429", EACH, over_the_limit).answers(429)],
    },
    Group {
        start: || Server::tidebin(AMPLE),
        rows: &[Row::usual("GET raw 1 KiB, hot, log on", SOME, |server| {
            hot(server, 1024)
        })],
    },
    Group {
        start: || Server::tidebin(&[QUIET, OFF].concat()),
        rows: &[Row::extra(
            "GET raw 1 KiB, hot, limits off",
            SOME,
            |server| hot(server, 1024),
        )],
    },
    Group {
        start: || full(OFF),
        rows: &[Row::extra("POST raw 1 KiB, store full, limits off", SOME, save).answers(201)],
    },
    Group {
        start: || Server::tidebin(&[QUIET, ROOM].concat()),
        rows: &[
            Row::extra("GET raw 1 MiB, hot", LARGE, |server| hot(server, MEBIBYTE)),
            Row::extra("POST raw 1 MiB, store full", LARGE, save_large).answers(201),
        ],
    },
];

impl Row {
    /// A row that is measured by default.
    const fn usual(
        name: &'static str,
        connections: &'static [usize],
        traffic: fn(&Server) -> Traffic,
    ) -> Self {
        Self {
            name,
            connections,
            is_usual: true,
            status: 200,
            traffic,
        }
    }

    /// A row of the full set.
    const fn extra(
        name: &'static str,
        connections: &'static [usize],
        traffic: fn(&Server) -> Traffic,
    ) -> Self {
        Self {
            is_usual: false,
            ..Self::usual(name, connections, traffic)
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

fn hot(server: &Server, size: usize) -> Traffic {
    Traffic::same(raw(&server.save(&"x".repeat(size))))
}

/// Saves [`MANY`] pastes and returns their ids.
fn many(server: &Server) -> Vec<String> {
    server.save_many(&kibibyte(), MANY)
}

/// Starts a server with these limits whose store is full of pastes of 1 KiB.
fn full(limits: &[&str]) -> Server {
    let server = Server::tidebin(&[QUIET, limits].concat());
    fill(&server, &kibibyte(), MANY * 5 / 4);
    server
}

fn fill(server: &Server, content: &str, count: usize) {
    let ids = server.save_many(content, count);
    let first = server.ask(&raw(&ids[0]));
    assert!(first.status != 200, "no paste was evicted");
}

fn save(_: &Server) -> Traffic {
    Traffic::same(Request::post(kibibyte()))
}

fn save_large(server: &Server) -> Traffic {
    let content = "x".repeat(MEBIBYTE);
    fill(server, &content, 160);
    Traffic::same(Request::post(content))
}

/// Reads of 10,000 pastes in a full store, and saves. Each paste is read so often that it is not evicted.
fn mixed(server: &Server) -> Traffic {
    let ids = server.save_many(&kibibyte(), MANY / 10);
    let reads = Traffic::zipf(raws(&ids));
    reads.mixed_with(Request::post(kibibyte()), 5.0)
}

/// A request for the page of a paste, shown as Rust.
fn page(id: &str, coding: &str) -> Request {
    Request::get(format!("/{id}.rs"))
        .with("Accept", "text/html")
        .with("Accept-Encoding", coding)
}

/// 1 KiB of Rust.
fn rust() -> String {
    "fn main() { println!(\"hello\"); }\n".repeat(32)
}

fn page_of(server: &Server, coding: &str) -> Traffic {
    Traffic::same(page(&server.save(&rust()), coding))
}

/// Requests of a browser for pages that are in the page cache.
fn pages_kept(server: &Server) -> Traffic {
    // This many pages use somewhat more than half of the page cache.
    const PAGES: usize = 1000;
    let ids = server.save_many(&rust(), PAGES);
    let pages: Vec<Request> = ids.iter().map(|id| page(id, "gzip")).collect();
    let mut connection = server.connect();
    for page in &pages {
        assert!(
            connection.ask(&page.to_http()).unwrap().status == 200,
            "{page:?}"
        );
    }
    Traffic::zipf(pages)
}

/// Starts a server whose ids other servers of this kind decode.
fn with_secret() -> Server {
    let flags = [QUIET, AMPLE].concat();
    Server::start(Server::program(&flags).env("TIDEBIN_SECRET", "of both servers"))
}

/// Well-formed ids without a paste. They come from another server with the same secret.
fn not_there(_: &Server) -> Traffic {
    Traffic::uniform(raws(&with_secret().save_many("x", 10_000)))
}

/// Repeats the request of this traffic with the ETag of its response.
fn not_modified(server: &Server, traffic: Traffic) -> Traffic {
    let answer = server.ask(traffic.example());
    let tag = answer.header("etag").unwrap().to_owned();
    Traffic::same(traffic.example().clone().with("If-None-Match", tag))
}

fn over_the_limit(server: &Server) -> Traffic {
    let traffic = hot(server, 1024);
    // The one read that the limit allows.
    server.ask(traffic.example());
    traffic
}
