//! The operations that the writer carries out, and the answers that it gives once they are synced.

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::paste::{Access, Deadline, PasteData, PasteId, Revision, Timestamp};
use crate::store::seal::{Record, RowKey, SEALED_ID};
use crate::store::sqlite::database::tables::Ownership;
use crate::store::{ModerationChange, Reason, StoreError};

/// The sender of an answer. The caller may have gone away; the operation is carried out nevertheless.
pub(crate) type Reply<T> = oneshot::Sender<T>;

/// An operation in the queue, with its part of the queue's room.
pub(crate) type Queued = (Operation, OwnedSemaphorePermit);

/// The request of a caller to the writer.
#[derive(Debug)]
pub(crate) enum Operation {
    Insert(Box<Insert>, Reply<Result<(), StoreError>>),
    Update(Box<Update>, Reply<Result<(), StoreError>>),
    Consume(Consume, Reply<Result<Option<Access>, StoreError>>),
    Remove(Remove, Reply<Result<(), StoreError>>),
    Moderate(Box<Moderate>, Reply<Result<bool, StoreError>>),
    /// Removes expired pastes, at most a batch. Answers how many pastes there were.
    Sweep(Timestamp, Reply<usize>),
    /// Does nothing. Its answer tells that the transaction before it has ended.
    Barrier(Reply<()>),
}

/// A new paste.
#[derive(Debug)]
pub(crate) struct Insert {
    pub(crate) now: Timestamp,
    pub(crate) id: PasteId,
    pub(crate) paste: PasteData,
    pub(crate) record: Record,
    /// The sealed content.
    pub(crate) sealed: Vec<u8>,
    /// `None` if the paste has no owner.
    pub(crate) ownership: Option<Ownership>,
}

/// A new version of a paste.
#[derive(Debug)]
pub(crate) struct Update {
    pub(crate) now: Timestamp,
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

/// A read of a paste whose reads are limited.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Consume {
    pub(crate) now: Timestamp,
    pub(crate) key: RowKey,
    /// The revision that the caller looked at.
    pub(crate) revision: Revision,
}

/// The removal of a paste.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Remove {
    pub(crate) now: Timestamp,
    pub(crate) key: RowKey,
    pub(crate) reason: Reason,
}

/// A change of the lists of blocked contents and of reports.
#[derive(Debug)]
pub(crate) struct Moderate {
    pub(crate) now: Timestamp,
    pub(crate) change: ModerationChange,
}

impl Operation {
    /// Returns the bytes that the operation holds.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Insert(insert, _) => insert.bytes(),
            Self::Update(update, _) => update.bytes().unwrap_or(0),
            Self::Consume(..)
            | Self::Remove(..)
            | Self::Moderate(..)
            | Self::Sweep(..)
            | Self::Barrier(_) => 0,
        }
    }

    /// Returns the key of the paste that the operation is about.
    pub(crate) fn key(&self) -> Option<RowKey> {
        match self {
            Self::Insert(insert, _) => Some(insert.record.key),
            Self::Update(update, _) => Some(update.key),
            Self::Consume(consume, _) => Some(consume.key),
            Self::Remove(remove, _) => Some(remove.key),
            Self::Moderate(..) | Self::Sweep(..) | Self::Barrier(_) => None,
        }
    }

    /// Returns true if the operation is refused while the disk is full.
    pub(crate) fn needs_space(&self) -> bool {
        match self {
            Self::Insert(..) => true,
            Self::Update(update, _) => update.sealed.is_some(),
            Self::Moderate(moderate, _) => matches!(moderate.change, ModerationChange::Report(_)),
            Self::Consume(..) | Self::Remove(..) | Self::Sweep(..) | Self::Barrier(_) => false,
        }
    }

    /// Returns true if the operation replaces a content, whose former bytes must leave the WAL.
    pub(crate) fn replaces_content(&self) -> bool {
        matches!(self, Self::Update(update, _) if update.sealed.is_some())
    }

    /// Answers that the disk is full, so nothing was changed.
    pub(crate) fn refuse_disk_full(self) {
        match self {
            Self::Insert(_, reply) => _ = reply.send(Err(StoreError::DiskFull)),
            Self::Update(_, reply) => _ = reply.send(Err(StoreError::DiskFull)),
            Self::Moderate(_, reply) => _ = reply.send(Err(StoreError::DiskFull)),
            other => other.fail(),
        }
    }

    /// Answers that the storage failed.
    pub(crate) fn fail(self) {
        match self {
            Self::Insert(_, reply) => _ = reply.send(Err(StoreError::Failed)),
            Self::Update(_, reply) => _ = reply.send(Err(StoreError::Failed)),
            Self::Consume(_, reply) => _ = reply.send(Err(StoreError::Failed)),
            Self::Remove(_, reply) => _ = reply.send(Err(StoreError::Failed)),
            Self::Moderate(_, reply) => _ = reply.send(Err(StoreError::Failed)),
            Self::Sweep(_, reply) => _ = reply.send(0),
            Self::Barrier(reply) => _ = reply.send(()),
        }
    }
}
