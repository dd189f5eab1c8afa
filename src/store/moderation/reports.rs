//! The reports of readers. Anyone may write one, so the list is bounded and fair.
//!
//! Invariants: each network has at most one report about a paste. The charges of all reports never exceed
//! [`Reports::ROOM`]. To make room, the heaviest client of the heaviest network loses its oldest report. So the reports
//! of one network leave only for those of a network that has fewer bytes, however many reports others send.
//! Cost: a report takes O(log n).

use std::collections::{BTreeMap, BTreeSet};

use super::note::Note;
use crate::fairness::{ClientKey, FairShares};
use crate::paste::{PasteId, Timestamp};

/// A report about a paste.
#[derive(Clone, PartialEq, Eq)]
pub struct Report {
    /// The paste.
    pub paste: PasteId,
    /// The client that sent the report.
    pub client: ClientKey,
    /// When it was sent.
    pub at: Timestamp,
    /// What the reader says.
    pub note: Note,
}

/// The list of reports by paste and network, each with the number of its row.
#[derive(Debug)]
pub struct Reports {
    reports: BTreeMap<Place, (u64, Report)>,
    /// The reports of each client in the order of their rows.
    by_client: BTreeSet<(ClientKey, u64, Place)>,
    shares: FairShares,
}

/// The paste that a report is about, as the ledger knows it, and the network of the report.
type Place = (PasteId, u64);

impl Reports {
    /// The maximum charge of all reports, in bytes.
    pub const ROOM: usize = 2 << 20;

    /// The charge of a report without its note. It is more than the report takes in memory or on disk.
    pub const OVERHEAD: usize = 384;

    pub(super) fn is_empty(&self) -> bool {
        self.reports.is_empty()
    }

    pub(super) fn is_about(&self, key: PasteId) -> bool {
        self.reports.range(about(key)).next().is_some()
    }

    /// Adds a report, unless there is one of the same network about the same paste. Returns whether it was added, and
    /// the numbers of the rows that made room.
    pub(super) fn insert(&mut self, key: PasteId, seq: u64, report: &Report) -> (bool, Vec<u64>) {
        let (place, mut removed) = ((key, report.client.network), Vec::new());
        if self.reports.contains_key(&place) {
            return (false, removed);
        }
        let charge = charge(report);
        while self.shares.total() + charge > Self::ROOM as u64 {
            let victim = self.shares.next_victim(report.client, charge);
            let Some(oldest) = victim.and_then(|(client, ())| self.oldest_of(client)) else {
                return (false, removed);
            };
            removed.extend(self.remove_at(oldest));
        }
        self.shares.add(report.client, charge);
        self.by_client.insert((report.client, seq, place));
        self.reports.insert(place, (seq, report.clone()));
        (true, removed)
    }

    /// Removes all reports about a paste. Returns the numbers of their rows.
    pub(super) fn remove(&mut self, key: PasteId) -> Vec<u64> {
        let about = self.reports.range(about(key));
        let places: Vec<_> = about.map(|(place, _)| *place).collect();
        let removed = places.into_iter().filter_map(|place| self.remove_at(place));
        removed.collect()
    }

    pub(super) fn latest_first(&self) -> Vec<Report> {
        let mut reports: Vec<_> = self.reports.values().collect();
        reports.sort_unstable_by_key(|(seq, _)| std::cmp::Reverse(*seq));
        reports
            .into_iter()
            .map(|(_, report)| report.clone())
            .collect()
    }

    fn oldest_of(&self, client: ClientKey) -> Option<Place> {
        let from = (client, 0, (PasteId::from_random([0; 8]), 0));
        let (owner, _, place) = self.by_client.range(from..).next()?;
        (*owner == client).then_some(*place)
    }

    fn remove_at(&mut self, place: Place) -> Option<u64> {
        let (seq, report) = self.reports.remove(&place)?;
        self.by_client.remove(&(report.client, seq, place));
        self.shares.sub(report.client, charge(&report));
        Some(seq)
    }
}

impl Default for Reports {
    fn default() -> Self {
        Self {
            reports: BTreeMap::new(),
            by_client: BTreeSet::new(),
            shares: FairShares::unlimited(),
        }
    }
}

/// Omits the id, because any client with the id can read the paste.
impl std::fmt::Debug for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Report(secret)")
    }
}

fn charge(report: &Report) -> u64 {
    (Reports::OVERHEAD + report.note.as_str().len()) as u64
}

/// The places of all reports about a paste.
fn about(key: PasteId) -> std::ops::RangeInclusive<Place> {
    (key, 0)..=(key, u64::MAX)
}
