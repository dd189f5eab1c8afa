//! The state of the writer's work between transactions, and the ballast.
//!
//! The ballast is a file whose space is given to the database when the disk is full. So pastes can still be read,
//! burned and deleted.
//! Invariants: while the disk is full, nothing is saved. The state ends once the ballast could be written again. The
//! time that is written down is never that of a clock that was only just set, see [`Upkeep::trusted`]. While the log of the
//! last run may not be on the disk, nothing at all is written.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use crate::paste::Timestamp;
use crate::store::sqlite::database::wal;
use crate::store::sqlite::failure::{is_disk_full, is_failed_write};
use crate::store::sqlite::state::GRACE_MILLIS;

/// The least time between two truncations of the log, and between two attempts to write the ballast.
pub(crate) const PAUSE_MILLIS: u64 = 20_000;

/// How soon the log is truncated again if a reader used it, or written over itself if there was no space.
pub(crate) const BUSY_MILLIS: u64 = 1_000;

/// How often the time is written down while something changes.
pub(crate) const NOTE_MILLIS: u64 = 60_000;

/// The state of the writer's work between transactions.
#[derive(Debug, Default)]
pub(crate) struct Upkeep {
    ballast: PathBuf,
    ballast_bytes: u64,
    log: PathBuf,
    pub(crate) is_disk_full: bool,
    /// True if the disk may not have the log of the last run: nothing can be written behind it.
    pub(crate) is_log_in_doubt: bool,
    /// True if bytes were deleted that the log may still have.
    pub(crate) has_deleted: bool,
    /// True if something was committed since the time was written down.
    pub(crate) has_committed: bool,
    /// When the log may be truncated, the ballast written, the time written down, and free pages looked for.
    pub(crate) truncate_from: u64,
    ballast_from: u64,
    pub(crate) note_from: u64,
    pub(crate) free_pages_from: u64,
    /// The time that was written down last before the start, and the time at the start.
    seen: Timestamp,
    start: Timestamp,
    /// The hour in which the counts of the cache were written, in hours since 1970.
    pub(crate) counts_of: u64,
}

impl Upkeep {
    pub(crate) fn new(
        (ballast, log): (PathBuf, PathBuf),
        ballast_bytes: usize,
        seen: Timestamp,
        now: Timestamp,
    ) -> Self {
        let upkeep = Self {
            ballast,
            ballast_bytes: ballast_bytes as u64,
            log,
            truncate_from: now.as_millis() + PAUSE_MILLIS,
            // The next start is to tell that the clock was set back, even if this one is killed soon.
            note_from: now.as_millis(),
            has_committed: true,
            seen,
            start: now,
            counts_of: hour_of(now),
            ..Self::default()
        };
        if let Err(error) = upkeep.write_ballast() {
            tracing::warn!(%error, "no space is reserved for deleting on a full disk");
        }
        upkeep
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

    /// Writes the log of the last run over itself, so that changes may be written behind it. If there is no space for
    /// that either, it is tried again soon.
    pub(crate) fn rewrite_log(&mut self, now: Timestamp) {
        let had_doubt = self.is_log_in_doubt;
        let written = wal::rewrite(&self.log);
        self.is_log_in_doubt = written.is_err();
        self.truncate_from = now.as_millis() + BUSY_MILLIS;
        match written {
            Err(error) if !had_doubt => tracing::error!(
                %error,
                "the log of the last run cannot be written to the full disk again: nothing is changed until it can be"
            ),
            Ok(()) if had_doubt => {
                tracing::info!("the disk has the log of the last run: changes go on")
            }
            _ => {}
        }
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
        let is_full = |kind| matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        written.is_err_and(|error| is_full(error.kind()))
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

    fn write_ballast(&self) -> io::Result<()> {
        if fs::metadata(&self.ballast).is_ok_and(|it| it.len() == self.ballast_bytes) {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(&self.ballast)?;
        // A file of holes would reserve nothing.
        io::copy(&mut io::repeat(0).take(self.ballast_bytes), &mut file)?;
        file.sync_all()
    }
}

pub(crate) fn hour_of(now: Timestamp) -> u64 {
    now.as_millis() / 3_600_000
}
