//! Changes of the files by another program: they are noticed before anything more is acknowledged or written.

use std::fs;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use super::*;
use crate::store::sqlite::database::wal;

const NAMES: [&str; 3] = ["tidebin.db", "tidebin.db-wal", "tidebin.db-shm"];

/// The number of a paste in these tests, and its content.
fn content(number: u64) -> String {
    format!("{number} ").repeat(300)
}

fn save(driven: &Driven, number: u64) -> Result<(), StoreError> {
    let content = content(number);
    let paste = paste(content.as_bytes(), Access::Open, 0, driven.now());
    driven.save(id(number), paste)
}

/// Copies the files of a store into a directory.
fn copy(from: &Directory, names: &[&str]) -> Directory {
    let to = Directory::new();
    for name in names {
        fs::copy(from.path().join(name), to.path().join(name)).unwrap();
    }
    to
}

/// Writes a file over another one, as `rsync --inplace` does: neither is its inode changed, nor is it empty meanwhile.
fn write_over(file: &Path, bytes: &[u8]) {
    let file = fs::OpenOptions::new().write(true).open(file).unwrap();
    file.write_all_at(bytes, 0).unwrap();
    file.set_len(bytes.len() as u64).unwrap();
}

/// Returns the numbers of the pastes that a store has.
fn numbers(driven: &Driven) -> Vec<u64> {
    let has = |number: &u64| driven.get(id(*number)).map(text) == Ok(content(*number));
    (0..100).filter(has).collect()
}

#[test]
fn a_log_of_another_state_of_the_database_is_refused_until_it_is_deleted() {
    // Given two states of a database after a crash, one of them older
    let driven = Driven::new();
    (0..10).for_each(|number| save(&driven, number).unwrap());
    let older = copy(&driven.directory, &NAMES[..2]);
    for number in [3, 4] {
        driven.advance(30);
        driven.remove(id(number), Reason::Deleted).unwrap();
        driven.look_after();
    }
    (10..20).for_each(|number| save(&driven, number).unwrap());
    let later = copy(&driven.directory, &NAMES[..2]);
    for (database, log) in [(&older, &later), (&later, &older)] {
        // When one has the log of the other
        let mixed = copy(database, &NAMES[..1]);
        let log = log.path().join(NAMES[1]);
        fs::copy(log, mixed.path().join(NAMES[1])).unwrap();
        // Then a start is refused, and changes nothing
        let before = fs::read(mixed.path().join(NAMES[0])).unwrap();
        assert_refused(open(mixed.path(), DISK), " does not belong to tidebin.db: ");
        assert_eq!(fs::read(mixed.path().join(NAMES[0])).unwrap(), before);
        // And once the log is deleted, the database is as it was
        fs::remove_file(mixed.path().join(NAMES[1])).unwrap();
        assert!(open(mixed.path(), DISK).is_ok());
    }
    // And each is served with its own log
    assert_eq!(numbers(&Driven::on(older, DISK)).len(), 10);
    assert_eq!(numbers(&Driven::on(later, DISK)).len(), 18);
}

#[test]
fn a_change_in_place_is_noticed_and_nothing_is_written_any_more() {
    type Change = fn(&Path, &[u8]);
    let changes: [(&str, &str, Change); 6] = [
        ("replaced", NAMES[0], |file, older| {
            fs::write(file, older).unwrap()
        }),
        ("written over", NAMES[0], write_over),
        ("truncated", NAMES[0], |file, _| {
            fs::write(file, "").unwrap()
        }),
        ("replaced", NAMES[1], |file, older| {
            fs::write(file, older).unwrap()
        }),
        ("written over", NAMES[1], write_over),
        ("truncated", NAMES[1], |file, _| {
            fs::write(file, "").unwrap()
        }),
    ];
    for (how, name, change) in changes {
        // Given a store, and an older copy of its files
        let mut driven = Driven::new();
        (0..10).for_each(|number| save(&driven, number).unwrap());
        let older = copy(&driven.directory, &NAMES[..2]);
        (10..40).for_each(|number| save(&driven, number).unwrap());
        driven.restart();
        if name == NAMES[1] {
            save(&driven, 40).unwrap();
            driven.look_after();
        }
        // When a file is changed
        let older = fs::read(older.path().join(name)).unwrap();
        let file = driven.directory.path().join(name);
        change(&file, &older);
        let changed = fs::read(&file).unwrap();
        // Then no paste is saved, and the store has failed
        assert_eq!(save(&driven, 50), Err(StoreError::Failed), "{name} {how}");
        assert!(driven.store().has_failed(), "{name} {how}");
        // And nothing was written, not even by the close
        driven.close();
        assert!(fs::read(&file).unwrap() == changed, "{name} {how}");
    }
}

#[test]
fn a_log_that_is_replaced_while_sqlite_reads_it_is_told_as_a_change() {
    // Given the files of a database with a log
    let directory = Directory::new();
    let locked = database::Directory::lock(directory.path()).unwrap();
    let limits = Limits::new(DISK, MEMORY).unwrap();
    let mut connection = locked.open_writer(&limits).unwrap();
    locked.accept(&mut connection, &limits, &[]).unwrap();
    let files = Files::open(locked, &connection, false).unwrap();
    // When the log is cut while it is copied into the database
    let copied = files.copy(Duration::ZERO, || {
        fs::write(directory.path().join(NAMES[1]), "").unwrap();
        wal::copy(&connection)
    });
    // Then the failure names the file, and what SQLite reported
    let told = files.cause(copied.unwrap_err()).to_string();
    assert!(told.starts_with("tidebin.db-wal was changed, "), "{told}");
    assert!(told.ends_with("SQLite reported: disk I/O error"), "{told}");
}
