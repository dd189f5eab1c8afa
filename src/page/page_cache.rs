//! The page cache: stores recently made pages as they are sent. Its memory use is limited by a byte budget.
//!
//! The cache does not know which pastes are still stored: `http/server.rs` passes [`PageCache::remove`] to the store as
//! its removal hook.
//! Invariants: the bytes in use never exceed the budget. A page is charged to the client for which it was made. To make
//! room, the heaviest client of the heaviest network loses its least recently used page. One paste has at most
//! [`MAX_PAGES`] pages, so that requests for it in every language do not fill the cache. No page is freed while the
//! lock is held.
//! Cost: one mutex, which is locked for a few tree operations. A page takes its bytes, those of its
//! URL, and [`OVERHEAD`].

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::fairness::{ClientKey, FairList};
use crate::page::coding::Coding;
use crate::paste::{Deadline, PasteId, Revision};
use crate::render::RenderKey;

/// Maximum number of pages of one paste: three views in two codings.
const MAX_PAGES: usize = 6;

/// Estimated bytes of a page in addition to its bytes and its URL. They cover its entry, those of its paste and of its
/// client in the maps, the reference count, and the overhead of the allocator for each.
const OVERHEAD: usize = 600;

/// Everything that the page of a paste depends on. Two pages of one paste with the same key are the same.
#[derive(Clone, PartialEq, Eq)]
pub struct PageKey<'a> {
    /// The revision of the paste. A change of the expiry alone keeps it.
    pub revision: Revision,
    /// When the paste expires.
    pub deadline: Deadline,
    /// The language and the view.
    pub render_key: RenderKey,
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
    /// Whether the next request would get the same page. A page that is not final is cached only to remember the
    /// attempt.
    pub is_final: bool,
    /// The entity tag of a final page: half the hash of its bytes, in quotes. Different bytes have different tags, also
    /// after an upgrade of the program.
    pub etag: [u8; 34],
}

/// The cache of pages.
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

/// A page and what it depends on.
type Entry = (PageKey<'static>, CachedPage);

/// The pages, by paste and by the number of the use that made them.
struct Pages {
    list: FairList<(PasteId, u64), Entry>,
    uses: u64,
}

impl CachedPage {
    /// Makes a page of these bytes in this coding.
    pub fn new(coding: Coding, bytes: Bytes, is_final: bool) -> Self {
        let mut etag = [b'"'; 34];
        if is_final {
            for (digits, byte) in etag[1..33].chunks_exact_mut(2).zip(Sha256::digest(&bytes)) {
                digits.copy_from_slice(format!("{byte:02x}").as_bytes());
            }
        }
        Self {
            coding,
            bytes,
            is_final,
            etag,
        }
    }
}

impl PageCache {
    /// Creates a cache of at most `budget` bytes. A cache with a budget of 0 stores nothing.
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            pages: Mutex::new(Pages {
                list: FairList::within(budget as u64),
                uses: 0,
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
    pub fn stats(&self) -> PageCacheStats {
        PageCacheStats {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            bytes: self.used_bytes(),
            budget: self.budget,
        }
    }

    /// Returns the cached page of a paste, or `None` if it is not cached. The page becomes the most recently used one.
    pub fn get(&self, id: PasteId, key: &PageKey<'_>) -> Option<CachedPage> {
        let mut pages = self.pages.lock();
        let number = pages.next_use();
        let mut known = pages.list.range(of(id));
        let (place, _, (_, page)) = known.find(|(_, _, (known, _))| known == key)?;
        let page = page.clone();
        drop(known);
        pages.list.renew(place, number);
        Some(page)
    }

    /// Caches a page that was made for this client, and evicts other pages if necessary. A page that is larger than the
    /// budget is not cached.
    pub fn insert(&self, id: PasteId, key: PageKey<'_>, page: CachedPage, client: ClientKey) {
        let key = PageKey {
            url: Cow::Owned(key.url.into_owned()),
            ..key
        };
        let cost = page.bytes.len() + key.url.len() + OVERHEAD;
        if cost > self.budget {
            return;
        }
        let mut pages = self.pages.lock();
        let number = pages.next_use();
        let replaced = pages.make_room_in_paste(id, &key);
        let entry = (key, page);
        let evicted = pages
            .list
            .insert((id, number), number, (client, cost as u64), entry);
        drop(pages);
        drop((replaced, evicted));
    }

    /// Removes all pages of a paste.
    pub fn remove(&self, id: PasteId) {
        let removed = self.pages.lock().list.remove_where(of(id), |_| true);
        drop(removed);
    }

    /// Returns the bytes in use.
    pub fn used_bytes(&self) -> usize {
        let bytes = self.pages.lock().list.charged();
        usize::try_from(bytes).unwrap_or(self.budget)
    }
}

impl Pages {
    fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    /// Removes the paste's page with this key. If there is none and the paste has as many pages as it may have, the
    /// least recently used of them is removed.
    fn make_room_in_paste(&mut self, id: PasteId, key: &PageKey<'_>) -> Option<(u64, Entry)> {
        let pages = || self.list.range(of(id));
        let same = pages().find(|(_, _, (known, _))| known == key);
        let oldest = || pages().min_by_key(|(_, last_use, _)| *last_use);
        let is_full = pages().count() >= MAX_PAGES;
        let (place, ..) = same.or_else(|| oldest().filter(|_| is_full))?;
        self.list.remove(place)
    }
}

/// Returns the places of all pages of a paste.
fn of(id: PasteId) -> RangeInclusive<(PasteId, u64)> {
    (id, 0)..=(id, u64::MAX)
}

#[cfg(test)]
mod tests;
