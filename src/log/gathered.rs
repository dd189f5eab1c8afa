//! Lines that are gathered for a moment and written together.
//!
//! A line alone is a question to the system, and wakes whoever reads the log: that took longer than to answer a request.
//! What it must not know: what lines say.
//! Invariants: lines are written whole and in the order in which they came; none waits longer than [`GATHERED_FOR`], and
//! none behind one that may not wait. Who logs waits for a log that nobody reads, as it would without this. What a log
//! does not take because of an error is tried again with what comes next; beyond [`MOST`] bytes of that the oldest lines
//! go. No more is kept than twice [`MOST`] and a line for each thread.
//! Cost: a lock for a copy of the line.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// The target of the lines of requests. They are gathered, being thousands a second; everything else is rare and may be
/// the last word.
pub(crate) const REQUESTS: &str = "tidebin::http::log";

/// How long a line may wait for others.
pub(super) const GATHERED_FOR: Duration = Duration::from_millis(50);

/// So many bytes are written by who logs, without waiting for more; half as many by the thread that does so otherwise.
const MOST: usize = 64 * 1024;

/// The lines that are not written yet.
pub(super) struct Gathered {
    /// Whether somebody writes from time to time.
    is_served: AtomicBool,
    lines: Mutex<Vec<u8>>,
    /// Signals that there are some.
    begun: Condvar,
    /// Those that are being written; taken before `lines`, so that they stay in order.
    writing: Mutex<Vec<u8>>,
}

impl Gathered {
    pub(super) const fn new() -> Self {
        Self {
            is_served: AtomicBool::new(false),
            lines: Mutex::new(Vec::new()),
            begun: Condvar::new(),
            writing: Mutex::new(Vec::new()),
        }
    }

    /// Adds a line; says whether there is enough to write.
    fn add(&self, line: &[u8]) -> bool {
        let mut lines = self.lines.lock();
        let before = lines.len();
        lines.extend_from_slice(line);
        let is_half = before < MOST / 2 && lines.len() >= MOST / 2;
        if before == 0 || is_half {
            self.begun.notify_one();
        }
        lines.len() >= MOST
    }

    /// Writes all there is to standard error.
    pub(super) fn write(&self) {
        self.write_to(&mut io::stderr());
    }

    fn write_to(&self, log: &mut impl Write) {
        let mut writing = self.writing.lock();
        writing.append(&mut self.lines.lock());
        let written = write_some(log, &writing);
        writing.drain(..written);
        if writing.len() > MOST {
            let beyond = writing.len() - MOST;
            let end = writing[beyond..].iter().position(|byte| *byte == b'\n');
            let oldest = end.map_or(writing.len(), |end| beyond + end + 1);
            writing.drain(..oldest);
        }
    }

    /// Has a thread write what has waited long enough. Without one every line is written at once.
    pub(super) fn serve(&'static self) {
        let writer = thread::Builder::new().name("log".to_owned());
        let served = writer.spawn(|| self.write_from_time_to_time());
        self.is_served.store(served.is_ok(), Ordering::Relaxed);
    }

    fn may_wait(&self, target: &str, level: Level) -> bool {
        target == REQUESTS && level >= Level::INFO && self.is_served.load(Ordering::Relaxed)
    }

    fn write_from_time_to_time(&self) -> ! {
        loop {
            let mut lines = self.lines.lock();
            while lines.is_empty() {
                self.begun.wait(&mut lines);
            }
            // Signalled again when there is much.
            self.begun.wait_for(&mut lines, GATHERED_FOR);
            drop(lines);
            self.write();
        }
    }
}

/// As many of these bytes as the log takes.
fn write_some(log: &mut impl Write, bytes: &[u8]) -> usize {
    let mut written = 0;
    while written < bytes.len() {
        match log.write(&bytes[written..]) {
            Ok(0) => break,
            Ok(more) => written += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            // There is nobody left to tell.
            Err(_) => break,
        }
    }
    written
}

/// What writes one line.
pub(super) struct Line {
    gathered: &'static Gathered,
    may_wait: bool,
}

impl<'w> MakeWriter<'w> for &'static Gathered {
    type Writer = Line;

    fn make_writer(&'w self) -> Line {
        Line {
            gathered: self,
            may_wait: false,
        }
    }

    fn make_writer_for(&'w self, what: &Metadata<'_>) -> Line {
        Line {
            gathered: self,
            may_wait: self.may_wait(what.target(), *what.level()),
        }
    }
}

impl Write for Line {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let is_much = self.gathered.add(line);
        if is_much || !self.may_wait {
            self.gathered.write();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.gathered.write();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_once_and_in_order() {
        let (gathered, mut log) = (Gathered::new(), Vec::new());
        gathered.add(b"one\n");
        gathered.add(b"two\n");
        gathered.write_to(&mut log);
        gathered.add(b"three\n");
        gathered.write_to(&mut log);
        gathered.write_to(&mut log);
        assert_eq!(log, b"one\ntwo\nthree\n");
    }

    /// A log that takes some bytes, and then none.
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
    fn what_a_log_does_not_take_is_tried_again_and_no_line_is_cut_for_good() {
        let (gathered, mut log) = (Gathered::new(), Full(Vec::new(), 6));
        gathered.add(b"one\ntwo\n");
        gathered.write_to(&mut log);
        log.1 = 100;
        gathered.add(b"three\n");
        gathered.write_to(&mut log);
        assert_eq!(log.0, b"one\ntwo\nthree\n");
    }

    #[test]
    fn of_a_log_that_takes_nothing_the_oldest_lines_go() {
        let (gathered, mut log) = (Gathered::new(), Full(Vec::new(), 0));
        for number in 0..MOST {
            gathered.add(format!("{number}\n").as_bytes());
            gathered.write_to(&mut log);
        }
        log.1 = usize::MAX;
        gathered.write_to(&mut log);
        assert!(log.0.len() <= MOST);
        assert!(log.0.ends_with(format!("{}\n", MOST - 1).as_bytes()));
        let first = log.0.split(|byte| *byte == b'\n').next().unwrap();
        assert_eq!(first.len(), 5, "a whole number");
    }

    #[test]
    fn lines_of_requests_wait_where_somebody_writes_them_and_no_others() {
        let gathered = Gathered::new();
        assert!(!gathered.may_wait(REQUESTS, Level::INFO));
        gathered.is_served.store(true, Ordering::Relaxed);
        assert!(gathered.may_wait(REQUESTS, Level::INFO));
        assert!(!gathered.may_wait(REQUESTS, Level::WARN));
        assert!(!gathered.may_wait("tidebin::http", Level::INFO));
    }

    #[test]
    fn much_is_not_kept() {
        let gathered = Gathered::new();
        assert!(!gathered.add(&[b'x'; MOST - 1]));
        assert!(gathered.add(b"\n"));
    }
}
