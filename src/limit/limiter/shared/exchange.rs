//! Exchanges of entries with the engine: what a node sends, and what it does with the answer.
//!
//! Invariants: An entry of the table that was seen in the engine equals the state seen there with the pending charges
//! applied. So an exchange sends the entry of the table as it is. If the engine has another version, its state with
//! the pending charges replaces the entry. Pending charges are forgotten only when the engine has stored them. If an
//! answer is lost, charges that the engine did store count twice.
//! Evictions: An entry that has no entry of the table is sent as if it were new. The engine answers with its state if
//! it has one, and the pending charges are applied to that.

use super::engine::LimitEntry;
use super::entry_state::EntryState;
use super::pending::{Change, Pending};
use super::tracking::{EntryId, Tracking};
use crate::limit::limiter::entry::EntryRef;
use crate::limit::limiter::entry_layout::EntryLayout;
use crate::limit::limiter::request::{LimitRequest, Subject};
use crate::limit::limiter::state::State;
use crate::limit::limiter::table::{Lookup, Table};
use crate::limit::policy::{Action, Multiplier, Tier, Unit};

/// When this node has granted this part of a burst, the charges are settled at once. What exceeds the burst becomes
/// debt.
const DUE_BURST_PART: u64 = 16;

/// When this node has granted this part of what a quota has left, the charges are settled at once. A window has no
/// debt, so what exceeds it is never made up for. With 64, sixteen nodes that all started from an outdated rest use at
/// most a quarter of it per round, so they approach the quota from below.
const DUE_QUOTA_PART: u64 = 64;

/// One exchange.
pub(super) struct Attempt {
    pub(super) entries: Vec<LimitEntry>,
    sent: Vec<Sent>,
    /// The number of the call among the events that [`Tracking::next_event`] counts.
    started: u64,
}

/// One entry of an exchange.
struct Sent {
    id: EntryId,
    /// The charges that the sent state contains and the engine does not know yet.
    pending: Pending,
    /// The entry of the table that was sent.
    local: Option<EntryRef>,
}

impl Attempt {
    /// Makes an attempt that replaces nothing and only reads the entries.
    pub(super) fn reading(mut self) -> Self {
        for entry in &mut self.entries {
            entry.state.clear();
        }
        self
    }
}

/// Returns the entries of the client and of its network.
pub(super) fn ids(subject: Subject) -> [EntryId; 2] {
    [
        (Tier::Client, subject.client.client),
        (Tier::Network, subject.network_key()),
    ]
    .map(|(tier, key)| EntryId { tier, key })
}

impl State {
    /// Adds a change of both entries of a client to their pending charges, which the engine has to learn.
    pub(in crate::limit::limiter) fn add_pending(
        &mut self,
        layout: &EntryLayout,
        subject: Subject,
        entries: [EntryRef; 2],
        change: Change<'_>,
    ) {
        let (Change::Charge(request) | Change::Refund(request, _)) = change;
        if request.requests == 0 && request.bytes == 0 {
            return;
        }
        let now = self.now;
        for (id, entry) in ids(subject).into_iter().zip(entries) {
            let Some(tracking) = self.tracking.as_deref_mut() else {
                return;
            };
            let Some(tracked) = tracking.track(id, subject) else {
                continue;
            };
            tracked.add_pending(entry, change);
            let pending = tracked.pending;
            let table = match id.tier {
                Tier::Client => &mut self.clients,
                Tier::Network => &mut self.networks,
            };
            let is_due = is_due(
                table,
                layout,
                now,
                entry,
                subject.multiplier,
                request,
                &pending,
            );
            tracking.list(id, is_due);
        }
    }

    /// Makes the first attempt to exchange these entries. Entries without pending charges are left out unless
    /// `is_exact`.
    pub(super) fn attempt(
        &mut self,
        layout: &EntryLayout,
        ttl: u64,
        ids: &[EntryId],
        is_exact: bool,
    ) -> Attempt {
        let mut attempt = self.empty_attempt(ids.len());
        let now = self.now;
        for id in ids {
            let tracked = self.tracking().get(*id);
            let is_pending = tracked.is_some_and(|tracked| !tracked.pending.is_empty());
            if !is_pending && !is_exact {
                continue;
            }
            // The engine may have forgotten an entry that was seen long ago, and counts its versions from one again.
            let seen = tracked.filter(|tracked| now.saturating_sub(tracked.seen_at) < ttl);
            let version = seen.map_or(0, |tracked| tracked.version);
            let local = self.local_entry(*id);
            let state = self.local_state(layout, *id, local);
            let version = if local.is_some() { version } else { 0 };
            self.add(&mut attempt, *id, version, &state, local);
        }
        attempt
    }

    /// Keeps the result of an exchange that replaced all entries.
    pub(super) fn commit(&mut self, attempt: &Attempt) {
        let now = self.now;
        for (sent, entry) in attempt.sent.iter().zip(&attempt.entries) {
            let Some(tracked) = self.tracking().get_mut(sent.id) else {
                continue;
            };
            tracked.pending.subtract(&sent.pending);
            // An entry that changed meanwhile does not equal the stored state with the pending charges.
            tracked.local = tracked.local.filter(|local| Some(*local) == sent.local);
            tracked.version = entry.version + 1;
            (tracked.seen_by, tracked.seen_at) = (attempt.started, now);
            if !tracked.pending.is_empty() {
                // A refund during the exchange may have cancelled out the sent charges, so that nothing was listed.
                self.tracking().list(sent.id, false);
            }
        }
        self.tracking().answered();
    }

    /// Replaces entries of the table by those of the engine, with the pending charges applied. Returns the next
    /// attempt.
    pub(super) fn rebase(
        &mut self,
        layout: &EntryLayout,
        attempt: &Attempt,
        answers: &[LimitEntry],
    ) -> Attempt {
        self.tracking().answered();
        let mut next = self.empty_attempt(answers.len());
        let now = self.now;
        for (sent, answer) in attempt.sent.iter().zip(answers) {
            let id = sent.id;
            let (state, local) = match EntryState::decode(layout, now, &answer.state) {
                Some(state) => self.import(layout, id, state),
                None => {
                    self.tracking().unreadable += u64::from(!answer.state.is_empty());
                    let local = self.local_entry(id);
                    (self.local_state(layout, id, local), local)
                }
            };
            if let Some(tracked) = self.tracking().get_mut(id) {
                (tracked.version, tracked.local) = (answer.version, local);
                (tracked.seen_by, tracked.seen_at) = (attempt.started, now);
            }
            self.add(&mut next, id, answer.version, &state, local);
        }
        next
    }

    /// Applies the pending charges to a state of the engine, and installs it if the key has an entry of the table.
    fn import(
        &mut self,
        layout: &EntryLayout,
        id: EntryId,
        mut state: EntryState,
    ) -> (EntryState, Option<EntryRef>) {
        let now = self.now;
        if let Some(tracked) = self.tracking().get(id) {
            let (pending, multiplier) = (tracked.pending, tracked.multiplier);
            state.apply(layout, now, (id.tier, multiplier), &pending);
        }
        let own = self.table(id.tier).own_entry(id.key);
        if let Some(own) = own {
            state.install(self.table(id.tier), own.index);
        }
        (state, own)
    }

    /// Returns whether both entries were seen by a call that started after this event.
    pub(super) fn is_fresh(&mut self, ids: &[EntryId], event: u64) -> bool {
        let seen_by = |tracking: &Tracking, id| Some(tracking.get(id)?.seen_by);
        let tracking = self.tracking();
        ids.iter()
            .all(|id| seen_by(tracking, *id).is_some_and(|seen_by| seen_by > event))
    }

    /// Returns the entry of the table that contains all pending charges of this key. Returns `None` if the key was
    /// evicted since, even if it has another entry by now.
    fn local_entry(&mut self, id: EntryId) -> Option<EntryRef> {
        let own = self.table(id.tier).own_entry(id.key)?;
        let tracked = self.tracking().get(id)?;
        (tracked.local == Some(own)).then_some(own)
    }

    /// Returns what this node knows of an entry: its entry of the table, or its pending charges.
    fn local_state(
        &mut self,
        layout: &EntryLayout,
        id: EntryId,
        local: Option<EntryRef>,
    ) -> EntryState {
        match local {
            Some(local) => EntryState::of(self.table(id.tier), local.index),
            None => {
                let mut state = EntryState::unused(layout);
                let now = self.now;
                if let Some(tracked) = self.tracking().get(id) {
                    let scale = (id.tier, tracked.multiplier);
                    state.apply(layout, now, scale, &tracked.pending);
                }
                state
            }
        }
    }

    fn empty_attempt(&mut self, entries: usize) -> Attempt {
        Attempt {
            entries: Vec::with_capacity(entries),
            sent: Vec::with_capacity(entries),
            started: self.tracking().next_event(),
        }
    }

    fn add(
        &mut self,
        attempt: &mut Attempt,
        id: EntryId,
        version: u64,
        state: &EntryState,
        local: Option<EntryRef>,
    ) {
        let tracking = self.tracking();
        attempt.entries.push(LimitEntry {
            key: tracking.engine_key(id),
            version,
            state: state.encode(),
        });
        let pending = tracking.get(id).map(|tracked| tracked.pending);
        attempt.sent.push(Sent {
            id,
            pending: pending.unwrap_or_default(),
            local,
        });
    }

    pub(super) fn table(&mut self, tier: Tier) -> &mut Table {
        match tier {
            Tier::Client => &mut self.clients,
            Tier::Network => &mut self.networks,
        }
    }

    /// Returns the tracked entries. Only a shared limiter exchanges entries.
    pub(super) fn tracking(&mut self) -> &mut Tracking {
        self.tracking.as_deref_mut().expect("a shared limiter")
    }
}

/// Returns whether this node has granted so much that the others have to know at once.
fn is_due(
    table: &mut Table,
    layout: &EntryLayout,
    now: u64,
    entry: EntryRef,
    multiplier: Multiplier,
    request: &LimitRequest,
    pending: &Pending,
) -> bool {
    if request.action == Action::Save && request.requests > 0 {
        // Saves are settled before they are admitted.
        return false;
    }
    let (rules, tier) = (layout.of(request.action), table.tier());
    let requests = pending
        .amount(request.action, Unit::Requests)
        .unsigned_abs();
    let reaches_burst = rules.rates.iter().any(|placed| {
        let rate = placed.scaled(tier, multiplier);
        requests >= (rate.capacity / rate.units_per_token / DUE_BURST_PART).max(1)
    });
    let lookup = Lookup::Found(entry.index);
    reaches_burst
        || rules.quotas.iter().any(|placed| {
            let amount = pending.amount(request.action, placed.quota.unit());
            let limit = placed.quota.scaled_limit(tier, multiplier);
            let window = table.window(lookup, placed.window);
            let used = window.map_or(0, |window| window.slide(now, &placed.quota));
            amount.unsigned_abs() >= (limit.saturating_sub(used) / DUE_QUOTA_PART).max(1)
        })
}
