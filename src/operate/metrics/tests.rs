//! Tests of the families: their form, and the table in the docs.

use std::collections::BTreeSet;
use std::time::Duration;

use super::*;
use crate::limit::{Action, DenialCount, TableUsage};
use crate::operate::Histogram;
use crate::store::{DiskStats, Occupancy, TierUsage};

/// Counters of which every family has a sample.
fn counters() -> Counters {
    let durations = Histogram::default().durations();
    let table = TableUsage {
        used: 1,
        size: 2,
        evicted: 0,
        shared: 0,
    };
    let usage = TierUsage {
        used: Occupancy {
            pastes: 1,
            bytes: 4096,
        },
        room: 1 << 20,
    };
    Counters {
        requests: vec![RequestCounts {
            labels: ["GET", "/{id}"],
            times: durations,
            bytes: 5,
            statuses: vec![(Some(200), 3), (None, 1)],
        }],
        refused_saves: [0, 1, 2, 3, 4, 5, 6, 7],
        activity: Activity {
            created: 1,
            updated: 2,
            read: 3,
            saved_bytes: 4,
        },
        store: StoreStats {
            memory: usage,
            disk: Some(DiskStats {
                usage,
                commits: 7,
                commit_time: Duration::from_millis(1500),
                is_full: true,
            }),
            engine: None,
            removed: RemovalCounts::default(),
            overdue: Duration::ZERO,
        },
        last_backup: Some(Timestamp::from_millis(1_767_225_600_000)),
        limits: LimiterStats {
            admitted: Action::ALL.map(|action| (action, 1)),
            denied: [Tier::Client, Tier::Network].map(denial).into(),
            clients: table,
            networks: table,
        },
        load: idle(),
        connections: Connections::default(),
        renders: durations,
        pages: PageCacheStats {
            hits: 0,
            misses: 0,
            bytes: 0,
            budget: 0,
        },
        process: Process {
            started: Timestamp::from_millis(1_767_225_600_500),
            processor_time: Duration::from_millis(250),
            resident_bytes: Some(8 << 20),
        },
    }
}

fn denial(tier: Tier) -> DenialCount {
    DenialCount {
        action: Action::Save,
        rule: 1,
        tier,
        count: 9,
    }
}

fn idle() -> Load {
    Load {
        bytes: 0,
        budget: 1 << 20,
        receiving: 0,
        transfers: 0,
        rendering: 0,
        waiting: 0,
        paused: 0,
        moved: 0,
        shed: [1, 2, 3],
        cancelled: 0,
        over_share: 0,
    }
}

/// A family as the text shows it.
#[derive(Debug, Default)]
struct Shown {
    name: String,
    help: String,
    kind: String,
    labels: Vec<String>,
    samples: usize,
}

/// The families in this text, in their order.
fn families(text: &str) -> Vec<Shown> {
    let mut families: Vec<Shown> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        match words[..] {
            ["#", "HELP", name, help] => families.push(Shown {
                name: name.to_owned(),
                help: help.to_owned(),
                ..Shown::default()
            }),
            ["#", "TYPE", name, kind] => {
                let family = families.last_mut().unwrap();
                assert_eq!(family.name, name);
                family.kind = kind.to_owned();
            }
            _ => families.last_mut().unwrap().add(line),
        }
    }
    families
}

impl Shown {
    fn add(&mut self, sample: &str) {
        assert!(sample.starts_with(&self.name), "{sample}");
        let (_, labels) = sample.split_once('{').unwrap_or_default();
        let (labels, _) = labels.split_once("\"} ").unwrap_or_default();
        for label in labels.split("\",").filter(|label| !label.is_empty()) {
            let (name, _) = label.split_once('=').unwrap();
            if name != "le" && !self.labels.iter().any(|known| known == name) {
                self.labels.push(name.to_owned());
            }
        }
        self.samples += 1;
    }
}

#[test]
fn every_family_has_a_name_of_its_own_a_sentence_and_a_sample() {
    let families = families(&metrics(&counters()));
    let names: BTreeSet<&str> = families.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names.len(), families.len());
    for family in &families {
        assert!(family.help.ends_with('.'), "{family:?}");
        assert!(family.samples > 0, "{family:?}");
        let is_total = family.name.ends_with("_total");
        assert_eq!(family.kind == "counter", is_total, "{family:?}");
    }
}

#[test]
fn numbers_are_in_seconds_and_bytes_and_rules_count_from_one() {
    let text = metrics(&counters());
    for sample in [
        "tidebin_requests_total{method=\"GET\",route=\"/{id}\",status=\"other\"} 1",
        "tidebin_store_used_bytes{tier=\"disk\"} 4096",
        "tidebin_commit_seconds_total 1.5",
        "tidebin_limit_refused_total{action=\"save\",rule=\"2\",of=\"network\"} 9",
        "tidebin_overload_refused_total{class=\"read\"} 3",
        "tidebin_saves_refused_total{reason=\"full\"} 6",
        "tidebin_disk_full 1",
        "tidebin_last_backup_timestamp_seconds 1767225600",
        "process_start_time_seconds 1767225600.5",
        "process_resident_memory_bytes 8388608",
    ] {
        assert!(text.lines().any(|line| line == sample), "{sample}");
    }
}

#[test]
fn a_store_in_memory_has_no_families_of_the_disk() {
    let mut counters = counters();
    counters.store.disk = None;
    let text = metrics(&counters);
    assert!(!text.contains("disk\"") && !text.contains("commit"));
}
