//! The page cache: stores recently rendered pastes. Its memory use is limited by a byte budget.
//!
//! The cache does not know which pastes are still stored. The store tells the cache which pastes to remove.
//! Invariants: the bytes in use never exceed the budget. The least recently used paste is evicted first. One paste has
//! at most [`MAX_KEYS`] entries, so that requests for it in every language do not fill the cache. No entry is freed
//! while the lock is held.
//! Cost: one mutex, which is locked for a hash look-up. An entry takes the bytes of its HTML, of its compressed pages
//! and [`OVERHEAD`].

use std::sync::Arc;

use linked_hash_map::LinkedHashMap;
use parking_lot::Mutex;

use crate::paste::PasteId;
use crate::render::render_key::RenderKey;
use crate::render::rendered::Rendered;

/// Maximum number of entries of one paste.
const MAX_KEYS: usize = 4;

/// Estimated bytes of an entry in addition to its page. They cover the map's node and slot, the list, the reference
/// counts, and what the allocator adds to each.
const OVERHEAD: usize = 352;

/// The entries of one paste. The latest is last.
type Entries = Vec<Entry>;

#[derive(Debug)]
struct Entry {
    key: RenderKey,
    page: Arc<Rendered>,
    /// The bytes that the cache counts for this entry. The page may have grown since the cache counted them.
    cost: usize,
}

/// The cache of rendered pastes.
#[derive(Debug)]
pub struct PageCache {
    budget: usize,
    pages: Mutex<Pages>,
}

#[derive(Debug)]
struct Pages {
    /// The cached pastes. The least recently used one is first.
    pastes: LinkedHashMap<PasteId, Entries>,
    used_bytes: usize,
}

impl PageCache {
    /// Creates a cache of at most `budget` bytes. A cache with a budget of 0 stores nothing.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            pages: Mutex::new(Pages {
                pastes: LinkedHashMap::new(),
                used_bytes: 0,
            }),
        }
    }

    /// Returns the cached page of a paste, or `None` if it is not cached. The paste becomes the most recently used one.
    #[must_use]
    pub fn get(&self, id: PasteId, key: RenderKey) -> Option<Arc<Rendered>> {
        let mut pages = self.pages.lock();
        let entries = pages.pastes.get_refresh(&id)?;
        let entry = entries.iter().find(|entry| entry.key == key)?;
        Some(Arc::clone(&entry.page))
    }

    /// Caches a page, and evicts other pages if necessary. If the page is larger than the budget, its paste is removed
    /// instead. A cached page that has grown must be inserted again, so that its bytes are counted again.
    pub fn insert(&self, id: PasteId, key: RenderKey, page: &Arc<Rendered>) {
        let mut evicted = Vec::new();
        let mut pages = self.pages.lock();
        // The size is read while the lock is held, because another reader may make the page grow at the same time.
        let cost = cost_of(page);
        if cost > self.budget {
            drop(pages);
            return self.remove(id);
        }
        pages.make_room_in_paste(id, key, &mut evicted);
        while pages.used_bytes + cost > self.budget {
            let (_, entries) = pages.pastes.pop_front().expect("bytes in use have entries");
            pages.subtract(&entries);
            evicted.extend(entries);
        }
        let entries = pages.pastes.entry(id).or_default();
        entries.push(Entry {
            key,
            page: Arc::clone(page),
            cost,
        });
        pages.used_bytes += cost;
        pages.pastes.get_refresh(&id);
        drop(pages);
    }

    /// Removes all pages of a paste.
    pub fn remove(&self, id: PasteId) {
        let mut pages = self.pages.lock();
        let entries = pages.take(id);
        drop(pages);
        drop(entries);
    }

    /// Returns the bytes in use.
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        self.pages.lock().used_bytes
    }
}

impl Pages {
    /// Removes and returns a paste's entries. `LinkedHashMap::remove` would keep the freed node for reuse for ever. A
    /// node that is moved to the end and popped is freed.
    fn take(&mut self, id: PasteId) -> Option<Entries> {
        self.pastes.get_refresh(&id)?;
        let (_, entries) = self.pastes.pop_back()?;
        self.subtract(&entries);
        Some(entries)
    }

    /// Removes the paste's entry with this key. If there is none and the paste has [`MAX_KEYS`] entries, its oldest
    /// entry is removed.
    fn make_room_in_paste(&mut self, id: PasteId, key: RenderKey, evicted: &mut Entries) {
        let Some(entries) = self.pastes.get_mut(&id) else {
            return;
        };
        let same = entries.iter().position(|entry| entry.key == key);
        let oldest = (entries.len() >= MAX_KEYS).then_some(0);
        if let Some(at) = same.or(oldest) {
            let entry = entries.remove(at);
            self.used_bytes -= entry.cost;
            evicted.push(entry);
        }
    }

    fn subtract(&mut self, entries: &Entries) {
        self.used_bytes -= entries.iter().map(|entry| entry.cost).sum::<usize>();
    }
}

fn cost_of(page: &Rendered) -> usize {
    page.memory_size() + OVERHEAD
}

#[cfg(test)]
mod tests;
