//! Moderation: the contents that the operator blocks, the reports of readers, and the ids of slugs that are reserved.
//!
//! All tiers keep these lists in memory. The durable tier writes the [`RowChange`]s of every change to its database
//! too, in the same transaction as the change itself.
//! Invariants: the lists are bounded, see [`Block::MOST`], [`Report::ROOM`] and [`Reservations`]. Ids, notes and hashes
//! never appear in debug output.
//! Cost: while nothing is blocked, a save costs one atomic read more, and no hash is computed. Forgetting the
//! reports of a paste costs one atomic read while there are none.

mod entries;
mod reservations;

pub use entries::{Block, ContentHash, Note, Report};

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::fairness::{ClientKey, FairList};
use crate::paste::{PasteId, Timestamp};
use crate::store::{Reason, StoreError};
pub(super) use reservations::{Reservation, Reservations};

/// A change of the lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModerationChange {
    /// Block this content. If it is blocked already, a reason replaces the old one, and without a reason nothing
    /// changes.
    Block(Block),
    /// Allow this content again.
    Unblock(ContentHash),
    /// Add a report. If there is one of the same network about the same paste, nothing changes.
    Report(Report),
    /// Remove all reports about this paste.
    Dismiss(PasteId),
}

/// A row of a list, as the durable tier stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Row {
    Block(Block),
    Report(Report),
    Reservation(Reservation),
}

/// A change of the stored rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowChange {
    Insert(u64, Row),
    Delete(u64),
}

/// The lists. Threads share them by reference.
pub(crate) struct Moderation {
    lists: Mutex<Lists>,
    has_blocks: AtomicBool,
    has_reports: AtomicBool,
}

/// The paste that a report is about, as the ledger knows it, and the network of the report.
type Place = (PasteId, u64);

struct Lists {
    /// The blocked contents. All of them count for the operator.
    blocks: FairList<ContentHash, Block>,
    /// The reports. Each network has at most one about a paste.
    reports: FairList<Place, Report>,
    reservations: Reservations,
    /// The number of the latest row.
    last: u64,
    report_room: u64,
}

impl Default for Moderation {
    fn default() -> Self {
        Self::with_room(Report::ROOM)
    }
}

impl Moderation {
    /// Makes empty lists, in which all reports may be charged this many bytes.
    pub(super) fn with_room(reports: usize) -> Self {
        Self {
            lists: Mutex::new(Lists::new(reports as u64)),
            has_blocks: AtomicBool::new(false),
            has_reports: AtomicBool::new(false),
        }
    }

    /// Makes a change. `key` names a paste as the tier's ledger does. Returns how the stored rows change.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if nothing was changed.
    pub(super) fn apply(
        &self,
        change: &ModerationChange,
        key: impl Fn(PasteId) -> PasteId,
    ) -> Result<Vec<RowChange>, StoreError> {
        self.change(|lists, seq| lists.apply(seq, change, key))
    }

    /// Removes the reports about the paste with this key in the ledger. Returns how the stored rows change.
    pub(super) fn forget(&self, key: PasteId) -> Vec<RowChange> {
        if !self.has_reports.load(Ordering::Acquire) {
            return Vec::new();
        }
        let forgotten = self.change(|lists, _| Ok(lists.dismiss(key)));
        forgotten.unwrap_or_default()
    }

    /// Reserves the id of a slug, because its paste ends now for this reason. It counts towards the owner's part of the
    /// list, or the operator's. Returns how the stored rows change.
    pub(super) fn reserve(
        &self,
        now: Timestamp,
        key: PasteId,
        owner: [u8; 16],
        reason: Reason,
    ) -> Vec<RowChange> {
        let new = Reservations::of(now, key, owner, reason);
        let reserved = self.change(|lists, seq| {
            let removed = lists.reservations.insert(seq, now, new.clone());
            Ok(inserted(seq, Row::Reservation(new), removed))
        });
        reserved.unwrap_or_default()
    }

    /// Makes a change with the number of the next row. Returns how the stored rows change.
    fn change(
        &self,
        change: impl FnOnce(&mut Lists, u64) -> Result<Vec<RowChange>, StoreError>,
    ) -> Result<Vec<RowChange>, StoreError> {
        let mut lists = self.lists.lock();
        let seq = lists.last + 1;
        let changes = change(&mut lists, seq)?;
        lists.last = seq;
        self.note_emptiness(&lists);
        Ok(changes)
    }

    /// Returns whether the id of a slug with this key in the ledger is reserved.
    pub(super) fn is_reserved(&self, now: Timestamp, key: PasteId) -> bool {
        self.lists.lock().reservations.contains(now, key)
    }

    /// Returns whether there are reports about the paste with this key in the ledger.
    pub(super) fn has_reports_about(&self, key: PasteId) -> bool {
        self.has_reports.load(Ordering::Acquire)
            && self.lists.lock().reports.range(about(key)).next().is_some()
    }

    /// Replaces all lists by these rows, which are in ascending order of their numbers.
    pub(super) fn replace(
        &self,
        rows: impl IntoIterator<Item = (u64, Row)>,
        key: impl Fn(PasteId) -> PasteId,
    ) {
        let mut replaced = Lists::new(self.lists.lock().report_room);
        for (seq, row) in rows {
            replaced.last = seq;
            match row {
                // A list that is larger than allowed was written by another version.
                Row::Block(block) => _ = replaced.block(seq, &block),
                Row::Report(report) => {
                    _ = replaced.report(key(report.paste), seq, &report);
                }
                Row::Reservation(it) => {
                    _ = replaced.reservations.insert(seq, Timestamp::default(), it);
                }
            }
        }
        let mut lists = self.lists.lock();
        *lists = replaced;
        self.note_emptiness(&lists);
    }

    /// Returns whether any content is blocked.
    pub(super) fn has_blocks(&self) -> bool {
        self.has_blocks.load(Ordering::Acquire)
    }

    /// Returns whether the operator blocks contents with this hash.
    pub(super) fn is_blocked(&self, hash: ContentHash) -> bool {
        self.lists.lock().blocks.get(hash).is_some()
    }

    /// Returns the blocked contents, the latest first.
    pub(super) fn blocks(&self) -> Vec<Block> {
        self.lists.lock().blocks.latest_first()
    }

    /// Returns the reports about pastes that meet a condition, the latest first.
    pub(super) fn reports(&self, is_meant: impl Fn(PasteId) -> bool) -> Vec<Report> {
        let mut reports = self.lists.lock().reports.latest_first();
        reports.retain(|report| is_meant(report.paste));
        reports
    }

    fn note_emptiness(&self, lists: &Lists) {
        let has_blocks = !lists.blocks.is_empty();
        self.has_blocks.store(has_blocks, Ordering::Release);
        let has_reports = !lists.reports.is_empty();
        self.has_reports.store(has_reports, Ordering::Release);
    }
}

impl Lists {
    /// Makes empty lists, in which all reports may be charged this many bytes.
    fn new(report_room: u64) -> Self {
        Self {
            blocks: FairList::within(Block::MOST as u64),
            reports: FairList::within(report_room),
            reservations: Reservations::default(),
            last: 0,
            report_room,
        }
    }

    /// Makes a change, which uses this number for a new row. Returns how the stored rows change.
    fn apply(
        &mut self,
        seq: u64,
        change: &ModerationChange,
        key: impl Fn(PasteId) -> PasteId,
    ) -> Result<Vec<RowChange>, StoreError> {
        match change {
            ModerationChange::Block(block)
                if block.note.is_none() && self.blocks.get(block.hash).is_some() =>
            {
                Ok(Vec::new())
            }
            ModerationChange::Block(block) => self.block(seq, block),
            ModerationChange::Unblock(hash) => {
                let unblocked = self.blocks.remove(*hash).ok_or(StoreError::NotListed)?;
                Ok(deleted([unblocked]).collect())
            }
            ModerationChange::Report(report) => Ok(self.report(key(report.paste), seq, report)),
            ModerationChange::Dismiss(paste) => match self.dismiss(key(*paste)) {
                removed if removed.is_empty() => Err(StoreError::NotListed),
                removed => Ok(removed),
            },
        }
    }

    /// Adds a block, in place of one of the same content. A full list refuses the block.
    fn block(&mut self, seq: u64, block: &Block) -> Result<Vec<RowChange>, StoreError> {
        let replaced = Vec::from_iter(self.blocks.remove(block.hash));
        if self.blocks.is_full(1) {
            return Err(StoreError::TooManyBlocks);
        }
        let (network, client) = (0, 0);
        let charged = (ClientKey { network, client }, 1);
        self.blocks.insert(block.hash, seq, charged, block.clone());
        Ok(inserted(seq, Row::Block(block.clone()), replaced))
    }

    /// Adds a report, unless there is one of the same network about the same paste. Others make room.
    fn report(&mut self, key: PasteId, seq: u64, report: &Report) -> Vec<RowChange> {
        let place = (key, report.client.network);
        let charged = (report.client, report.charge() as u64);
        match self.reports.insert(place, seq, charged, report.clone()) {
            (true, removed) => inserted(seq, Row::Report(report.clone()), removed),
            (false, removed) => deleted(removed).collect(),
        }
    }

    /// Removes all reports about a paste.
    fn dismiss(&mut self, key: PasteId) -> Vec<RowChange> {
        deleted(self.reports.remove_where(about(key), |_| true)).collect()
    }
}

/// The places of all reports about a paste.
fn about(key: PasteId) -> RangeInclusive<Place> {
    (key, 0)..=(key, u64::MAX)
}

/// Returns the change by which a new row takes the place of others.
fn inserted<T>(seq: u64, row: Row, removed: Vec<(u64, T)>) -> Vec<RowChange> {
    let inserted = RowChange::Insert(seq, row);
    deleted(removed).chain([inserted]).collect()
}

fn deleted<T>(removed: impl IntoIterator<Item = (u64, T)>) -> impl Iterator<Item = RowChange> {
    removed.into_iter().map(|(seq, _)| RowChange::Delete(seq))
}

#[cfg(test)]
mod tests;
