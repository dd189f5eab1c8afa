//! The JSON object of the reports that wait for the operator.

use std::collections::HashMap;

use serde::Serialize;

use crate::paste::{PasteId, Slug};
use crate::store::Report;

/// The reported pastes. Each network has one vote, divided among the pastes that it reported. Those with the most votes
/// are first, then those that were reported last. So a network that reports many pastes hides the report of no other.
#[derive(Serialize)]
pub(crate) struct ReportedPastes {
    pub(crate) pastes: Vec<ReportedPaste>,
}

/// A paste that readers reported.
#[derive(Serialize)]
pub(crate) struct ReportedPaste {
    /// The id.
    pub(crate) id: String,
    /// The URL for people.
    url: String,
    /// The number of networks that reported it.
    pub(crate) networks: usize,
    /// One report of each network, the latest first.
    pub(crate) reports: Vec<NetworkReport>,
}

/// The report of a reader.
#[derive(Serialize)]
pub(crate) struct NetworkReport {
    /// When it was sent, in milliseconds since 1970.
    pub(crate) at: u64,
    /// A keyed hash of the network that it came from. It stays the same while the server's secret does.
    pub(crate) network: String,
    /// The reason, in the reader's words.
    pub(crate) reason: String,
}

/// The vote of a network, in parts that are small enough to divide.
const VOTE: u64 = 1 << 32;

impl ReportedPastes {
    /// Groups these reports by paste. `address` is the id or the slug of a paste, and `base_url` is the URL of the
    /// server.
    pub(crate) fn new(
        reports: &[Report],
        base_url: &str,
        address: impl Fn(PasteId, Option<&Slug>) -> String,
    ) -> Self {
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
        let pastes = pastes.into_iter().map(|(_, paste)| paste).collect();
        Self { pastes }
    }
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
        let listed = ReportedPastes::new(&reports, "", |id, _| {
            let is_id = |number: &u64| PasteId::from_random(number.to_be_bytes()) == id;
            (0..).find(is_id).unwrap().to_string()
        });
        let ids = listed.pastes.into_iter().map(|paste| paste.id.parse());
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
