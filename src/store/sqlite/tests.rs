//! Tests of the durable tier alone, on real files: data that leaves the disk, damage, races, and refusals. Tests of
//! what all tiers promise are in `tests/store`.

mod backup;
mod check;
mod clocks;
mod concurrent;
mod damage;
mod files;
mod full_disk;
mod leaving;
mod loading;
mod moderation;
mod outside;
mod owners;
mod parts;
mod races;
mod slugs;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::join_all;

use super::*;
use crate::fairness::ClientKey;
use crate::paste::{
    Access, Change, Content, Draft, Expiry, Language, OwnerId, PasteId, ReadsLeft, StoredPaste,
    Title, TitleChange, TokenHash,
};
use crate::store::seal::Keys;
use crate::store::{Listed, Reason, Saver, StoreError};

const CLIENT: ClientKey = ClientKey {
    network: 1,
    client: 1,
};

/// The budgets of most tests.
const DISK: usize = 16 << 20;
const MEMORY: usize = 8 << 20;

/// A directory that is removed when the test ends.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let name = format!("tidebin-{:016x}", getrandom::u64().unwrap());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A store whose clock is driven by the test.
struct Driven {
    store: Option<Store>,
    clock: Arc<AtomicU64>,
    directory: Directory,
    disk: usize,
    runtime: tokio::runtime::Runtime,
}

impl Driven {
    fn new() -> Self {
        Self::on(Directory::new(), DISK)
    }

    fn on(directory: Directory, disk: usize) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let mut driven = Self {
            store: None,
            clock: Arc::new(AtomicU64::new(1_000_000_000_000)),
            directory,
            disk,
            runtime: runtime.unwrap(),
        };
        driven.open();
        driven
    }

    fn open(&mut self) {
        let opened = open(self.directory.path(), self.disk).unwrap();
        let clock = Arc::clone(&self.clock);
        let clock = move || Timestamp::from_millis(clock.load(Ordering::SeqCst));
        self.store = Some(Store::start(opened, Box::new(|_| ()), clock).unwrap());
    }

    /// Closes the store and opens its directory again.
    fn restart(&mut self) {
        self.close();
        self.open();
    }

    fn close(&mut self) {
        self.store = None;
    }

    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    /// Makes the writer do all due work. It does so after each batch, so after the second answer the first time is
    /// over.
    fn look_after(&self) {
        for _ in 0..2 {
            self.runtime.block_on(self.store().sweep(self.now()));
        }
    }

    /// Opens the database as another program does.
    fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.directory.path().join("tidebin.db")).unwrap()
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::SeqCst))
    }

    fn advance(&self, seconds: u64) {
        self.clock.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    fn save_as(
        &self,
        client: impl Into<Saver>,
        id: PasteId,
        paste: StoredPaste,
    ) -> Result<(), StoreError> {
        let saving = self.store().insert(self.now(), client.into(), id, paste);
        self.runtime.block_on(saving)
    }

    /// Saves pastes of these clients in this order, several at once, so that there are few commits.
    fn save_all(&self, pastes: impl IntoIterator<Item = (ClientKey, u64, StoredPaste)>) {
        let mut pastes = pastes.into_iter().peekable();
        while pastes.peek().is_some() {
            // More futures than 30 would be polled in any order.
            let saves = pastes.by_ref().take(30).map(|(client, number, paste)| {
                self.store()
                    .insert(self.now(), client.into(), id(number), paste)
            });
            let saved = self.runtime.block_on(join_all(saves));
            assert_eq!(saved, vec![Ok(()); saved.len()]);
        }
    }

    fn save(&self, id: PasteId, paste: StoredPaste) -> Result<(), StoreError> {
        self.save_as(CLIENT, id, paste)
    }

    /// Saves a paste of this owner.
    fn save_owned(&self, owner: u8, id: PasteId, paste: StoredPaste) -> Result<(), StoreError> {
        self.save_with_slug(owner, id, None, paste)
    }

    /// Returns the whole list of an owner, from pages of at most three pastes.
    fn list(&self, owner: u8) -> Vec<Listed> {
        let (mut listed, mut before) = (Vec::new(), None);
        loop {
            let owner = owner_id(owner);
            let page = self.store().list(self.now(), &owner, before, 3);
            let page = self.runtime.block_on(page).unwrap();
            assert!(page.pastes.len() <= 3);
            listed.extend(page.pastes);
            before = page.next;
            if before.is_none() {
                return listed;
            }
        }
    }

    fn get(&self, id: PasteId) -> Result<StoredPaste, StoreError> {
        self.runtime.block_on(self.store().get(self.now(), id))
    }

    fn peek(&self, id: PasteId) -> Result<StoredPaste, StoreError> {
        self.runtime.block_on(self.store().peek(self.now(), id))
    }

    fn consume(&self, id: PasteId) -> Result<Option<u8>, StoreError> {
        let seen = self.peek(id)?;
        let consumed = self.store().consume(self.now(), id, &seen);
        self.runtime
            .block_on(consumed)
            .map(|consumed| consumed.left)
    }

    fn update(&self, id: PasteId, change: &Change, revision: u8) -> Result<(), StoreError> {
        let revision = Revision::from_random([revision; 8]);
        let updated = self.store().update(self.now(), id, change, revision);
        self.runtime.block_on(updated)
    }

    fn remove(&self, id: PasteId, reason: Reason) -> Result<(), StoreError> {
        let removed = self.store().remove(self.now(), id, reason.into());
        self.runtime.block_on(removed)
    }
}

fn open(path: &Path, disk: usize) -> Result<Opened, Failure> {
    Opened::open(path, disk, MEMORY, Keys::new(&[7; 32]))
}

fn assert_refused<T>(result: Result<T, Failure>, part: &str) {
    match result.err() {
        Some(Failure::Refused(sentence)) => assert!(sentence.contains(part), "{sentence}"),
        other => panic!("{other:?}"),
    }
}

fn id(number: u64) -> PasteId {
    let bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    PasteId::from_random(bits.to_be_bytes())
}

fn owner_id(number: u8) -> OwnerId {
    OwnerId::of_secret(&number.to_string())
}

fn draft(content: &[u8], seconds: u64) -> Draft {
    Draft {
        slug: None,
        content: Content::new(content, content.len()).unwrap(),
        title: Title::new("a title"),
        language: Language::from_name("rust"),
        expiry: Expiry::from_seconds(seconds).unwrap_or(Expiry::Never),
    }
}

fn paste(content: &[u8], access: Access, seconds: u64, now: Timestamp) -> StoredPaste {
    let revision = Revision::from_random([1; 8]);
    let token = TokenHash::of("the token");
    StoredPaste::new(draft(content, seconds), access, revision, now, token)
}

fn burn(reads: u8) -> Access {
    Access::Burn(ReadsLeft::new(reads).unwrap())
}

fn text(paste: StoredPaste) -> String {
    String::from_utf8(paste.into_paste().bytes().to_vec()).unwrap()
}

fn gone<T>(reason: Reason) -> Result<T, StoreError> {
    Err(StoreError::Gone(reason))
}

#[test]
fn the_files_stay_within_their_budget_while_pastes_are_evicted() {
    let driven = Driven::new();
    let mut numbers = 0..;
    while driven.store().removal_counts().evicted < 10 {
        let number = numbers.next().unwrap();
        let large = paste(&[7; 1_000_000], Access::Locked(None), 0, driven.now());
        driven.save(id(number), large).unwrap();
    }
    let files = std::fs::read_dir(driven.directory.path()).unwrap();
    let bytes: u64 = files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes <= DISK as u64, "{bytes}");
}
