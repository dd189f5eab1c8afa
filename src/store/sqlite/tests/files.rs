//! What is in the files, and which files are refused.

use rusqlite::Connection;

use super::*;

fn random() -> [u8; 8] {
    getrandom::u64().unwrap().to_le_bytes()
}

#[test]
fn the_file_shrinks_when_the_store_empties() {
    // Given a file that is full of pastes
    let driven = Driven::new();
    let file = driven.directory.path().join("tidebin.db");
    let size = || std::fs::metadata(&file).unwrap().len();
    for number in 0..64 {
        let content: Vec<u8> = (0..16_000).flat_map(|_| random()).collect();
        let paste = paste(&content, Access::Open, 60, driven.now());
        driven.save(id(number), paste).unwrap();
    }
    driven.advance(30);
    driven.look_after();
    let full = size();
    assert!(full > 7 << 20, "{full}");
    // When all of them expire, and the writer has done what was due
    for _ in 0..20 {
        driven.advance(30);
        driven.look_after();
    }
    // Then the space is the system's again, but for what is kept for the next pastes
    assert_eq!(driven.store().occupancy().pastes, 0);
    assert!(size() < 2 << 20, "{} of {full}", size());
}

#[test]
fn a_damaged_paste_fails_alone() {
    let mut driven = Driven::new();
    for number in [1, 2] {
        driven
            .save(
                id(number),
                paste(b"intact", Access::Open, 100, driven.now()),
            )
            .unwrap();
    }
    driven.close();
    let flip = "UPDATE body SET content = zeroblob(length(content)) WHERE seq = 1";
    driven.database().execute(flip, []).unwrap();
    driven.open();
    assert_eq!(driven.get(id(1)).map(text), Err(ReadError::Failed));
    assert_eq!(driven.get(id(1)).map(text), Err(ReadError::Failed));
    assert_eq!(driven.get(id(2)).map(text).unwrap(), "intact");
    assert_eq!(driven.remove(id(1), Reason::Deleted), Ok(()));
}

#[test]
fn a_second_process_is_refused_while_the_first_uses_the_directory() {
    let mut driven = Driven::new();
    let second = open(driven.directory.path(), DISK);
    assert!(matches!(second, Err(OpenError::InUse(_))), "{second:?}");
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
    assert!(matches!(wrong, Err(OpenError::WrongSecret)), "{wrong:?}");
    driven.open();
    assert_eq!(driven.get(id(1)).map(text).unwrap(), "kept");
}

#[test]
fn a_newer_schema_is_refused() {
    let mut driven = Driven::new();
    driven.close();
    let version = "PRAGMA user_version = 2";
    driven.database().execute_batch(version).unwrap();
    let newer = open(driven.directory.path(), DISK);
    assert!(matches!(newer, Err(OpenError::Newer(2))), "{newer:?}");
}

#[test]
fn a_smaller_budget_than_what_is_stored_is_refused() {
    let mut driven = Driven::new();
    for number in 0..700 {
        let paste = paste(&[b'x'; 8000], Access::Open, 0, driven.now());
        driven.save(id(number), paste).unwrap();
    }
    driven.close();
    let smaller = open(driven.directory.path(), 4 << 20);
    assert!(
        matches!(smaller, Err(OpenError::TooSmall { .. })),
        "{smaller:?}"
    );
    assert_eq!(
        open(driven.directory.path(), DISK)
            .unwrap()
            .found(driven.now())
            .pastes,
        700
    );
}

#[test]
fn a_file_of_another_program_is_refused_and_not_changed() {
    for foreign in [&b"not a database, but long enough to be one: "[..], b"x"] {
        let directory = Directory::new();
        let file = directory.path().join("tidebin.db");
        std::fs::write(&file, foreign.repeat(100)).unwrap();
        let refused = open(directory.path(), DISK);
        assert!(matches!(refused, Err(OpenError::Foreign(_))), "{refused:?}");
        assert_eq!(std::fs::read(&file).unwrap(), foreign.repeat(100));
    }
    let directory = Directory::new();
    let other = Connection::open(directory.path().join("tidebin.db")).unwrap();
    other.execute_batch("CREATE TABLE other (x)").unwrap();
    let refused = open(directory.path(), DISK);
    assert!(matches!(refused, Err(OpenError::Foreign(_))), "{refused:?}");
}

#[test]
fn a_log_without_its_database_is_refused() {
    let directory = Directory::new();
    std::fs::write(directory.path().join("tidebin.db-wal"), b"changes").unwrap();
    let refused = open(directory.path(), DISK);
    assert!(
        matches!(refused, Err(OpenError::NoDatabase(_))),
        "{refused:?}"
    );
}
