//! The effects of a flood on other clients: the latency of a polite client, and the throughput at ten times the load.
//!
//! `cargo bench --bench flood` needs `wrk`, takes a minute and prints three lines. Everything runs on one machine, so
//! the load generators take the server's time too: the figures are worse than those of a flood from elsewhere. Clients
//! are told apart by the header of a trusted proxy.
#![allow(
    clippy::print_stdout,
    reason = "a program that prints what it measures"
)]

mod flags;
mod load;
mod timing;

use std::thread;

use flags::{BELIEVING, QUIET};
use load::{Load, Server, wrk_is_there};
use timing::median;

const ROUNDS: usize = 5;
fn main() {
    if !wrk_is_there() {
        return;
    }
    polite_client();
    overload();
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
