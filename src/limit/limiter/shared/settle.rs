//! Settling: the engine learns of the charges that this node made on its own, and this node of those of the others.
//!
//! Cost: one call for each network with pending charges, and one more if another node changed its entries. At most
//! [`MOST_CALLS`] calls are in progress at a time.

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::stream::{self, StreamExt};

use super::engine::LimitExchange;
use super::sharing::Sharing;
use super::tracking::EntryId;
use crate::limit::limiter::Limiter;

/// The most calls at a time.
const MOST_CALLS: usize = 32;

/// The most entries in one call. An engine that runs one call at a time is not held up for long.
const MOST_ENTRIES: usize = 64;

/// The most exchanges for one batch. After that the batch waits for the next tick.
const TRIES: usize = 8;

/// Entries of one network.
struct Batch {
    network: u64,
    ids: Vec<EntryId>,
}

impl Limiter {
    /// Waits until charges are due to be settled before the next tick. Never completes if the limiter is not shared.
    pub async fn due(&self) {
        match &self.sharing {
            Some(sharing) => sharing.due().await,
            None => pending().await,
        }
    }

    /// Settles the charges that are due, or all. If the engine fails, they are kept for the next time.
    pub async fn settle(&self, now: Duration, all: bool) {
        let Some(sharing) = &self.sharing else {
            return;
        };
        let has_failed = &AtomicBool::new(false);
        stream::iter(self.batches(now, all))
            .for_each_concurrent(MOST_CALLS, |batch| {
                self.settle_batch(sharing, batch, has_failed)
            })
            .await;
    }

    fn batches(&self, now: Duration, all: bool) -> Vec<Batch> {
        let state = &mut *self.state.lock();
        let now = state.advance(self.nanos(now));
        if !state.tracking().may_ask(now) {
            return Vec::new();
        }
        let mut listed = state.tracking().take_listed(all);
        listed.sort_unstable_by_key(|(network, _)| *network);
        let networks = listed.chunk_by(|(one, _), (other, _)| one == other);
        networks
            .flat_map(|network| network.chunks(MOST_ENTRIES))
            .map(|chunk| Batch {
                network: chunk[0].0,
                ids: chunk.iter().map(|(_, id)| *id).collect(),
            })
            .collect()
    }

    async fn settle_batch(&self, sharing: &Sharing, batch: Batch, has_failed: &AtomicBool) {
        let (layout, network) = (&self.layout, batch.network);
        let _turn = sharing.turn(network).await;
        let ids = &batch.ids;
        let mut attempt = self.state.lock().attempt(layout, sharing.ttl(), ids, false);
        for _ in 0..TRIES {
            if attempt.entries.is_empty() {
                return;
            }
            if has_failed.load(Ordering::Relaxed) {
                break;
            }
            match sharing.exchange(network, &attempt.entries).await {
                Ok(LimitExchange::Stored) => return self.state.lock().commit(&attempt),
                Ok(LimitExchange::Conflict(answers)) => {
                    attempt = self.state.lock().rebase(layout, &attempt, &answers);
                }
                Err(_) => {
                    has_failed.store(true, Ordering::Relaxed);
                    let state = &mut *self.state.lock();
                    let now = state.now;
                    state.tracking().failed(now);
                }
            }
        }
        let state = &mut *self.state.lock();
        for id in ids {
            state.tracking().list(*id, false);
        }
    }
}
