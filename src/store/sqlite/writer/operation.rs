//! The operations of callers, and how the writer carries them out in a transaction.
//!
//! Invariants: an operation that is declined has changed nothing, except that pastes may have been removed to make
//! room.

use rusqlite::params;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::transaction::Transaction;
use crate::paste::{Access, Deadline, PasteData, PasteId, Revision, Timestamp};
use crate::store::seal::{Nonce, Ownership, Record, RowKey, SEALED_ID};
use crate::store::sqlite::database::tables;
use crate::store::sqlite::failure::Failure;
use crate::store::sqlite::limits::Limits;
use crate::store::sqlite::state::Listing;
use crate::store::{End, ModerationChange, Reason, StoreError};

/// An operation in the queue. The caller may have gone away; the operation is carried out nevertheless.
pub(crate) struct Queued {
    /// The time of the caller.
    pub(crate) now: Timestamp,
    pub(crate) operation: Operation,
    pub(crate) reply: oneshot::Sender<Result<Answer, StoreError>>,
    /// The operation's part of the queue, which it keeps until it is answered.
    pub(crate) _permit: OwnedSemaphorePermit,
}

/// What a caller asks of the writer.
pub(crate) enum Operation {
    Insert(Box<Insert>),
    Update(Box<Update>),
    /// Uses up a read of a paste whose reads are limited, of which the caller saw this revision.
    Consume(RowKey, Revision, End),
    Remove(RowKey, End),
    /// Removes pastes of this network, at most a batch.
    RemoveOf(u64, Reason),
    Moderate(Box<ModerationChange>),
    /// Removes expired pastes, at most a batch.
    Sweep,
}

/// The answer to an operation, once it is synced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The access of the paste that was updated or read. `None` if its last read was used up.
    pub(crate) access: Option<Access>,
    /// The number of pastes that were swept or removed with others, or of rows of the lists of blocked contents and of reports that changed.
    pub(crate) count: usize,
}

/// A new paste.
pub(crate) struct Insert {
    pub(crate) id: PasteId,
    pub(crate) paste: PasteData,
    pub(crate) record: Record,
    /// The sealed content.
    pub(crate) sealed: Vec<u8>,
    /// `None` if the paste has no owner.
    pub(crate) ownership: Option<Ownership>,
}

/// A new version of a paste.
pub(crate) struct Update {
    pub(crate) id: PasteId,
    pub(crate) key: RowKey,
    /// The version that the caller changed. If there is another one now, the caller tries again.
    pub(crate) of: (Revision, Deadline),
    pub(crate) paste: PasteData,
    /// The sealed content. `None` means that only the deadline changes.
    pub(crate) sealed: Option<Vec<u8>>,
    /// The sealed summary that belongs to the content. `None` if the paste has no owner.
    pub(crate) summary: Option<Vec<u8>>,
}

impl Insert {
    /// Returns the bytes that the paste is charged for.
    pub(crate) fn bytes(&self) -> usize {
        let owned = self.ownership.as_ref();
        self.sealed.len() + owned.map_or(0, |it| it.id.len() + it.summary.len())
    }
}

impl Update {
    /// Returns the bytes that the new version is charged for. `None` means that they stay the same.
    pub(crate) fn bytes(&self) -> Option<usize> {
        let summary = self.summary.as_ref();
        let owned = summary.map_or(0, |summary| SEALED_ID + summary.len());
        self.sealed.as_ref().map(|sealed| sealed.len() + owned)
    }
}

impl Operation {
    /// Returns the bytes that the operation holds.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Insert(insert) => insert.bytes(),
            Self::Update(update) => update.bytes().unwrap_or(0),
            Self::Consume(..)
            | Self::Remove(..)
            | Self::RemoveOf(..)
            | Self::Moderate(_)
            | Self::Sweep => 0,
        }
    }

    /// Returns the key of the paste that the operation is about.
    pub(crate) fn key(&self) -> Option<RowKey> {
        match self {
            Self::Insert(insert) => Some(insert.record.key),
            Self::Update(update) => Some(update.key),
            Self::Consume(key, ..) | Self::Remove(key, ..) => Some(*key),
            Self::RemoveOf(..) | Self::Moderate(_) | Self::Sweep => None,
        }
    }

    /// Returns true if the operation is refused while the disk is full.
    pub(crate) fn needs_space(&self) -> bool {
        match self {
            Self::Insert(_) => true,
            Self::Update(update) => update.sealed.is_some(),
            Self::Moderate(change) => matches!(**change, ModerationChange::Report(_)),
            Self::Consume(..) | Self::Remove(..) | Self::RemoveOf(..) | Self::Sweep => false,
        }
    }

    /// Returns true if the operation replaces a content, whose former bytes must leave the WAL.
    pub(crate) fn replaces_content(&self) -> bool {
        matches!(self, Self::Update(update) if update.sealed.is_some())
    }
}

impl Queued {
    /// Answers that the disk is full, so nothing was changed.
    pub(crate) fn refuse_disk_full(self) {
        let _ = self.reply.send(Err(StoreError::DiskFull));
    }
}

impl Transaction<'_> {
    /// Carries out an operation.
    pub(crate) fn carry_out(&mut self, operation: &Operation) -> Result<Answer, Failure> {
        let mut answer = Answer::default();
        match operation {
            Operation::Insert(insert) => self.insert(insert)?,
            Operation::Update(update) => answer.access = Some(self.update(update)?),
            Operation::Consume(key, revision, end) => {
                answer.access = self.consume(*key, *revision, *end)?;
            }
            Operation::Remove(key, end) => self.remove(*key, *end)?,
            Operation::RemoveOf(network, reason) => {
                answer.count = self.remove_of(*network, *reason)?;
            }
            Operation::Moderate(change) => answer.count = self.moderate(change)?,
            Operation::Sweep => answer.count = self.sweep()?,
        }
        Ok(answer)
    }

    /// Stores a new paste, and removes others to make room.
    pub(crate) fn insert(&mut self, insert: &Insert) -> Result<(), Failure> {
        if self.is_taken(insert.record.key, insert.paste.has_slug()) {
            return Err(StoreError::IdTaken.into());
        }
        let cost = Limits::cost_of(insert.bytes());
        let listing = Listing::of(&insert.record, cost, self.next_seq());
        self.list(listing)?;
        let record = &self.seal(&insert.record, listing.seq)?;
        let (content, ownership) = (&insert.sealed, insert.ownership.as_ref());
        let (seq, day) = (listing.seq, self.day());
        tables::insert_paste(self.connection, seq, day, record, content, ownership)?;
        Ok(())
    }

    /// Stores a new version of a paste, and removes others to make room. The counts and the reads left do not change.
    /// Returns the access.
    pub(crate) fn update(&mut self, update: &Update) -> Result<Access, Failure> {
        let (seq, former) = self.record(update.key)?;
        if (former.revision, former.deadline) != update.of {
            return Err(StoreError::Changed.into());
        }
        let record = Record {
            revision: update.paste.revision,
            deadline: update.paste.deadline,
            saved: update.paste.saved(),
            ..former
        };
        let listing = self.shared.lock().catalog.listing(update.key);
        let listing = listing.ok_or(StoreError::Changed)?;
        let to = match update.sealed {
            Some(_) => self.next_seq(),
            None => seq,
        };
        let cost = update.bytes().map_or(listing.cost, Limits::cost_of);
        self.list(Listing::of(&record, cost, to))?;
        match &update.sealed {
            Some(content) => {
                let sealed = &self.seal(&record, to)?;
                let summary = update.summary.as_deref();
                tables::replace_paste(self.connection, (seq, to), sealed, content, summary)
                    .map_err(|error| Failure::of_paste(update.key, error))?;
            }
            None => self.update_record(seq, &record)?,
        }
        Ok(record.access)
    }

    /// Uses up a read. Returns the access that is left, or `None` if that was the last read: the paste is removed.
    pub(crate) fn consume(
        &mut self,
        key: RowKey,
        seen: Revision,
        end: End,
    ) -> Result<Option<Access>, Failure> {
        let (seq, record) = self.record(key)?;
        if record.deadline.has_passed(self.now) {
            return Err(StoreError::Gone(Reason::Expired).into());
        }
        if record.revision != seen {
            return Err(StoreError::Changed.into());
        }
        let Some(access) = record.access.after_read() else {
            self.delete_key(key, end)?;
            return Ok(None);
        };
        self.update_record(seq, &Record { access, ..record })?;
        Ok(Some(access))
    }

    /// Removes a paste.
    pub(crate) fn remove(&mut self, key: RowKey, end: End) -> Result<(), Failure> {
        self.shared.lock().locate(self.now, key)?;
        self.delete_key(key, end)
    }

    /// Changes the list of blocked contents or of reports. Returns the number of changed rows. A report about a paste
    /// that was deleted is refused.
    pub(crate) fn moderate(&mut self, change: &ModerationChange) -> Result<usize, Failure> {
        let key = |id| self.shared.keys.row_key(id);
        if let ModerationChange::Report(report) = change {
            self.shared.lock().locate(self.now, key(report.paste))?;
        }
        let moderation = &self.shared.moderation;
        let changes = moderation.apply(change, |id| key(id).as_id())?;
        let count = changes.len();
        self.write_moderation(changes)?;
        Ok(count)
    }

    fn update_record(&self, seq: u64, record: &Record) -> Result<(), Failure> {
        let update = "UPDATE meta SET record = ?2 WHERE seq = ?1";
        let sealed = self.seal(record, seq)?;
        Ok(tables::run(self.connection, update, params![seq, sealed])?)
    }

    fn seal(&self, record: &Record, seq: u64) -> Result<Vec<u8>, Failure> {
        Ok(record.seal(&self.shared.keys, seq, Nonce::random()?))
    }
}
