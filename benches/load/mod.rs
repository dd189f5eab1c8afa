//! Servers in processes of their own, and their figures from the operating system.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "each bench uses its part, and prints"
)]

mod client;
mod request;
#[path = "../resident/mod.rs"]
pub mod resident;
mod wrk;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

pub use client::{Answer, Client};
pub use request::{Request, request};
pub use wrk::{Load, version};

/// The number of saves sent before their responses are read: enough to keep the server busy, and fewer than it reads at
/// once.
const BATCH: usize = 8;
/// Maximum bytes of these saves, if there is more than one.
const BATCH_BYTES: usize = 32 * 1024;

/// Returns whether wrk is installed; prints how to install it if not.
pub fn wrk_is_there() -> bool {
    let is_there = version().is_some();
    if !is_there {
        println!("This bench needs wrk. Install it first (Debian: apt-get install wrk).");
    }
    is_there
}

/// A server in a process of its own; ended when dropped.
pub struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts the program with these flags.
    pub fn tidebin(flags: &[&str]) -> Self {
        Self::start(&mut Self::program(flags))
    }

    /// The command that starts the program with these flags on a free port.
    pub fn program(flags: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidebin"));
        command.args(["--addr", "127.0.0.1:0"]).args(flags);
        command
    }

    /// Starts this command and waits until it has printed its address.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        // With a data directory, a line about it comes first.
        let mut line = String::new();
        while !line.contains("http://") {
            line.clear();
            assert!(log.read_line(&mut line).unwrap() > 0, "it did not start");
        }
        // The log must be read, or a full pipe would stop the server.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        let address = line.split("http://").nth(1).unwrap();
        let address = address
            .chars()
            .take_while(|c| c.is_ascii_digit() || ".:".contains(*c))
            .collect();
        Self { child, address }
    }

    /// The listening address.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Opens a persistent connection to the server.
    pub fn connect(&self) -> Client {
        Client::connect(&self.address).unwrap()
    }

    /// Sends this request on a connection of its own; returns the response.
    pub fn ask(&self, request: &Request) -> Answer {
        self.connect().ask(&request.to_http()).unwrap()
    }

    /// Saves this content; returns its id.
    pub fn save(&self, content: &str) -> String {
        self.ask(&Request::post(content)).id()
    }

    /// Saves this content `count` times on one connection; returns the ids in order.
    pub fn save_many(&self, content: &str, count: usize) -> Vec<String> {
        let mut connection = self.connect();
        let request = Request::post(content).to_http();
        let mut ids = Vec::with_capacity(count);
        let most = (BATCH_BYTES / request.len()).clamp(1, BATCH);
        while ids.len() < count {
            let batch = most.min(count - ids.len());
            connection.send(&request.repeat(batch)).unwrap();
            ids.extend((0..batch).map(|_| connection.answer().unwrap().id()));
        }
        ids
    }

    /// The user and system time so far in microseconds, threads that have ended included.
    ///
    /// Linux reports this time in hundredths of a second, which is half a percent of a run of two seconds. `schedstat`
    /// is finer, but not every kernel has it, and it omits threads that have ended.
    fn processor_time(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
        ticks * 10_000.0
    }

    /// The resident bytes.
    pub fn resident(&self) -> usize {
        resident::bytes_of(&self.child.id().to_string(), "VmRSS:")
    }

    /// The highest number of resident bytes so far.
    pub fn peak(&self) -> usize {
        resident::bytes_of(&self.child.id().to_string(), "VmHWM:")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
