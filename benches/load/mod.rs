//! Load: servers in processes of their own, wrk against them, and what it cost them.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "each bench uses its part, and prints"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

/// Whether wrk is there; says how to get it if not.
pub fn wrk_is_there() -> bool {
    let is_there = Command::new("wrk").arg("-v").output().is_ok();
    if !is_there {
        println!("install wrk first (Debian: apt-get install wrk)");
    }
    is_there
}

/// A server in a process of its own; ended when dropped.
pub struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// The program with these flags.
    pub fn tidebin(flags: &[&str]) -> Self {
        Self::start(
            Command::new(env!("CARGO_BIN_EXE_tidebin"))
                .args(["--addr", "127.0.0.1:0"])
                .args(flags),
        )
    }

    /// This command, once it has said where it listens.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        // Somebody must read the log, or the server would wait for its pipe.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        let address = line.split("http://").nth(1).unwrap();
        let address = address
            .chars()
            .take_while(|c| c.is_ascii_digit() || ".:".contains(*c))
            .collect();
        Self { child, address }
    }

    /// Saves this and gives its id.
    pub fn save(&self, content: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = content.len();
        write!(stream, "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{content}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.trim_end().rsplit('/').next().unwrap().to_owned()
    }

    /// User and system time so far, in microseconds.
    fn processor_time(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
        // Linux counts in hundredths of a second, whatever the kernel's own clock is.
        ticks * 10_000.0
    }

    /// Runs wrk with this script and these arguments to its end.
    pub fn load(&self, script: &str, args: &[String]) -> Load {
        let file = std::env::temp_dir().join(format!(
            "tidebin-bench-{:?}.lua",
            std::thread::current().id()
        ));
        std::fs::write(&file, script).unwrap();
        let before = self.processor_time();
        let output = Command::new("wrk")
            .args(["-t1", "--latency", "-s"])
            .arg(&file)
            .args(args)
            .arg(format!("http://{}/", self.address))
            .output()
            .unwrap();
        std::fs::remove_file(&file).unwrap();
        Load::of(&output, self.processor_time() - before)
    }

    /// What the system says of it, by name: `VmRSS`.
    pub fn status(&self, name: &str) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name));
        line.unwrap().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What wrk saw.
#[derive(Debug, Clone)]
pub struct Load {
    pub requests: f64,
    pub seconds: f64,
    /// Answers that were none of 2xx and 3xx.
    pub refused: f64,
    /// Of all answers, in milliseconds.
    pub p99: f64,
    /// Microseconds of the server's processor time in all.
    pub processor: f64,
}

impl Load {
    fn of(output: &Output, processor: f64) -> Self {
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(!text.contains("Socket errors"), "{text}");
        let after = |mark: &str| {
            let line = text.lines().find(|line| line.contains(mark));
            line.map(|line| line.split(mark).nth(1).unwrap().trim().to_owned())
        };
        let (requests, seconds) = text
            .lines()
            .find_map(|line| line.trim().split_once(" requests in "))
            .unwrap();
        let seconds = seconds.split("s,").next().unwrap();
        Self {
            requests: requests.parse().unwrap(),
            seconds: seconds.parse().unwrap(),
            refused: after("Non-2xx or 3xx responses:").map_or(0.0, |count| count.parse().unwrap()),
            p99: text
                .lines()
                .find_map(|line| line.trim().strip_prefix("99%"))
                .map(|p99| milliseconds(p99.trim()))
                .unwrap(),
            processor,
        }
    }

    /// Answers a second that were no refusals.
    pub fn goodput(&self) -> f64 {
        (self.requests - self.refused) / self.seconds
    }
}

/// wrk writes `1.23us`, `1.23ms`, `1.23s`.
fn milliseconds(text: &str) -> f64 {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "us" => 1e-3,
        "ms" => 1.0,
        _ => 1e3,
    };
    digits.parse::<f64>().unwrap() * factor
}

/// The middle one.
pub fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}
