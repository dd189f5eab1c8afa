//! What a request costs the server in processor time, beside a bare actix-web handler in the same run.
//!
//! `cargo bench --bench http` needs `wrk`. Servers take turns under the same load; the ratio is of medians. Processor
//! time and not requests a second, because the load generator takes a whole core and is the ceiling of the rate.
#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a program that prints what it measures"
)]

mod load;

use std::process::Command;
use std::time::Instant;

use actix_web::{App, HttpResponse, HttpServer, web};
use load::{Server, median, wrk_is_there};

const ROUNDS: usize = 5;
const SECONDS: u64 = 3;
const CONNECTIONS: u64 = 64;

/// No line a request in the log.
const QUIET: &[&str] = &["--log", "warn,tidebin::http=info,tidebin::http::log=warn"];

/// Limits that are decided on every request and refuse none.
const AMPLE: &[&str] = &[
    "--limit-save",
    "rate 1000000/s burst 1000000, quota 1000000000/1d, quota 1000GiB/1d",
    "--limit-read",
    "rate 1000000/s burst 1000000",
];

/// None at all.
const OFF: &[&str] = &[
    "--limit-save",
    "off",
    "--limit-read",
    "off",
    "--limit-miss",
    "off",
    "--limit-password",
    "off",
];

fn main() {
    if let Some(size) = std::env::args().find_map(|arg| arg.strip_prefix("bare=")?.parse().ok()) {
        return bare(size);
    }
    if !wrk_is_there() {
        return;
    }
    startup();
    println!(
        "{:<34} {:>8} {:>8} {:>6}",
        "processor time a request, µs", "tidebin", "bare", "ratio"
    );
    let content = |size: usize| "x".repeat(size);
    for (name, flags, size) in [
        ("GET raw 1 KiB, hot key", &[QUIET, AMPLE].concat()[..], 1024),
        (
            "GET raw 1 KiB, hot key, limits off",
            &[QUIET, OFF].concat(),
            1024,
        ),
        ("GET raw 1 KiB, hot key, log on", AMPLE, 1024),
        ("GET raw 100 KiB", &[QUIET, AMPLE].concat(), 102_400),
    ] {
        let tidebin = Server::tidebin(flags);
        let id = tidebin.save(&content(size));
        compare(
            name,
            &tidebin,
            &format!("wrk.path = '/raw/{id}'"),
            &bare_server(size),
            "",
        );
    }
    let tidebin = Server::tidebin(&[QUIET, AMPLE].concat());
    let ids: Vec<String> = (0..100_000).map(|_| tidebin.save(&content(1024))).collect();
    compare(
        "GET raw 1 KiB, 10^4 keys of 10^5",
        &tidebin,
        &random_paths(&ids[90_000..]),
        &bare_server(1024),
        "",
    );
    let post = format!(
        "wrk.method = 'POST'\nwrk.body = '{}'\nwrk.headers['Content-Type'] = 'text/plain'",
        content(1024)
    );
    compare(
        "POST 1 KiB, store full",
        &tidebin,
        &post,
        &bare_server(35),
        &post,
    );
    let unlimited = Server::tidebin(&[QUIET, OFF].concat());
    compare(
        "POST 1 KiB, limits off",
        &unlimited,
        &post,
        &bare_server(35),
        &post,
    );
    drop((tidebin, unlimited));
    pages();
}

/// The page of 1 KiB of Rust: kept, as a client reads it, and rendered each time.
fn pages() {
    let code = "fn main() { println!(\"hello\"); }\n".repeat(32);
    let forgetful: &[&str] = &["--max-page-cache", "0"];
    for (name, flags, coding) in [
        ("GET page, kept", &[][..], "identity"),
        ("GET page, kept, gzip", &[], "gzip"),
        ("GET page, kept, brotli", &[], "br"),
        ("GET page, rendered anew", forgetful, "identity"),
    ] {
        let tidebin = Server::tidebin(&[QUIET, AMPLE, flags].concat());
        let saved = tidebin.save(&code);
        let script = format!(
            "wrk.path = '/{saved}.rs'\nwrk.headers['Accept'] = 'text/html'\nwrk.headers['Accept-Encoding'] = '{coding}'"
        );
        // One client may have few pages in the making at once, and more connections would only be told to wait.
        let connections = if flags.is_empty() { CONNECTIONS } else { 4 };
        compare_with(connections, name, &tidebin, &script, &bare_server(1024), "");
    }
}

/// A handler that reads the body and returns a constant: the least that a server can do.
fn bare(size: usize) {
    let body = web::Bytes::from("x".repeat(size));
    let serve = async move {
        let app = move || {
            let body = body.clone();
            let handler = move |_request: web::Bytes| {
                let body = body.clone();
                async move {
                    HttpResponse::Ok()
                        .content_type("text/plain; charset=utf-8")
                        .body(body)
                }
            };
            App::new().default_service(web::to(handler))
        };
        let server = HttpServer::new(app)
            .tcp_nodelay(true)
            .bind(("127.0.0.1", 0))
            .unwrap();
        eprintln!("http://{}", server.addrs()[0]);
        server.run().await.unwrap();
    };
    actix_web::rt::System::new().block_on(serve);
}

/// The bare handler in a process of its own.
fn bare_server(size: usize) -> Server {
    Server::start(Command::new(std::env::current_exe().unwrap()).arg(format!("bare={size}")))
}

/// Microseconds of processor time a request under this wrk script.
fn cost(connections: u64, server: &Server, script: &str) -> f64 {
    let args = [format!("-c{connections}"), format!("-d{SECONDS}s")];
    let load = server.load(script, &args);
    assert!(load.refused == 0.0, "{load:?}");
    load.processor / load.requests
}

fn compare(name: &str, tidebin: &Server, script: &str, bare: &Server, bare_script: &str) {
    compare_with(CONNECTIONS, name, tidebin, script, bare, bare_script);
}

fn compare_with(
    connections: u64,
    name: &str,
    tidebin: &Server,
    script: &str,
    bare: &Server,
    bare_script: &str,
) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(cost(connections, tidebin, script));
        theirs.push(cost(connections, bare, bare_script));
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "{name:<34} {ours:>8.2} {theirs:>8.2} {:>6.2}",
        ours / theirs
    );
}

fn random_paths(ids: &[String]) -> String {
    let list = ids.join("','");
    format!(
        "local ids = {{'{list}'}}\nrequest = function() return wrk.format('GET', '/raw/' .. ids[math.random(#ids)]) end"
    )
}

/// From the start of the program to its first answer, and what it takes when idle.
fn startup() {
    let times = (0..20).map(|_| {
        let start = Instant::now();
        let server = Server::tidebin(QUIET);
        server.save("x");
        start.elapsed().as_secs_f64() * 1e3
    });
    println!("start to first answer: {:.1} ms", median(times.collect()));
    let server = Server::tidebin(&[]);
    server.save("x");
    println!("idle: {}", server.status("VmRSS"));
}
