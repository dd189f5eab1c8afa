//! The JSON object of the server's activity, for the operator.

use serde::Serialize;

use crate::http::state::AppState;
use crate::limit::Action;
use crate::operate::Series;
use crate::page::OperateNow;
use crate::paste::Timestamp;

/// The stored pastes, and the counts since the start of the server.
#[derive(Serialize)]
pub(crate) struct ServerStatus {
    /// Stored pastes.
    pastes: usize,
    /// The bytes that they are charged.
    bytes: usize,
    /// The bytes that all pastes may be charged.
    budget: usize,
    /// Answered requests.
    requests: u64,
    /// New pastes.
    saves: u64,
    /// Requests for pastes that do not exist, and wrong tokens.
    misses: u64,
    /// Requests that a limit refused.
    limited: u64,
    /// Requests that were refused because of overload.
    shed: u64,
    /// Uploads and large responses in progress.
    transfers: usize,
    /// Removed pastes by reason.
    expired: u64,
    burned: u64,
    deleted: u64,
    removed_by_operator: u64,
    evicted: u64,
    pub(crate) by_minute: Counts,
    pub(crate) by_hour: Counts,
}

/// Counts per minute of the last hour, or per hour of the last day. The current one is last.
#[derive(Serialize)]
pub(crate) struct Counts {
    requests: Vec<u32>,
    saves: Vec<u32>,
    /// Refused by a limit or because of overload.
    refused: Vec<u32>,
}

impl ServerStatus {
    pub(crate) fn new(state: &AppState, now: Timestamp) -> Self {
        let (limits, load) = (state.limiter.stats(), state.overload.load());
        let store = state.app.store();
        let (occupancy, removed) = (store.occupancy(), store.removal_counts());
        let totals = state.totals();
        let recent = state.history.recent(now, totals);
        let admitted = limits.admitted.iter();
        let misses = admitted.filter(|(action, _)| *action == Action::Miss);
        Self {
            pastes: occupancy.pastes,
            bytes: occupancy.bytes,
            budget: store.room(),
            requests: totals.requests,
            saves: totals.saves,
            misses: misses.map(|(_, count)| count).sum(),
            limited: limits.denied.iter().map(|denied| denied.count).sum(),
            shed: load.shed.iter().sum::<u64>() + load.over_share + load.cancelled,
            transfers: load.transfers,
            expired: removed.expired,
            burned: removed.burned,
            deleted: removed.deleted,
            removed_by_operator: removed.removed_by_operator,
            evicted: removed.evicted,
            by_minute: Counts::from(recent.by_minute),
            by_hour: Counts::from(recent.by_hour),
        }
    }

    /// Returns the stored pastes and the transfers in progress, as the page shows them.
    pub(crate) fn now(&self) -> OperateNow {
        OperateNow {
            pastes: self.pastes,
            bytes: self.bytes,
            budget: self.budget,
            transfers: self.transfers,
        }
    }

    /// Returns the numbers since the start with their names, as the page shows them.
    pub(crate) fn facts(&self) -> [(&'static str, u64); 10] {
        [
            ("Requests", self.requests),
            ("Saves", self.saves),
            ("Misses and wrong tokens", self.misses),
            ("Refused by a limit", self.limited),
            ("Refused because of overload", self.shed),
            ("Expired pastes", self.expired),
            ("Burned pastes", self.burned),
            ("Pastes deleted by their owners", self.deleted),
            ("Pastes removed by an operator", self.removed_by_operator),
            ("Evicted pastes", self.evicted),
        ]
    }
}

impl Counts {
    /// Returns requests, saves and refusals.
    pub(crate) fn lines(&self) -> [&[u32]; 3] {
        [&self.requests, &self.saves, &self.refused]
    }
}

impl From<Series> for Counts {
    fn from(series: Series) -> Self {
        Self {
            requests: series.requests,
            saves: series.saves,
            refused: series.refused,
        }
    }
}
