//! The contents of the files, and which files are refused.

use rusqlite::Connection;

use super::*;

const WRONG_SECRET: &str = "The secret is not that of this database.";

#[test]
fn the_file_shrinks_when_the_store_empties() {
    // Given a file that is full of pastes
    let driven = Driven::new();
    let file = driven.directory.path().join("tidebin.db");
    let size = || std::fs::metadata(&file).unwrap().len();
    let large = || paste(&[7; 128_000], Access::Locked(None), 60, driven.now());
    driven.save_all((0..64).map(|number| (CLIENT, number, large())));
    driven.advance(30);
    driven.look_after();
    let full = size();
    assert!(full > 7 << 20, "{full}");
    // When all of them expire, and the writer has done all due work
    for _ in 0..20 {
        driven.advance(30);
        driven.look_after();
    }
    // Then the space is the system's again, except the part for the next pastes
    assert_eq!(driven.store().occupancy().pastes, 0);
    assert!(size() < 2 << 20, "{} of {full}", size());
}

#[test]
fn a_damaged_paste_fails_alone() {
    for damage in [
        "UPDATE body SET content = zeroblob(length(content)) WHERE seq = 1",
        "DELETE FROM body WHERE seq = 1",
        "UPDATE meta SET counts = x'0102' WHERE seq = 1",
    ] {
        let mut driven = Driven::new();
        for number in [1, 2] {
            let paste = paste(b"intact", Access::Open, 100, driven.now());
            driven.save(id(number), paste).unwrap();
        }
        driven.close();
        driven.database().execute(damage, []).unwrap();
        driven.open();
        for _ in 0..2 {
            let damaged = driven.get(id(1)).map(text);
            assert_eq!(damaged, Err(StoreError::Failed), "{damage}");
        }
        assert_eq!(driven.get(id(2)).map(text).unwrap(), "intact");
        assert_eq!(driven.remove(id(1), Reason::Deleted), Ok(()));
        assert_eq!(driven.get(id(1)).map(text), gone(Reason::Deleted));
    }
}

#[test]
fn a_second_process_is_refused_while_the_first_uses_the_directory() {
    let mut driven = Driven::new();
    let second = open(driven.directory.path(), DISK);
    assert_refused(second, "Another process uses the data directory");
    // Not even if the file of the lock was deleted as stale
    std::fs::remove_file(driven.directory.path().join("lock")).unwrap();
    let second = open(driven.directory.path(), DISK);
    assert_refused(second, "Another process uses the data directory");
    driven.close();
    assert!(open(driven.directory.path(), DISK).is_ok());
}

#[test]
fn another_secret_is_refused_and_changes_nothing() {
    let mut driven = Driven::new();
    driven
        .save(id(1), paste(b"kept", Access::Open, 100, driven.now()))
        .unwrap();
    driven.close();
    let wrong = Opened::open(driven.directory.path(), DISK, MEMORY, Keys::new(&[8; 32]));
    assert_refused(wrong, WRONG_SECRET);
    driven.open();
    assert_eq!(driven.get(id(1)).map(text).unwrap(), "kept");
}

#[test]
fn an_older_database_of_another_secret_is_not_changed() {
    // Given a database of an older version
    let mut driven = Driven::new();
    driven.close();
    let older = "ALTER TABLE meta DROP COLUMN slug; PRAGMA user_version = 3";
    driven.database().execute_batch(older).unwrap();
    let path = driven.directory.path();
    let before = std::fs::read(path.join("tidebin.db")).unwrap();
    // When a start and a check have another secret
    let other = || Keys::new(&[8; 32]);
    let started = Opened::open(path, DISK, MEMORY, other());
    let limits = Limits::new(DISK, MEMORY).unwrap();
    let checked = check(
        path,
        limits,
        1,
        other(),
        driven.now(),
        false,
        &Stop::default(),
    );
    // Then both are refused, and the database is as before
    assert_refused(started, WRONG_SECRET);
    assert_refused(checked, WRONG_SECRET);
    assert_eq!(std::fs::read(path.join("tidebin.db")).unwrap(), before);
    let logged = std::fs::metadata(path.join("tidebin.db-wal")).map_or(0, |wal| wal.len());
    assert_eq!(logged, 0);
    // And with its own secret it is served
    driven.open();
    let saved = paste(b"x", Access::Open, 100, driven.now());
    assert_eq!(driven.save(id(1), saved), Ok(()));
}

#[test]
fn the_log_of_a_killed_server_is_empty_before_the_next_one_serves() {
    // Given the files of a server that was killed
    let driven = Driven::new();
    let saved = paste(b"kept", Access::Open, 100, driven.now());
    driven.save(id(1), saved).unwrap();
    let killed = Directory::new();
    for name in ["tidebin.db", "tidebin.db-wal"] {
        std::fs::copy(driven.directory.path().join(name), killed.path().join(name)).unwrap();
    }
    let log = killed.path().join("tidebin.db-wal");
    let size = || std::fs::metadata(&log).unwrap().len();
    assert!(size() > 0);
    // When the next one starts
    let next = Driven::on(killed, DISK);
    // Then all is in the database, and the log has nothing
    assert_eq!(size(), 0);
    assert_eq!(next.get(id(1)).map(text).unwrap(), "kept");
}

#[test]
fn a_newer_schema_is_refused() {
    let mut driven = Driven::new();
    driven.close();
    let version = "PRAGMA user_version = 6";
    driven.database().execute_batch(version).unwrap();
    let newer = open(driven.directory.path(), DISK);
    assert_refused(newer, "made the database (schema 6)");
}

#[test]
fn a_smaller_budget_than_what_is_stored_is_refused() {
    let mut driven = Driven::new();
    let small = || paste(&[b'x'; 8000], Access::Open, 0, driven.now());
    driven.save_all((0..700).map(|number| (CLIENT, number, small())));
    driven.close();
    let smaller = open(driven.directory.path(), 4 << 20);
    assert_refused(smaller, "but TIDEBIN_MAX_DISK (4 MiB) has room for");
    assert_eq!(
        open(driven.directory.path(), DISK)
            .unwrap()
            .found(driven.now())
            .pastes,
        700
    );
}

#[test]
fn more_clients_than_the_memory_has_room_for_are_refused_and_nothing_is_evicted() {
    // Given pastes of many clients
    let mut driven = Driven::new();
    let now = driven.now();
    driven.save_all((0..600).map(|number| {
        let client = ClientKey {
            network: number,
            client: number,
        };
        (client, number, paste(b"x", Access::Open, 0, now))
    }));
    driven.close();
    // When a start has little memory
    let keys = || Keys::new(&[7; 32]);
    let path = driven.directory.path();
    let refused = Opened::open(path, 8 << 20, 384 << 10, keys());
    // Then it is refused, since each save would evict pastes of all clients
    assert_refused(refused, "The clients of the stored pastes take");
    // And a check says so too
    let limits = Limits::new(8 << 20, 384 << 10).unwrap();
    let report = check(path, limits, 1, keys(), now, false, &Stop::default()).unwrap();
    let fault = "Wrong: The clients of the stored pastes take";
    assert!(report.text.contains(fault), "{report:?}");
    // And with the memory that it had, all pastes are there
    let opened = Opened::open(path, 8 << 20, MEMORY, keys()).unwrap();
    assert_eq!(opened.found(now).pastes, 600);
}

#[test]
fn a_lock_that_cannot_be_opened_is_named() {
    let directory = Directory::new();
    let lock = directory.path().join("lock");
    std::fs::create_dir(&lock).unwrap();
    let named = format!("Cannot use {}: ", lock.display());
    assert_refused(open(directory.path(), DISK), &named);
}

#[test]
fn a_file_of_another_program_is_refused_and_not_changed() {
    for foreign in [&b"not a database, but long enough to be one: "[..], b"x"] {
        let directory = Directory::new();
        let file = directory.path().join("tidebin.db");
        std::fs::write(&file, foreign.repeat(100)).unwrap();
        let refused = open(directory.path(), DISK);
        assert_refused(refused, "is not a database of tidebin.");
        assert_eq!(std::fs::read(&file).unwrap(), foreign.repeat(100));
    }
    let directory = Directory::new();
    let other = Connection::open(directory.path().join("tidebin.db")).unwrap();
    other.execute_batch("CREATE TABLE other (x)").unwrap();
    let refused = open(directory.path(), DISK);
    assert_refused(refused, "is not a database of tidebin.");
}

#[test]
fn a_wal_without_its_database_is_refused_but_an_empty_one_is_not() {
    let directory = Directory::new();
    let wal = directory.path().join("tidebin.db-wal");
    std::fs::write(&wal, b"changes").unwrap();
    let refused = open(directory.path(), DISK);
    assert_refused(refused, "of a database that is missing or empty.");
    // An empty database is not that of the WAL either.
    std::fs::write(directory.path().join("tidebin.db"), b"").unwrap();
    let refused = open(directory.path(), DISK);
    assert_refused(refused, "of a database that is missing or empty.");
    assert_eq!(std::fs::read(&wal).unwrap(), b"changes");
    // A refused start leaves an empty WAL, and the operator may move the refused database away.
    std::fs::write(&wal, b"").unwrap();
    let opened = open(directory.path(), DISK);
    assert!(opened.is_ok(), "{:?}", opened.err());
}

#[test]
fn a_backup_beside_the_log_of_another_database_is_refused() {
    // Given a backup, and a database with changes in its log
    let driven = Driven::new();
    let path = driven.directory.path().to_owned();
    let saved = backup(&path, &path.join("backup"), None, &Stop::default());
    assert!(saved.is_ok(), "{saved:?}");
    driven
        .save(id(1), paste(b"later", Access::Open, 60, driven.now()))
        .unwrap();
    let other = Directory::new();
    std::fs::copy(
        path.join("tidebin.db-wal"),
        other.path().join("tidebin.db-wal"),
    )
    .unwrap();
    // When the backup is put in the place of the database
    std::fs::copy(path.join("backup"), other.path().join("tidebin.db")).unwrap();
    // Then it is refused, until the log is moved away
    let refused = open(other.path(), DISK);
    assert_refused(refused, " does not belong to tidebin.db: ");
    std::fs::remove_file(other.path().join("tidebin.db-wal")).unwrap();
    assert!(open(other.path(), DISK).is_ok());
}

#[test]
fn nothing_is_acknowledged_once_a_file_of_the_database_was_moved_or_replaced() {
    let paste = |driven: &Driven| paste(b"x", Access::Open, 60, driven.now());
    let names = ["tidebin.db", "tidebin.db-wal", "tidebin.db-shm"];
    for (name, replaces) in names.into_iter().flat_map(|it| [(it, false), (it, true)]) {
        // Given a store, a file of which was moved away, and may have another one in its place
        let driven = Driven::new();
        driven.save(id(1), paste(&driven)).unwrap();
        let file = driven.directory.path().join(name);
        std::fs::rename(&file, driven.directory.path().join("moved")).unwrap();
        if replaces {
            std::fs::write(&file, b"another").unwrap();
        }
        // When a paste is saved, then it is not acknowledged, and the server is told to stop
        assert_eq!(driven.save(id(2), paste(&driven)), Err(StoreError::Failed));
        assert!(driven.store().has_failed());
    }
}
