//! Tests of the durable store, on real files: restarts, data that leaves the disk, and refusals.

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
mod owners;
mod parts;
mod races;
mod slugs;
mod steps;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::fairness::ClientKey;
use crate::paste::{
    Access, Change, Content, Draft, Expiry, Language, OwnerId, PasteId, ReadsLeft, Slug,
    StoredPaste, Title, TitleChange, TokenHash,
};
use crate::store::seal::Keys;
use crate::store::{
    ConsumeError, InsertError, Listed, NotFound, ReadError, Reason, Saver, UpdateError,
};

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
    ) -> Result<(), InsertError> {
        let saving = self.store().insert(self.now(), client, id, paste);
        self.runtime.block_on(saving)
    }

    fn save(&self, id: PasteId, paste: StoredPaste) -> Result<(), InsertError> {
        self.save_as(CLIENT, id, paste)
    }

    /// Saves a paste of this owner.
    fn save_owned(&self, owner: u8, id: PasteId, paste: StoredPaste) -> Result<(), InsertError> {
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

    fn get(&self, id: PasteId) -> Result<StoredPaste, ReadError> {
        self.runtime.block_on(self.store().get(self.now(), id))
    }

    fn peek(&self, id: PasteId) -> Result<StoredPaste, ReadError> {
        self.runtime.block_on(self.store().peek(self.now(), id))
    }

    fn consume(&self, id: PasteId) -> Result<Option<u8>, ConsumeError> {
        let seen = self.peek(id).map_err(|error| match error {
            ReadError::NotFound(error) => ConsumeError::NotFound(error),
            ReadError::Failed | ReadError::Unavailable => ConsumeError::Failed,
        })?;
        let consumed = self.store().consume(self.now(), id, &seen);
        self.runtime
            .block_on(consumed)
            .map(|consumed| consumed.left)
    }

    fn update(&self, id: PasteId, change: &Change, revision: u8) -> Result<(), UpdateError> {
        let revision = Revision::from_random([revision; 8]);
        let updated = self.store().update(self.now(), id, change, revision);
        self.runtime.block_on(updated)
    }

    fn remove(&self, id: PasteId, reason: Reason) -> Result<(), ReadError> {
        let removed = self.store().remove(self.now(), id, reason);
        self.runtime.block_on(removed)
    }
}

fn open(path: &Path, disk: usize) -> Result<Opened, OpenError> {
    Opened::open(path, disk, MEMORY, Keys::new(&[7; 32]))
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

fn gone<T>(reason: Reason) -> Result<T, ReadError> {
    Err(ReadError::NotFound(NotFound::Gone(reason)))
}

#[test]
fn a_paste_with_all_that_belongs_to_it_survives_a_restart() {
    // Given a paste that was read twice, and changed
    let mut driven = Driven::new();
    let now = driven.now();
    driven
        .save(id(1), paste(b"first", Access::Open, 100, now))
        .unwrap();
    driven.get(id(1)).unwrap();
    let change = Change {
        content: Content::new(b"second", 6).ok(),
        title: TitleChange::Remove,
        ..Change::default()
    };
    driven.update(id(1), &change, 9).unwrap();
    driven.get(id(1)).unwrap();
    let before = driven.peek(id(1)).unwrap();
    // When the server starts again
    driven.restart();
    // Then it is the same paste
    let after = driven.peek(id(1)).unwrap();
    assert_eq!(after.reads(), 2);
    assert_eq!(after.named_language(), Language::from_name("rust"));
    assert_eq!(
        (after.saved(), after.deadline()),
        (before.saved(), before.deadline())
    );
    assert_eq!(after.revision(), before.revision());
    assert!(after.token().matches(&TokenHash::of("the token")));
    let shown = after.into_paste();
    assert_eq!((shown.text(), shown.title()), (Some("second"), None));
    let counts = driven
        .runtime
        .block_on(driven.store().counts(now, id(1)))
        .unwrap();
    assert_eq!(counts.by_day(now).iter().sum::<u32>(), 2);
}

#[test]
fn reads_left_count_down_across_restarts_and_the_last_one_leaves_a_reason() {
    let mut driven = Driven::new();
    driven
        .save(id(1), paste(b"secret", burn(2), 100, driven.now()))
        .unwrap();
    driven.restart();
    assert_eq!(driven.consume(id(1)), Ok(Some(1)));
    driven.restart();
    assert_eq!(driven.consume(id(1)), Ok(Some(0)));
    assert_eq!(driven.get(id(1)).map(text), gone(Reason::Burned));
    driven.restart();
    assert_eq!(driven.get(id(1)).map(text), gone(Reason::Burned));
}

#[test]
fn a_read_that_uses_up_nothing_is_counted_in_the_paste_that_is_shown() {
    let driven = Driven::new();
    let access = Access::Locked(None);
    let saved = paste(b"encrypted", access, 100, driven.now());
    driven.save(id(1), saved).unwrap();
    for reads in 1..3 {
        let seen = driven.peek(id(1)).unwrap();
        let consumed = driven.store().consume(driven.now(), id(1), &seen);
        let consumed = driven.runtime.block_on(consumed).unwrap();
        assert_eq!((consumed.paste.reads(), consumed.left), (reads, None));
        assert_eq!(driven.peek(id(1)).unwrap().reads(), reads);
    }
}

#[test]
fn the_reason_of_a_removal_survives_a_restart_and_the_id_stays_taken() {
    let mut driven = Driven::new();
    let now = driven.now();
    for reason in [Reason::Deleted, Reason::RemovedByOperator] {
        let id = id(reason as u64);
        driven
            .save(id, paste(b"x", Access::Open, 100, now))
            .unwrap();
        driven.remove(id, reason).unwrap();
        assert_eq!(driven.remove(id, Reason::Deleted), gone(reason));
        driven.restart();
        assert_eq!(driven.get(id).map(text), gone(reason));
        let again = driven.save(id, paste(b"x", Access::Open, 100, now));
        assert_eq!(again, Err(InsertError::IdTaken));
    }
}

#[test]
fn what_a_start_finds_expired_is_hidden_at_once_and_deleted_after_an_hour() {
    // Given a paste that expires while the server is stopped
    let mut driven = Driven::new();
    driven
        .save(id(1), paste(b"x", Access::Open, 100, driven.now()))
        .unwrap();
    driven.close();
    driven.advance(200);
    driven.open();
    // Then it is hidden, but a wrong clock would have destroyed nothing
    assert_eq!(driven.get(id(1)).map(text), gone(Reason::Expired));
    assert_eq!(
        driven.runtime.block_on(driven.store().sweep(driven.now())),
        0
    );
    assert_eq!(driven.store().occupancy().pastes, 1);
    // And after an hour it is deleted
    driven.advance(3600);
    driven.runtime.block_on(driven.store().sweep(driven.now()));
    assert_eq!(driven.store().occupancy().pastes, 0);
    assert_eq!(driven.get(id(1)).map(text), gone(Reason::Expired));
}

#[test]
fn the_heaviest_client_loses_its_pastes_on_disk_and_a_lighter_one_keeps_its() {
    // Given a full disk: one client has a paste, another the rest
    let driven = Driven::new();
    let now = driven.now();
    let content = |number: u64| {
        let mut random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random.to_le_bytes()
        };
        std::iter::repeat_with(next)
            .take(8 << 10)
            .flatten()
            .collect::<Vec<u8>>()
    };
    let light = ClientKey {
        network: 2,
        client: 2,
    };
    driven
        .save_as(light, id(0), paste(b"light", Access::Open, 0, now))
        .unwrap();
    for number in 1..400 {
        driven
            .save(id(number), paste(&content(number), Access::Open, 0, now))
            .unwrap();
        let (occupancy, room) = (driven.store().occupancy(), driven.store().room());
        assert!(occupancy.bytes <= room);
    }
    // Then the oldest of the heavy client are gone, and the light client's paste is not
    assert!(driven.store().removal_counts().evicted > 100);
    assert_eq!(driven.get(id(1)).map(text), gone(Reason::Evicted));
    assert_eq!(driven.get(id(0)).map(text).unwrap(), "light");
    assert_eq!(
        *driven.get(id(399)).unwrap().into_paste().bytes().to_vec(),
        content(399)
    );
    // And the files stay within their budget
    let files = std::fs::read_dir(driven.directory.path()).unwrap();
    let bytes: u64 = files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes <= DISK as u64, "{bytes}");
    driven.store().validate();
}
