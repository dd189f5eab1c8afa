//! The page cache: stores recently made pages as they are sent. Its memory use is limited by a byte budget.
//!
//! The cache does not know which pastes are still stored: `http/server.rs` passes [`PageCache::remove`] to the store as
//! its removal hook.
//! Invariants: the bytes in use never exceed the budget. A page is charged to the client for which it was made. To make
//! room, the heaviest client of the heaviest network loses its least recently used page. One paste has at most
//! [`MAX_PAGES`] pages, so that requests for it in every language do not fill the cache. No page is freed while the lock
//! is held.
//! Cost: one mutex, which is locked for a hash look-up and a few tree operations. A page takes its bytes, those of its
//! URL, and [`OVERHEAD`].

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::fairness::{ClientKey, FairShares};
use crate::hidden::Hidden;
use crate::page::coding::Coding;
use crate::paste::{Deadline, PasteId, Revision};
use crate::render::RenderKey;

/// Maximum number of pages of one paste: two views in three codings.
const MAX_PAGES: usize = 6;

/// Estimated bytes of a page in addition to its bytes and its URL. They cover its entry, those of its paste and of its
/// client in the maps, the reference count, and the overhead of the allocator for each.
const OVERHEAD: usize = 576;

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
    /// A hash of the bytes of a final page. Different bytes have different hashes, also after an upgrade of the program.
    pub hash: [u64; 2],
}

struct Entry {
    key: PageKey<'static>,
    page: CachedPage,
    /// The client for which the page was made.
    client: ClientKey,
    /// The number of its last use.
    last_use: u64,
}

/// The pages of one paste.
type Entries = Vec<Entry>;

/// The cache of pages.
#[derive(Debug)]
pub struct PageCache {
    budget: usize,
    pages: Hidden<Mutex<Pages>>,
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

struct Pages {
    pastes: HashMap<PasteId, Entries>,
    /// The paste of each page, by its client and the number of its last use.
    by_use: BTreeMap<(ClientKey, u64), PasteId>,
    uses: u64,
    /// The bytes of each client. Among equals, the one whose oldest page was used first has the greatest rank. A use
    /// changes no rank: the search for a page to evict corrects those that it meets.
    bytes: FairShares<ClientKey>,
}

impl CachedPage {
    /// Makes a page of these bytes in this coding.
    #[must_use]
    pub fn new(coding: Coding, bytes: Bytes, is_final: bool) -> Self {
        let hash = match is_final {
            true => Sha256::digest(&bytes),
            false => Default::default(),
        };
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
            pages: Hidden(Mutex::new(Pages {
                pastes: HashMap::new(),
                by_use: BTreeMap::new(),
                uses: 0,
                bytes: FairShares::unlimited(),
            })),
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

    /// Returns the cached page of a paste, or `None` if it is not cached. The page becomes the most recently used one.
    #[must_use]
    pub fn get(&self, id: PasteId, key: &PageKey<'_>) -> Option<CachedPage> {
        let mut pages = self.pages.0.lock();
        let number = pages.next_use();
        let entries = pages.pastes.get_mut(&id)?;
        let entry = entries.iter_mut().find(|entry| entry.key == *key)?;
        let former = std::mem::replace(&mut entry.last_use, number);
        let (client, page) = (entry.client, entry.page.clone());
        pages.by_use.remove(&(client, former));
        pages.by_use.insert((client, number), id);
        Some(page)
    }

    /// Caches a page that was made for this client, and evicts other pages if necessary. A page that is larger than the
    /// budget is not cached.
    pub fn insert(&self, id: PasteId, key: PageKey<'_>, page: CachedPage, client: ClientKey) {
        let mut pages = self.pages.0.lock();
        let entry = Entry {
            key: PageKey {
                url: Cow::Owned(key.url.into_owned()),
                ..key
            },
            page,
            client,
            last_use: pages.next_use(),
        };
        let cost = entry.cost();
        if cost > self.budget as u64 {
            return;
        }
        let mut evicted = pages.make_room_in_paste(id, &entry.key);
        while pages.bytes.total() + cost > self.budget as u64 {
            let victim = pages.next_victim(client, cost);
            let (id, number) = victim.expect("bytes in use have pages");
            evicted.extend(pages.remove(id, number));
        }
        let open = || (!entry.last_use, client);
        pages.bytes.add_ranked(client, cost, open);
        pages.by_use.insert((client, entry.last_use), id);
        let entries = pages.pastes.entry(id).or_default();
        entries.reserve_exact(1);
        entries.push(entry);
        drop(pages);
    }

    /// Removes all pages of a paste.
    pub fn remove(&self, id: PasteId) {
        let mut pages = self.pages.0.lock();
        let entries = pages.pastes.remove(&id);
        for entry in entries.iter().flatten() {
            pages.subtract(entry);
        }
        drop(pages);
        drop(entries);
    }

    /// Returns the bytes in use.
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        let bytes = self.pages.0.lock().bytes.total();
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
    fn make_room_in_paste(&mut self, id: PasteId, key: &PageKey<'_>) -> Entries {
        let entries = self.pastes.get(&id).map_or(&[][..], Vec::as_slice);
        let same = entries.iter().find(|entry| entry.key == *key);
        let oldest = || entries.iter().min_by_key(|entry| entry.last_use);
        let is_full = entries.len() >= MAX_PAGES;
        let victim = same.or_else(|| oldest().filter(|_| is_full));
        let victim = victim.map(|entry| entry.last_use);
        victim
            .into_iter()
            .filter_map(|number| self.remove(id, number))
            .collect()
    }

    /// Returns the paste and the number of the page that makes room for `incoming` bytes of this client.
    fn next_victim(&mut self, client: ClientKey, incoming: u64) -> Option<(PasteId, u64)> {
        loop {
            let (rank, victim) = self.bytes.next_victim(client, incoming)?;
            let (id, number) = self.oldest_of(victim)?;
            if rank == !number {
                return Some((id, number));
            }
            // A page was used since the client got its rank.
            self.bytes.sub_ranked(victim, 0, !number);
        }
    }

    /// Returns the paste and the number of the client's least recently used page.
    fn oldest_of(&self, client: ClientKey) -> Option<(PasteId, u64)> {
        let mut pages = self.by_use.range((client, 0)..=(client, u64::MAX));
        pages.next().map(|((_, number), id)| (*id, *number))
    }

    /// Removes the page with the number of this use.
    fn remove(&mut self, id: PasteId, number: u64) -> Option<Entry> {
        let entries = self.pastes.get_mut(&id)?;
        let at = entries.iter().position(|entry| entry.last_use == number)?;
        let entry = entries.swap_remove(at);
        if entries.is_empty() {
            self.pastes.remove(&id);
        }
        self.subtract(&entry);
        Some(entry)
    }

    fn subtract(&mut self, entry: &Entry) {
        self.by_use.remove(&(entry.client, entry.last_use));
        let oldest = self.oldest_of(entry.client);
        let rank = !oldest.map_or(0, |(_, number)| number);
        self.bytes.sub_ranked(entry.client, entry.cost(), rank);
    }
}

impl Entry {
    fn cost(&self) -> u64 {
        (self.page.bytes.len() + self.key.url.len() + OVERHEAD) as u64
    }
}

#[cfg(test)]
mod tests;
