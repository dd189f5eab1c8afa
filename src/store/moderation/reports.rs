//! The reports of readers. Anyone may write one, so the list is bounded and fair.
//!
//! Invariants: each network has at most one report about a paste. The charges of all reports never exceed
//! [`Reports::ROOM`]; see [`FairList`] for which one leaves.

use super::note::Note;
use crate::fairness::{ClientKey, FairList};
use crate::paste::{PasteId, Slug, Timestamp};

/// A report about a paste.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The paste.
    pub paste: PasteId,
    /// The slug of the paste, if it has one.
    pub slug: Option<Slug>,
    /// The client that sent the report.
    pub client: ClientKey,
    /// When it was sent.
    pub at: Timestamp,
    /// The reason of the reader.
    pub note: Note,
}

/// The list of reports by paste and network.
pub struct Reports(FairList<Place, Report>);

/// The paste that a report is about, as the ledger knows it, and the network of the report.
type Place = (PasteId, u64);

impl Reports {
    /// The maximum charge of all reports, in bytes.
    pub const ROOM: usize = 2 << 20;

    /// The charge of a report without its note. It is more than the report takes in memory or on disk.
    pub const OVERHEAD: usize = 384;

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_about(&self, key: PasteId) -> bool {
        self.0.range(about(key)).next().is_some()
    }

    /// Adds a report, unless there is one of the same network about the same paste. Returns whether it was added, and
    /// those that made room, with the numbers of their rows.
    pub(super) fn insert(
        &mut self,
        key: PasteId,
        seq: u64,
        report: &Report,
    ) -> (bool, Vec<(u64, Report)>) {
        let place = (key, report.client.network);
        let charged = (report.client, charge(report));
        self.0.insert(place, seq, charged, report.clone())
    }

    /// Removes all reports about a paste. Returns them with the numbers of their rows.
    pub(super) fn remove(&mut self, key: PasteId) -> Vec<(u64, Report)> {
        self.0.remove_where(about(key), |_| true)
    }

    pub(super) fn latest_first(&self) -> Vec<Report> {
        self.0.latest_first().into_iter().cloned().collect()
    }
}

impl Default for Reports {
    fn default() -> Self {
        Self(FairList::within(Self::ROOM as u64))
    }
}

fn charge(report: &Report) -> u64 {
    (Reports::OVERHEAD + report.note.as_str().len()) as u64
}

/// The places of all reports about a paste.
fn about(key: PasteId) -> std::ops::RangeInclusive<Place> {
    (key, 0)..=(key, u64::MAX)
}
