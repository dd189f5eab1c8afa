//! The write-ahead log (WAL) of the database: how long it is, and how it is copied into the database.
//!
//! Invariants: every copy is asked for, so that its errors are seen: SQLite's own automatic one hides them. A failed
//! sync is an error for the caller, who must not go on. A reader or a full disk only delays a copy.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};

use crate::store::sqlite::limits::PAGE;

/// The bytes of the head of a frame of the WAL, which a page follows.
pub(crate) const FRAME_HEADER: u64 = 24;

/// Returns where a frame of the WAL begins. The first one is 0.
pub(crate) fn frame(number: u64) -> u64 {
    32 + number * (FRAME_HEADER + PAGE as u64)
}

/// Returns where a page of the database begins. The first one is 1.
pub(crate) fn place_of(page: u32) -> u64 {
    u64::from(page.saturating_sub(1)) * PAGE as u64
}

/// Returns bytes of a file. If it does not have them, they are zero.
pub(crate) fn read_at<const N: usize>(file: &File, offset: u64) -> [u8; N] {
    let mut bytes = [0; N];
    match file.read_exact_at(&mut bytes, offset) {
        Ok(()) => bytes,
        Err(_) => [0; N],
    }
}

/// Returns the number of pages in the WAL after the last commit of this connection, which changes with each commit.
/// SQLite's automatic copies end with that.
///
/// # Errors
/// Fails if the database does.
pub(crate) fn pages(connection: &mut Connection) -> rusqlite::Result<Arc<AtomicUsize>> {
    let pages = Arc::new(AtomicUsize::new(0));
    let follower = Arc::clone(&pages);
    // An error here would be that of a commit which has happened.
    connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, count| {
        follower.store(usize::try_from(count).unwrap_or(0), Ordering::Relaxed);
        Ok(())
    }))?;
    Ok(pages)
}

/// Copies the WAL into the database as far as no reader needs it, without waiting (`PASSIVE`).
///
/// # Errors
/// Fails if the database does, for example because a sync failed.
pub(crate) fn copy(connection: &Connection) -> rusqlite::Result<()> {
    let copied = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    let error = copied.as_ref().err();
    match error.and_then(rusqlite::Error::sqlite_error_code) {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::DiskFull) => {
            tracing::debug!(?copied, "the WAL was not copied into the database");
            Ok(())
        }
        _ => copied,
    }
}

/// Copies the WAL into the database and makes it empty, after waiting for readers as long as the connection does.
/// Returns false if a reader still needs it.
///
/// # Errors
/// Fails if the database does.
pub(crate) fn empty(connection: &Connection) -> rusqlite::Result<bool> {
    let truncate = "PRAGMA wal_checkpoint(TRUNCATE)";
    let is_busy: i64 = connection.query_row(truncate, [], |row| row.get(0))?;
    Ok(is_busy == 0)
}

/// Lets the close of this connection, if it is the last one, copy the WAL and remove it.
///
/// # Errors
/// Fails if the setting is refused.
pub(crate) fn remove_at_close(connection: &Connection) -> rusqlite::Result<()> {
    let keeps_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection.set_db_config(keeps_log, false).map(|_| ())
}

/// Writes the WAL over itself and syncs it. After a sync that failed, the system takes pages for written that the disk
/// may not have; this makes it write them again. It needs no space where files are changed in place.
///
/// # Errors
/// Fails if the file cannot be read, written or synced.
pub(crate) fn rewrite(wal: &Path) -> io::Result<()> {
    let file = OpenOptions::new().read(true).write(true).open(wal)?;
    let (mut from, mut bytes) = (0, vec![0; 1 << 16]);
    loop {
        let length = file.read_at(&mut bytes, from)?;
        if length == 0 {
            return file.sync_all();
        }
        file.write_all_at(&bytes[..length], from)?;
        from += length as u64;
    }
}

/// Gives free pages at the end of the file back to the system, at most this many. The file becomes shorter when the log
/// is copied into it, as after a deletion.
pub(crate) fn vacuum(connection: &Connection, pages: u32) -> rusqlite::Result<()> {
    let vacuum = format!("PRAGMA incremental_vacuum({pages})");
    let mut statement = connection.prepare_cached(&vacuum)?;
    let mut rows = statement.query([])?;
    // Each row that is stepped over frees one page. Executing the statement at once would free a single page.
    while rows.next()?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_the_log_are_counted_and_a_reader_delays_that_it_is_emptied() {
        // Given a database, and a reader of it
        let name = format!("tidebin-wal-{:016x}", getrandom::u64().unwrap());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        let file = path.join("database");
        let mut writer = Connection::open(&file).unwrap();
        writer.busy_timeout(std::time::Duration::ZERO).unwrap();
        writer.pragma_update(None, "journal_mode", "WAL").unwrap();
        let pages = pages(&mut writer).unwrap();
        let count = || pages.load(Ordering::Relaxed);
        writer.execute_batch("CREATE TABLE t (x)").unwrap();
        let reader = Connection::open(&file).unwrap();
        reader.execute_batch("BEGIN; SELECT * FROM t").unwrap();
        // When pages are written beyond SQLite's own limit, then they stay in the log and are counted
        for _ in 0..1100 {
            writer
                .execute_batch("INSERT INTO t VALUES (zeroblob(3000))")
                .unwrap();
        }
        assert!(count() > 1100);
        // And the log is emptied once the reader is done
        assert!(!empty(&writer).unwrap());
        reader.execute_batch("COMMIT").unwrap();
        assert!(empty(&writer).unwrap());
        writer.execute_batch("INSERT INTO t VALUES (1)").unwrap();
        assert!(count() < 10);
        std::fs::remove_dir_all(&path).unwrap();
    }
}
