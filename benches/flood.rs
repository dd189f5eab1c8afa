//! The effects of a flood: the memory of connections that read nothing, the latency of a polite client, and the
//! throughput at ten times the load.
//!
//! `cargo bench --bench flood` needs `wrk` for all but the memory, takes a minute and prints six lines. Everything runs
//! on one machine, so the load generators take the server's time too: the figures are worse than those of a flood from
//! elsewhere. Clients are told apart by the header of a trusted proxy.
#![allow(
    clippy::print_stdout,
    reason = "a program that prints what it measures"
)]

mod flags;
mod load;
mod timing;

use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use flags::{BELIEVING, QUIET};
use load::{Load, Server, wrk_is_there};
use socket2::{Domain, Socket, Type};
use timing::median;

const ROUNDS: usize = 5;
fn main() {
    for networks in [1, 4, 64] {
        silent(networks);
    }
    if !wrk_is_there() {
        return;
    }
    polite_client();
    overload();
}

/// Measures the memory of a server with 1,000 connections that send 400 requests each and read nothing. The requests
/// get all kinds of answers: assets, pages, pastes, texts and errors.
fn silent(networks: u8) {
    const CONNECTIONS: u16 = 1000;
    let server = Server::tidebin(&[QUIET, &["--limit-save", "off"]].concat());
    let paths = [
        "favicon.ico",
        "healthz",
        "raw/none",
        "help",
        "",
        &server.save(&"x".repeat(100_000)),
    ];
    let requests: String = (0..400)
        .map(|turn| paths[turn % paths.len()])
        .map(|path| format!("GET /{path} HTTP/1.1\r\nHost: h\r\nAccept: text/html\r\n\r\n"))
        .collect();
    let before = server.resident();
    let mut clients: Vec<(TcpStream, &[u8])> = (0..CONNECTIONS)
        .map(|turn| {
            let [network, host] = [turn % u16::from(networks), turn / u16::from(networks) / 500];
            let address = [127, 2, network, host + 1].map(|part| u8::try_from(part).unwrap_or(1));
            (
                connect_from(address.into(), server.address()),
                requests.as_bytes(),
            )
        })
        .collect();
    let start = Instant::now();
    let mut polite: Vec<f64> = Vec::new();
    while start.elapsed() < Duration::from_secs(5) {
        for (stream, rest) in &mut clients {
            // An error says that the server reads no more for now, or has closed the connection.
            *rest = &rest[stream.write(rest).unwrap_or(0)..];
        }
        let asked = Instant::now();
        server.ask(&load::Request::get("/healthz"));
        polite.push(asked.elapsed().as_secs_f64() * 1000.0);
    }
    println!(
        "{CONNECTIONS} connections of {networks} networks that read nothing: {} MiB, {} MiB at most; health checks {:.1} ms",
        before >> 20,
        server.peak() >> 20,
        median(polite)
    );
}

/// Connects from this address of the loopback network, without waiting later.
fn connect_from(address: Ipv4Addr, server: &str) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let bound = socket.bind(&SocketAddr::from((address, 0)).into());
    let server: SocketAddr = server.parse().expect("an address");
    bound
        .and_then(|()| socket.connect(&server.into()))
        .expect("it is accepted");
    let stream = TcpStream::from(socket);
    stream.set_nonblocking(true).expect("a socket");
    stream
}

/// Measures a client that reads 50 times per second on each of four connections, alone and during a flood.
fn polite_client() {
    let server =
        Server::tidebin(&[QUIET, BELIEVING, &["--limit-read", "rate 300/s burst 600"]].concat());
    let id = server.save(&"x".repeat(1024));
    let polite = || {
        let script = format!("{}\nfunction delay() return 20 end", from("192.0.2.1", &id));
        load(&server, &script, 4)
    };
    let (mut alone, mut flooded, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.push(polite().p99);
        let flood = || load(&server, &from("198.51.100.1", &id), 64);
        let (load, flood) = thread::scope(|scope| {
            let flood = scope.spawn(flood);
            (polite(), flood.join().expect("wrk ran"))
        });
        assert!(load.refused == 0.0, "a polite client was refused: {load:?}");
        flooded.push(load.p99);
        refused.push(flood.refused / flood.seconds);
    }
    println!(
        "polite client, p99: {:.2} ms alone, {:.2} ms while the flood gets {:.0} errors per second",
        median(alone),
        median(flooded),
        median(refused)
    );
}

/// Measures the throughput with 64 connections, which is the highest, and with ten times as many connections.
fn overload() {
    let server = Server::tidebin(&[QUIET, BELIEVING, &["--limit-read", "off"]].concat());
    let id = server.save(&"x".repeat(1024));
    let run = |connections| load(&server, &from("192.0.2.1", &id), connections);
    let (mut peak, mut over): (Vec<Load>, Vec<Load>) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        peak.push(run(64));
        over.push(run(640));
    }
    let middle = |loads: &[Load], of: fn(&Load) -> f64| median(loads.iter().map(of).collect());
    for (name, loads) in [("64 connections", &peak), ("640 connections", &over)] {
        println!(
            "{name}: {:.0} responses per second, p99 {:.2} ms",
            middle(loads, Load::goodput),
            middle(loads, |load| load.p99)
        );
    }
}

/// Runs this load for three seconds. No connection may fail.
fn load(server: &Server, script: &str, connections: usize) -> Load {
    let load = server.load(script, &[format!("-c{connections}"), "-d3s".to_owned()]);
    assert!(load.broken == 0.0, "{load:?}");
    load
}

fn from(address: &str, id: &str) -> String {
    format!("wrk.path = '/raw/{id}'\nwrk.headers['X-Forwarded-For'] = '{address}'")
}
