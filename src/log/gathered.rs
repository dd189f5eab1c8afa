//! Lines that are gathered for a moment and written together.
//!
//! A line alone is a question to the system, and wakes whoever reads the log: that took longer than to answer a request.
//! What it must not know: what lines say.
//! Invariants: lines are written whole and in the order in which they came; none waits longer than [`GATHERED_FOR`], and
//! none behind one that may not wait; no more than [`MOST`] bytes are ever kept. Who logs waits for a log that nobody
//! reads, as it would without this: nothing is dropped.
//! Cost: a lock for a copy of the line.

use std::io::{self, Write};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

use super::GATHERED;

/// How long a line may wait for others.
pub const GATHERED_FOR: Duration = Duration::from_millis(50);

/// So many bytes are written without waiting for more.
const MOST: usize = 64 * 1024;

/// The lines that are not written yet.
pub(super) struct Gathered {
    lines: Mutex<Vec<u8>>,
    /// Signals that there are some.
    begun: Condvar,
    /// Those that are being written; taken before `lines`, so that they stay in order.
    writing: Mutex<Vec<u8>>,
}

impl Gathered {
    pub(super) const fn new() -> Self {
        Self {
            lines: Mutex::new(Vec::new()),
            begun: Condvar::new(),
            writing: Mutex::new(Vec::new()),
        }
    }

    /// Adds a line; says whether there is enough to write.
    fn add(&self, line: &[u8]) -> bool {
        let mut lines = self.lines.lock();
        if lines.is_empty() {
            self.begun.notify_one();
        }
        lines.extend_from_slice(line);
        lines.len() >= MOST
    }

    /// Writes all there is to standard error.
    pub(super) fn write(&self) {
        self.write_to(&mut io::stderr());
    }

    fn write_to(&self, log: &mut impl Write) {
        let mut writing = self.writing.lock();
        std::mem::swap(&mut *writing, &mut *self.lines.lock());
        // There is nobody left to tell that the log cannot be written.
        let _ = log.write_all(&writing);
        writing.clear();
    }

    /// Writes whenever something has waited long enough; for a thread of its own.
    pub(super) fn write_from_time_to_time(&self) -> ! {
        loop {
            let mut lines = self.lines.lock();
            while lines.is_empty() {
                self.begun.wait(&mut lines);
            }
            // Nobody signals this while there are some.
            self.begun.wait_for(&mut lines, GATHERED_FOR);
            drop(lines);
            self.write();
        }
    }
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
            may_wait: what.target() == GATHERED && *what.level() >= Level::INFO,
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

    #[test]
    fn much_is_not_kept() {
        let gathered = Gathered::new();
        assert!(!gathered.add(&[b'x'; MOST - 1]));
        assert!(gathered.add(b"\n"));
    }
}
