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

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use actix_web::{App, HttpResponse, HttpServer, web};

const ROUNDS: usize = 5;
const SECONDS: u64 = 3;
const CONNECTIONS: u64 = 64;

fn main() {
    if let Some(size) = std::env::args().find_map(|arg| arg.strip_prefix("bare=")?.parse().ok()) {
        return bare(size);
    }
    if Command::new("wrk").arg("-v").output().is_err() {
        println!("bench http: install wrk first (Debian: apt-get install wrk)");
        return;
    }
    startup();
    println!(
        "{:<34} {:>8} {:>8} {:>6}",
        "processor time a request, µs", "tidebin", "bare", "ratio"
    );
    let content = |size: usize| "x".repeat(size);
    for (name, flags, size) in [
        ("GET raw 1 KiB, hot key", &["--log", "warn"][..], 1024),
        ("GET raw 1 KiB, hot key, log on", &[], 1024),
        ("GET raw 100 KiB", &["--log", "warn"], 102_400),
    ] {
        let tidebin = Server::tidebin(flags);
        let id = tidebin.save(&content(size));
        compare(
            name,
            &tidebin,
            &format!("wrk.path = '/raw/{id}'"),
            &Server::bare(size),
            "",
        );
    }
    let tidebin = Server::tidebin(&["--log", "warn"]);
    let ids: Vec<String> = (0..100_000).map(|_| tidebin.save(&content(1024))).collect();
    compare(
        "GET raw 1 KiB, 10^4 keys of 10^5",
        &tidebin,
        &random_paths(&ids[90_000..]),
        &Server::bare(1024),
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
        &Server::bare(35),
        &post,
    );
    compare(
        "GET page, 1 KiB of text",
        &tidebin,
        &page(&tidebin),
        &Server::bare(1024),
        "",
    );
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

/// A server in a process of its own; ended when dropped.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn tidebin(flags: &[&str]) -> Self {
        let log = ["--log", "warn,tidebin::http=info,tidebin::http::log=warn"];
        let quiet: Vec<&str> = if flags.is_empty() {
            Vec::new()
        } else {
            log.to_vec()
        };
        Self::start(
            Command::new(env!("CARGO_BIN_EXE_tidebin"))
                .args(["--addr", "127.0.0.1:0"])
                .args(quiet),
        )
    }

    fn bare(size: usize) -> Self {
        Self::start(Command::new(std::env::current_exe().unwrap()).arg(format!("bare={size}")))
    }

    fn start(command: &mut Command) -> Self {
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
    fn save(&self, content: &str) -> String {
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

    /// Microseconds of processor time a request under this wrk script.
    fn cost(&self, script: &str) -> f64 {
        let file = std::env::temp_dir().join(format!("tidebin-bench-{}.lua", std::process::id()));
        std::fs::write(&file, script).unwrap();
        let before = self.processor_time();
        let load = Command::new("wrk")
            .args([
                "-t1",
                &format!("-c{CONNECTIONS}"),
                &format!("-d{SECONDS}s"),
                "-s",
            ])
            .arg(&file)
            .arg(format!("http://{}/", self.address))
            .output()
            .unwrap();
        let output = String::from_utf8(load.stdout).unwrap();
        assert!(
            !output.contains("Non-2xx") && !output.contains("Socket errors"),
            "{output}"
        );
        let requests = output
            .lines()
            .find_map(|line| line.trim().split_once(" requests in "))
            .unwrap()
            .0;
        (self.processor_time() - before) / requests.parse::<f64>().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn compare(name: &str, tidebin: &Server, script: &str, bare: &Server, bare_script: &str) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(tidebin.cost(script));
        theirs.push(bare.cost(bare_script));
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "{name:<34} {ours:>8.2} {theirs:>8.2} {:>6.2}",
        ours / theirs
    );
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

fn random_paths(ids: &[String]) -> String {
    let list = ids.join("','");
    format!(
        "local ids = {{'{list}'}}\nrequest = function() return wrk.format('GET', '/raw/' .. ids[math.random(#ids)]) end"
    )
}

fn page(tidebin: &Server) -> String {
    let id = tidebin.save(&"fn main() { println!(\"hello\"); }\n".repeat(32));
    format!("wrk.path = '/{id}'\nwrk.headers['Accept'] = 'text/html'")
}

/// From the start of the program to its first answer, and what it takes when idle.
fn startup() {
    let times = (0..20).map(|_| {
        let start = Instant::now();
        let server = Server::tidebin(&["--log", "warn"]);
        server.save("x");
        start.elapsed().as_secs_f64() * 1e3
    });
    println!("start to first answer: {:.1} ms", median(times.collect()));
    let server = Server::tidebin(&[]);
    server.save("x");
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let resident = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    println!("idle: {resident}");
}
