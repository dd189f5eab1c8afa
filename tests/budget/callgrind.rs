//! A server under callgrind, and one connection to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::thread::{CpuSet, sched_getaffinity};

use crate::folder::Folder;
use crate::profile::Profile;
use crate::requests::{CURL, TEXT, save};

/// Requests before those that are counted, so that caches, buffers and counters are in use.
const WARM: usize = 200;
const COUNTED: usize = 500;

/// Leaves the C library only what every x86-64 processor has. Otherwise it would also use instructions that repeat
/// themselves, of which callgrind counts each round.
const PINNED: &str = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-SSE4_2,-SSE4_1,-SSSE3,-ERMS,-FSRM,\
    -Prefer_No_VZEROUPPER,-AVX_Fast_Unaligned_Load,-Fast_Unaligned_Copy";

const LIMITS: &str = "rate 1000000000/1s burst 1000000000";

/// A server whose instructions are counted.
pub struct Counted {
    process: Child,
    stream: BufReader<TcpStream>,
    folder: Folder,
    /// Held open, so that the server may log its end.
    _log: BufReader<ChildStderr>,
}

/// A response.
pub struct Response {
    pub status: u16,
    head: String,
    pub body: String,
}

impl Response {
    pub fn header(&self, name: &str) -> String {
        let mut lines = self.head.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.unwrap_or_default().to_owned()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Counted {
    pub fn in_memory() -> Self {
        Self::start(&["--max-store-size", "8MiB"])
    }

    pub fn on_disk() -> Self {
        Self::start(&["--max-store-size", "64MiB", "--data", "data"])
    }

    fn start(args: &[&str]) -> Self {
        let folder = Folder::new("budget");
        let binary = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("../budget/tidebin");
        let mut process = Command::new("taskset")
            .args(["--cpu-list", &first_processor(), "valgrind"])
            .args([
                "--tool=callgrind",
                "--callgrind-out-file=counts",
                "--dump-line=no",
            ])
            // Without this option, one busy thread may prevent the others from running.
            .args(["--fair-sched=yes", "--instr-atstart=no"])
            .arg(
                binary
                    .canonicalize()
                    .expect("cargo build --profile budget comes first"),
            )
            .args([
                "--addr",
                "127.0.0.1:0",
                "--log",
                "tidebin::http::server=info",
            ])
            .args(["--limit-read", LIMITS, "--limit-save", LIMITS])
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("GLIBC_TUNABLES", PINNED)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("taskset and valgrind are installed");
        let mut log = BufReader::new(process.stderr.take().expect("it has a log"));
        Self {
            stream: BufReader::new(connect(&mut log)),
            process,
            folder,
            _log: log,
        }
    }

    /// Saves a paste and returns its id.
    pub fn save(&mut self) -> String {
        let saved = self.ask(&save(CURL, TEXT));
        let (_, id) = saved.body.trim().rsplit_once('/').unwrap();
        id.to_owned()
    }

    pub fn ask(&mut self, request: &[u8]) -> Response {
        self.stream.get_mut().write_all(request).unwrap();
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.stream.read_line(&mut head).unwrap() > 0, "{head}");
        }
        let mut response = Response {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head,
            body: String::new(),
        };
        let length: usize = response.header("content-length").parse().unwrap_or(0);
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        response.body = String::from_utf8_lossy(&body).into_owned();
        response
    }

    /// Sends a request this often. Each is answered with this status.
    pub fn repeat(&mut self, request: &[u8], status: u16, times: usize) {
        for _ in 0..times {
            let response = self.ask(request);
            assert_eq!(response.status, status, "{}", response.head);
        }
    }

    /// Returns the instructions of a request, which is answered with this status.
    pub fn count(&mut self, request: &[u8], status: u16) -> Profile {
        self.repeat(request, status, WARM);
        // A page without a tag is not cached.
        let is_cached = !self.ask(request).header("etag").is_empty();
        assert!(is_cached || status == 201, "it is made for each request");
        self.control(&["--instr=on"]);
        self.control(&["--zero"]);
        self.repeat(request, status, COUNTED);
        self.control(&["--dump"]);
        self.control(&["--instr=off"]);
        let newest = std::fs::read_dir(self.folder.path()).unwrap();
        let dumps = newest.map(|file| file.unwrap().path());
        let dump = dumps.filter(|path| path.to_string_lossy().contains("counts."));
        let dump = dump.max().expect("callgrind wrote its counts");
        Profile::parse(&std::fs::read_to_string(dump).unwrap(), COUNTED)
    }

    fn control(&self, command: &[&str]) {
        let done = Command::new("callgrind_control")
            .args(command)
            .arg(self.process.id().to_string())
            .output();
        let done = done.expect("it is a part of valgrind");
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
}

/// Reads the log until the server listens, and connects.
fn connect(log: &mut BufReader<ChildStderr>) -> TcpStream {
    let mut line = String::new();
    loop {
        line.clear();
        let read = log.read_line(&mut line).expect("the log is text");
        assert!(read > 0, "the server ended before it listened");
        if let Some((_, addr)) = line.split_once("http://") {
            let addr = addr.split_whitespace().next().unwrap();
            return TcpStream::connect(addr.trim_matches('"')).expect("it listens");
        }
    }
}

fn first_processor() -> String {
    let allowed = sched_getaffinity(None).unwrap();
    let first = (0..CpuSet::MAX_CPU).find(|number| allowed.is_set(*number));
    first.unwrap().to_string()
}
