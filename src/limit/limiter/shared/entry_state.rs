//! The state of an entry apart from its table: its buckets and windows.
//!
//! Charges that other decisions have granted are applied to it without asking the rules again.

use super::pending::Pending;
use crate::limit::limiter::bucket::Bucket;
use crate::limit::limiter::entry::HEADER_WORDS;
use crate::limit::limiter::entry_layout::EntryLayout;
use crate::limit::limiter::table::{Lookup, Table};
use crate::limit::limiter::window::Window;
use crate::limit::policy::{Action, Multiplier, Tier, Unit};

/// The buckets and windows of one entry.
#[derive(Debug, Clone)]
pub(in crate::limit::limiter) struct EntryState {
    /// The words of the entry. Those of its header mean nothing here.
    pub(super) words: Vec<u64>,
    /// The windows in the order of the quotas. `None` stands for unused quotas.
    pub(super) windows: Option<Box<[Window]>>,
}

impl EntryState {
    pub(super) fn unused(layout: &EntryLayout) -> Self {
        Self {
            words: vec![0; layout.words()],
            windows: None,
        }
    }

    /// Copies the state of an entry of the table.
    pub(super) fn of(table: &mut Table, index: usize) -> Self {
        Self {
            words: table.entry(Lookup::Found(index)).to_vec(),
            windows: table.windows_mut(index).and_then(|windows| windows.clone()),
        }
    }

    /// Replaces the buckets and windows of an entry of the table. The header stays.
    pub(super) fn install(&self, table: &mut Table, index: usize) {
        table.entry_mut(index)[HEADER_WORDS..].copy_from_slice(&self.words[HEADER_WORDS..]);
        if let Some(windows) = table.windows_mut(index) {
            windows.clone_from(&self.windows);
        }
    }

    /// Applies pending charges and refunds.
    pub(super) fn apply(
        &mut self,
        layout: &EntryLayout,
        now: u64,
        (tier, multiplier): (Tier, Multiplier),
        pending: &Pending,
    ) {
        for action in Action::ALL {
            let rules = layout.of(action);
            let requests = pending.amount(action, Unit::Requests);
            for placed in rules.rates.iter().filter(|_| requests != 0) {
                let rate = placed.scaled(tier, multiplier);
                let bucket = Bucket::read(&self.words, placed.word);
                let tokens = requests.unsigned_abs();
                let bucket = match requests > 0 {
                    true => bucket.charge_granted(tokens, now, &rate),
                    false => bucket.refund_tokens(tokens, pending.refunded_at, now, &rate),
                };
                bucket.write(&mut self.words, placed.word);
            }
            for placed in &rules.quotas {
                let amount = pending.amount(action, placed.quota.unit());
                if amount == 0 {
                    continue;
                }
                let windows = self.windows.get_or_insert_with(|| {
                    let unused = |quota| Window::new(now, quota);
                    layout.quotas().iter().map(unused).collect()
                });
                let (window, used) = (&mut windows[placed.window], amount.unsigned_abs());
                match amount > 0 {
                    true => window.charge_granted(now, &placed.quota, used),
                    false => window.refund_granted(pending.refunded_at, &placed.quota, used),
                }
            }
        }
    }
}
