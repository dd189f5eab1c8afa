//! Changing: the work of the writer before the caller gets an answer.
//!
//! Invariants: an operation that was queued is carried out, even if its caller has gone away. Contents are sealed
//! before they are queued, on the caller's side, so that the writer's thread does not wait for the cipher.

use super::limits::Limits;
use super::writer::{Insert, Operation, Update};
use super::{Store, TRIES};
use crate::paste::{Access, Change, PasteId, ReadsLeft, Revision, StoredPaste, Timestamp};
use crate::store::error::refuse_other;
use crate::store::listed::outlined;
use crate::store::memory::cost_of_data;
use crate::store::seal::{Record, seal_paste};
use crate::store::{Consumed, End, ModerationChange, Reason, Receipt, Saver, StoreError};

impl Store {
    /// Stores the paste under this id, and returns once it is synced. Other pastes are removed if there is not enough
    /// room on disk: expired ones first, then the least recently read paste of the heaviest client of the heaviest
    /// network. In the first hour, the pastes that the start found expired count as present.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if the paste is not stored.
    pub async fn insert(
        &self,
        now: Timestamp,
        saver: Saver,
        id: PasteId,
        paste: StoredPaste,
    ) -> Result<(), StoreError> {
        let paste = saver.sign(paste.into_data());
        let record = Record {
            key: self.shared.keys.row_key(id),
            client: saver.client,
            revision: paste.revision,
            deadline: paste.deadline,
            access: paste.access,
            saved: paste.saved(),
        };
        let limits = &self.shared.limits;
        self.refuse_if(cost_of_data(&paste) > limits.largest)?;
        let sealed = seal_paste(&self.shared.keys, id, &paste).await?;
        let owned = saver
            .owner
            .map(|owner| self.shared.keys.ownership(&owner, id, &paste));
        let insert = Box::new(Insert {
            ownership: owned.transpose()?,
            id,
            paste,
            record,
            sealed,
        });
        self.refuse_if(Limits::cost_of(insert.bytes()) > limits.room)?;
        self.ask(now, Operation::Insert(insert)).await.map(drop)
    }

    /// Counts a read and returns the paste, for every kind of access. `seen` is the version that the caller looked at.
    /// The use of a limited read is synced before this returns. The last one removes the paste.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if there is nothing to show.
    pub async fn consume(
        &self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<Consumed, StoreError> {
        let (key, revision) = (self.shared.keys.row_key(id), seen.revision());
        let left = if seen.access().reads_left().is_some() {
            let end = End::of(seen, now, Reason::Burned);
            let left = self
                .ask(now, Operation::Consume(key, revision, end))
                .await?;
            let left = left.access.and_then(Access::reads_left);
            Some(left.map_or(0, ReadsLeft::get))
        } else {
            // In memory alone. The disk gets the count later.
            let mut state = self.shared.lock();
            state.locate(now, key)?;
            let cached = state.cache.pastes.get(&key);
            if cached.is_some_and(|it| it.entry.paste.revision != revision) {
                return Err(StoreError::Changed);
            }
            state.count_read(now, key);
            None
        };
        Ok(Consumed::after_read(seen, left))
    }

    /// Changes a paste, and returns once the change is synced. The paste gets this revision, unless only its expiry
    /// changes. Its token, its counts and its client do not change.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if the paste is not changed.
    pub async fn update(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
        revision: Revision,
    ) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            let stored = self.peek(now, id).await?;
            refuse_other(change, stored.data())?;
            match self.replace(now, id, &stored, change, revision).await {
                Err(StoreError::Changed) => {}
                done => return done,
            }
        }
        Err(StoreError::Failed)
    }

    /// Replaces the version that the caller saw by the changed one. Without a change, all is written again in the present
    /// form.
    pub(super) async fn replace(
        &self,
        now: Timestamp,
        id: PasteId,
        stored: &StoredPaste,
        change: &Change,
        revision: Revision,
    ) -> Result<(), StoreError> {
        let paste = outlined(stored.data().changed(change, revision, now));
        let limits = &self.shared.limits;
        self.refuse_if(cost_of_data(&paste) > limits.largest)?;
        let (mut sealed, mut summary) = (None, None);
        if paste.revision != stored.revision() || change.expiry.is_none() {
            sealed = Some(seal_paste(&self.shared.keys, id, &paste).await?);
            summary = paste
                .owned
                .is_some()
                .then(|| self.shared.keys.summary(id, &paste));
        }
        let update = Box::new(Update {
            id,
            key: self.shared.keys.row_key(id),
            of: (stored.revision(), stored.deadline()),
            paste,
            sealed,
            summary: summary.transpose()?,
        });
        let cost = update.bytes().map_or(0, Limits::cost_of);
        self.refuse_if(cost > limits.room)?;
        self.ask(now, Operation::Update(update)).await.map(drop)
    }

    fn refuse_if(&self, is_too_large: bool) -> Result<(), StoreError> {
        match is_too_large {
            true => Err(StoreError::TooLarge(self.shared.limits.largest)),
            false => Ok(()),
        }
    }

    /// Removes the paste, and returns once that is synced. Exactly one of several callers succeeds.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be removed.
    pub async fn remove(&self, now: Timestamp, id: PasteId, end: End) -> Result<(), StoreError> {
        let key = self.shared.keys.row_key(id);
        self.ask(now, Operation::Remove(key, end)).await.map(drop)
    }

    /// Returns the receipt of a paste that was removed.
    pub(crate) fn receipt(&self, id: PasteId) -> Receipt {
        let key = self.shared.keys.row_key(id).as_id();
        self.shared.lock().catalog.ledger.tombstones.receipt(key)
    }

    /// Changes the list of blocked contents or of reports, and returns once the change is synced. Returns false if the
    /// list was as wanted already.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if the change was refused.
    pub(crate) async fn moderate(
        &self,
        now: Timestamp,
        change: ModerationChange,
    ) -> Result<bool, StoreError> {
        let done = self.ask(now, Operation::Moderate(Box::new(change))).await?;
        Ok(done.count > 0)
    }

    /// Returns whether there is such a paste.
    pub(crate) fn is_stored(&self, now: Timestamp, id: PasteId) -> bool {
        let key = self.shared.keys.row_key(id);
        self.shared.lock().locate(now, key).is_ok()
    }
}
