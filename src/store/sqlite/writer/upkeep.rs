//! The state of the writer's work between transactions, and the ballast.
//!
//! The ballast is a file whose space is given to the database when the disk is full. So pastes can still be read,
//! burned and deleted.
//! Invariants: while the disk is full, nothing is saved. The state ends once the ballast could be written again. The
//! time that is written down is never that of a clock that was only just set, see [`Upkeep::trusted`].

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use crate::paste::Timestamp;
use crate::store::sqlite::limits::GRACE_MILLIS;
use crate::store::sqlite::writer::failure::{is_disk_full, is_failed_write};

/// The least time between two truncations of the log, and between two attempts to write the ballast.
const PAUSE_MILLIS: u64 = 20_000;

/// How soon the log is truncated again if a reader used it.
const BUSY_MILLIS: u64 = 1_000;

/// How soon free pages are looked for again if there were few. Looking takes two queries.
const FREE_PAGES_MILLIS: u64 = 500;

/// How often the time is written down while something changes.
const NOTE_MILLIS: u64 = 60_000;

/// The state of the writer's work between transactions.
#[derive(Debug)]
pub(crate) struct Upkeep {
    ballast: PathBuf,
    ballast_bytes: usize,
    is_disk_full: bool,
    /// True if bytes were deleted that the log may still have.
    has_deleted: bool,
    /// True if something was committed since the time was written down.
    has_committed: bool,
    /// When the log may be truncated, when the ballast may be written, and when the time may be written down.
    truncate_from: u64,
    ballast_from: u64,
    note_from: u64,
    /// When free pages may be looked for.
    free_pages_from: u64,
    /// The time that was written down last before the start, and the time at the start.
    seen: Timestamp,
    start: Timestamp,
    /// The hour in which the counts of the cache were written, in hours since 1970.
    pub(crate) counts_of: u64,
}

impl Upkeep {
    pub(crate) fn new(
        ballast: PathBuf,
        ballast_bytes: usize,
        seen: Timestamp,
        now: Timestamp,
    ) -> Self {
        let upkeep = Self {
            ballast,
            ballast_bytes,
            is_disk_full: false,
            has_deleted: false,
            has_committed: false,
            truncate_from: now.as_millis() + PAUSE_MILLIS,
            ballast_from: 0,
            note_from: now.as_millis() + NOTE_MILLIS,
            free_pages_from: 0,
            seen,
            start: now,
            counts_of: hour_of(now),
        };
        if let Err(error) = upkeep.write_ballast() {
            tracing::warn!(%error, "no space is reserved for deleting on a full disk");
        }
        upkeep
    }

    pub(crate) fn is_disk_full(&self) -> bool {
        self.is_disk_full
    }

    /// Notes that a transaction was committed.
    pub(crate) fn committed(&mut self, has_deleted: bool) {
        self.has_deleted |= has_deleted;
        self.has_committed = true;
    }

    /// Notes that the disk is full, and frees the ballast.
    pub(crate) fn disk_is_full(&mut self, now: Timestamp) {
        self.ballast_from = now.as_millis() + PAUSE_MILLIS;
        if !self.is_disk_full {
            tracing::error!("the disk is full: nothing is saved until there is space again");
            self.is_disk_full = true;
        }
        // It may be missing already.
        let _ = fs::remove_file(&self.ballast);
        // Truncating the log gives more space.
        self.has_deleted = true;
    }

    /// Returns true if this error of the database comes from a full disk or a quota that is used up.
    pub(crate) fn is_out_of_space(&self, error: &rusqlite::Error) -> bool {
        is_disk_full(error) || is_failed_write(error) && self.has_no_space()
    }

    /// Tries to write a small file. Returns true if there is no space for it, or a quota is used up.
    fn has_no_space(&self) -> bool {
        let probe = self.ballast.with_extension("probe");
        let written = fs::write(&probe, [1; 64 * 1024]);
        let _ = fs::remove_file(&probe);
        let kind = written.err().map(|error| error.kind());
        matches!(
            kind,
            Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
        )
    }

    /// Returns true if the log may have deleted bytes, and should be truncated now.
    pub(crate) fn should_truncate(&self, now: Timestamp) -> bool {
        self.has_deleted && now.as_millis() >= self.truncate_from
    }

    /// Notes that the log was truncated, or that a reader used it.
    pub(crate) fn truncated(&mut self, now: Timestamp, is_empty: bool) {
        self.has_deleted &= !is_empty;
        let pause = match is_empty {
            true => PAUSE_MILLIS,
            false => BUSY_MILLIS,
        };
        self.truncate_from = now.as_millis() + pause;
    }

    /// Returns true if free pages should be looked for.
    pub(crate) fn should_give_pages_back(&self, now: Timestamp) -> bool {
        now.as_millis() >= self.free_pages_from
    }

    /// Notes that there are few free pages.
    pub(crate) fn has_few_free_pages(&mut self, now: Timestamp) {
        self.free_pages_from = now.as_millis() + FREE_PAGES_MILLIS;
    }

    /// Returns true if something was committed and the time was not written down for a minute.
    pub(crate) fn should_note_time(&mut self, now: Timestamp) -> bool {
        let is_due = self.has_committed && now.as_millis() >= self.note_from;
        if is_due {
            self.note_from = now.as_millis() + NOTE_MILLIS;
            self.has_committed = false;
        }
        is_due
    }

    /// Returns the time that may be written down. A start never goes back behind it, so the clock is trusted only after
    /// the server has run for as long as expired pastes are only hidden. Otherwise a clock that was wrong at one start
    /// would stay so for ever.
    pub(crate) fn trusted(&self, now: Timestamp) -> Timestamp {
        let uptime = now.since(self.start);
        match uptime.as_millis() < u128::from(GRACE_MILLIS) {
            true => Timestamp::since_epoch(self.seen.since(Timestamp::default()) + uptime),
            false => now,
        }
    }

    /// Tries to end the state of a full disk.
    pub(crate) fn try_ballast(&mut self, now: Timestamp) {
        if self.is_disk_full && now.as_millis() >= self.ballast_from {
            self.ballast_from = now.as_millis() + PAUSE_MILLIS;
            match self.write_ballast() {
                Ok(()) => {
                    tracing::info!("the disk has space again: pastes are saved");
                    self.is_disk_full = false;
                }
                Err(_) => _ = fs::remove_file(&self.ballast),
            }
        }
    }

    /// Returns true once in an hour.
    pub(crate) fn is_new_hour(&mut self, now: Timestamp) -> bool {
        let hour = hour_of(now);
        std::mem::replace(&mut self.counts_of, hour) != hour
    }

    fn write_ballast(&self) -> io::Result<()> {
        let is_there =
            fs::metadata(&self.ballast).is_ok_and(|it| it.len() == self.ballast_bytes as u64);
        if is_there {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(&self.ballast)?;
        // A file of holes would reserve nothing.
        let chunk = [0; 64 * 1024];
        let mut left = self.ballast_bytes;
        while left > 0 {
            let part = left.min(chunk.len());
            file.write_all(&chunk[..part])?;
            left -= part;
        }
        file.sync_all()
    }
}

fn hour_of(now: Timestamp) -> u64 {
    now.as_millis() / 3_600_000
}
