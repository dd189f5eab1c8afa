//! The operations on one paste: save, read, consume, change and remove.
//!
//! Invariants: an operation that changes something is one call of a function, which checks everything again. What is
//! read before it only prepares the call.

use std::sync::Arc;

use super::Store;
use super::charge::charge;
use super::connection::{Call, Failure};
use super::header::Header;
use super::shared::{Answer, Shared, Status, not_found};
use crate::paste::{Change, Counts, OwnerId, PasteData, PasteId, Revision, StoredPaste, Timestamp};
use crate::store::seal::{LARGE, Nonce, RowKey, SEALED_ID, SEALED_SLUG, UnsealError, seal_paste};
use crate::store::{Consumed, Reason, Saver, StoreError};

/// How often a change is tried again if the paste was changed meanwhile.
const TRIES: usize = 8;

/// The most calls that make room for one paste. Each removes up to 64 others.
const MOST_ROUNDS: usize = 4096;

/// A paste as the engine has it.
struct Found {
    header: Header,
    /// The part of the owner.
    owned: Vec<u8>,
    data: PasteData,
}

impl Store {
    /// Stores the paste under this id. Other pastes of its shard are removed if there is not enough room: expired ones
    /// first, then the least recently read paste of the heaviest client of the heaviest network.
    ///
    /// # Errors
    /// Returns an [`StoreError`] if the paste is not stored, or if it is not known whether it is.
    pub async fn insert(
        &self,
        now: Timestamp,
        saver: Saver,
        id: PasteId,
        paste: StoredPaste,
    ) -> Result<(), StoreError> {
        let paste = saver.sign(paste.into_data());
        let sealed = seal_paste(&self.shared, id, &paste).await;
        let sealed = sealed.ok_or(StoreError::Failed)?;
        let owned = saver.owner.map(|owner| self.owned_part(&owner, id, &paste));
        let owned = owned.transpose().map_err(|_| StoreError::Failed)?;
        let header = Header {
            client: saver.client,
            revision: paste.revision,
            deadline: paste.deadline,
            access: paste.access,
            has_slug: paste.has_slug(),
            cost: 0,
            reads: 0,
            owned: 0,
            place: 0,
            owner: saver.owner.map(|owner| self.shared.keys.owner_tag(&owner)),
        };
        let value = self.value(header, &owned.unwrap_or_default(), &sealed);
        let value = value.ok_or(StoreError::TooLarge(self.largest()))?;
        let key = self.shared.keys.row_key(id);
        for _ in 0..MOST_ROUNDS {
            let mut save = self.shared.paste_function("save", now, key);
            save.arg(&value[..]);
            let answer = self
                .change_shard(Call::Save, key, save, value.len())
                .await?;
            match answer.status {
                Status::Done => return Ok(()),
                Status::Taken => return Err(StoreError::IdTaken),
                Status::NoRoom if answer.detail > 0 => {}
                Status::NoRoom | Status::Gone | Status::Changed => break,
            }
        }
        Err(StoreError::TooLarge(self.largest()))
    }

    /// Returns the paste. For an open paste that is not a short link, this counts a read.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn get(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        let Found { header, data, .. } = self.find(now, id).await?;
        let key = self.shared.keys.row_key(id);
        let pending = match data.counts_on_get() {
            true => self.shared.reads.count(now, key),
            false => 0,
        };
        Ok(data.with_reads(header.reads.saturating_add(pending)))
    }

    /// Returns the paste without counting a read.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn peek(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        // The count of its reads is exact, because those of this node are reported first.
        self.report_reads(now).await;
        let Found { header, data, .. } = self.find(now, id).await?;
        Ok(data.with_reads(header.reads))
    }

    /// Returns how often the paste was read, by hour and by day. Reads of other nodes may be missing for a quarter of a
    /// second.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn counts(&self, now: Timestamp, id: PasteId) -> Result<Counts, StoreError> {
        self.report_reads(now).await;
        self.find(now, id).await?;
        let key = self.shared.keys.row_key(id);
        let name = [&self.shared.root_of(key)[..], b":c:", &key.0.to_be_bytes()].concat();
        let mut read = redis::cmd("HGETALL");
        read.arg(name);
        let fields: Vec<(String, u32)> = self.shared.call(Call::Get, read, 0).await?;
        let numbers = fields.iter().filter_map(|(field, reads)| {
            let (kind, number) = field.split_at_checked(1)?;
            Some((kind == "h", number.parse().ok()?, *reads))
        });
        Ok(Counts::from_numbers(numbers))
    }

    /// Counts a read and returns the paste, for every kind of access. `seen` is the version that the caller looked at.
    /// The last allowed read removes the paste.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if there is nothing to show.
    pub async fn consume(
        &self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<Consumed, StoreError> {
        let key = self.shared.keys.row_key(id);
        let mut take = self.shared.paste_function("take", now, key);
        take.arg(&seen.revision().bits().to_be_bytes()[..]);
        let answer = self.change_shard(Call::Take, key, take, 0).await;
        let answer = answer.map_err(|_| StoreError::Unavailable)?;
        match answer.status {
            Status::Done => {}
            Status::Gone => return Err(not_found(answer.detail)),
            Status::Taken | Status::NoRoom | Status::Changed => return Err(StoreError::Changed),
        }
        let left = u8::try_from(answer.detail).ok();
        if left == Some(0) {
            self.shared.record_removal(id, Reason::Burned);
        }
        Ok(Consumed::after_read(seen, left))
    }

    /// Changes a paste. The paste gets this revision, unless only its expiry changes. Its token, its counts and its
    /// client do not change. Other pastes are removed to make room, as in [`Self::insert`].
    ///
    /// # Errors
    /// Returns an [`StoreError`] if the paste is not changed, or if it is not known whether it is.
    pub async fn update(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
        revision: Revision,
    ) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            if self.try_update(now, id, change, revision).await? {
                (self.shared.removal_hook)(id);
                return Ok(());
            }
        }
        Err(StoreError::Failed)
    }

    /// Returns false if the paste was changed meanwhile.
    async fn try_update(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
        revision: Revision,
    ) -> Result<bool, StoreError> {
        let Found {
            header,
            owned,
            data,
        } = self.find(now, id).await?;
        if change.of.is_some_and(|of| of != data.saved()) {
            return Err(StoreError::ContentChanged);
        }
        let paste = data.changed(change, revision, now);
        let value = match paste.revision == data.revision {
            true => Vec::new(),
            false => {
                let sealed = seal_paste(&self.shared, id, &paste).await;
                let sealed = sealed.ok_or(StoreError::Failed)?;
                let owned = self.changed_owned_part(&header, owned, id, &paste);
                let header = Header {
                    revision: paste.revision,
                    ..header
                };
                let owned = owned.map_err(|_| StoreError::Failed)?;
                let value = self.value(header, &owned, &sealed);
                value.ok_or(StoreError::TooLarge(self.largest()))?
            }
        };
        let new_deadline = change.expiry.map(|_| paste.deadline);
        let key = self.shared.keys.row_key(id);
        for _ in 0..MOST_ROUNDS {
            let mut change = self.shared.paste_function("change", now, key);
            change.arg(&data.revision.bits().to_be_bytes()[..]);
            match new_deadline {
                Some(deadline) => change.arg(deadline.as_millis()),
                None => change.arg(""),
            };
            change.arg(&value[..]);
            let answer = self
                .change_shard(Call::Change, key, change, value.len())
                .await?;
            match answer.status {
                Status::Done => return Ok(true),
                Status::Changed => return Ok(false),
                Status::Gone => return Err(not_found(answer.detail)),
                Status::NoRoom if answer.detail > 0 => {}
                Status::NoRoom | Status::Taken => break,
            }
        }
        Err(StoreError::TooLarge(self.largest()))
    }

    /// Removes the paste. Exactly one of several callers succeeds.
    ///
    /// # Errors
    /// Fails if there is no paste, or if the engine cannot be used.
    pub async fn remove(
        &self,
        now: Timestamp,
        id: PasteId,
        reason: Reason,
    ) -> Result<(), StoreError> {
        let key = self.shared.keys.row_key(id);
        let mut delete = self.shared.paste_function("delete", now, key);
        delete.arg(reason.code());
        let answer = self.change_shard(Call::Delete, key, delete, 0).await;
        let answer = answer.map_err(|_| StoreError::Unavailable)?;
        match answer.status {
            Status::Done => {
                self.shared.record_removal(id, reason);
                Ok(())
            }
            _ => Err(not_found(answer.detail)),
        }
    }

    async fn change_shard(
        &self,
        call: Call,
        key: RowKey,
        command: redis::Cmd,
        bytes: usize,
    ) -> Result<Answer, Failure> {
        let shard = self.shared.shard_of(key);
        let answer = self.shared.start_change(call, shard, command, bytes);
        answer.await.unwrap_or(Err(Failure::Unavailable))
    }

    /// Reads a paste and opens its seal.
    async fn find(&self, now: Timestamp, id: PasteId) -> Result<Found, StoreError> {
        let key = self.shared.keys.row_key(id);
        let mut get = redis::cmd("GET");
        get.arg(self.shared.name_of(key));
        let value: Option<Vec<u8>> = self
            .shared
            .call(Call::Get, get, self.shared.largest_content)
            .await?;
        let Some(value) = value else {
            return Err(self.reason(key).await?);
        };
        let opened = match value.len() {
            ..LARGE => open(&self.shared, id, &value),
            _ => {
                let shared = Arc::clone(&self.shared);
                let open = tokio::task::spawn_blocking(move || open(&shared, id, &value));
                open.await.unwrap_or(Err(UnsealError::Damaged))
            }
        };
        match opened {
            Ok(found) if found.header.deadline.has_passed(now) => {
                Err(StoreError::Gone(Reason::Expired))
            }
            Ok(found) => Ok(found),
            Err(error) => {
                tracing::error!(%error, "a paste in the engine cannot be opened");
                Err(StoreError::Failed)
            }
        }
    }

    /// Asks why there is no such paste.
    async fn reason(&self, key: RowKey) -> Result<StoreError, Failure> {
        let shard = self.shared.shard_of(key);
        let mut missing = self.shared.function("missing", shard);
        missing.arg(&key.0.to_be_bytes()[..]);
        let reason: i64 = self.shared.call(Call::Missing, missing, 0).await?;
        Ok(not_found(reason))
    }

    /// Puts the parts of a paste together. Returns `None` if it would cost more than a paste may.
    fn value(&self, header: Header, owned: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let cost = charge(Header::BYTES + owned.len() + sealed.len());
        let header = Header {
            cost: u32::try_from(cost)
                .ok()
                .filter(|_| cost <= self.shared.shard_room())?,
            owned: u32::try_from(owned.len()).ok()?,
            ..header
        };
        Some([&header.encode()[..], owned, sealed].concat())
    }

    /// Seals the part of a new paste that is for its owner.
    fn owned_part(
        &self,
        owner: &OwnerId,
        id: PasteId,
        paste: &PasteData,
    ) -> Result<Vec<u8>, getrandom::Error> {
        let keys = &self.shared.keys;
        let mut part = keys.seal_owned_id(owner, id, Nonce::random()?);
        if let Some(slug) = paste.owned.as_ref().and_then(|owned| owned.slug.as_ref()) {
            part.extend(keys.seal_slug(keys.row_key(id), slug, Nonce::random()?));
        }
        part.extend(keys.seal_summary(id, paste, Nonce::random()?));
        Ok(part)
    }

    /// Replaces the summary in the part that is for the owner.
    fn changed_owned_part(
        &self,
        header: &Header,
        mut part: Vec<u8>,
        id: PasteId,
        paste: &PasteData,
    ) -> Result<Vec<u8>, getrandom::Error> {
        if header.owner.is_some() {
            part.truncate(SEALED_ID + if header.has_slug { SEALED_SLUG } else { 0 });
            part.extend(self.shared.keys.seal_summary(id, paste, Nonce::random()?));
        }
        Ok(part)
    }
}

fn open(shared: &Shared, id: PasteId, value: &[u8]) -> Result<Found, UnsealError> {
    let (header, owned, sealed) = Header::split(value)?;
    let record = header.record(shared.keys.row_key(id));
    Ok(Found {
        data: shared.keys.open_paste(id, &record, sealed)?,
        owned: owned.to_vec(),
        header,
    })
}
