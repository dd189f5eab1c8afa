//! A store of one tier, with a clock that only the test advances. It calls what the server calls.
//!
//! No thread of the store removes expired pastes, since their clock stands still: a case sweeps.

use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tidebin::paste::{Change, Counts, PasteId, StoredPaste, Timestamp};
use tidebin::store::memory::{self, Budget};
use tidebin::store::seal::Keys;
use tidebin::store::sqlite::{self, Limits};
use tidebin::store::valkey::{self, EngineClock};
use tidebin::store::{Consumed, End, Listed, ModerationChange, Reason, Store, StoreError};
use tokio::runtime::{Builder, Runtime};

use crate::engine::Engine;
use crate::folder::Folder;
use crate::new_paste::{NewPaste, owner_id, revision};

/// How long a store waits for its engine, so that a busy machine fails no test.
const PATIENCE: Duration = Duration::from_secs(20);

/// Engines that no test uses. They end with the process.
static ENGINES: Mutex<Vec<Engine>> = Mutex::new(Vec::new());

/// The budget of a store, by its tier. An engine of a test never fills.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    memory: usize,
    disk: usize,
}

/// A store that no case fills.
pub const AMPLE: Size = Size {
    memory: 8 << 20,
    disk: 8 << 20,
};

/// A store that a few hundred kilobytes fill.
pub const SMALL: Size = Size {
    memory: 512 << 10,
    disk: 1 << 20,
};

/// Where the pastes are.
#[derive(Debug)]
enum Place {
    Memory,
    Disk(Folder),
    /// `None` after it was given back.
    Engine(Option<Engine>),
}

/// A clock that stands still.
struct StandingClock;

impl EngineClock for StandingClock {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn follow(&self, _time: Timestamp) {}
}

pub struct Fixture {
    store: Option<Store>,
    place: Place,
    budget: usize,
    now: Cell<u64>,
    revisions: Cell<u64>,
    runtime: Runtime,
    /// The ids with which the store called its hook.
    pub heard: Arc<Mutex<Vec<PasteId>>>,
}

impl Fixture {
    pub fn memory(size: Size) -> Self {
        Self::open(Place::Memory, size.memory)
    }

    pub fn disk(size: Size) -> Self {
        Self::open(Place::Disk(Folder::new("data")), size.disk)
    }

    pub fn engine(_size: Size) -> Self {
        let idle = ENGINES.lock().unwrap().pop();
        let engine = idle.unwrap_or_else(|| Engine::empty(&[]));
        engine.ask("FLUSHALL");
        Self::open(Place::Engine(Some(engine)), 0)
    }

    fn open(place: Place, budget: usize) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build();
        let mut fixture = Self {
            store: None,
            place,
            budget,
            now: Cell::new(1_800_000_000_000),
            revisions: Cell::new(0),
            runtime: runtime.expect("a runtime"),
            heard: Arc::default(),
        };
        fixture.start();
        fixture
    }

    fn start(&mut self) {
        let (keys, now) = (Keys::new(&[7; 32]), self.now());
        let heard = Arc::clone(&self.heard);
        let hook = Box::new(move |id| heard.lock().unwrap().push(id));
        self.store = Some(match &self.place {
            Place::Memory => {
                let budget = Budget::new(self.budget);
                Store::in_memory(budget, hook, Timestamp::default).expect("a thread")
            }
            Place::Disk(folder) => {
                let opened = sqlite::Opened::open(folder.path(), self.budget, 8 << 20, keys);
                let store = sqlite::Store::start(opened.expect("a directory"), hook, move || now);
                Store::Sqlite(store.expect("a database"))
            }
            Place::Engine(engine) => {
                let url = engine.as_ref().expect("it is in use").url();
                let limits = (PATIENCE, 1 << 20);
                let store = valkey::Store::open(&[url], keys, limits, hook, StandingClock);
                Store::Valkey(Arc::new(store.expect("an engine")))
            }
        });
    }

    /// Stops the store and starts it at the same place.
    pub fn restart(&mut self) {
        self.close();
        if self.is_engine() {
            // Nodes of an engine do not agree about the order of pastes within a millisecond.
            self.advance_millis(1);
        }
        self.start();
    }

    fn close(&mut self) {
        if let Some(store) = self.store.take() {
            store.close();
        }
    }

    pub fn store(&self) -> &Store {
        self.store.as_ref().expect("it is open")
    }

    pub fn wait<T>(&self, operation: impl Future<Output = T>) -> T {
        self.runtime.block_on(operation)
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.get())
    }

    pub fn advance(&self, seconds: u64) {
        self.advance_millis(seconds * 1000);
    }

    pub fn advance_millis(&self, millis: u64) {
        self.now.set(self.now.get() + millis);
        if let Some(engine) = self.used_engine() {
            engine.pass(Duration::from_millis(millis));
        }
    }

    fn used_engine(&self) -> Option<&Engine> {
        match &self.place {
            Place::Memory | Place::Disk(_) => None,
            Place::Engine(engine) => engine.as_ref(),
        }
    }

    /// Sends a command to the engine, which answers with a text.
    pub fn ask_text(&self, command: &str) -> String {
        let engine = self.used_engine().expect("an engine");
        let [length, text] = engine.lines(command);
        assert!(length.starts_with('$'), "{command}: {length}");
        text
    }

    /// Whether the pastes are in an engine.
    pub fn is_engine(&self) -> bool {
        self.used_engine().is_some()
    }

    /// Returns the number of stored pastes.
    pub fn pastes(&self) -> usize {
        let engine = self.used_engine().map(Engine::pastes);
        engine.unwrap_or_else(|| self.store().occupancy().pastes)
    }

    /// The answer of a read if the paste has expired. An engine forgets it.
    pub fn expired<T>(&self) -> Result<T, StoreError> {
        match self.used_engine() {
            Some(_) => unknown(),
            None => gone(Reason::Expired),
        }
    }

    /// How much too early a test may find that a key of an engine has expired, in milliseconds.
    pub fn slack(&self) -> u64 {
        self.used_engine().map_or(0, |_| 5_000)
    }

    /// Returns the number of the next revision.
    fn next_revision(&self) -> u64 {
        self.revisions.set(self.revisions.get() + 1);
        self.revisions.get()
    }

    /// Returns the number of the latest revision.
    pub fn latest_revision(&self) -> u64 {
        self.revisions.get()
    }

    pub fn save(&self, key: u64, saved: NewPaste) -> Result<(), StoreError> {
        let (saver, paste) = saved.parts(self.now(), self.next_revision());
        self.wait(self.store().insert(self.now(), saver, id(key), paste))
    }

    pub fn get(&self, key: u64) -> Result<StoredPaste, StoreError> {
        self.wait(self.store().get(self.now(), id(key)))
    }

    pub fn peek(&self, key: u64) -> Result<StoredPaste, StoreError> {
        self.wait(self.store().peek(self.now(), id(key)))
    }

    pub fn counts(&self, key: u64) -> Result<Counts, StoreError> {
        self.wait(self.store().counts(self.now(), id(key)))
    }

    /// Counts a read of a paste that was looked at before.
    pub fn consume_as(&self, key: u64, seen: &StoredPaste) -> Result<Consumed, StoreError> {
        self.wait(self.store().consume(self.now(), id(key), seen))
    }

    /// Looks at a paste and counts a read. Returns how many are left.
    pub fn consume(&self, key: u64) -> Result<Option<u8>, StoreError> {
        let seen = self.peek(key)?;
        self.consume_as(key, &seen).map(|consumed| consumed.left)
    }

    pub fn update(&self, key: u64, change: &Change) -> Result<(), StoreError> {
        let revision = revision(self.next_revision());
        let update = self.store().update(self.now(), id(key), change, revision);
        self.wait(update)
    }

    pub fn remove(&self, key: u64, reason: Reason) -> Result<(), StoreError> {
        let seen = self.peek(key);
        let end = seen.map_or(reason.into(), |paste| End::of(&paste, self.now(), reason));
        self.wait(self.store().remove(self.now(), id(key), end))
    }

    pub fn sweep(&self) {
        self.wait(self.store().sweep(self.now()));
    }

    /// Returns the whole list of an owner, from pages of at most three pastes.
    pub fn list(&self, owner: u8) -> Vec<Listed> {
        let (mut listed, mut before) = (Vec::new(), None);
        loop {
            let owner = owner_id(owner);
            let page = self.store().list(self.now(), &owner, before, 3);
            let page = self.wait(page).expect("the list can be read");
            assert!(page.pastes.len() <= 3);
            listed.extend(page.pastes);
            assert!(listed.len() < 1000, "the pages never end");
            before = page.next;
            if before.is_none() {
                return listed;
            }
        }
    }

    pub fn moderate(&self, change: ModerationChange) -> Result<bool, StoreError> {
        self.wait(self.store().moderate(self.now(), change))
    }

    /// Asserts that these pastes can be read.
    #[track_caller]
    pub fn assert_stored(&self, keys: impl IntoIterator<Item = u64>) {
        for key in keys {
            assert!(self.peek(key).is_ok(), "{key} was removed");
        }
    }

    /// How long after a start the pastes that it found expired are kept, in milliseconds. A wrong clock at the start
    /// destroys nothing before that.
    pub fn grace(&self) -> u64 {
        match self.place {
            Place::Disk(_) => 3_600_000,
            Place::Memory | Place::Engine(_) => 0,
        }
    }

    /// Whether the store keeps its pastes when it is restarted.
    pub fn is_durable(&self) -> bool {
        !matches!(self.place, Place::Memory)
    }

    /// Returns the bytes that a paste of this store costs.
    pub fn cost(&self, paste: &StoredPaste) -> usize {
        match self.place {
            Place::Memory => memory::cost_of(paste),
            // The seal adds fewer bytes, and the contents of the twin end in the middle of a page.
            Place::Disk(_) => Limits::cost_of(bytes(paste).len() + 300),
            Place::Engine(_) => 0,
        }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.close();
        if let Place::Engine(engine) = &mut self.place
            && !std::thread::panicking()
        {
            ENGINES.lock().unwrap().extend(engine.take());
        }
    }
}

/// Returns the id with this number. They are spread like random ids.
pub fn id(key: u64) -> PasteId {
    let bits = key.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    PasteId::from_random(bits.to_be_bytes())
}

/// Returns the content as it is stored.
pub fn bytes(paste: &StoredPaste) -> &[u8] {
    paste.plain().or(paste.encrypted()).expect("a content")
}

/// Returns the content of a paste as text.
pub fn text(paste: StoredPaste) -> String {
    String::from_utf8_lossy(bytes(&paste)).into_owned()
}

/// The answer of a read if the paste is gone for this reason.
pub fn gone<T>(reason: Reason) -> Result<T, StoreError> {
    Err(StoreError::Gone(reason))
}

/// The answer of a read if there never was a paste.
pub fn unknown<T>() -> Result<T, StoreError> {
    Err(StoreError::NotFound)
}
