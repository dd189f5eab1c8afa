//! What the writer must look after between transactions, and the ballast.
//!
//! The ballast is a file whose space is given to the database when the disk is full. So pastes can still be read, burned
//! and deleted.
//! Invariants: while the disk is full, nothing is saved. The state ends once the ballast could be written again.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::paste::Timestamp;

/// The least time between two attempts of anything that failed or that is done now and then.
const PAUSE_MILLIS: u64 = 20_000;

/// What the writer must look after.
#[derive(Debug)]
pub(in crate::store::sqlite) struct Upkeep {
    ballast: PathBuf,
    ballast_bytes: usize,
    is_disk_full: bool,
    /// True if bytes were deleted that the log may still have.
    has_deleted: bool,
    /// When the log was truncated, or the ballast was tried, for the last time.
    last: Timestamp,
    /// The hour in which the counts of the cache were written, in hours since 1970.
    pub(in crate::store::sqlite) counts_of: u64,
}

impl Upkeep {
    pub(in crate::store::sqlite) fn new(
        ballast: PathBuf,
        ballast_bytes: usize,
        now: Timestamp,
    ) -> Self {
        let upkeep = Self {
            ballast,
            ballast_bytes,
            is_disk_full: false,
            // A former process may have ended before it truncated the log.
            has_deleted: true,
            last: now,
            counts_of: hour_of(now),
        };
        if let Err(error) = upkeep.write_ballast() {
            tracing::warn!(%error, "no space is reserved for deleting on a full disk");
        }
        upkeep
    }

    pub(in crate::store::sqlite) fn is_disk_full(&self) -> bool {
        self.is_disk_full
    }

    /// Notes that a transaction was committed.
    pub(in crate::store::sqlite) fn committed(&mut self, has_deleted: bool) {
        self.has_deleted |= has_deleted;
    }

    /// Notes that the disk is full, and frees the ballast.
    pub(in crate::store::sqlite) fn disk_is_full(&mut self) {
        if !self.is_disk_full {
            tracing::error!("the disk is full: nothing is saved until there is space again");
            self.is_disk_full = true;
        }
        // It may be missing already.
        let _ = fs::remove_file(&self.ballast);
    }

    /// Returns true if the log may have deleted bytes, and should be truncated now.
    pub(in crate::store::sqlite) fn should_truncate(&mut self, now: Timestamp) -> bool {
        self.has_deleted && self.is_due(now)
    }

    /// Notes that the log was truncated.
    pub(in crate::store::sqlite) fn truncated(&mut self) {
        self.has_deleted = false;
    }

    /// Tries to end the state of a full disk.
    pub(in crate::store::sqlite) fn try_ballast(&mut self, now: Timestamp) {
        if self.is_disk_full && self.is_due(now) {
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
    pub(in crate::store::sqlite) fn is_new_hour(&mut self, now: Timestamp) -> bool {
        let hour = hour_of(now);
        std::mem::replace(&mut self.counts_of, hour) != hour
    }

    fn is_due(&mut self, now: Timestamp) -> bool {
        let is_due = now.as_millis().saturating_sub(self.last.as_millis()) >= PAUSE_MILLIS;
        if is_due {
            self.last = now;
        }
        is_due
    }

    fn write_ballast(&self) -> io::Result<()> {
        let is_there =
            fs::metadata(&self.ballast).is_ok_and(|it| it.len() == self.ballast_bytes as u64);
        if is_there {
            return Ok(());
        }
        let mut file = fs::File::create(&self.ballast)?;
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
