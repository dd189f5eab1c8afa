//! Clients that send many requests and read no answers. The program waits for them, which costs it no time and little
//! memory.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{ErrorKind, Write};
use std::net::TcpStream;

use socket2::SockRef;

use crate::client::{connect, until};
use crate::keep_alive::KeepAlive;
use crate::process::Running;

/// More requests than the program accepts on a connection whose answers are not read.
const MANY: usize = 60_000;

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n";

const MISSING: &str = "GET /raw/none HTTP/1.1\r\nHost: h\r\n\r\n";

/// A page of several KiB.
const FORM: &str = "GET / HTTP/1.1\r\nHost: h\r\nAccept: text/html\r\n\r\n";

/// Connects, and sends as many of these bytes as the program accepts before it waits for a reader of its answers. Also
/// returns the rest of the bytes.
fn send_and_read_nothing<'a>(running: &Running, bytes: &'a [u8]) -> (TcpStream, &'a [u8]) {
    let stream = connect(running.addr());
    // The system makes larger buffers larger still.
    SockRef::from(&stream)
        .set_send_buffer_size(64 << 10)
        .unwrap();
    SockRef::from(&stream)
        .set_recv_buffer_size(64 << 10)
        .unwrap();
    stream.set_nonblocking(true).unwrap();
    let mut rest = bytes;
    until(|| {
        let is_idle = is_idle(running.id());
        match (&stream).write(rest) {
            Ok(sent) => rest = &rest[sent..],
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                return is_idle;
            }
        }
        assert!(!rest.is_empty(), "it accepts everything");
        false
    });
    stream.set_nonblocking(false).unwrap();
    (stream, rest)
}

/// Returns whether all threads of a process wait.
fn is_idle(process: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    threads.flatten().all(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The state follows the name, which is in parentheses.
        stat.rsplit_once(") ")
            .is_none_or(|(_, state)| state.starts_with('S'))
    })
}

/// The resident memory of the program, in KiB.
fn resident(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    let number = line.unwrap().split_whitespace().nth(1).unwrap();
    number.parse().unwrap()
}

/// Starts the program without lines of requests, which no test reads.
fn start_program() -> Running {
    Running::start(&["--log", "tidebin::http=info,tidebin::http::log=off"])
}

#[test]
fn a_client_that_reads_no_answers_costs_no_time_and_little_memory() {
    const CLIENTS: u64 = 32;
    let running = start_program();
    for path in ["/healthz", "/", "/raw/none"] {
        running
            .request("GET", path)
            .header("Accept", "text/html")
            .send();
    }
    let before = resident(running.id());
    // Given clients that send as many requests as the program accepts, until it waits for them
    let requests = [HEALTH, MISSING, FORM]
        .concat()
        .repeat(MANY / 3)
        .into_bytes();
    let silent = (0..CLIENTS).map(|_| send_and_read_nothing(&running, &requests));
    let silent: Vec<_> = silent.collect();
    // Then they take little memory, and it goes on waiting
    let each = resident(running.id()).saturating_sub(before) / CLIENTS;
    assert!(each < 128, "{each} KiB a connection");
    let mut looks_in_a_row = 0;
    until(|| {
        looks_in_a_row = (looks_in_a_row + 1) * u32::from(is_idle(running.id()));
        looks_in_a_row == 50
    });
    drop(silent);
}

#[test]
fn a_client_that_reads_after_all_gets_every_answer() {
    let running = start_program();
    let requests = HEALTH.repeat(MANY).into_bytes();
    let (mut stream, rest) = send_and_read_nothing(&running, &requests);
    let mut answers = KeepAlive::on(stream.try_clone().unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| stream.write_all(rest).unwrap());
        for _ in 0..MANY {
            assert_eq!(answers.answer(false), Some((200, b"ok\n".into())));
        }
    });
}
