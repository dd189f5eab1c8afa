//! The JSON object of the reports that wait for the operator.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::paste::PasteId;
use crate::store::Report;

/// The reported pastes. Those that most networks reported are first, then those that were reported last.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReportedPastes {
    pub(crate) pastes: Vec<ReportedPaste>,
}

/// A paste that readers reported.
#[derive(Serialize, ToSchema)]
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

/// What a reader says.
#[derive(Serialize, ToSchema)]
pub(crate) struct NetworkReport {
    /// When it was sent, in milliseconds since 1970.
    pub(crate) at: u64,
    /// A keyed hash of the network that it came from. It stays the same while the server's secret does.
    pub(crate) network: String,
    /// What is wrong, in the reader's words.
    pub(crate) reason: String,
}

impl ReportedPastes {
    /// Groups these reports by paste. `encode` writes an id, and `base_url` is the URL of the server.
    pub(crate) fn new(
        reports: &[Report],
        base_url: &str,
        encode: impl Fn(PasteId) -> String,
    ) -> Self {
        let mut places: HashMap<PasteId, usize> = HashMap::new();
        let mut pastes: Vec<ReportedPaste> = Vec::new();
        for report in reports {
            let place = *places.entry(report.paste).or_insert_with(|| {
                let id = encode(report.paste);
                pastes.push(ReportedPaste {
                    url: format!("{base_url}/{id}"),
                    id,
                    networks: 0,
                    reports: Vec::new(),
                });
                pastes.len() - 1
            });
            pastes[place].networks += 1;
            pastes[place].reports.push(NetworkReport {
                at: report.at.as_millis(),
                network: format!("{:016x}", report.client.network),
                reason: report.note.as_str().to_owned(),
            });
        }
        // The sort is stable, so the latest stay first.
        pastes.sort_by_key(|paste| std::cmp::Reverse(paste.networks));
        Self { pastes }
    }
}
