//! The server over HTTP: saves with a data directory beside saves without one, and its memory under a mixed load.

use std::path::Path;
use std::thread;

use crate::directory::Directory;
use crate::flags::{AMPLE, BELIEVING, QUIET};
use crate::load::{Load, Request, Server};
use crate::number;
use crate::random::random_bytes;
use crate::timing::median;

/// Connections, and bytes of each paste. A paste of 1 KiB is not compressed, one of 8 KiB is.
const LOADS: [(usize, usize); 3] = [(64, 1024), (1024, 1024), (64, 8 * 1024)];

/// A text as people save it.
const TEXT: &str = include_str!("../http/rows.rs");
const ROUNDS: usize = 3;
const MEBIBYTE: f64 = 1_048_576.0;

/// Room for the bytes that all connections send.
const ROOM: &[&str] = &["--max-in-flight", "256MiB"];

/// The end of a script: the requests come from many clients, since each may have at most 512 transfers at once.
const FROM_MANY: &str = "
local requests, at = {}, 0
function init()
  for n = 0, 255 do
    wrk.headers['X-Forwarded-For'] = '198.51.' .. n .. '.1'
    requests[n] = wrk.format()
  end
end
function request()
  at = (at + 1) % 256
  return requests[at]
end
";

pub(crate) fn run(is_about_saves: bool, is_about_memory: bool) {
    if is_about_saves {
        compare_saves();
    }
    if is_about_memory {
        memory();
    }
}

fn compare_saves() {
    println!("\nsaves of text over HTTP, medians of {ROUNDS} rounds that take turns");
    for (connections, bytes) in LOADS {
        let mut rounds: [Vec<Load>; 2] = Default::default();
        for _ in 0..ROUNDS {
            let directory = Directory::new("http");
            let flags = [QUIET, AMPLE, BELIEVING, ROOM].concat();
            rounds[0].push(saves(&Server::tidebin(&flags), connections, bytes));
            rounds[1].push(saves(
                &durable(directory.path(), &flags),
                connections,
                bytes,
            ));
        }
        let [memory, disk] = rounds.map(|loads| {
            let middle = |of: fn(&Load) -> f64| median(loads.iter().map(of).collect());
            [
                middle(Load::goodput),
                middle(|load| load.p50),
                middle(|load| load.p99),
                middle(|load| load.processor / load.requests),
            ]
        });
        for (name, [rate, p50, p99, processor]) in [("memory", memory), ("data directory", disk)] {
            println!(
                "{bytes:>6} B, {connections:>4} connections, {name:<14}: {rate:>6.0} saves/s, p50 {p50:.2} ms, p99 {p99:.2} ms, {processor:.1} µs of processor time each, {:.2} of memory",
                rate / memory[0]
            );
        }
    }
}

fn durable(directory: &Path, flags: &[&str]) -> Server {
    let data = ["--data", directory.to_str().unwrap(), "--max-disk", "8GiB"];
    Server::tidebin(&[flags, &data, &["--max-store-size", "512MiB"]].concat())
}

fn saves(server: &Server, connections: usize, bytes: usize) -> Load {
    let script = Request::post(TEXT[..bytes].to_owned()).to_lua() + FROM_MANY;
    let load = server.load(&script, &[format!("-c{connections}"), "-d4s".to_owned()]);
    assert!(load.refused + load.broken == 0.0, "{load:?}");
    load
}

/// Hexadecimal digits, of which two are a byte of random content.
fn random_text(bytes: usize, seed: u64) -> String {
    let random = random_bytes(bytes / 2, seed);
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Measures the server with the default budgets, while 64 connections save, read and look at pages.
fn memory() {
    let seconds = number("seconds").unwrap_or(60);
    let directory = Directory::new("memory");
    let data = ["--data", directory.path().to_str().unwrap()];
    let server = Server::tidebin(&[QUIET, AMPLE, &data].concat());
    let idle = server.resident();
    // Many connections share a sync.
    let ids: Vec<String> = thread::scope(|scope| {
        let save = || server.save_many(&random_text(2048, 1), 1_000);
        let savers: Vec<_> = (0..50).map(|_| scope.spawn(save)).collect();
        savers
            .into_iter()
            .flat_map(|saver| saver.join().unwrap())
            .collect()
    });
    let filled = server.resident();
    let args = ["-c64".to_owned(), format!("-d{seconds}s")];
    let load = server.load(&mixed(&ids), &args);
    println!(
        "\n{seconds} s of mixed load: {:.0} requests/s, p50 {:.2} ms, p99 {:.2} ms, {:.0} refused, {:.0} broken",
        load.requests / load.seconds,
        load.p50,
        load.p99,
        load.refused,
        load.broken
    );
    println!(
        "resident memory of the server, 128 MiB store: {:.0} MiB idle, {:.0} MiB after 50,000 saves, {:.0} MiB at the end, {:.0} MiB at most",
        idle as f64 / MEBIBYTE,
        filled as f64 / MEBIBYTE,
        server.resident() as f64 / MEBIBYTE,
        server.peak() as f64 / MEBIBYTE
    );
}

/// A script: 40 % saves of 1 to 64 KiB, with one in a thousand of 1 MiB, 50 % reads and 10 % pages of random pastes.
fn mixed(ids: &[String]) -> String {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("durable-ids");
    std::fs::write(&file, ids.join("\n")).unwrap();
    let text = random_text(1 << 17, 2);
    format!(
        "
local ids, text = {{}}, ('{text}'):rep(8)
function init()
  for id in io.lines({file:?}) do ids[#ids + 1] = id end
  math.randomseed(os.time())
end
function request()
  local draw, id = math.random(), ids[math.random(#ids)]
  if draw < 0.5 then return wrk.format('GET', '/raw/' .. id) end
  if draw < 0.6 then return wrk.format('GET', '/' .. id, {{['Accept'] = 'text/html', ['Accept-Encoding'] = 'br'}}) end
  local size = draw < 0.6004 and 1048576 or math.floor(1024 * 64 ^ math.random())
  return wrk.format('POST', '/', {{['Content-Type'] = 'text/plain'}}, text:sub(1, size))
end
"
    )
}
