//! The check of a data directory that no server uses: its structure, every record, and the ledger that is made of them.
//!
//! Invariants: without `shrink`, nothing is removed. Pastes to remove are chosen as a full store chooses: by the
//! ledger, and expired pastes first. Contents cannot be opened, because their keys derive from the ids, which are not
//! stored: a changed content shows when it is read.
//! Cost: each page of the database is read once, and each record is opened twice.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::byte_size::ByteSize;
use crate::paste::Timestamp;
use crate::store::seal::{Keys, Record};
use crate::store::sqlite::database::{Directory, tables, wal};
use crate::store::sqlite::limits::GRACE_MILLIS;
use crate::store::sqlite::limits::{Limits, PAGE};
use crate::store::sqlite::open_error::OpenError;
use crate::store::sqlite::opening::Opened;
use crate::store::sqlite::shared::Shared;
use crate::store::sqlite::writer::{Failure, Transaction};

/// The faults of the structure that are named at most.
const MOST_FAULTS: u32 = 20;

/// The findings of the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The database.
    pub database: PathBuf,
    /// The bytes of the database, at the end.
    pub bytes: usize,
    /// The bytes of pages that no paste uses, at the end.
    pub free: usize,
    /// The faults, as sentences. Empty if there are none.
    pub faults: Vec<String>,
    /// The facts of the records. `None` if the structure of the file is damaged, so that they cannot be trusted.
    pub pastes: Option<Pastes>,
    /// The pastes that were removed to shrink the store, if that was asked for.
    pub removed: Option<Removed>,
}

/// The pastes that were found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pastes {
    /// The number of pastes whose records can be opened.
    pub count: usize,
    /// How many of them have expired.
    pub expired: usize,
    /// The bytes that all are charged, with those that are damaged.
    pub charged: usize,
    /// The bytes that pastes may cost within the budget.
    pub room: usize,
}

/// The removed pastes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// The number of pastes that were evicted before they expired.
    pub evicted: usize,
    /// The number of expired pastes.
    pub expired: usize,
    /// The bytes that they were charged.
    pub charged: usize,
}

/// Why a directory cannot be checked or shrunk.
#[derive(Debug)]
pub enum CheckError {
    /// The directory cannot be opened.
    Open(OpenError),
    /// The disk is full, so that not all pastes could be removed.
    DiskFull,
    /// A page of the database is damaged, so that a paste could not be removed.
    Damaged,
    /// The database failed.
    Database(rusqlite::Error),
    /// The operating system returned no random bytes.
    NoRandomBytes(getrandom::Error),
}

impl From<OpenError> for CheckError {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<Failure> for CheckError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::DiskFull => Self::DiskFull,
            Failure::Damaged(_) | Failure::DamagedFile(_) => Self::Damaged,
            Failure::Busy(error) | Failure::Database(error) => Self::Database(error),
            Failure::NoRandomBytes(error) => Self::NoRandomBytes(error),
        }
    }
}

impl From<rusqlite::Error> for CheckError {
    fn from(error: rusqlite::Error) -> Self {
        Failure::from(error).into()
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(error) => error.fmt(f),
            Self::DiskFull => f.write_str(
                "The disk is full, so not all pastes were removed that had to be. Free some space and run this again.",
            ),
            Self::Damaged => f.write_str(
                "A page of the database is damaged, so not all pastes were removed that had to be. Restore a backup.",
            ),
            Self::Database(error) => write!(f, "The database failed: {error}."),
            Self::NoRandomBytes(error) => {
                write!(f, "The operating system returned no random bytes: {error}.")
            }
        }
    }
}

impl std::error::Error for CheckError {}

/// Checks the database in this directory, which must exist. With `shrink`, it also removes pastes until they fit into
/// this budget of disk, and gives all free pages back. The clock is `now`.
///
/// It is a fault if a server that accepts pastes of up to `largest_paste` bytes would refuse the budgets.
///
/// # Errors
/// Returns a [`CheckError`] if the directory cannot be used, for example because a server uses it.
pub fn check(
    path: &Path,
    disk: usize,
    memory: usize,
    largest_paste: usize,
    keys: Keys,
    now: Timestamp,
    shrink: bool,
) -> Result<Report, CheckError> {
    let limits = Limits::new(disk, memory)?;
    let directory = Directory::lock(path)?;
    let mut connection = directory.open_writer(&limits)?;
    let mut report = Report {
        database: directory.database(),
        bytes: 0,
        free: 0,
        faults: faults_of_structure(&connection)?,
        pastes: None,
        removed: None,
    };
    if !report.faults.is_empty() {
        report.measure(&connection)?;
        return Ok(report);
    }
    directory.accept(&mut connection, &limits, &keys.fingerprint())?;
    // A budget smaller than the stored pastes has too few rows.
    let rows = count(&connection, "SELECT count(*) FROM meta")?.max(limits.pastes);
    let opened = Opened::read(directory, connection, limits, keys, rows)?;
    let now = now.max(opened.last_seen());
    let pastes = Pastes {
        count: opened.catalog.len(),
        expired: opened.catalog.expired(now),
        charged: opened.stored,
        room: limits.room,
    };
    report.pastes = Some(pastes);
    report.faults = faults_of_pastes(&opened)?;
    // Removing all others would be in vain.
    let is_too_damaged = opened.stored - opened.catalog.charged() > limits.room;
    let refused = Limits::refuse_paste(disk, memory, largest_paste);
    report.faults.extend(refused.err().map(|it| it.to_string()));
    if shrink && is_too_damaged {
        let fault = "Nothing was removed: the damaged pastes alone do not fit. Restore a backup.";
        report.faults.push(fault.to_owned());
        report.measure(&opened.connection)?;
    } else if shrink {
        let (_locked, connection, removed) = remove(opened, now)?;
        report.removed = Some(removed);
        give_pages_back(&connection)?;
        report.measure(&connection)?;
    } else {
        if pastes.charged > pastes.room {
            report.faults.push(format!(
                "The pastes take more than TIDEBIN_MAX_DISK has room for, so the server does not start. Set it to \
                 {} or more, or run tidebin check --shrink to remove pastes.",
                ByteSize(Limits::least_disk(pastes.charged))
            ));
        }
        let refused = opened.check_clients(disk, memory);
        report.faults.extend(refused.err().map(|it| it.to_string()));
        report.measure(&opened.connection)?;
    }
    Ok(report)
}

/// Returns what SQLite says is wrong with the file.
fn faults_of_structure(connection: &Connection) -> Result<Vec<String>, rusqlite::Error> {
    let mut statement = connection.prepare(&format!("PRAGMA quick_check({MOST_FAULTS})"))?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    let lines: Vec<String> = lines.collect::<Result<_, _>>()?;
    let lines: Vec<_> = lines.iter().flat_map(|report| report.lines()).collect();
    Ok(match lines.as_slice() {
        ["ok"] => Vec::new(),
        lines => lines.iter().map(ToString::to_string).collect(),
    })
}

/// Opens every record and its counts, compares each with its content, and counts the ledger again.
fn faults_of_pastes(opened: &Opened) -> Result<Vec<String>, rusqlite::Error> {
    let select =
        "SELECT seq, record, size, counts, length(content) FROM meta LEFT JOIN body USING (seq)";
    let mut statement = opened.connection.prepare(select)?;
    let mut rows = statement.query([])?;
    let (mut damaged, mut charged) = (0_usize, 0_usize);
    while let Some(row) = rows.next()? {
        let (seq, size): (u64, Option<i64>) = (tables::seq_of(row)?, row.get(2)?);
        let record = row.get_ref(1)?.as_blob().unwrap_or_default();
        let counts = row.get_ref(3)?.as_blob_or_null().unwrap_or_default();
        let record = Record::open(&opened.keys, seq, record).ok();
        let listed = record.and_then(|record| opened.catalog.listing(record.key));
        let Some(listed) = listed.filter(|listing| listing.seq == seq) else {
            damaged += 1;
            continue;
        };
        charged += listed.cost;
        let content: Option<i64> = row.get(4)?;
        let can_be_counted = |counts| opened.keys.open_counts(listed.key, counts).is_ok();
        if content != size || !counts.is_none_or(can_be_counted) {
            damaged += 1;
        }
    }
    let mut faults = Vec::new();
    if damaged > 0 {
        let pastes = counted(damaged, "paste is", "pastes are");
        faults.push(format!(
            "{pastes} damaged and cannot be read. Restore a backup to get back what was lost; all others are served."
        ));
    }
    let orphans = "SELECT count(*) FROM body WHERE seq NOT IN (SELECT seq FROM meta)";
    let orphans = count(&opened.connection, orphans)?;
    if orphans > 0 {
        let contents = counted(orphans, "content belongs", "contents belong");
        faults.push(format!("{contents} to no paste."));
    }
    let wrong = opened.catalog.inconsistency();
    let differs = (charged != opened.catalog.charged()).then_some("its sum differs");
    if let Some(wrong) = wrong.or(differs) {
        faults.push(format!("The ledger of the pastes is wrong: {wrong}."));
    }
    Ok(faults)
}

/// Removes pastes until all fit into the room. Returns the directory, still locked, and the removed pastes.
fn remove(opened: Opened, now: Timestamp) -> Result<(Directory, Connection, Removed), CheckError> {
    // The ballast is there for this. The next start writes it again.
    let _ = fs::remove_file(opened.directory.ballast());
    // The operator asks for it, so expired pastes need not wait for the hour after a start.
    let long_ago = Timestamp::from_millis(now.as_millis().saturating_sub(GRACE_MILLIS));
    let (directory, connection, keys, limits, mut next, state) = opened.into_parts(long_ago);
    let shared = Shared::new(state, keys, limits, Box::new(|_| ()));
    shared.read_moderation(&connection)?;
    let before = shared.lock().catalog.charged();
    loop {
        let mut transaction = Transaction::begin(&shared, &connection, next)?;
        if let Err(failure) = transaction.shrink(now) {
            return Err(transaction.roll_back(failure).into());
        }
        let (after, removals) = transaction.commit()?;
        next = after;
        // So the WAL needs little space on a full disk.
        wal::empty(&connection)?;
        if removals.is_empty() {
            break;
        }
    }
    let state = shared.lock();
    let counts = state.catalog.removal_counts();
    let removed = Removed {
        evicted: usize::try_from(counts.evicted).unwrap_or(usize::MAX),
        expired: usize::try_from(counts.expired).unwrap_or(usize::MAX),
        charged: before - state.catalog.charged(),
    };
    drop(state);
    Ok((directory, connection, removed))
}

/// Gives all free pages back to the system.
fn give_pages_back(connection: &Connection) -> Result<(), rusqlite::Error> {
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    wal::empty(connection).map(|_| ())
}

fn count(connection: &Connection, select: &str) -> Result<usize, rusqlite::Error> {
    let count: i64 = connection.query_row(select, [], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Returns a number with the words for one or for several.
fn counted(count: usize, one: &str, several: &str) -> String {
    let words = if count == 1 { one } else { several };
    format!("{count} {words}")
}

impl Report {
    /// Returns true if nothing is wrong.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.faults.is_empty()
    }

    fn measure(&mut self, connection: &Connection) -> Result<(), rusqlite::Error> {
        self.bytes = count(connection, "PRAGMA page_count")? * PAGE;
        self.free = count(connection, "PRAGMA freelist_count")? * PAGE;
        Ok(())
    }
}

/// Prints the report in lines, each of which is a fact or a fault.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |bytes: usize| ByteSize(bytes).rounded_up();
        if let Some(pastes) = &self.pastes {
            writeln!(f, "Structure: intact.")?;
            writeln!(
                f,
                "Pastes: {}, of which {} expired. They take {}; TIDEBIN_MAX_DISK has room for {}.",
                pastes.count,
                counted(pastes.expired, "has", "have"),
                size(pastes.charged),
                ByteSize(pastes.room).rounded_down()
            )?;
        } else {
            writeln!(
                f,
                "Structure: damaged. Restore a backup, and keep this file until that has worked."
            )?;
        }
        for fault in &self.faults {
            writeln!(f, "Wrong: {fault}")?;
        }
        if let Some(removed) = &self.removed {
            writeln!(
                f,
                "Removed {} and {}, {} together.",
                counted(removed.evicted, "live paste", "live pastes"),
                counted(removed.expired, "expired one", "expired ones"),
                size(removed.charged)
            )?;
        }
        writeln!(
            f,
            "File: {}, {}, of which {} are free.",
            self.database.display(),
            size(self.bytes),
            size(self.free)
        )
    }
}
