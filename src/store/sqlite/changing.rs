//! Changing: the work of the writer before the caller gets an answer.
//!
//! Invariants: an operation that was queued is carried out, even if its caller has gone away. Contents are sealed
//! before they are queued, on the caller's side, so that the writer's thread does not wait for the cipher.

use super::database::tables::Ownership;
use super::limits::Limits;
use super::writer::{Consume, Insert, Moderate, Operation, Remove, Update};
use super::{Store, TRIES};
use crate::paste::{
    Access, Change, OwnerId, PasteData, PasteId, ReadsLeft, Revision, StoredPaste, Timestamp,
};
use crate::store::memory::cost_of_data;
use crate::store::seal::{Nonce, Record, seal_paste};
use crate::store::{Consumed, ModerationChange, Reason, Saver, StoreError};

impl Store {
    /// Stores the paste under this id, and returns once it is synced. Other pastes are removed if there is not enough
    /// room on disk: expired ones first, then the least recently read paste of the heaviest client of the heaviest
    /// network. In the first hour, the pastes that the start found expired count as present.
    ///
    /// # Errors
    /// Returns an [`StoreError`] if the paste is not stored.
    pub async fn insert(
        &self,
        now: Timestamp,
        saver: impl Into<Saver>,
        id: PasteId,
        paste: StoredPaste,
    ) -> Result<(), StoreError> {
        let saver = saver.into();
        let paste = saver.sign(paste.into_data());
        let (client, owner) = (saver.client, saver.owner);
        let key = self.shared.keys.row_key(id);
        let record = Record {
            key,
            client,
            revision: paste.revision(),
            deadline: paste.deadline(),
            access: paste.access,
        };
        if cost_of_data(&paste) > self.largest {
            return Err(StoreError::TooLarge(self.largest));
        }
        let sealed = seal_paste(&self.shared, id, &paste)
            .await
            .ok_or(StoreError::Failed)?;
        let ownership = owner.map(|owner| self.ownership(&owner, id, &paste));
        let ownership = ownership.transpose().map_err(|_| StoreError::Failed)?;
        let insert = Box::new(Insert {
            now,
            id,
            paste,
            record,
            sealed,
            ownership,
        });
        if Limits::cost_of(insert.bytes()) > self.shared.limits.room {
            return Err(StoreError::TooLarge(self.largest));
        }
        let done = self.ask(|reply| Operation::Insert(insert, reply)).await;
        done.unwrap_or(Err(StoreError::Failed))
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
        let consume = Consume {
            now,
            key: self.shared.keys.row_key(id),
            revision: seen.revision(),
        };
        let data = seen.data().clone();
        let (data, left) = match seen.access().reads_left() {
            None => {
                self.count_open_read(consume)?;
                (data, None)
            }
            Some(_) => match self.consume_limited(consume).await? {
                Some(access) => (
                    data.with_access(access),
                    access.reads_left().map(ReadsLeft::get),
                ),
                None => (data, Some(0)),
            },
        };
        let reads = seen.reads().saturating_add(1);
        Ok(Consumed {
            paste: data.with_reads(reads).into_paste(),
            left,
        })
    }

    /// Counts a read that is not limited, in memory alone. The disk gets the count later.
    fn count_open_read(&self, consume: Consume) -> Result<(), StoreError> {
        let Consume { now, key, revision } = consume;
        let mut state = self.shared.lock();
        state.locate(now, key)?;
        let cached = state.cached(key);
        if cached.is_some_and(|it| it.entry.paste.revision() != revision) {
            return Err(StoreError::Changed);
        }
        state.count_read(now, key);
        Ok(())
    }

    /// Uses up a limited read, and returns once that is synced. Returns the access that is left, or `None` if it was
    /// the last read, so that the paste is removed.
    async fn consume_limited(&self, consume: Consume) -> Result<Option<Access>, StoreError> {
        let done = self.ask(|reply| Operation::Consume(consume, reply)).await;
        done.unwrap_or(Err(StoreError::Failed))
    }

    /// Changes a paste, and returns once the change is synced. The paste gets this revision, unless only its expiry
    /// changes. Its token, its counts and its client do not change.
    ///
    /// # Errors
    /// Returns an [`StoreError`] if the paste is not changed.
    pub async fn update(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
        revision: Revision,
    ) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            match self.try_update(now, id, change, revision).await {
                Err(StoreError::Changed) => {}
                done => return done,
            }
        }
        Err(StoreError::Failed)
    }

    async fn try_update(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
        revision: Revision,
    ) -> Result<(), StoreError> {
        let key = self.shared.keys.row_key(id);
        let stored = self.peek(now, id).await?;
        if change.of.is_some_and(|of| of != stored.saved()) {
            return Err(StoreError::ContentChanged);
        }
        let paste = stored.data().changed(change, revision, now);
        if cost_of_data(&paste) > self.largest {
            return Err(StoreError::TooLarge(self.largest));
        }
        let sealed = match paste.revision() == stored.revision() {
            true => None,
            false => Some(
                seal_paste(&self.shared, id, &paste)
                    .await
                    .ok_or(StoreError::Failed)?,
            ),
        };
        let needs_summary = sealed.is_some() && paste.owned.is_some();
        let summary = needs_summary.then(|| self.summary(id, &paste)).transpose();
        let update = Box::new(Update {
            now,
            id,
            key,
            of: (stored.revision(), stored.deadline()),
            paste,
            sealed,
            summary: summary.map_err(|_| StoreError::Failed)?,
        });
        let cost = update.bytes().map_or(0, Limits::cost_of);
        if cost > self.shared.limits.room {
            return Err(StoreError::TooLarge(self.largest));
        }
        let done = self.ask(|reply| Operation::Update(update, reply)).await;
        done.unwrap_or(Err(StoreError::Failed))
    }

    /// Seals the part of a new paste's row that is for its owner.
    fn ownership(
        &self,
        owner: &OwnerId,
        id: PasteId,
        paste: &PasteData,
    ) -> Result<Ownership, getrandom::Error> {
        let keys = &self.shared.keys;
        let slug = paste.owned.as_ref().and_then(|owned| owned.slug.as_ref());
        let slug = slug.map(|slug| {
            let nonce = Nonce::random()?;
            Ok(keys.seal_slug(keys.row_key(id), slug, nonce))
        });
        Ok(Ownership {
            owner: keys.owner_tag(owner),
            id: keys.seal_owned_id(owner, id, Nonce::random()?),
            summary: self.summary(id, paste)?,
            slug: slug.transpose()?,
        })
    }

    fn summary(&self, id: PasteId, paste: &PasteData) -> Result<Vec<u8>, getrandom::Error> {
        let nonce = Nonce::random()?;
        Ok(self.shared.keys.seal_summary(id, paste, nonce))
    }

    /// Removes the paste, and returns once that is synced. Exactly one of several callers succeeds.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be removed.
    pub async fn remove(
        &self,
        now: Timestamp,
        id: PasteId,
        reason: Reason,
    ) -> Result<(), StoreError> {
        let key = self.shared.keys.row_key(id);
        let remove = Remove { now, key, reason };
        let done = self.ask(|reply| Operation::Remove(remove, reply)).await;
        done.unwrap_or(Err(StoreError::Failed))
    }

    /// Changes the list of blocked contents or of reports, and returns once the change is synced. Returns false if the
    /// list was as wanted already.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if the change was refused.
    pub(in crate::store) async fn moderate(
        &self,
        now: Timestamp,
        change: ModerationChange,
    ) -> Result<bool, StoreError> {
        let moderate = Box::new(Moderate { now, change });
        let done = self.ask(|reply| Operation::Moderate(moderate, reply)).await;
        done.unwrap_or(Err(StoreError::Failed))
    }

    /// Returns whether there is such a paste.
    pub(in crate::store) fn is_stored(&self, now: Timestamp, id: PasteId) -> bool {
        let key = self.shared.keys.row_key(id);
        self.shared.lock().locate(now, key).is_ok()
    }
}
