//! Damage in the file: an unreadable paste is left where it is, its space stays used, and all else goes on.

use super::*;
use crate::store::sqlite::limits::{Limits, PAGE};

/// A budget of disk that three large pastes fill.
const SMALL_DISK: usize = 2 << 20;

const LARGE: usize = 400_000;

/// A paste of this many random bytes. They are stored as they are.
fn random(driven: &Driven, bytes: usize, seconds: u64) -> StoredPaste {
    let mut content = vec![0; bytes];
    getrandom::fill(&mut content).unwrap();
    paste(&content, Access::Locked(None), seconds, driven.now())
}

/// A client that uses so little that its pastes are not evicted.
const LIGHT: ClientKey = ClientKey {
    network: 2,
    client: 2,
};

/// A closed store whose large paste, with the id 1, expires after this time. Small pastes that stay are in the pages
/// beside it.
fn stopped(seconds: u64) -> Driven {
    let mut driven = Driven::on(Directory::new(), SMALL_DISK);
    let large = random(&driven, LARGE, seconds);
    driven.save(id(1), large).unwrap();
    for number in 2..6 {
        let other = random(&driven, 3000, 0);
        driven.save_as(LIGHT, id(number), other).unwrap();
    }
    driven.close();
    driven
}

/// Makes the row of the large paste name a chain of pages that does not exist, by a number of four such bytes. So the
/// paste can neither be read nor be deleted.
fn break_chain(driven: &Driven, byte: u8) {
    let select = "SELECT content FROM body WHERE seq = 1";
    let database = driven.database();
    let sealed: Vec<u8> = database.query_row(select, [], |row| row.get(0)).unwrap();
    drop(database);
    let file = driven.directory.path().join("tidebin.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let find = |from: usize| memchr::memmem::find(&bytes, &sealed[from..from + 64]).unwrap();
    // Each page of the chain begins with the number of the next one. The rest of the content is in the row, before the
    // number of the first page.
    let middle = LARGE / 2;
    let before = find(middle) % PAGE - 4;
    let in_row = (middle - before) % (PAGE - 4);
    let first_page = find(0) + in_row;
    bytes[first_page..first_page + 4].fill(byte);
    std::fs::write(&file, bytes).unwrap();
}

/// Saves large pastes until two pastes are evicted.
fn fill(driven: &Driven) {
    for number in 10.. {
        let filler = random(driven, LARGE, 0);
        driven.save(id(number), filler).unwrap();
        if driven.store().removal_counts().evicted > 1 {
            return;
        }
    }
}

#[test]
fn a_damaged_record_is_counted_at_the_start_and_its_space_stays_used() {
    // Given a paste whose record is damaged
    let mut driven = stopped(0);
    let damage = "UPDATE meta SET record = zeroblob(length(record)) WHERE seq = 1";
    driven.database().execute_batch(damage).unwrap();
    // Then a start tells so, and serves the others
    let opened = open(driven.directory.path(), SMALL_DISK).unwrap();
    let found = opened.found(driven.now());
    assert_eq!((found.pastes, found.damaged), (4, 1));
    drop(opened);
    driven.open();
    let unknown = Err(StoreError::NotFound);
    assert_eq!(driven.get(id(1)).map(text), unknown);
    assert!(driven.peek(id(2)).is_ok());
    // And however full the store becomes, the damaged paste has its space, and is not deleted
    fill(&driven);
    let used = driven.store().occupancy().bytes + Limits::cost_of(LARGE);
    let room = driven.store().room();
    assert!(used <= room, "{used} of {room}");
    let select = "SELECT count(*) FROM body WHERE seq = 1";
    let count = driven
        .database()
        .query_row(select, [], |row| row.get::<_, i64>(0));
    assert_eq!(count, Ok(1));
}

#[test]
fn a_row_with_a_number_that_no_row_has_stops_neither_the_start_nor_a_check() {
    // Given a paste and a tombstone whose rows have negative numbers
    let mut driven = stopped(0);
    driven.open();
    driven.remove(id(5), Reason::Deleted).unwrap();
    driven.close();
    for table in ["meta", "tombstone"] {
        let damage = format!("UPDATE {table} SET seq = -seq WHERE seq = 1");
        driven.database().execute_batch(&damage).unwrap();
    }
    // Then a start counts the paste, and serves the others
    let opened = open(driven.directory.path(), SMALL_DISK).unwrap();
    let found = opened.found(driven.now());
    assert_eq!((found.pastes, found.damaged), (3, 1));
    drop(opened);
    // And so does a check
    let (path, keys) = (driven.directory.path(), Keys::new(&[7; 32]));
    let limits = Limits::new(SMALL_DISK, MEMORY).unwrap();
    let report = check(
        path,
        limits,
        LARGE,
        keys,
        driven.now(),
        false,
        &Stop::default(),
    )
    .unwrap();
    assert!(
        report.text.contains("1 paste is damaged"),
        "{}",
        report.text
    );
}

#[test]
fn a_paste_that_cannot_be_deleted_is_set_aside_and_the_others_are_served() {
    type Removal = fn(&Driven);
    let removals: [(&str, Removal); 3] = [
        ("deleted", |driven| {
            let removed = driven.remove(id(1), Reason::Deleted);
            assert_eq!(removed, Err(StoreError::Failed));
        }),
        ("expired", |driven| {
            driven.advance(3600);
            driven.look_after();
        }),
        ("evicted", |_| {}),
    ];
    for (how, remove) in removals {
        // Given a paste whose pages are damaged
        let mut driven = stopped(3600);
        break_chain(&driven, 0xee);
        driven.open();
        assert_eq!(driven.get(id(1)).map(text), Err(StoreError::Failed));
        // When it has to be removed, if only because the store is full
        remove(&driven);
        fill(&driven);
        // Then it is hidden, and its space stays used
        let unknown = Err(StoreError::NotFound);
        assert_eq!(driven.get(id(1)).map(text), unknown, "{how}");
        let room = driven.store().room();
        let used = driven.store().occupancy().bytes + Limits::cost_of(LARGE);
        assert!(used <= room, "{how}: {used} of {room}");
        // And pastes are still saved and deleted
        let saved = paste(b"new", Access::Open, 0, driven.now());
        driven.save(id(1000), saved).unwrap();
        assert_eq!(driven.get(id(1000)).map(text).unwrap(), "new");
        assert_eq!(driven.remove(id(1000), Reason::Deleted), Ok(()));
        assert!(!driven.store().has_failed(), "{how}");
        driven.store().validate();
    }
}

#[test]
fn damage_that_is_of_no_paste_ends_changes_and_hides_no_more_than_eight_pastes() {
    // Given a full store with free pages, whose list is damaged
    let mut driven = stopped(0);
    driven.open();
    for number in 100..140 {
        let small = random(&driven, 20_000, 0);
        driven.save(id(number), small).unwrap();
    }
    driven.remove(id(1), Reason::Deleted).unwrap();
    driven.close();
    let file = driven.directory.path().join("tidebin.db");
    let mut bytes = std::fs::read(&file).unwrap();
    // The number of the list's first page is in the header (bytes 32 to 35). Its second number is the count of pages.
    let page = u32::from_be_bytes(bytes[32..36].try_into().unwrap()) as usize;
    assert!(page > 0, "there are free pages");
    bytes[(page - 1) * PAGE + 4] = 0x40;
    std::fs::write(&file, bytes).unwrap();
    driven.open();
    // When pastes are saved and deleted
    for number in 200..220 {
        let large = random(&driven, LARGE, 0);
        assert_eq!(driven.save(id(number), large), Err(StoreError::Failed));
        assert_eq!(
            driven.remove(id(number - 100), Reason::Deleted),
            Err(StoreError::Failed)
        );
    }
    driven.advance(30);
    driven.look_after();
    // Then the server goes on, and nearly all pastes are still read, also after a restart
    for _ in 0..2 {
        let is_read = |number: &u64| driven.get(id(*number)).is_ok();
        let read = (100..140).filter(is_read).count();
        assert!(read >= 32, "{read}");
        assert!(!driven.store().has_failed());
        driven.restart();
    }
}

#[test]
fn a_wrong_size_in_a_row_is_damage_of_that_paste_and_costs_no_other_one() {
    let mut driven = stopped(0);
    let damage = |size: u64| {
        // The record is damaged too, or the size would be that of a large paste.
        let damage = format!("UPDATE meta SET size = {size}, record = x'00' WHERE seq = 1");
        driven.database().execute_batch(&damage).unwrap();
    };
    // Given a paste whose row says that it has half a gibibyte, then a check finds it, and removes nothing
    damage(1 << 29);
    let report = shrunk(&driven);
    let has_removed = report.text.contains("Removed ");
    assert!(!has_removed && report.faults > 0, "{report:?}");
    // Given one whose row says that it has a tebibyte, which no paste has, then a check finds it, and removes none
    damage(1 << 40);
    let report = shrunk(&driven);
    let has_kept = report.text.contains("Removed 0 live pastes");
    assert!(has_kept && report.faults > 0, "{report:?}");
    // And a start serves the others
    driven.open();
    assert!(driven.peek(id(2)).is_ok());
    assert_eq!(driven.get(id(1)).map(text), Err(StoreError::NotFound));
}

fn shrunk(driven: &Driven) -> Report {
    let path = driven.directory.path();
    check(
        path,
        Limits::new(SMALL_DISK, MEMORY).unwrap(),
        64 << 10,
        Keys::new(&[7; 32]),
        driven.now(),
        true,
        &Stop::default(),
    )
    .unwrap()
}

#[test]
fn a_damaged_backup_is_refused_as_such_and_leaves_no_database() {
    for byte in [0xee, 0xff] {
        // Given a backup with a page that names one behind the last, or behind the last possible one
        let driven = stopped(0);
        break_chain(&driven, byte);
        let file = driven.directory.path().join("tidebin.db");
        // When it is restored into an empty directory, then the damage is told, and there is no database
        let empty = Directory::new();
        let refused = restore(empty.path(), &file, None, &Stop::default());
        assert_refused(refused, "database disk image is malformed");
        assert!(!empty.path().join("tidebin.db").exists());
        // And a backup of it tells the same
        let copy = empty.path().join("copy.db");
        let refused = super::backup(driven.directory.path(), &copy, None, &Stop::default());
        assert_refused(refused, "database disk image is malformed");
        assert!(!copy.exists());
    }
}
