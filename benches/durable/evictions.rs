//! Saves into a full store, each of which evicts a paste.

use std::sync::Arc;

use tidebin::store::Tier;

use crate::full::{Full, KIBIBYTE, save};
use crate::savers::{Until, run as run_savers};

const SAVERS: [u64; 2] = [64, 1024];
const SAVES: u64 = 30_000;

pub(crate) fn run(full: &Full) {
    let mut next = full.count;
    for savers in SAVERS {
        let before = full.store.removal_counts().evicted;
        let store = Arc::clone(&full.store);
        let saved = run_savers(savers, next, Until::Saved(SAVES), async move |n| {
            save(&store, n, KIBIBYTE).await;
        });
        next += SAVES;
        let evicted = full.store.removal_counts().evicted - before;
        println!("evicting saves, {savers:>4} savers: {saved}, {evicted} evicted");
    }
}
