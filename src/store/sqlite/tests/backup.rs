//! Backups of real files: they are whole, have every acknowledged paste, and never replace a file.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::store::sqlite::limits::Limits;

/// Opens a backup as the database of another directory.
fn restore(backup: &Path) -> Driven {
    let mut restored = Driven::new();
    restored.close();
    let database = restored.directory.path().join("tidebin.db");
    fs::remove_file(&database).unwrap();
    fs::copy(backup, database).unwrap();
    restored.open();
    restored
}

fn saved(numbers: std::ops::Range<u64>, driven: &Driven) {
    for number in numbers {
        let content = number.to_string();
        driven
            .save(
                id(number),
                paste(content.as_bytes(), Access::Open, 0, driven.now()),
            )
            .unwrap();
    }
}

#[test]
fn a_backup_of_a_served_directory_has_all_that_was_acknowledged_before() {
    // Given a store that serves, with pastes of which one is deleted
    let driven = Driven::new();
    saved(0..100, &driven);
    driven.remove(id(7), Reason::Deleted).unwrap();
    // When a backup is made, and another paste is saved
    let folder = Directory::new();
    let file = folder.path().join("copy.db");
    let made = backup(driven.directory.path(), &file, None, &Stop::default()).unwrap();
    saved(100..101, &driven);
    // Then the backup has the pastes of its time, and only its owner may read it
    assert_eq!(made.pastes, 99);
    let metadata = fs::metadata(&file).unwrap();
    assert_eq!(made.bytes as u64, metadata.len());
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // And a server that starts with it answers as the other did
    let restored = restore(&file);
    assert_eq!(restored.get(id(99)).map(text).unwrap(), "99");
    assert_eq!(restored.get(id(7)).map(text), gone(Reason::Deleted));
    let unknown = Err(StoreError::NotFound);
    assert_eq!(restored.get(id(100)).map(text), unknown);
    restored.store().validate();
}

#[test]
fn a_backup_without_a_server_is_the_same_and_the_server_starts_afterwards() {
    let mut driven = Driven::new();
    saved(0..3, &driven);
    driven.close();
    let folder = Directory::new();
    let file = folder.path().join("copy.db");
    assert_eq!(
        backup(driven.directory.path(), &file, None, &Stop::default())
            .unwrap()
            .pastes,
        3
    );
    driven.open();
    assert_eq!(driven.get(id(2)).map(text).unwrap(), "2");
    assert_eq!(restore(&file).get(id(2)).map(text).unwrap(), "2");
}

#[test]
fn a_backup_replaces_no_file_and_leaves_none_when_it_fails() {
    let driven = Driven::new();
    let folder = Directory::new();
    let file = folder.path().join("copy.db");
    fs::write(&file, "precious").unwrap();
    let refused = backup(driven.directory.path(), &file, None, &Stop::default());
    assert_refused(refused, "exists already.");
    assert_eq!(fs::read(&file).unwrap(), b"precious");
    // And a folder that is missing leaves no file, and the message names the file and not a temporary one
    let missing = folder.path().join("missing/copy.db");
    let unwritable = backup(driven.directory.path(), &missing, None, &Stop::default());
    let message = unwritable.unwrap_err().to_string();
    let start = format!("Cannot write {}: No such file", missing.display());
    assert!(message.starts_with(&start), "{message}");
    // And neither does a file that is no database
    let other = Directory::new();
    let another = folder.path().join("another.db");
    fs::write(other.path().join("tidebin.db"), "no database".repeat(900)).unwrap();
    let foreign = backup(other.path(), &another, None, &Stop::default());
    assert_refused(foreign, "is not a database of tidebin.");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_database_of_another_program_is_not_copied() {
    let other = Directory::new();
    let database = rusqlite::Connection::open(other.path().join("tidebin.db")).unwrap();
    database.execute_batch("CREATE TABLE other (x)").unwrap();
    let refused = backup(
        other.path(),
        &other.path().join("copy.db"),
        None,
        &Stop::default(),
    );
    assert_refused(refused, "is not a database of tidebin.");
}

#[test]
fn a_secret_that_opens_no_paste_of_the_database_is_refused() {
    let driven = Driven::new();
    let folder = Directory::new();
    let file = folder.path().join("copy.db");
    let made = |root| {
        let keys = Keys::new(&[root; 32]);
        backup(
            driven.directory.path(),
            &file,
            Some(&keys),
            &Stop::default(),
        )
    };
    let refused = made(8);
    assert_refused(refused, "The secret is not that of this database.");
    assert!(!file.exists());
    assert!(made(7).is_ok());
}

#[test]
fn the_next_backup_removes_what_a_killed_one_left_and_nothing_else() {
    // Given a folder with what a killed backup left, and with other files
    let driven = Driven::new();
    let folder = Directory::new();
    let file = |name: &str| folder.path().join(name);
    let left = [
        "old.db.partial-0123456789abcdef",
        "old.db.partial-0123456789abcdef-journal",
    ];
    let others = [
        "old.db",
        "old.db.partial-",
        "a.partial-0123456789abcdeg",
        "partial-0123456789abcdef",
    ];
    for name in left.iter().chain(&others) {
        std::fs::write(file(name), b"x").unwrap();
    }
    // When a backup is written while another one is, then nothing is removed
    let other = std::fs::File::open(folder.path()).unwrap();
    other.lock_shared().unwrap();
    backup(
        driven.directory.path(),
        &file("first.db"),
        None,
        &Stop::default(),
    )
    .unwrap();
    assert!(left.iter().all(|name| file(name).exists()));
    // And once that has ended, the next one removes what was left
    drop(other);
    backup(
        driven.directory.path(),
        &file("second.db"),
        None,
        &Stop::default(),
    )
    .unwrap();
    assert!(!left.iter().any(|name| file(name).exists()));
    assert!(others.iter().all(|name| file(name).exists()));
}

#[test]
fn work_that_is_stopped_leaves_the_database_as_it_was_and_no_file() {
    // Given a backup, and a wish to stop
    let mut driven = Driven::new();
    saved(0..300, &driven);
    driven.close();
    let (path, folder) = (driven.directory.path(), Directory::new());
    let file = folder.path().join("copy.db");
    backup(path, &file, None, &Stop::default()).unwrap();
    let stop = Stop::new(true.into());
    let database = || fs::read(path.join("tidebin.db")).unwrap();
    let before = database();
    // When a backup, a restore and a check are made, then each fails
    let other = folder.path().join("other.db");
    let made = backup(path, &other, None, &stop);
    assert!(matches!(made, Err(Failure::Stopped)), "{made:?}");
    let restored = super::restore(path, &file, None, &stop);
    assert!(matches!(restored, Err(Failure::Stopped)), "{restored:?}");
    let (limits, keys) = (Limits::new(DISK, MEMORY).unwrap(), Keys::new(&[7; 32]));
    for shrinks in [false, true] {
        let keys = Keys::new(&[7; 32]);
        let checked = check(path, limits, 1, keys, driven.now(), shrinks, &stop);
        assert!(matches!(checked, Err(Failure::Stopped)), "{checked:?}");
    }
    // And nothing is left, and nothing was changed
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(database() == before);
    let checked = check(path, limits, 1, keys, driven.now(), false, &Stop::default());
    assert_eq!(checked.unwrap().faults, 0);
}
