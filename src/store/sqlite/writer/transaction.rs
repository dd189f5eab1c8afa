//! One transaction of the writer: it changes the catalog and the tables together.
//!
//! Invariants: the changes of a transaction to the catalog are undone if it fails, except the order of use: a paste
//! that is put back is then the most recently used one of its client. No caller gets an answer before the commit.
//! Nothing new enters the cache before the commit.
//! Cost: an operation takes the lock once for each batch of pastes that it removes.

mod moderation;

use rusqlite::Connection;

use crate::fairness::ClientKey;
use crate::paste::{Access, Timestamp};
use crate::store::seal::{Nonce, Record, RowKey, Tombstone};
use crate::store::sqlite::database::tables;
use crate::store::sqlite::limits::Limits;
use crate::store::sqlite::shared::Shared;
use crate::store::sqlite::state::{Listing, Removal, UnsavedCounts};
use crate::store::sqlite::writer::failure::{Failure, is_damage};
use crate::store::sqlite::writer::operation::{Consume, Insert, Remove, Update};
use crate::store::{Reason, StoreError};

/// The numbers that name the next rows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NextSeq {
    pub(crate) paste: u64,
    pub(crate) tombstone: u64,
}

/// A transaction in progress.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    shared: &'a Shared,
    connection: &'a Connection,
    next: NextSeq,
    /// How to undo the changes to the catalog, in order.
    undo: Vec<Undo>,
    /// The removed pastes. They are freed after the commit, without the lock.
    removed: Vec<Removal>,
    /// True if the lists of blocked contents and of reports were changed.
    has_moderated: bool,
}

/// How to undo one change of the catalog.
#[derive(Debug)]
enum Undo {
    /// The paste was inserted.
    Inserted(RowKey),
    /// The paste had this listing before it was changed.
    Relisted(Listing),
    /// The paste was removed for this reason.
    Removed(Listing, Reason),
}

impl<'a> Transaction<'a> {
    pub(crate) fn begin(
        shared: &'a Shared,
        connection: &'a Connection,
        next: NextSeq,
    ) -> Result<Self, Failure> {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self {
            shared,
            connection,
            next,
            undo: Vec::new(),
            removed: Vec::new(),
            has_moderated: false,
        })
    }

    /// Commits. Returns the numbers of the next rows, and the removed pastes.
    pub(crate) fn commit(self) -> Result<(NextSeq, Vec<Removal>), Failure> {
        if !self.removed.is_empty() {
            let kept = self.shared.most_tombstones;
            let before = self.next.tombstone.saturating_sub(kept);
            if let Err(error) = tables::delete_tombstones(self.connection, before) {
                return Err(self.roll_back(error.into()));
            }
        }
        match self.connection.execute_batch("COMMIT") {
            Ok(()) => Ok((self.next, self.removed)),
            Err(error) => Err(self.roll_back(error.into())),
        }
    }

    /// Undoes the whole transaction. Returns the failure that caused this.
    pub(crate) fn roll_back(self, failure: Failure) -> Failure {
        // SQLite may have rolled back already; then this fails, and changes nothing.
        let _ = self.connection.execute_batch("ROLLBACK");
        let mut left = Vec::new();
        let mut state = self.shared.lock();
        for undo in self.undo.into_iter().rev() {
            match undo {
                Undo::Inserted(key) => {
                    state.catalog.withdraw(key);
                }
                Undo::Relisted(former) => {
                    state.catalog.withdraw(former.key);
                    state.catalog.insert(former);
                }
                Undo::Removed(listing, reason) => state.catalog.put_back(listing, reason),
            }
        }
        for removal in self.removed {
            state.put_back(removal, &mut left);
        }
        drop(state);
        self.shared.release_cached(left);
        if self.has_moderated
            && let Err(error) = self.shared.read_moderation(self.connection)
        {
            tracing::error!(%error, "the lists of reports and of blocked contents cannot be read");
        }
        failure
    }

    /// Stores a new paste, and removes others to make room.
    pub(crate) fn insert(&mut self, insert: &Insert) -> Result<Result<(), StoreError>, Failure> {
        let cost = Limits::cost_of(insert.bytes());
        let record = insert.record;
        if self.is_taken(insert) {
            return Ok(Err(StoreError::IdTaken));
        }
        let listing = self.new_listing(&record, cost);
        if !self.make_room(insert.now, listing)? {
            return Ok(Err(StoreError::TooLarge(self.shared.limits.largest())));
        }
        self.list(listing);
        let sealed = record.seal(&self.shared.keys, listing.seq, Nonce::random()?);
        let day = day_of(insert.now);
        tables::insert_paste(
            self.connection,
            listing.seq,
            day,
            &sealed,
            &insert.sealed,
            insert.ownership.as_ref(),
        )?;
        Ok(Ok(()))
    }

    /// Stores a new version of a paste, and removes others to make room. The counts and the reads left do not change.
    pub(crate) fn update(
        &mut self,
        update: &Update,
    ) -> Result<Result<Access, StoreError>, Failure> {
        let located = self.shared.lock().locate(update.now, update.key);
        let seq = match located {
            Ok(located) => located.seq,
            Err(error) => return Ok(Err(error)),
        };
        let Some(former) = self.record(seq)? else {
            return Ok(Err(StoreError::Failed));
        };
        if (former.revision, former.deadline) != update.of {
            return Ok(Err(StoreError::Changed));
        }
        let record = Record {
            revision: update.paste.revision(),
            deadline: update.paste.deadline(),
            ..former
        };
        let Some(listing) = self.shared.lock().catalog.listing(update.key) else {
            return Ok(Err(StoreError::Changed));
        };
        let cost = update.bytes().map_or(listing.cost, Limits::cost_of);
        let mut changed = Listing {
            cost,
            deadline: record.deadline,
            ..listing
        };
        if update.sealed.is_some() {
            changed.seq = self.next_seq();
        }
        if !self.relist(update.now, changed)? {
            return Ok(Err(StoreError::TooLarge(self.shared.limits.largest())));
        }
        let sealed = record.seal(&self.shared.keys, changed.seq, Nonce::random()?);
        match &update.sealed {
            Some(content) => {
                let replaced = tables::replace_paste(
                    self.connection,
                    (seq, changed.seq),
                    &sealed,
                    content,
                    update.summary.as_deref(),
                );
                replaced.map_err(|error| Failure::of_paste(update.key, error))?;
            }
            None => tables::update_record(self.connection, seq, &sealed)?,
        }
        Ok(Ok(record.access))
    }

    /// Uses up a read. Returns the access that is left, or `None` if that was the last read: the paste is removed.
    pub(crate) fn consume(
        &mut self,
        consume: &Consume,
    ) -> Result<Result<Option<Access>, StoreError>, Failure> {
        let located = self.shared.lock().locate(consume.now, consume.key);
        let seq = match located {
            Ok(located) => located.seq,
            Err(error) => return Ok(Err(error)),
        };
        let Some(record) = self.record(seq)? else {
            return Ok(Err(StoreError::Failed));
        };
        if record.deadline.has_passed(consume.now) {
            return Ok(Err(StoreError::Gone(Reason::Expired)));
        }
        if record.revision != consume.revision {
            return Ok(Err(StoreError::Changed));
        }
        let Some(access) = record.access.after_read() else {
            self.remove_key(consume.now, consume.key, Reason::Burned)?;
            return Ok(Ok(None));
        };
        let record = Record { access, ..record };
        let sealed = record.seal(&self.shared.keys, seq, Nonce::random()?);
        tables::update_record(self.connection, seq, &sealed)?;
        Ok(Ok(Some(access)))
    }

    /// Removes a paste.
    pub(crate) fn remove(&mut self, remove: &Remove) -> Result<Result<(), StoreError>, Failure> {
        if let Err(error) = self.shared.lock().locate(remove.now, remove.key) {
            return Ok(Err(error));
        }
        self.remove_key(remove.now, remove.key, remove.reason)?;
        Ok(Ok(()))
    }

    /// Removes expired pastes, at most a batch. Returns how many there were.
    pub(crate) fn sweep(&mut self, now: Timestamp) -> Result<usize, Failure> {
        let removals = self.shared.lock().sweep(now);
        let swept = removals.len();
        self.delete(now, removals)?;
        Ok(swept)
    }

    /// Removes pastes, at most a batch, if all together do not fit into the room.
    pub(crate) fn shrink(&mut self, now: Timestamp) -> Result<(), Failure> {
        // No client saves anything, so none has more weight for that.
        let (network, client) = (0, 0);
        let mut removals = Vec::new();
        self.shared
            .lock()
            .make_room(now, ClientKey { network, client }, 0, &mut removals);
        self.delete(now, removals)
    }

    /// Writes these counts of reads.
    pub(crate) fn save_counts(
        &mut self,
        now: Timestamp,
        counts: &[UnsavedCounts],
    ) -> Result<(), Failure> {
        for counts in counts {
            let keys = &self.shared.keys;
            let sealed =
                keys.seal_counts(counts.key, counts.total, &counts.reads, Nonce::random()?);
            let updated = tables::update_counts(self.connection, counts.seq, day_of(now), &sealed);
            updated.map_err(|error| Failure::of_paste(counts.key, error))?;
        }
        Ok(())
    }

    fn new_listing(&mut self, record: &Record, cost: usize) -> Listing {
        Listing {
            client: record.client,
            key: record.key,
            cost,
            deadline: record.deadline,
            seq: self.next_seq(),
        }
    }

    fn next_seq(&mut self) -> u64 {
        self.next.paste += 1;
        self.next.paste
    }

    /// Adds a paste to the catalog.
    fn list(&mut self, listing: Listing) {
        self.shared.lock().catalog.insert(listing);
        self.undo.push(Undo::Inserted(listing.key));
    }

    /// Removes pastes until this one fits. Returns false if it does not fit into an empty store.
    fn make_room(&mut self, now: Timestamp, listing: Listing) -> Result<bool, Failure> {
        loop {
            let mut removals = Vec::new();
            let (fits, stuck) = {
                let mut state = self.shared.lock();
                let fits = state.make_room(now, listing.client, listing.cost, &mut removals);
                (fits, removals.is_empty() && state.catalog.len() == 0)
            };
            self.delete(now, removals)?;
            if fits || stuck {
                return Ok(fits);
            }
        }
    }

    /// Changes the listing of a paste, and removes other pastes until it fits. Returns false if it does not fit into an
    /// empty store.
    fn relist(&mut self, now: Timestamp, changed: Listing) -> Result<bool, Failure> {
        loop {
            let mut removals = Vec::new();
            let (former, stuck) = {
                let mut state = self.shared.lock();
                let former = state.relist(now, changed, &mut removals);
                (former, removals.is_empty() && state.catalog.len() == 1)
            };
            let fits = former.is_some();
            self.undo.extend(former.map(Undo::Relisted));
            self.delete(now, removals)?;
            if fits || stuck {
                return Ok(fits);
            }
        }
    }

    fn remove_key(&mut self, now: Timestamp, key: RowKey, reason: Reason) -> Result<(), Failure> {
        let removal = self.shared.lock().remove(key, reason);
        self.delete(now, removal)
    }

    /// Deletes pastes that the catalog has lost already, keeps their tombstones, and reserves the ids of their slugs.
    fn delete(
        &mut self,
        now: Timestamp,
        removals: impl IntoIterator<Item = Removal>,
    ) -> Result<(), Failure> {
        let first = self.removed.len();
        for removal in removals {
            let undo = Undo::Removed(removal.listing, removal.reason);
            self.undo.push(undo);
            self.removed.push(removal);
        }
        for at in first..self.removed.len() {
            let Removal {
                listing, reason, ..
            } = self.removed[at];
            let deleted = tables::delete_paste(self.connection, listing.seq);
            let of_slug = deleted.map_err(|error| Failure::of_paste(listing.key, error))?;
            if let Some(owner) = of_slug {
                self.reserve(now, listing.key, owner, reason)?;
            }
            self.next.tombstone += 1;
            let seq = self.next.tombstone;
            let keys = &self.shared.keys;
            let tombstone = Tombstone {
                key: listing.key,
                reason,
            };
            let sealed = tombstone.seal(keys, seq, Nonce::random()?);
            tables::insert_tombstone(self.connection, seq, &sealed)?;
            let reports = self.shared.moderation.forget(listing.key.as_id());
            self.write_moderation(reports)?;
        }
        Ok(())
    }

    /// Returns the record of a paste, or `None` if it is damaged. The damage is logged.
    fn record(&self, seq: u64) -> Result<Option<Record>, Failure> {
        let sealed = match tables::record(self.connection, seq) {
            Ok(Some(sealed)) => sealed,
            Ok(None) => {
                tracing::error!(seq, "a paste on disk lacks its record");
                return Ok(None);
            }
            Err(error) if is_damage(&error) => {
                tracing::error!(seq, %error, "the record of a paste cannot be read");
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        match Record::open(&self.shared.keys, seq, &sealed) {
            Ok(record) => Ok(Some(record)),
            Err(error) => {
                tracing::error!(seq, %error, "the record of a paste cannot be read");
                Ok(None)
            }
        }
    }
}

/// Returns the number of days since 1970.
pub(crate) fn day_of(now: Timestamp) -> u32 {
    u32::try_from(now.as_millis() / 86_400_000).unwrap_or(u32::MAX)
}
