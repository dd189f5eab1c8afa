//! Blocked contents, reports and reserved ids in a transaction.
//!
//! Invariants: the lists in memory change before the commit. If the transaction fails, they are read from the database
//! again.

use super::Transaction;
use crate::paste::Timestamp;
use crate::store::moderation::RowChange;
use crate::store::seal::{Nonce, RowKey};
use crate::store::sqlite::database;
use crate::store::sqlite::writer::failure::Failure;
use crate::store::sqlite::writer::operation::{Insert, Moderate};
use crate::store::{ModerationChange, Reason, StoreError};

impl Transaction<'_> {
    /// Changes the list of blocked contents or of reports. Returns whether it changed. A report about a paste that was
    /// deleted is refused.
    pub(crate) fn moderate(
        &mut self,
        moderate: &Moderate,
    ) -> Result<Result<bool, StoreError>, Failure> {
        let key = |id| self.shared.keys.row_key(id);
        if let ModerationChange::Report(report) = &moderate.change
            && let Err(gone) = self.shared.lock().locate(moderate.now, key(report.paste))
        {
            return Ok(Err(gone));
        }
        let changed = self
            .shared
            .moderation
            .apply(&moderate.change, |id| key(id).as_id());
        match changed {
            Ok(changes) => {
                let has_changed = !changes.is_empty();
                self.write_moderation(changes)?;
                Ok(Ok(has_changed))
            }
            Err(error) => Ok(Err(error)),
        }
    }

    /// Returns whether a new paste cannot have its id. A random id is not used again while its tombstone is known. That
    /// of a slug is used again once it is not reserved any more.
    pub(super) fn is_taken(&self, insert: &Insert) -> bool {
        let key = insert.record.key;
        let catalog = &mut self.shared.lock().catalog;
        match insert.paste.has_slug() {
            false => catalog.knows(key),
            true if catalog.find(key).is_some() => true,
            true if self.shared.moderation.is_reserved(insert.now, key.as_id()) => true,
            true => {
                catalog.forget_tombstone(key);
                false
            }
        }
    }

    /// Reserves the id of a slug, whose paste is deleted.
    pub(super) fn reserve(
        &mut self,
        now: Timestamp,
        key: RowKey,
        owner: [u8; 16],
        reason: Reason,
    ) -> Result<(), Failure> {
        let moderation = &self.shared.moderation;
        let reserved = moderation.reserve(now, key.as_id(), owner, reason);
        self.write_moderation(reserved)
    }

    /// Writes the changes of the lists of blocked contents, of reports and of reserved ids.
    pub(super) fn write_moderation(&mut self, changes: Vec<RowChange>) -> Result<(), Failure> {
        self.has_moderated |= !changes.is_empty();
        for change in changes {
            match change {
                RowChange::Insert(seq, row) => {
                    let sealed = row.seal(&self.shared.keys, seq, Nonce::random()?);
                    database::moderation::insert(self.connection, seq, &sealed)?;
                }
                RowChange::Delete(seq) => database::moderation::delete(self.connection, seq)?,
            }
        }
        Ok(())
    }
}
