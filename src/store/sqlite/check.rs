//! The check of a data directory that no server uses: its structure, every record, and the ledger that is made of them.
//!
//! Invariants: without `shrink`, nothing is removed. Pastes to remove are chosen as a full store chooses: by the
//! ledger, and expired pastes first. Contents cannot be opened, because their keys derive from the ids, which are not
//! stored: a changed content shows when it is read.
//! Cost: each page of the database is read once, and each record is opened twice.

use std::fmt::{Display, Write};
use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::byte_size::ByteSize;
use crate::paste::Timestamp;
use crate::store::seal::{Keys, Record};
use crate::store::sqlite::database::{Directory, Stop, end_with, tables, wal};
use crate::store::sqlite::failure::Failure;
use crate::store::sqlite::limits::{Limits, PAGE};
use crate::store::sqlite::opening::Opened;
use crate::store::sqlite::state::GRACE_MILLIS;
use crate::store::sqlite::writer::Transaction;

/// The faults of the structure that are named at most.
const MOST_FAULTS: u32 = 20;

/// The findings of the check.
#[derive(Debug, Default)]
pub struct Report {
    /// Lines, each of which is a fact or a fault.
    pub text: String,
    /// The number of faults.
    pub faults: usize,
}

impl Report {
    fn fact(&mut self, fact: impl Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{fact}");
    }

    fn fault(&mut self, fault: impl Display) {
        self.faults += 1;
        self.fact(format_args!("Wrong: {fault}"));
    }

    fn refusal(&mut self, refused: Result<(), Failure>) {
        if let Err(refusal) = refused {
            self.fault(refusal);
        }
    }

    fn size_of(&mut self, database: &Path, connection: &Connection) -> rusqlite::Result<()> {
        let pages = tables::number::<usize>(connection, "PRAGMA page_count")?;
        let free = tables::number::<usize>(connection, "PRAGMA freelist_count")?;
        self.fact(format_args!(
            "File: {}, {}, of which {} are free.",
            database.display(),
            ByteSize(pages * PAGE).rounded_up(),
            ByteSize(free * PAGE).rounded_up()
        ));
        Ok(())
    }
}

/// Checks the database in this directory, which must exist. With `shrink`, it also removes pastes until they fit into
/// the limits, and gives all free pages back. The clock is `now`.
///
/// It is a fault if a server that accepts pastes of up to `largest_paste` bytes would refuse the budgets.
///
/// # Errors
/// Returns a [`Failure`] if the directory cannot be used, for example because a server uses it.
pub fn check(
    path: &Path,
    limits: Limits,
    largest_paste: usize,
    keys: Keys,
    now: Timestamp,
    shrink: bool,
    stop: &Stop,
) -> Result<Report, Failure> {
    let directory = Directory::lock(path)?;
    let database = directory.database();
    let mut report = Report::default();
    let opened = open(directory, limits, keys, stop, &mut report);
    let Some(opened) = opened.map_err(|failure| failure.at_start(&database))? else {
        return Ok(report);
    };
    let now = now.max(opened.last_seen);
    report.fact(format_args!(
        "Pastes: {}, of which {} expired. They take {}; TIDEBIN_MAX_DISK has room for {}.",
        opened.catalog.ledger.len(),
        counted(opened.catalog.ledger.expired(now), "has", "have"),
        ByteSize(opened.stored).rounded_up(),
        ByteSize(limits.room).rounded_down()
    ));
    find_damage(&opened, &mut report)?;
    let refusals = limits.refusals_of(largest_paste);
    refusals.iter().for_each(|refusal| report.fault(refusal));
    // Removing all others would be in vain.
    let is_too_damaged = opened.stored - opened.catalog.ledger.costs() > limits.room;
    if shrink && !is_too_damaged {
        remove(opened, now, &database, &mut report)?;
        return Ok(report);
    }
    if shrink {
        report.fault("Nothing was removed: the damaged pastes alone do not fit. Restore a backup.");
    } else {
        report.refusal(limits.refuse_stored(opened.stored));
        report.refusal(limits.refuse_clients(opened.catalog.ledger.bytes_of_clients()));
    }
    report.size_of(&database, &opened.connection)?;
    Ok(report)
}

/// Checks the structure of the database, and reads the records of its pastes. Returns `None` if the structure is
/// damaged, so that the records cannot be trusted.
fn open(
    directory: Directory,
    limits: Limits,
    keys: Keys,
    stop: &Stop,
    report: &mut Report,
) -> Result<Option<Opened>, Failure> {
    let mut connection = directory.open_writer(&limits)?;
    end_with(&mut connection, stop)?;
    let found = faults(&connection, MOST_FAULTS)?;
    if found != "ok" {
        report.fact(
            "Structure: damaged. Restore a backup, and keep this file until that has worked.",
        );
        found.lines().for_each(|fault| report.fault(fault));
        report.size_of(&directory.database(), &connection)?;
        return Ok(None);
    }
    report.fact("Structure: intact.");
    directory.accept(&mut connection, &limits, &keys.fingerprint())?;
    // A budget smaller than the stored pastes has too few rows.
    let rows: usize = tables::number(&connection, "SELECT count(*) FROM meta")?;
    let rows = rows.max(limits.pastes);
    Ok(Some(Opened::read(
        directory, connection, limits, keys, rows,
    )?))
}

/// Returns what SQLite says is wrong with the file, in at most this many lines, or "ok".
pub(crate) fn faults(connection: &Connection, most: u32) -> rusqlite::Result<String> {
    let mut statement = connection.prepare(&format!("PRAGMA quick_check({most})"))?;
    let reports = statement.query_map([], |row| row.get(0))?;
    let reports: Vec<String> = reports.collect::<Result<_, _>>()?;
    Ok(reports.join("\n"))
}

/// Opens every record and its counts, compares each with its content, and counts the ledger again.
fn find_damage(opened: &Opened, report: &mut Report) -> rusqlite::Result<()> {
    let select =
        "SELECT seq, record, size, counts, length(content) FROM meta LEFT JOIN body USING (seq)";
    let mut statement = opened.connection.prepare(select)?;
    let mut rows = statement.query([])?;
    let mut damaged = 0_usize;
    while let Some(row) = rows.next()? {
        let (seq, size): (u64, Option<i64>) = (tables::seq_in(row, 0)?, row.get(2)?);
        let record = row.get_ref(1)?.as_blob().unwrap_or_default();
        let counts = row.get_ref(3)?.as_blob_or_null().unwrap_or_default();
        let record = Record::open(&opened.keys, seq, record).ok();
        let listed = record.and_then(|record| opened.catalog.listing(record.key));
        let Some(listed) = listed.filter(|listing| listing.seq == seq) else {
            damaged += 1;
            continue;
        };
        let content: Option<i64> = row.get(4)?;
        let can_be_counted = |counts| opened.keys.open_counts(listed.key, counts).is_ok();
        if content != size || !counts.is_none_or(can_be_counted) {
            damaged += 1;
        }
    }
    if damaged > 0 {
        let pastes = counted(damaged, "paste is", "pastes are");
        report.fault(format_args!(
            "{pastes} damaged and cannot be read. Restore a backup to get back what was lost; all others are served."
        ));
    }
    let orphans = "SELECT count(*) FROM body WHERE seq NOT IN (SELECT seq FROM meta)";
    let orphans: usize = tables::number(&opened.connection, orphans)?;
    if orphans > 0 {
        let contents = counted(orphans, "content belongs", "contents belong");
        report.fault(format_args!("{contents} to no paste."));
    }
    if let Some(wrong) = opened.catalog.inconsistency() {
        report.fault(format_args!("The ledger of the pastes is wrong: {wrong}."));
    }
    Ok(())
}

/// Removes pastes until all fit into the room, and gives all free pages back to the system.
fn remove(
    opened: Opened,
    now: Timestamp,
    database: &Path,
    report: &mut Report,
) -> Result<(), Failure> {
    // The ballast is there for this. The next start writes it again.
    let _ = fs::remove_file(opened.directory.ballast());
    // The operator asks for it, so expired pastes need not wait for the hour after a start.
    let long_ago = Timestamp::from_millis(now.as_millis().saturating_sub(GRACE_MILLIS));
    let before = opened.catalog.ledger.costs();
    let (_locked, connection, mut next, shared) = opened.share(long_ago, Box::new(|_| ()))?;
    loop {
        let run = Transaction::run(&shared, &connection, &mut next, now, Transaction::shrink);
        let ((), removals) = run?;
        // So the WAL needs little space on a full disk.
        wal::empty(&connection)?;
        if removals.is_empty() {
            break;
        }
    }
    let ledger = &shared.lock().catalog.ledger;
    let counts = ledger.removal_counts;
    report.fact(format_args!(
        "Removed {} and {}, {} together.",
        counted(counts.evicted, "live paste", "live pastes"),
        counted(counts.expired, "expired one", "expired ones"),
        ByteSize(before - ledger.costs()).rounded_up()
    ));
    // Zero pages mean all of them.
    let vacuum = |transaction: &mut Transaction<'_>| transaction.vacuum(0);
    Transaction::run(&shared, &connection, &mut next, now, vacuum)?;
    wal::empty(&connection)?;
    Ok(report.size_of(database, &connection)?)
}

/// Returns a number with the words for one or for several.
fn counted(count: impl TryInto<u64>, one: &str, several: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let words = if count == 1 { one } else { several };
    format!("{count} {words}")
}
