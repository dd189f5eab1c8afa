//! The page cache: stores recently made pages as they are sent. Its memory use is limited by a byte budget.
//!
//! The cache does not know which pastes are still stored: `http/server.rs` passes [`PageCache::remove`] to the store as
//! its removal hook.
//! Invariants: the bytes in use never exceed the budget. The least recently used paste is evicted first. One paste has
//! at most [`MAX_PAGES`] pages, and [`MAX_WITH_LINES`] more, so that requests for it in every language do not fill the
//! cache. No page is freed while the lock is held.
//! Cost: one mutex, which is locked for a hash look-up. A page takes its bytes, those of its URL, and [`OVERHEAD`].

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use linked_hash_map::LinkedHashMap;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::page::coding::Coding;
use crate::paste::{Deadline, LineRange, PasteId, Revision};
use crate::render::RenderKey;

/// Maximum number of pages of one paste without highlighted lines: two views in three codings.
const MAX_PAGES: usize = 6;

/// Maximum number of pages of one paste with highlighted lines. They do not evict its other pages, because anyone can
/// ask for any lines.
const MAX_WITH_LINES: usize = 2;

/// Estimated bytes of a page in addition to its bytes and its URL. They cover the map's node and slot, the list, the
/// reference count, and the overhead of the allocator for each.
const OVERHEAD: usize = 416;

/// Everything that the page of a paste depends on. Two pages of one paste with the same key are the same.
#[derive(Clone, PartialEq, Eq)]
pub struct PageKey<'a> {
    /// The revision of the paste. A change of the expiry alone keeps it.
    pub revision: Revision,
    /// When the paste expires.
    pub deadline: Deadline,
    /// The language and the view.
    pub render_key: RenderKey,
    /// The lines that the reader asked to highlight.
    pub highlighted: Option<LineRange>,
    /// The coding that the reader asked for.
    pub coding: Coding,
    /// The paste's absolute URL. It depends on the server's name in the request.
    pub url: Cow<'a, str>,
}

/// A page as it is sent.
#[derive(Clone)]
pub struct CachedPage {
    /// The coding of the bytes.
    pub coding: Coding,
    /// The bytes.
    pub bytes: Bytes,
    /// False for a first attempt that ran out of time. It is cached only to remember the attempt.
    pub is_final: bool,
    /// A hash of the bytes. Different bytes have different hashes, also after an upgrade of the program.
    pub hash: [u64; 2],
}

#[derive(Debug)]
struct Entry {
    key: PageKey<'static>,
    page: CachedPage,
}

/// The pages of one paste. The most recently used is last.
type Entries = Vec<Entry>;

/// The cache of pages.
#[derive(Debug)]
pub struct PageCache {
    budget: usize,
    pages: Mutex<Pages>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Counts of the cache since its start, and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageCacheStats {
    /// The number of requests whose page was cached.
    pub hits: u64,
    /// The number of requests whose page could be cached and was not.
    pub misses: u64,
    /// The bytes in use.
    pub bytes: usize,
    /// The maximum of these bytes.
    pub budget: usize,
}

#[derive(Debug)]
struct Pages {
    /// The cached pastes. The least recently used one is first.
    pastes: LinkedHashMap<PasteId, Entries>,
    used_bytes: usize,
}

impl PageKey<'_> {
    fn has_lines(&self) -> bool {
        self.highlighted.is_some()
    }
}

impl CachedPage {
    /// Makes a page of these bytes in this coding.
    #[must_use]
    pub fn new(coding: Coding, bytes: Bytes, is_final: bool) -> Self {
        let hash = Sha256::digest(&bytes);
        let part = |at: usize| {
            hash[at..]
                .first_chunk()
                .map_or(0, |part| u64::from_be_bytes(*part))
        };
        Self {
            coding,
            is_final,
            hash: [part(0), part(8)],
            bytes,
        }
    }
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
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// Counts a request for a page, which may take several look-ups. `is_hit` tells whether the page was cached.
    pub fn count_request(&self, is_hit: bool) {
        let counter = if is_hit { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the counts.
    #[must_use]
    pub fn stats(&self) -> PageCacheStats {
        PageCacheStats {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            bytes: self.used_bytes(),
            budget: self.budget,
        }
    }

    /// Returns the cached page of a paste, or `None` if it is not cached. The paste and the page become the most
    /// recently used ones.
    #[must_use]
    pub fn get(&self, id: PasteId, key: &PageKey<'_>) -> Option<CachedPage> {
        let mut pages = self.pages.lock();
        let entries = pages.pastes.get_refresh(&id)?;
        let at = entries.iter().position(|entry| entry.key == *key)?;
        entries[at..].rotate_left(1);
        entries.last().map(|entry| entry.page.clone())
    }

    /// Caches a page, and evicts other pages if necessary. A page that is larger than the budget is not cached.
    pub fn insert(&self, id: PasteId, key: PageKey<'_>, page: CachedPage) {
        let entry = Entry {
            key: PageKey {
                url: Cow::Owned(key.url.into_owned()),
                ..key
            },
            page,
        };
        let cost = entry.cost();
        if cost > self.budget {
            return;
        }
        let mut evicted = Vec::new();
        let mut pages = self.pages.lock();
        pages.make_room_in_paste(id, &entry.key, &mut evicted);
        while pages.used_bytes + cost > self.budget {
            let (_, entries) = pages.pastes.pop_front().expect("bytes in use have entries");
            pages.subtract(&entries);
            evicted.extend(entries);
        }
        let entries = pages.pastes.entry(id).or_default();
        entries.reserve_exact(1);
        entries.push(entry);
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

    /// Removes the paste's entry with this key. If there is none and the paste has as many such entries as it may have,
    /// the least recently used of them is removed.
    fn make_room_in_paste(&mut self, id: PasteId, key: &PageKey<'_>, evicted: &mut Entries) {
        let Some(entries) = self.pastes.get_mut(&id) else {
            return;
        };
        let is_alike = |entry: &Entry| entry.key.has_lines() == key.has_lines();
        let max = if key.has_lines() {
            MAX_WITH_LINES
        } else {
            MAX_PAGES
        };
        let same = entries.iter().position(|entry| entry.key == *key);
        let is_full = entries.iter().filter(|entry| is_alike(entry)).count() >= max;
        let oldest = entries.iter().position(is_alike).filter(|_| is_full);
        if let Some(at) = same.or(oldest) {
            let entry = entries.remove(at);
            self.used_bytes -= entry.cost();
            evicted.push(entry);
        }
    }

    fn subtract(&mut self, entries: &Entries) {
        self.used_bytes -= entries.iter().map(Entry::cost).sum::<usize>();
    }
}

impl Entry {
    fn cost(&self) -> usize {
        self.page.bytes.len() + self.key.url.len() + OVERHEAD
    }
}

/// Omits the URL, which contains the id: any client with the id can read the paste.
impl fmt::Debug for PageKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageKey(secret)")
    }
}

/// Omits the text of a user.
impl fmt::Debug for CachedPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CachedPage(secret)")
    }
}

#[cfg(test)]
mod tests;
