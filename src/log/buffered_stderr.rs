//! Standard error behind a buffer, so that many log lines are one system call.
//!
//! One system call per line took longer than answering a request, because each call also wakes the reader of the log.
//! Why not the crate tracing-appender: its queue either drops lines or blocks, and its thread writes a warning late, so
//! the last line before a crash may be lost. Its lines also cost more: 1.4 µs of processor time in place of 0.5 µs, for
//! 200,000 lines of requests into a pipe in the same run.
//!
//! Invariants:
//! - Lines are written whole and in the order of their arrival.
//! - A line of a request waits at most [`FLUSH_INTERVAL`]. Any other line is written at once, after all lines before
//!   it.
//! - A thread that logs waits while the reader of the log is slow, as a thread would without the buffer.
//! - Bytes that standard error refuses are written again at the next flush. Beyond [`CAPACITY`], the oldest lines are
//!   dropped.
//! - The memory is at most twice [`CAPACITY`] and one line per thread.
//!
//! Cost: a line takes one lock and one copy.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// The log target of the lines of requests. Only these lines are delayed: there are thousands per second, and any other
/// line may be the last one of the process.
pub(crate) const REQUESTS: &str = "tidebin::http::log";

/// The longest time for which a line is delayed.
const FLUSH_INTERVAL: Duration = Duration::from_millis(50);

/// The buffer size in bytes at which the logging thread flushes. The background thread flushes at half of it.
const CAPACITY: usize = 64 * 1024;

/// The lines that are not written yet.
pub(super) struct BufferedStderr {
    lines: Mutex<Vec<u8>>,
    /// Wakes the background thread when the buffer is no longer empty, and when it is half full.
    wake: Condvar,
    /// The lines that are being written. This is locked before `lines`, so that the lines stay in order.
    writing: Mutex<Vec<u8>>,
}

impl BufferedStderr {
    pub(super) const fn new() -> Self {
        Self {
            lines: Mutex::new(Vec::new()),
            wake: Condvar::new(),
            writing: Mutex::new(Vec::new()),
        }
    }

    /// Appends a line. Returns true if the buffer is full.
    fn push(&self, line: &[u8]) -> bool {
        let mut lines = self.lines.lock();
        let before = lines.len();
        lines.extend_from_slice(line);
        let is_half_full = before < CAPACITY / 2 && lines.len() >= CAPACITY / 2;
        if before == 0 || is_half_full {
            self.wake.notify_one();
        }
        lines.len() >= CAPACITY
    }

    /// Writes all lines to standard error.
    pub(super) fn flush(&self) {
        self.flush_to(&mut io::stderr());
    }

    fn flush_to(&self, log: &mut impl Write) {
        let mut writing = self.writing.lock();
        writing.append(&mut self.lines.lock());
        let written = write_prefix(log, &writing);
        writing.drain(..written);
        if writing.len() > CAPACITY {
            let beyond = writing.len() - CAPACITY;
            let end = writing[beyond..].iter().position(|byte| *byte == b'\n');
            let oldest = end.map_or(writing.len(), |end| beyond + end + 1);
            writing.drain(..oldest);
        }
    }

    /// Starts the background thread that flushes delayed lines.
    ///
    /// # Errors
    /// Returns an error if the system cannot start the thread.
    pub(super) fn start_flushing(&'static self) -> io::Result<()> {
        let thread = thread::Builder::new().name("log".to_owned());
        thread.spawn(|| self.flush_periodically()).map(drop)
    }

    fn flush_periodically(&self) -> ! {
        loop {
            let mut lines = self.lines.lock();
            while lines.is_empty() {
                self.wake.wait(&mut lines);
            }
            // The wait ends early when the buffer is half full.
            self.wake.wait_for(&mut lines, FLUSH_INTERVAL);
            drop(lines);
            self.flush();
        }
    }
}

/// Writes as many of the bytes as the log accepts. Returns the number of bytes written.
fn write_prefix(log: &mut impl Write, bytes: &[u8]) -> usize {
    let mut written = 0;
    while written < bytes.len() {
        match log.write(&bytes[written..]) {
            Ok(0) => break,
            Ok(more) => written += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            // An error of the log cannot be reported anywhere else.
            Err(_) => break,
        }
    }
    written
}

/// The writer of a single line.
pub(super) struct LineWriter {
    buffer: &'static BufferedStderr,
    may_be_delayed: bool,
}

impl<'w> MakeWriter<'w> for &'static BufferedStderr {
    type Writer = LineWriter;

    fn make_writer(&'w self) -> LineWriter {
        LineWriter {
            buffer: self,
            may_be_delayed: false,
        }
    }

    fn make_writer_for(&'w self, line: &Metadata<'_>) -> LineWriter {
        LineWriter {
            buffer: self,
            may_be_delayed: may_be_delayed(line.target(), *line.level()),
        }
    }
}

fn may_be_delayed(target: &str, level: Level) -> bool {
    target == REQUESTS && level >= Level::INFO
}

impl Write for LineWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let is_full = self.buffer.push(line);
        if is_full || !self.may_be_delayed {
            self.buffer.flush();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.buffer.flush();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_once_and_in_order() {
        let (buffer, mut log) = (BufferedStderr::new(), Vec::new());
        buffer.push(b"one\n");
        buffer.push(b"two\n");
        buffer.flush_to(&mut log);
        buffer.push(b"three\n");
        buffer.flush_to(&mut log);
        buffer.flush_to(&mut log);
        assert_eq!(log, b"one\ntwo\nthree\n");
    }

    /// A log that accepts this many bytes and then refuses all others.
    struct Full(Vec<u8>, usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.1 - self.0.len());
            self.0.extend_from_slice(&bytes[..taken]);
            match taken {
                0 => Err(io::ErrorKind::WouldBlock.into()),
                taken => Ok(taken),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn bytes_that_the_log_refuses_are_tried_again_and_no_line_stays_truncated() {
        let (buffer, mut log) = (BufferedStderr::new(), Full(Vec::new(), 6));
        buffer.push(b"one\ntwo\n");
        buffer.flush_to(&mut log);
        log.1 = 100;
        buffer.push(b"three\n");
        buffer.flush_to(&mut log);
        assert_eq!(log.0, b"one\ntwo\nthree\n");
    }

    #[test]
    fn the_oldest_lines_are_dropped_while_the_log_accepts_nothing() {
        let (buffer, mut log) = (BufferedStderr::new(), Full(Vec::new(), 0));
        for number in 0..CAPACITY {
            buffer.push(format!("{number}\n").as_bytes());
            buffer.flush_to(&mut log);
        }
        log.1 = usize::MAX;
        buffer.flush_to(&mut log);
        assert!(log.0.len() <= CAPACITY);
        assert!(log.0.ends_with(format!("{}\n", CAPACITY - 1).as_bytes()));
        let first = log.0.split(|byte| *byte == b'\n').next().unwrap();
        assert_eq!(first.len(), 5, "a whole number");
    }

    #[test]
    fn only_lines_of_requests_are_delayed() {
        assert!(may_be_delayed(REQUESTS, Level::INFO));
        assert!(!may_be_delayed(REQUESTS, Level::WARN));
        assert!(!may_be_delayed("tidebin::http", Level::INFO));
    }

    #[test]
    fn a_full_buffer_is_reported() {
        let buffer = BufferedStderr::new();
        assert!(!buffer.push(&[b'x'; CAPACITY - 1]));
        assert!(buffer.push(b"\n"));
    }
}
