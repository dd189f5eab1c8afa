//! Checks of real files: damage is found, and a store is shrunk as a full one evicts.

use super::*;

const HEAVY: ClientKey = CLIENT;
const LIGHT: ClientKey = ClientKey {
    network: 2,
    client: 2,
};

fn checked(driven: &Driven, disk: usize, shrink: bool) -> Result<Report, CheckError> {
    let path = driven.directory.path();
    check(
        path,
        disk,
        MEMORY,
        64 << 10,
        Keys::new(&[7; 32]),
        driven.now(),
        shrink,
    )
}

/// A closed store with this many pastes of 8 KiB each of a heavy client, and one of a light client, which is the
/// oldest.
fn stopped_with(pastes: u64) -> Driven {
    let mut driven = Driven::new();
    let content = |number: u64| -> Vec<u8> {
        // Bytes that do not become fewer by compression.
        let mut random = number | 1;
        let next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random.to_le_bytes()
        };
        std::iter::repeat_with(next).take(1024).flatten().collect()
    };
    let now = driven.now();
    let light = (LIGHT, 0, paste(b"light", Access::Open, 0, now));
    let heavy = (1..=pastes).map(|number| {
        let heavy = paste(&content(number), Access::Open, 0, now);
        (HEAVY, number, heavy)
    });
    driven.save_all([light].into_iter().chain(heavy));
    driven.close();
    driven
}

fn run(driven: &Driven, statement: &str) {
    let database = driven.directory.path().join("tidebin.db");
    let database = rusqlite::Connection::open(database).unwrap();
    database.execute_batch(statement).unwrap();
}

#[test]
fn an_intact_store_is_fine_and_is_not_changed() {
    let mut driven = stopped_with(3);
    let report = checked(&driven, DISK, false).unwrap();
    assert!(report.is_fine(), "{report}");
    let pastes = report.pastes.unwrap();
    assert_eq!((pastes.count, pastes.expired), (4, 0));
    assert_eq!(report.removed, None);
    assert!(
        report
            .to_string()
            .contains("Pastes: 4, of which 0 have expired.")
    );
    driven.open();
    assert_eq!(driven.store().occupancy().bytes, pastes.charged);
}

#[test]
fn a_budget_with_which_the_server_would_refuse_to_start_is_a_fault() {
    let driven = stopped_with(3);
    let faults = |largest_paste| {
        let (path, keys, now) = (driven.directory.path(), Keys::new(&[7; 32]), driven.now());
        check(path, DISK, MEMORY, largest_paste, keys, now, false)
            .unwrap()
            .faults
    };
    assert_eq!(faults(1 << 20), [""; 0]);
    let faults = faults(6 << 20);
    let start = "TIDEBIN_MAX_STORE_SIZE (8 MiB) is too small for one paste";
    assert!(faults[0].starts_with(start), "{faults:?}");
}

#[test]
fn a_directory_that_a_server_uses_is_not_checked() {
    let driven = Driven::new();
    let refused = checked(&driven, DISK, true).unwrap_err().to_string();
    assert!(refused.starts_with("Another process uses"), "{refused}");
}

#[test]
fn each_damaged_paste_is_counted_and_the_others_are_not() {
    for damage in [
        "UPDATE meta SET record = zeroblob(length(record)) WHERE seq = 2",
        "UPDATE meta SET counts = x'0102' WHERE seq = 2",
        "UPDATE body SET content = x'01' WHERE seq = 2",
        "DELETE FROM body WHERE seq = 2",
    ] {
        let driven = stopped_with(3);
        run(&driven, damage);
        let report = checked(&driven, DISK, false).unwrap();
        assert_eq!(report.faults.len(), 1, "{damage}: {report}");
        let fault = &report.faults[0];
        assert!(fault.starts_with("1 paste is damaged"), "{fault}");
    }
    let driven = stopped_with(3);
    run(&driven, "DELETE FROM meta WHERE seq = 2");
    let report = checked(&driven, DISK, false).unwrap();
    assert_eq!(report.faults, ["1 content belongs to no paste."]);
}

#[test]
fn a_damaged_structure_is_found_and_the_records_are_not_trusted() {
    // Given a database whose pages after the first two are those of nothing
    let driven = stopped_with(40);
    let file = driven.directory.path().join("tidebin.db");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[5 * 4096..30 * 4096].fill(0x55);
    std::fs::write(&file, bytes).unwrap();
    // Then the check says so
    let report = checked(&driven, DISK, false).unwrap();
    assert!(!report.is_fine());
    assert_eq!(report.pastes, None);
    let report = report.to_string();
    assert!(report.starts_with("Structure: damaged."), "{report}");
    // And every line between the first and the last is marked as a fault
    let lines: Vec<_> = report.lines().collect();
    let faults = &lines[1..lines.len() - 1];
    let are_marked = faults.iter().all(|line| line.starts_with("Wrong: "));
    assert!(faults.len() > 1 && are_marked, "{report}");
}

#[test]
fn a_smaller_budget_is_named_and_shrinking_evicts_fairly_and_frees_the_disk() {
    // Given a store that is larger than a new budget
    let mut driven = stopped_with(600);
    let smaller = 4 << 20;
    let report = checked(&driven, smaller, false).unwrap();
    assert!(report.faults[0].contains("--shrink"), "{report}");
    assert_eq!(report.pastes.unwrap().count, 601);
    let size = |driven: &Driven| {
        let file = driven.directory.path().join("tidebin.db");
        std::fs::metadata(file).unwrap().len()
    };
    let before = size(&driven);
    // When it is shrunk
    let report = checked(&driven, smaller, true).unwrap();
    // Then the oldest pastes of the heavy client are gone, and the space is free
    assert!(report.is_fine(), "{report}");
    let removed = report.removed.unwrap();
    let line = format!(
        "Removed {} live pastes and 0 expired ones, ",
        removed.evicted
    );
    assert!(report.to_string().contains(&line), "{report}");
    assert!(removed.evicted > 300 && removed.expired == 0, "{removed:?}");
    assert_eq!(report.free, 0);
    assert!(size(&driven) < before / 2 && size(&driven) < smaller as u64);
    let report = checked(&driven, smaller, false).unwrap();
    assert!(report.is_fine(), "{report}");
    let left = report.pastes.unwrap();
    assert_eq!(left.count, 601 - removed.evicted);
    assert!(left.charged <= left.room);
    // And the server starts, and tells why they are gone
    driven.open();
    assert_eq!(driven.get(id(1)).map(text), gone(Reason::Evicted));
    assert_eq!(driven.get(id(0)).map(text).unwrap(), "light");
    assert!(driven.get(id(600)).is_ok());
}

#[test]
fn shrinking_removes_expired_pastes_first_and_leaves_what_fits() {
    // Given a heavy client whose pastes fit, and a light one whose paste has expired
    let mut driven = stopped_with(300);
    driven.open();
    let now = driven.now();
    let short = |number| (LIGHT, number, paste(b"short", Access::Open, 10, now));
    driven.save_all((1000..1200).map(short));
    driven.close();
    driven.advance(60);
    let all = checked(&driven, DISK, false).unwrap().pastes.unwrap();
    assert_eq!(all.expired, 200);
    // When the budget is a little too small for all
    let removed = checked(&driven, 7 << 20, true).unwrap().removed.unwrap();
    // Then only expired pastes are removed
    assert!(removed.expired > 0 && removed.evicted == 0, "{removed:?}");
    // And a larger budget removes nothing
    let removed = checked(&driven, DISK, true).unwrap().removed.unwrap();
    assert_eq!(removed, Removed::default());
}

#[test]
fn damaged_pastes_take_room_when_a_store_is_shrunk() {
    let mut driven = stopped_with(600);
    run(
        &driven,
        "UPDATE meta SET record = zeroblob(length(record)) WHERE seq > 580",
    );
    let report = checked(&driven, 8 << 20, true).unwrap();
    assert!(report.faults[0].starts_with("21 pastes are damaged"));
    assert!(report.removed.unwrap().evicted > 0);
    let opened = open(driven.directory.path(), 8 << 20);
    assert!(opened.is_ok(), "{opened:?}");
    drop(opened);
    driven.open();
}
