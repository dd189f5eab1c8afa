//! The families of metrics, as text for Prometheus.
//!
//! Names and units follow its conventions: a counter ends in `_total`, times are in seconds, sizes in bytes. `# HELP`
//! is the only description of a family.

use super::counters::{Counters, Process};
use super::exposition::{Exposition, Kind};
use super::histogram::Durations;
use super::requests::{REFUSALS, RequestCounts};
use crate::app::Activity;
use crate::limit::{LimiterStats, Tier};
use crate::overload::{Connections, Load, Priority};
use crate::page::PageCacheStats;
use crate::paste::Timestamp;
use crate::store::valkey::Call;
use crate::store::{EngineStats, RemovalCounts, StoreStats};

/// Writes all metrics.
pub fn metrics(counters: &Counters) -> String {
    let mut out = Exposition::default();
    requests(&mut out, &counters.requests);
    activity(&mut out, counters.activity);
    let help = "Refused saves and changes.";
    let mut family = out.family("tidebin_saves_refused_total", Kind::Counter, help);
    for (reason, count) in REFUSALS.iter().zip(counters.refused_saves) {
        family.sample(&[("reason", *reason)], count);
    }
    store(&mut out, &counters.store);
    if let Some(time) = counters.last_backup {
        let help =
            "When tidebin backup last completed one, in seconds since 1970: 0 if it never did.";
        let time = time.since(Timestamp::default()).as_secs();
        out.gauge("tidebin_last_backup_timestamp_seconds", help, time);
    }
    limits(&mut out, &counters.limits);
    load(&mut out, &counters.load);
    connections(&mut out, counters.connections);
    pages(&mut out, &counters.renders, counters.pages);
    process(&mut out, counters.process);
    out.text
}

fn requests(out: &mut Exposition, requests: &[RequestCounts]) {
    let labels = |counts: &RequestCounts| {
        let [method, route] = counts.labels;
        [("method", method), ("route", route)]
    };
    let help = "Answered requests.";
    let mut family = out.family("tidebin_requests_total", Kind::Counter, help);
    for counts in requests {
        let [method, route] = labels(counts);
        for (status, count) in &counts.statuses {
            let status = status.map_or("other".to_owned(), |status| status.to_string());
            family.sample(&[method, route, ("status", &status)], count);
        }
    }
    let help = "Time until the response to a request was ready to be sent.";
    let mut family = out.family("tidebin_request_duration_seconds", Kind::Histogram, help);
    for counts in requests {
        family.histogram(&labels(counts), &counts.times);
    }
    let help = "Bytes of the bodies of responses.";
    let mut family = out.family("tidebin_response_bytes_total", Kind::Counter, help);
    for counts in requests {
        family.sample(&labels(counts), counts.bytes);
    }
}

fn activity(out: &mut Exposition, activity: Activity) {
    let help = "Saves: new pastes, and changes of pastes.";
    let mut family = out.family("tidebin_saves_total", Kind::Counter, help);
    family.sample(&[("kind", "new")], activity.created);
    family.sample(&[("kind", "change")], activity.updated);
    let help = "Bytes of the contents that were saved.";
    out.counter("tidebin_saved_bytes_total", help, activity.saved_bytes);
    let help = "Reads of pastes that count as views.";
    out.counter("tidebin_reads_total", help, activity.read);
}

fn store(out: &mut Exposition, store: &StoreStats) {
    let memory = ("memory", store.memory);
    let disk = store.disk.map(|disk| ("disk", disk.usage));
    let engine = store.engine.map(|engine| ("engine", engine.usage));
    let counted = [engine.is_none().then_some(memory), disk];
    let help = "Stored pastes. With a data directory, those in memory are on disk too.";
    let mut family = out.family("tidebin_store_pastes", Kind::Gauge, help);
    for (tier, usage) in counted.iter().flatten() {
        family.sample(&[("tier", tier)], usage.used.pastes);
    }
    let tiers = || counted.iter().chain([&engine]).flatten();
    let help = "Bytes charged for the stored pastes, or the memory that the engine uses.";
    let mut family = out.family("tidebin_store_used_bytes", Kind::Gauge, help);
    for (tier, usage) in tiers() {
        family.sample(&[("tier", tier)], usage.used.bytes);
    }
    let help = "Most bytes that may be charged for the stored pastes, or that the engine may use.";
    let mut family = out.family("tidebin_store_budget_bytes", Kind::Gauge, help);
    for (tier, usage) in tiers() {
        family.sample(&[("tier", tier)], usage.room);
    }
    removed(out, &store.removed, engine.is_some());
    if engine.is_none() {
        let help = "How long expired pastes have waited to be removed. After a start with a data directory, it may be an hour.";
        let overdue = store.overdue.as_secs_f64();
        out.gauge("tidebin_sweeper_delay_seconds", help, overdue);
    }
    if let Some(disk) = store.disk {
        let help = "Synced transactions of saves, changes, deletions and burns.";
        out.counter("tidebin_commits_total", help, disk.commits);
        let help = "Time that these transactions took to sync.";
        let time = disk.commit_time.as_secs_f64();
        out.counter("tidebin_commit_seconds_total", help, time);
        let help = "1 while the disk is full, so that nothing is saved.";
        out.gauge("tidebin_disk_full", help, u8::from(disk.is_full));
    }
    if let Some(stats) = store.engine {
        engine_calls(out, &stats);
    }
}

fn engine_calls(out: &mut Exposition, stats: &EngineStats) {
    let calls = || Call::NAMES.iter().zip(&stats.calls);
    let help = "Calls of this node to the engine that keeps the pastes.";
    let mut family = out.family("tidebin_engine_calls_total", Kind::Counter, help);
    for (call, count) in calls() {
        family.sample(&[("call", *call)], count.calls);
    }
    let help = "Calls to the engine that failed, were not answered in time, or were not made while it failed.";
    let mut family = out.family("tidebin_engine_failures_total", Kind::Counter, help);
    for (call, count) in calls() {
        family.sample(&[("call", *call)], count.failed);
    }
    let help = "Time that calls to the engine took.";
    let mut family = out.family("tidebin_engine_call_seconds_total", Kind::Counter, help);
    for (call, count) in calls() {
        family.sample(&[("call", *call)], count.time.as_secs_f64());
    }
}

/// An engine tells no node what expired or was evicted.
fn removed(out: &mut Exposition, removed: &RemovalCounts, is_engine: bool) {
    let help = "Removed pastes. Evicted ones made room for others.";
    let mut family = out.family("tidebin_pastes_removed_total", Kind::Counter, help);
    for (reason, count) in [
        ("expired", (!is_engine).then_some(removed.expired)),
        ("burned", Some(removed.burned)),
        ("deleted", Some(removed.deleted)),
        ("operator", Some(removed.removed_by_operator)),
        ("evicted", (!is_engine).then_some(removed.evicted)),
    ] {
        if let Some(count) = count {
            family.sample(&[("reason", reason)], count);
        }
    }
}

fn limits(out: &mut Exposition, limits: &LimiterStats) {
    let help = "Requests that the rate limits admitted.";
    let mut family = out.family("tidebin_limit_admitted_total", Kind::Counter, help);
    for (action, count) in &limits.admitted {
        family.sample(&[("action", action.name())], count);
    }
    let help = "Requests that a rule of the rate limits refused, for a client or its network.";
    let mut family = out.family("tidebin_limit_refused_total", Kind::Counter, help);
    for denied in &limits.denied {
        let rule = (denied.rule + 1).to_string();
        let tier = match denied.tier {
            Tier::Client => "client",
            Tier::Network => "network",
        };
        let action = ("action", denied.action.name());
        family.sample(&[action, ("rule", &rule), ("of", tier)], denied.count);
    }
    let tables = [("clients", limits.clients), ("networks", limits.networks)];
    let help = "Entries in use in the tables of the rate limits.";
    let mut family = out.family("tidebin_limit_entries", Kind::Gauge, help);
    for (table, usage) in tables {
        family.sample(&[("table", table)], usage.used);
    }
    let help = "All entries of the tables of the rate limits.";
    let mut family = out.family("tidebin_limit_entries_max", Kind::Gauge, help);
    for (table, usage) in tables {
        family.sample(&[("table", table)], usage.size);
    }
}

fn load(out: &mut Exposition, load: &Load) {
    let help = "Requests refused because the server was busy, by class. Those of class render include open pages that were shown plain.";
    let mut family = out.family("tidebin_overload_refused_total", Kind::Counter, help);
    for priority in Priority::ALL {
        let class = match priority {
            Priority::Render => "render",
            Priority::Save => "save",
            Priority::Read => "read",
        };
        family.sample(&[("class", class)], load.shed[priority.index()]);
    }
    let help = "Requests refused because their client or network had used up its share.";
    out.counter("tidebin_over_share_total", help, load.over_share);
    let help = "Uploads and large responses that were ended to make room for others.";
    out.counter("tidebin_transfers_cancelled_total", help, load.cancelled);
    let help = "Bytes of uploads and large responses.";
    out.counter("tidebin_transferred_bytes_total", help, load.moved);
    let help = "Uploads and large responses in progress.";
    out.gauge("tidebin_transfers", help, load.transfers);
    let help = "Uploads in progress.";
    out.gauge("tidebin_uploads", help, load.receiving);
    let help = "Uploads that pause, and requests that wait for a view.";
    out.gauge("tidebin_uploads_paused", help, load.paused);
    let help = "Bytes reserved for uploads and large responses.";
    out.gauge("tidebin_in_flight_bytes", help, load.bytes);
    let help = "Most bytes that may be reserved for uploads and large responses.";
    out.gauge("tidebin_in_flight_budget_bytes", help, load.budget);
    let help = "Requests that a rate limit delays.";
    out.gauge("tidebin_delayed_requests", help, load.waiting);
    let help = "Pages that are being rendered.";
    out.gauge("tidebin_rendering", help, load.rendering);
}

fn connections(out: &mut Exposition, connections: Connections) {
    let help = "Open connections.";
    out.gauge("tidebin_connections", help, connections.open);
    let help = "Most connections at once.";
    out.gauge("tidebin_connections_max", help, connections.max);
    let help = "Accepted connections: admitted, or refused because there were too many.";
    let mut family = out.family("tidebin_connections_total", Kind::Counter, help);
    family.sample(&[("result", "admitted")], connections.admitted);
    family.sample(&[("result", "refused")], connections.refused);
    let help = "Connections that were closed to admit others.";
    out.counter(
        "tidebin_connections_evicted_total",
        help,
        connections.evicted,
    );
}

fn pages(out: &mut Exposition, renders: &Durations, pages: PageCacheStats) {
    let help = "Processor time of rendered pages.";
    let mut family = out.family("tidebin_page_render_seconds", Kind::Histogram, help);
    family.histogram(&[], renders);
    let help = "Requests for pages that every reader gets, by whether the page was in the cache.";
    let mut family = out.family("tidebin_page_cache_requests_total", Kind::Counter, help);
    family.sample(&[("result", "hit")], pages.hits);
    family.sample(&[("result", "miss")], pages.misses);
    let help = "Bytes of cached pages.";
    out.gauge("tidebin_page_cache_bytes", help, pages.bytes);
    let help = "Most bytes of cached pages.";
    out.gauge("tidebin_page_cache_budget_bytes", help, pages.budget);
}

fn process(out: &mut Exposition, process: Process) {
    let help = "Start of the server, in seconds since 1970.";
    let started = process.started.since(Timestamp::default()).as_secs_f64();
    out.gauge("process_start_time_seconds", help, started);
    let help = "Processor time that the server has used.";
    let used = process.processor_time.as_secs_f64();
    out.counter("process_cpu_seconds_total", help, used);
    if let Some(bytes) = process.resident_bytes {
        let help = "Resident memory of the server.";
        out.gauge("process_resident_memory_bytes", help, bytes);
    }
    let help = "The version of the server.";
    let version = ("version", env!("CARGO_PKG_VERSION"));
    let mut family = out.family("tidebin_build_info", Kind::Gauge, help);
    family.sample(&[version], 1);
}

#[cfg(test)]
mod tests;
