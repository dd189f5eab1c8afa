//! Crashes and stops of the program under load: an acknowledged paste is there after the next start on the same data
//! directory, and one that was shown for the last time is not.

mod failing_disk;
mod full_disk;
mod removal;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use crate::client::Request;
use crate::folder::Folder;
use crate::process::Running;
use crate::rounds::rounds;

const CLIENTS: usize = 6;

/// The outcome of a request to a server that may end at any moment.
pub enum Heard {
    Answer(u16, Vec<u8>),
    /// An answer that breaks off.
    Part(Vec<u8>),
    Nothing,
}

pub fn hear(addr: SocketAddr, method: &str, path: &str, body: &str) -> Heard {
    let Ok(mut stream) = TcpStream::connect(addr) else {
        return Heard::Nothing;
    };
    let patience = Some(Duration::from_secs(30));
    stream.set_read_timeout(patience).expect("a timeout");
    let mut request = Request::new(addr, method, path);
    if method == "POST" {
        request = request.body(body);
    }
    // If the server ends, these fail. Bytes that arrived before count.
    let _ = stream.write_all(&request.bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    if answer.is_empty() {
        return Heard::Nothing;
    }
    let text = String::from_utf8_lossy(&answer);
    let Some((head, _)) = text.split_once("\r\n\r\n") else {
        return Heard::Part(answer);
    };
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.parse().expect("a length"));
    let status = head[9..12].parse().expect("a status");
    let body = answer[head.len() + 4..].to_vec();
    match body.len() == length {
        true => Heard::Answer(status, body),
        false => Heard::Part(answer),
    }
}

/// The path and the content of a paste.
type Paste = (String, String);

/// The knowledge of a client.
#[derive(Default)]
struct Known {
    /// Pastes whose save was acknowledged.
    kept: Vec<Paste>,
    /// Pastes that burn after one read, whose save was acknowledged and that were not read.
    burning: Vec<Paste>,
    /// Pastes whose last read was answered, at least in part.
    shown: Vec<String>,
    /// Pastes whose last read was not answered.
    unsure: Vec<Paste>,
    /// How many requests were answered with a failure of the server.
    failures: usize,
}

impl Known {
    fn add(&mut self, other: Self) {
        self.kept.extend(other.kept);
        self.burning.extend(other.burning);
        self.shown.extend(other.shown);
        self.unsure.extend(other.unsure);
        self.failures += other.failures;
    }

    /// Saves and burns pastes until the server ends. Reports each acknowledged save.
    fn work(&mut self, addr: SocketAddr, name: &str, acknowledge: &mpsc::Sender<()>) {
        for number in 0_usize.. {
            let content = format!("{name} {number} ").repeat(1 + number * 7 % 400);
            let (path, saved) = match number % 2 {
                0 => ("/", &mut self.kept),
                _ => ("/?burn=1", &mut self.burning),
            };
            match hear(addr, "POST", path, &content) {
                Heard::Answer(201, url) => {
                    let url = String::from_utf8(url).expect("an address");
                    let id = url.trim_end().rsplit('/').next().expect("an id");
                    saved.push((format!("/{id}"), content));
                }
                Heard::Answer(500, _) => return self.failures += 1,
                Heard::Answer(status, _) => panic!("{status} to a save"),
                Heard::Part(_) | Heard::Nothing => return,
            }
            _ = acknowledge.send(());
            if number % 4 == 3 && !self.burn(addr) {
                return;
            }
        }
    }

    /// Reads a burning paste. Returns false if the server has ended.
    fn burn(&mut self, addr: SocketAddr) -> bool {
        let (path, content) = self.burning.remove(0);
        match hear(addr, "POST", &path, "") {
            Heard::Answer(200, shown) => {
                assert_eq!(shown, content.as_bytes());
                self.shown.push(path);
                true
            }
            Heard::Answer(500, _) => {
                self.failures += 1;
                self.unsure.push((path, content));
                false
            }
            Heard::Answer(status, _) => panic!("{status} to a read"),
            Heard::Part(answer) if answer.starts_with(b"HTTP/1.1 200") => {
                self.shown.push(path);
                false
            }
            Heard::Part(_) | Heard::Nothing => {
                self.unsure.push((path, content));
                false
            }
        }
    }

    /// Counts the acknowledged pastes that are lost, and the pastes that would be shown again.
    fn wrong(&self, addr: SocketAddr) -> (usize, usize) {
        let is_kept = |(path, content): &&Paste| {
            let heard = hear(addr, "GET", &format!("/raw{path}"), "");
            matches!(heard, Heard::Answer(200, body) if body == content.as_bytes())
        };
        // A burning paste answers a GET with the way to read it.
        let is_there =
            |(path, _): &&Paste| matches!(hear(addr, "GET", path, ""), Heard::Answer(405, _));
        let is_back =
            |path: &&String| !matches!(hear(addr, "POST", path, ""), Heard::Answer(410, _));
        let kept = self.kept.iter().filter(is_kept).count();
        let there = self.burning.iter().filter(is_there).count();
        let lost = self.kept.len() + self.burning.len() - kept - there;
        (lost, self.shown.iter().filter(is_back).count())
    }

    /// Reads all burning pastes. Each is shown exactly once, or not at all if an earlier read was not answered.
    fn burn_all(&self, addr: SocketAddr) {
        let burning = self.burning.iter().map(|paste| (paste, false));
        let unsure = self.unsure.iter().map(|paste| (paste, true));
        for ((path, content), may_be_gone) in burning.chain(unsure) {
            match hear(addr, "POST", path, "") {
                Heard::Answer(200, shown) => assert_eq!(shown, content.as_bytes()),
                Heard::Answer(410, _) => assert!(may_be_gone, "it was never shown"),
                _ => panic!("no answer to a read"),
            }
            assert!(matches!(
                hear(addr, "POST", path, ""),
                Heard::Answer(410, _)
            ));
        }
    }
}

fn start(data: Option<&Folder>) -> Running {
    start_with(data, &[])
}

fn start_with(data: Option<&Folder>, environment: &[(&str, &str)]) -> Running {
    let mut flags = vec!["--log", "info,tidebin::http::log=warn"];
    for limit in ["--limit-save", "--limit-read", "--limit-miss"] {
        flags.extend([limit, "off"]);
    }
    if let Some(data) = data {
        let path = data.path().to_str().expect("a path of text");
        flags.extend(["--data", path, "--max-disk", "64MiB"]);
    }
    Running::start_with(&flags, environment)
}

/// Lets clients work until this many operations were acknowledged, and sends the signal. Returns their knowledge, and
/// the exit code of the program.
fn end_under_load(running: Running, most: usize, signal: Signal) -> (Known, Option<i32>) {
    let (known, code) = work_until(running, most, |running| running.send(signal));
    assert_eq!(known.failures, 0);
    (known, code)
}

/// Lets clients work until this many operations were acknowledged, and then until the program ends because of `end`.
fn work_until(running: Running, most: usize, end: impl FnOnce(&Running)) -> (Known, Option<i32>) {
    let addr = running.addr();
    let (acknowledge, acknowledged) = mpsc::channel();
    let mut known = Known::default();
    thread::scope(|scope| {
        let work = |client: usize| {
            let acknowledge = acknowledge.clone();
            move || {
                let mut known = Known::default();
                known.work(addr, &format!("{most} {client}"), &acknowledge);
                known
            }
        };
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| scope.spawn(work(client)))
            .collect();
        drop(acknowledge);
        assert_eq!(acknowledged.iter().take(most).count(), most);
        end(&running);
        for client in clients {
            known.add(client.join().expect("all answers were right"));
        }
    });
    assert!(known.kept.len() + known.burning.len() >= most / 2);
    (known, running.wait().0)
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_burned_is_back_after_kill_9() {
    let data = Folder::new("crash");
    let mut known = Known::default();
    for round in 0..rounds(3) {
        let running = start(Some(&data));
        assert_eq!(known.wrong(running.addr()), (0, 0), "before round {round}");
        let (more, code) = end_under_load(running, 20 + 23 * round as usize, Signal::KILL);
        assert_eq!(code, None);
        known.add(more);
    }
    let running = start(Some(&data));
    assert_eq!(known.wrong(running.addr()), (0, 0));
    known.burn_all(running.addr());
}

#[test]
fn a_stop_under_load_loses_nothing_that_was_acknowledged() {
    let data = Folder::new("crash");
    let (known, code) = end_under_load(start(Some(&data)), 100, Signal::TERM);
    assert_eq!(code, Some(0));
    let running = start(Some(&data));
    assert_eq!(known.wrong(running.addr()), (0, 0));
    known.burn_all(running.addr());
}

/// Shows that the tests above can fail.
#[test]
fn without_a_data_directory_a_crash_loses_all_pastes() {
    let (known, _) = end_under_load(start(None), 20, Signal::KILL);
    let running = start(None);
    let (lost, _) = known.wrong(running.addr());
    assert_eq!(lost, known.kept.len() + known.burning.len());
}
