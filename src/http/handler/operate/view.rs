//! What the operator sees: the numbers of the server, the reports, and the blocked contents. The page and the API show
//! the same.

use std::collections::HashMap;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::limit::Action;
use crate::page::{BlockedContent, NetworkReport, ReportedPaste, ServerStatus};
use crate::paste::{PasteId, Slug};
use crate::store::Report;

/// The vote of a network, in parts that are small enough to divide.
const VOTE: u64 = 1 << 32;

/// Returns what is stored, and what happened.
pub(super) fn status(context: &RequestContext<'_>) -> ServerStatus {
    let state = context.state;
    let (limits, load) = (state.limiter.stats(), state.overload.load());
    let store = &state.app.store;
    let (occupancy, removed) = (store.occupancy(), store.removal_counts());
    let totals = state.totals();
    let [by_minute, by_hour] = state.history.recent(context.now(), totals);
    let admitted = limits.admitted.iter();
    let misses = admitted.filter(|(action, _)| *action == Action::Miss);
    ServerStatus {
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
        by_minute,
        by_hour,
    }
}

/// Returns all blocked contents, the latest first.
pub(super) async fn blocked(context: &RequestContext<'_>) -> Result<Vec<BlockedContent>, ApiError> {
    let blocks = context.state.app.store.blocks().await?;
    let blocks = blocks.iter().map(|block| BlockedContent {
        sha256: block.hash.to_string(),
        since: block.since.as_millis(),
        reason: block.note.as_ref().map(|note| note.as_str().to_owned()),
    });
    Ok(blocks.collect())
}

/// Returns all reported pastes. Each network has one vote, divided among the pastes that it reported. Those with the
/// most votes are first, then those that were reported last. So a network that reports many pastes hides the report of
/// no other.
pub(super) async fn reported(context: &RequestContext<'_>) -> Result<Vec<ReportedPaste>, ApiError> {
    let app = &context.state.app;
    let base_url = context.state.base_url(&context.request)?;
    let reports = app.store.reports(context.now()).await?;
    let address = |id, slug: Option<&Slug>| app.text_of(id, slug);
    Ok(by_paste(&reports, &base_url, address))
}

/// Groups these reports by paste. `address` returns the id or the slug of a paste.
fn by_paste(
    reports: &[Report],
    base_url: &str,
    address: impl Fn(PasteId, Option<&Slug>) -> String,
) -> Vec<ReportedPaste> {
    let mut reports_of: HashMap<u64, u64> = HashMap::new();
    for report in reports {
        *reports_of.entry(report.client.network).or_default() += 1;
    }
    let mut places: HashMap<PasteId, usize> = HashMap::new();
    let mut pastes: Vec<(u64, ReportedPaste)> = Vec::new();
    for report in reports {
        let place = *places.entry(report.paste).or_insert_with(|| {
            let id = address(report.paste, report.slug.as_ref());
            let paste = ReportedPaste {
                url: format!("{base_url}/{id}"),
                id,
                networks: 0,
                reports: Vec::new(),
            };
            pastes.push((0, paste));
            pastes.len() - 1
        });
        let (votes, paste) = &mut pastes[place];
        *votes += VOTE / reports_of[&report.client.network];
        paste.networks += 1;
        paste.reports.push(NetworkReport {
            at: report.at.as_millis(),
            network: format!("{:016x}", report.client.network),
            reason: report.note.as_str().to_owned(),
        });
    }
    // The sort is stable, so the latest stay first.
    pastes.sort_by_key(|(votes, _)| std::cmp::Reverse(*votes));
    pastes.into_iter().map(|(_, paste)| paste).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fairness::ClientKey;
    use crate::paste::Timestamp;
    use crate::store::Note;

    /// Lists these reports, each a paste and a network, the latest first. Returns the pastes in their order.
    fn order(reports: &[(u64, u64)]) -> Vec<u64> {
        let report = |&(paste, network): &(u64, u64)| Report {
            paste: PasteId::from_random(paste.to_be_bytes()),
            slug: None,
            client: ClientKey { network, client: 1 },
            at: Timestamp::default(),
            note: Note::new("spam").unwrap(),
        };
        let reports: Vec<_> = reports.iter().map(report).collect();
        let listed = by_paste(&reports, "", |id, _| {
            let is_id = |number: &u64| PasteId::from_random(number.to_be_bytes()) == id;
            (0..).find(is_id).unwrap().to_string()
        });
        let ids = listed.into_iter().map(|paste| paste.id.parse());
        ids.collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn each_network_has_one_vote_divided_among_the_pastes_that_it_reported() {
        // Network 9 reports three pastes, and network 8 two of them.
        let reports = [(4, 9), (3, 9), (2, 9), (3, 8), (2, 8), (1, 1)];
        assert_eq!(order(&reports), [1, 3, 2, 4]);
        // Two networks agree on a paste.
        assert_eq!(order(&[(3, 3), (2, 2), (1, 1), (2, 4)]), [2, 3, 1]);
    }

    #[test]
    fn networks_that_report_many_pastes_together_come_after_one_that_reports_one() {
        let flood = (2..102).flat_map(|paste| [(paste, 8), (paste, 9)]);
        let reports: Vec<_> = flood.chain([(1, 1)]).collect();
        assert_eq!(order(&reports)[..2], [1, 2]);
    }
}
