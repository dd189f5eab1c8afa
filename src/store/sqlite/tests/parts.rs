//! A store without threads, so that a test decides what happens between the start of a transaction and its end.

use super::*;
use crate::store::seal::{Nonce, Record, RowKey};
use crate::store::sqlite::reader::fetch;
use crate::store::sqlite::state::Cached;
use crate::store::sqlite::writer::{Insert, NextSeq, Transaction, Update};

/// A store without threads, so that a test can look into a transaction.
pub(super) struct Parts {
    pub(super) shared: Shared,
    pub(super) connection: rusqlite::Connection,
    pub(super) next: NextSeq,
    pub(super) now: Timestamp,
    _directory: Directory,
}

impl Parts {
    /// Opens the directory of a store that was closed.
    pub(super) fn of(mut driven: Driven) -> (Self, Timestamp) {
        driven.close();
        let now = driven.now();
        let opened = open(driven.directory.path(), DISK).unwrap();
        let (_, connection, next, shared) = opened.share(now, Box::new(|_| ())).unwrap();
        let parts = Self {
            shared,
            connection,
            next,
            now,
            _directory: driven.directory,
        };
        (parts, now)
    }

    pub(super) fn begin(&self) -> Transaction<'_> {
        Transaction::begin(&self.shared, &self.connection, self.next, self.now).unwrap()
    }

    pub(super) fn key(&self, number: u64) -> RowKey {
        self.shared.keys.row_key(id(number))
    }

    /// Reads a row as a reader does.
    pub(super) fn fetch(&self, number: u64) -> Result<Cached, StoreError> {
        let key = self.key(number);
        let seq = self.shared.lock().catalog.find(key).unwrap().seq;
        let id = id(number);
        fetch(&self.shared, &self.connection, id, key, seq)
    }

    /// A change of the content of the paste with the id 1, which was saved with the first revision.
    pub(super) fn change(&self, now: Timestamp) -> Update {
        let former = self.shared.lock().catalog.listing(self.key(1)).unwrap();
        let (access, revision) = (Access::Open, Revision::from_random([2; 8]));
        let token = TokenHash::of("the token");
        let changed = StoredPaste::new(draft(b"changed", 0), access, revision, now, token);
        let mut changed = changed.into_data();
        changed.deadline = former.deadline;
        let nonce = Nonce::random().unwrap();
        Update {
            summary: None,
            id: id(1),
            key: self.key(1),
            of: (Revision::from_random([1; 8]), former.deadline),
            sealed: Some(self.shared.keys.seal_paste(id(1), &changed, nonce)),
            paste: changed,
        }
    }

    pub(super) fn insertion(&self, now: Timestamp, number: u64) -> Insert {
        let paste = paste(b"new", Access::Open, 100, now).into_data();
        let record = Record {
            key: self.key(number),
            client: CLIENT,
            revision: paste.revision,
            deadline: paste.deadline,
            access: paste.access,
            saved: paste.saved(),
        };
        let nonce = Nonce::random().unwrap();
        let sealed = self.shared.keys.seal_paste(id(number), &paste, nonce);
        Insert {
            ownership: None,
            id: id(number),
            paste,
            record,
            sealed,
        }
    }
}
