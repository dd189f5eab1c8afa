//! One transaction of the writer: it changes the catalog and the tables together.
//!
//! Invariants: the changes of a transaction to the catalog are undone if it fails, except the order of use: a paste
//! that is put back is then the most recently used one of its client. No caller gets an answer before the commit.
//! Nothing new enters the cache before the commit.
//! Cost: an operation takes the lock once for each batch of pastes that it removes.

use rusqlite::{Connection, params};

use crate::fairness::ClientKey;
use crate::paste::Timestamp;
use crate::store::evicting::Evicting;
use crate::store::moderation::RowChange;
use crate::store::seal::{Nonce, Record, RowKey};
use crate::store::sqlite::database::files::Copied;
use crate::store::sqlite::database::{marks, tables, wal};
use crate::store::sqlite::failure::Failure;
use crate::store::sqlite::shared::Shared;
use crate::store::sqlite::state::{Listing, Removal, UnsavedCounts};
use crate::store::{End, Reason, StoreError};

/// The numbers that name the next rows, and how much of the log was copied at the latest mark.
#[derive(Clone, Copy, Default)]
pub(crate) struct NextSeq {
    pub(crate) paste: u64,
    pub(crate) tombstone: u64,
    marked_at: Option<Copied>,
}

/// A transaction in progress.
pub(crate) struct Transaction<'a> {
    /// The time of the caller whose operation is carried out.
    pub(crate) now: Timestamp,
    pub(crate) shared: &'a Shared,
    pub(crate) connection: &'a Connection,
    next: NextSeq,
    /// The changes to the catalog, in order.
    changes: Vec<Change>,
    /// True if the lists of blocked contents and of reports were changed.
    has_moderated: bool,
    /// The number of rows that the connection had changed before.
    rows_before: u64,
    has_vacuumed: bool,
    /// How much of the log was copied into the database, if that is known.
    pub(crate) copied: Option<Copied>,
}

/// A change of the catalog, with what is needed to undo it.
enum Change {
    /// The paste is new, or had this listing before it was changed.
    Listed {
        key: RowKey,
        former: Option<Listing>,
    },
    /// A paste that was removed. It is freed after the commit, without the lock.
    Removed(Removal),
}

impl<'a> Transaction<'a> {
    /// Does this work in a transaction. If it fails, all is undone. Returns the removed pastes too.
    pub(crate) fn run<T>(
        shared: &'a Shared,
        connection: &'a Connection,
        next: &mut NextSeq,
        now: Timestamp,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<(T, Vec<Removal>), Failure> {
        let mut transaction = Self::begin(shared, connection, *next, now)?;
        let done = match work(&mut transaction) {
            Ok(done) => done,
            Err(failure) => return Err(transaction.roll_back(failure)),
        };
        let (after, removals) = transaction.commit()?;
        *next = after;
        Ok((done, removals))
    }

    pub(crate) fn begin(
        shared: &'a Shared,
        connection: &'a Connection,
        next: NextSeq,
        now: Timestamp,
    ) -> Result<Self, Failure> {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self {
            now,
            shared,
            connection,
            next,
            changes: Vec::new(),
            has_moderated: false,
            rows_before: connection.total_changes(),
            has_vacuumed: false,
            copied: None,
        })
    }

    /// Commits. Returns the numbers of the next rows, and the removed pastes.
    pub(crate) fn commit(mut self) -> Result<(NextSeq, Vec<Removal>), Failure> {
        let is_removal = |change: &Change| matches!(change, Change::Removed(_));
        let mut done = Ok(());
        if self.changes.iter().any(is_removal) {
            let kept = self.shared.lock().catalog.ledger.tombstones.most() as u64;
            let before = self.next.tombstone.saturating_sub(kept);
            let delete = "DELETE FROM tombstone WHERE seq < ?1";
            done = tables::run(self.connection, delete, [before]);
        }
        // A commit without changes is not written.
        let has_changed = self.has_vacuumed || self.connection.total_changes() > self.rows_before;
        if has_changed && (self.copied.is_none() || self.copied != self.next.marked_at) {
            self.next.marked_at = self.copied;
            done = done.and_then(|()| marks::renew(self.connection));
        }
        if let Err(error) = done.and_then(|()| self.connection.execute_batch("COMMIT")) {
            return Err(self.roll_back(error.into()));
        }
        let removals = self.changes.into_iter().filter_map(|change| match change {
            Change::Removed(removal) => Some(removal),
            Change::Listed { .. } => None,
        });
        Ok((self.next, removals.collect()))
    }

    /// Undoes the whole transaction. Returns the failure that caused this.
    pub(crate) fn roll_back(self, failure: Failure) -> Failure {
        // SQLite may have rolled back already; then this fails, and changes nothing.
        let _ = self.connection.execute_batch("ROLLBACK");
        let mut left = Vec::new();
        let mut state = self.shared.lock();
        for change in self.changes.into_iter().rev() {
            match change {
                Change::Listed { key, former } => {
                    state.catalog.withdraw(key);
                    former.map(|former| state.catalog.insert(former));
                }
                Change::Removed(removal) => left.extend(state.put_back(removal)),
            }
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

    /// Removes expired pastes, at most a batch. Returns how many there were.
    pub(crate) fn sweep(&mut self) -> Result<usize, Failure> {
        let mut removals = Vec::new();
        self.shared.lock().sweep(self.now, &mut removals);
        let swept = removals.len();
        self.delete(removals.into_iter().map(Change::Removed))?;
        Ok(swept)
    }

    /// Removes pastes of a network, at most a batch. Returns how many there were.
    pub(crate) fn remove_of(&mut self, network: u64, reason: Reason) -> Result<usize, Failure> {
        let removals = self.shared.lock().remove_of(self.now, network, reason);
        let removed = removals.len();
        self.delete(removals.into_iter().map(Change::Removed))?;
        Ok(removed)
    }

    /// Removes pastes, at most a batch, if all together do not fit into the room.
    pub(crate) fn shrink(&mut self) -> Result<(), Failure> {
        // No client saves anything, so none has more weight for that.
        let (network, client) = (0, 0);
        let mut removals = Vec::new();
        let mut state = self.shared.lock();
        state.make_room(self.now, ClientKey { network, client }, 0, &mut removals);
        drop(state);
        self.delete(removals.into_iter().map(Change::Removed))
    }

    /// Gives free pages back to the system, at most this many.
    pub(crate) fn vacuum(&mut self, pages: u32) -> Result<(), Failure> {
        self.has_vacuumed = true;
        Ok(wal::vacuum(self.connection, pages)?)
    }

    /// Writes these counts of reads.
    pub(crate) fn save_counts(&mut self, counts: &[UnsavedCounts]) -> Result<(), Failure> {
        for it in counts {
            let (keys, nonce) = (&self.shared.keys, Nonce::random()?);
            let sealed = keys.seal_counts(it.key, it.total, &it.reads, nonce);
            let update = "UPDATE meta SET day = ?2, counts = ?3 WHERE seq = ?1";
            tables::run(self.connection, update, params![it.seq, self.day(), sealed])
                .map_err(|error| Failure::of_paste(it.key, error))?;
        }
        Ok(())
    }

    pub(crate) fn next_seq(&mut self) -> u64 {
        self.next.paste += 1;
        self.next.paste
    }

    /// Returns the number of days since 1970.
    pub(crate) fn day(&self) -> u64 {
        self.now.as_millis() / 86_400_000
    }

    /// Returns whether a new paste cannot have its id. A random id is not used again while its tombstone is known. That
    /// of a slug is used again once it is not reserved any more.
    pub(crate) fn is_taken(&self, key: RowKey, is_slug: bool) -> bool {
        let catalog = &mut self.shared.lock().catalog;
        match is_slug {
            false => {
                catalog.find(key).is_some() || catalog.ledger.tombstones.find(key.as_id()).is_some()
            }
            true if catalog.find(key).is_some() => true,
            true if self.shared.moderation.is_reserved(self.now, key.as_id()) => true,
            true => {
                catalog.ledger.tombstones.forget(key.as_id());
                false
            }
        }
    }

    /// Lists a paste in the catalog, in place of its former version if there is one, and removes others in batches
    /// until it fits. The operation is declined if it does not fit although no other paste is left.
    pub(crate) fn list(&mut self, new: Listing) -> Result<(), Failure> {
        loop {
            let mut removals = Vec::new();
            let mut state = self.shared.lock();
            let (fits, former) = state.list(self.now, new, &mut removals);
            let others = state.catalog.ledger.len() - usize::from(fits || former.is_some());
            drop(state);
            let is_stuck = removals.is_empty() && others == 0;
            // This is the order of the changes, which an undo reverses.
            let key = new.key;
            let listed = fits.then_some(Change::Listed { key, former });
            self.delete(removals.into_iter().map(Change::Removed).chain(listed))?;
            if fits {
                return Ok(());
            }
            if is_stuck {
                return Err(StoreError::TooLarge(self.shared.limits.largest).into());
            }
        }
    }

    /// Deletes the paste with this key.
    pub(crate) fn delete_key(&mut self, key: RowKey, end: End) -> Result<(), Failure> {
        let removal = self.shared.lock().remove(key, end);
        self.delete(removal.map(Change::Removed))
    }

    /// Deletes pastes that the catalog has lost already, keeps their tombstones, and reserves the ids of their slugs.
    /// All changes are noted before the first deletion, which may fail.
    fn delete(&mut self, changes: impl IntoIterator<Item = Change>) -> Result<(), Failure> {
        let first = self.changes.len();
        self.changes.extend(changes);
        for at in first..self.changes.len() {
            let Change::Removed(Removal { listing, end, .. }) = self.changes[at] else {
                continue;
            };
            let (key, moderation) = (listing.key, &self.shared.moderation);
            let of_slug = tables::delete_paste(self.connection, listing.seq)
                .map_err(|error| Failure::of_paste(key, error))?;
            if let Some(owner) = of_slug {
                let reserved = moderation.reserve(self.now, key.as_id(), owner, end.reason);
                self.write_moderation(reserved)?;
            }
            self.next.tombstone += 1;
            let seq = self.next.tombstone;
            let keys = &self.shared.keys;
            let sealed = keys.seal_tombstone(seq, (key, end), Nonce::random()?);
            let insert = "INSERT INTO tombstone (seq, sealed) VALUES (?1, ?2)";
            tables::run(self.connection, insert, params![seq, sealed])?;
            self.write_moderation(moderation.forget(key.as_id()))?;
        }
        Ok(())
    }

    /// Writes the changes of the lists of blocked contents, of reports and of reserved ids. The lists in memory have
    /// changed already. If the transaction fails, they are read again.
    pub(crate) fn write_moderation(&mut self, changes: Vec<RowChange>) -> Result<(), Failure> {
        self.has_moderated |= !changes.is_empty();
        for change in changes {
            match change {
                RowChange::Insert(seq, row) => {
                    let sealed = row.seal(&self.shared.keys, seq, Nonce::random()?);
                    let insert = "INSERT INTO moderation (seq, sealed) VALUES (?1, ?2)";
                    tables::run(self.connection, insert, params![seq, sealed])?;
                }
                RowChange::Delete(seq) => {
                    let delete = "DELETE FROM moderation WHERE seq = ?1";
                    tables::run(self.connection, delete, [seq])?;
                }
            }
        }
        Ok(())
    }

    /// Returns the record of a paste, with its `seq`. If it is damaged, this is logged, and the operation is declined.
    pub(crate) fn record(&self, key: RowKey) -> Result<(u64, Record), Failure> {
        let seq = self.shared.lock().locate(self.now, key)?.seq;
        let opened = match tables::record(self.connection, seq).map_err(Failure::from) {
            Ok(sealed) => {
                let sealed = sealed.unwrap_or_default();
                Record::open(&self.shared.keys, seq, &sealed).map_err(|error| error.to_string())
            }
            Err(Failure::Damaged(_, error)) => Err(error.to_string()),
            Err(failure) => return Err(failure),
        };
        opened.map(|record| (seq, record)).map_err(|error| {
            tracing::error!(seq, error, "the record of a paste cannot be read");
            StoreError::Failed.into()
        })
    }
}
