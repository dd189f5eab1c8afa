//! Checks of real files: damage is found, and a store is shrunk as a full one evicts.

use super::*;

const HEAVY: ClientKey = CLIENT;
const LIGHT: ClientKey = ClientKey {
    network: 2,
    client: 2,
};

fn checked(driven: &Driven, disk: usize, shrink: bool) -> Result<Report, Failure> {
    let path = driven.directory.path();
    check(
        path,
        Limits::new(disk, MEMORY)?,
        64 << 10,
        Keys::new(&[7; 32]),
        driven.now(),
        shrink,
        &Stop::default(),
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

/// Returns the numbers in the line of a report that starts so.
fn numbers(report: &Report, start: &str) -> Vec<usize> {
    let mut lines = report.text.lines();
    let line = lines.find(|line| line.starts_with(start)).unwrap();
    let parts = line.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// Asserts that the report has these faults, or some that start so, and no others.
fn assert_faults(report: &Report, faults: &[&str]) {
    let lines = report.text.lines();
    let found: Vec<_> = lines.filter_map(|it| it.strip_prefix("Wrong: ")).collect();
    let is_it = |(found, fault): (&&str, &&str)| found.starts_with(fault);
    let are_same = found.iter().zip(faults).all(is_it);
    assert!(are_same && found.len() == faults.len(), "{report:?}");
    assert_eq!(found.len(), report.faults);
}

#[test]
fn an_intact_store_is_fine_and_is_not_changed() {
    let mut driven = stopped_with(3);
    let report = checked(&driven, DISK, false).unwrap();
    assert_faults(&report, &[]);
    driven.open();
    let charged = ByteSize(driven.store().occupancy().bytes);
    let facts = format!(
        "Structure: intact.\nPastes: 4, of which 0 have expired. They take {charged}; TIDEBIN_MAX_DISK has room for "
    );
    assert!(report.text.starts_with(&facts), "{report:?}");
    assert!(!report.text.contains("Removed"), "{report:?}");
}

#[test]
fn a_budget_with_which_the_server_would_refuse_to_start_is_a_fault() {
    let driven = stopped_with(3);
    let checked = |largest_paste| {
        let (path, keys, now) = (driven.directory.path(), Keys::new(&[7; 32]), driven.now());
        let limits = Limits::new(DISK, MEMORY).unwrap();
        check(
            path,
            limits,
            largest_paste,
            keys,
            now,
            false,
            &Stop::default(),
        )
        .unwrap()
    };
    assert_faults(&checked(1 << 20), &[]);
    let fault = "TIDEBIN_MAX_STORE_SIZE (8 MiB) is too small for one paste";
    assert_faults(&checked(6 << 20), &[fault]);
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
        assert_faults(&report, &["1 paste is damaged"]);
    }
    let driven = stopped_with(3);
    run(&driven, "DELETE FROM meta WHERE seq = 2");
    let report = checked(&driven, DISK, false).unwrap();
    assert_faults(&report, &["1 content belongs to no paste."]);
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
    let text = &report.text;
    assert!(text.starts_with("Structure: damaged."), "{text}");
    assert!(!text.contains("Pastes: "), "{text}");
    // And every line between the first and the last is marked as a fault
    let lines: Vec<_> = text.lines().collect();
    let faults = &lines[1..lines.len() - 1];
    let are_marked = faults.iter().all(|line| line.starts_with("Wrong: "));
    assert!(faults.len() > 1 && are_marked, "{text}");
    assert_eq!(faults.len(), report.faults);
}

#[test]
fn a_smaller_budget_is_named_and_shrinking_evicts_fairly_and_frees_the_disk() {
    // Given a store that is larger than a new budget
    let mut driven = stopped_with(600);
    let smaller = 4 << 20;
    let report = checked(&driven, smaller, false).unwrap();
    assert_faults(&report, &["The stored pastes take"]);
    assert!(report.text.contains("--shrink"), "{report:?}");
    assert_eq!(numbers(&report, "Pastes: ")[0], 601);
    let size = |driven: &Driven| {
        let file = driven.directory.path().join("tidebin.db");
        std::fs::metadata(file).unwrap().len()
    };
    let before = size(&driven);
    // When it is shrunk
    let report = checked(&driven, smaller, true).unwrap();
    // Then the oldest pastes of the heavy client are gone, and the space is free
    assert_faults(&report, &[]);
    let evicted = numbers(&report, "Removed ")[0];
    assert!(evicted > 300, "{report:?}");
    let line = format!("Removed {evicted} live pastes and 0 expired ones, ");
    assert!(report.text.contains(&line), "{report:?}");
    let end = ", of which 0 bytes are free.\n";
    assert!(report.text.ends_with(end), "{report:?}");
    assert!(size(&driven) < before / 2 && size(&driven) < smaller as u64);
    let report = checked(&driven, smaller, false).unwrap();
    assert_faults(&report, &[]);
    assert_eq!(numbers(&report, "Pastes: ")[0], 601 - evicted);
    // And the server starts, and tells why the last of them is gone
    driven.open();
    let last = id(u64::try_from(evicted).unwrap());
    assert_eq!(driven.get(last).map(text), gone(Reason::Evicted));
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
    let all = checked(&driven, DISK, false).unwrap();
    assert_eq!(numbers(&all, "Pastes: ")[..2], [501, 200]);
    // When the budget is a little too small for all
    let report = checked(&driven, 7 << 20, true).unwrap();
    // Then only expired pastes are removed
    let removed = numbers(&report, "Removed ");
    assert!(removed[0] == 0 && removed[1] > 0, "{report:?}");
    // And a larger budget removes nothing
    let report = checked(&driven, DISK, true).unwrap();
    assert_eq!(numbers(&report, "Removed "), [0, 0, 0]);
}

#[test]
fn damaged_pastes_take_room_when_a_store_is_shrunk() {
    let mut driven = stopped_with(600);
    run(
        &driven,
        "UPDATE meta SET record = zeroblob(length(record)) WHERE seq > 580",
    );
    let report = checked(&driven, 8 << 20, true).unwrap();
    assert_faults(&report, &["21 pastes are damaged"]);
    assert!(numbers(&report, "Removed ")[0] > 0);
    let opened = open(driven.directory.path(), 8 << 20);
    assert!(opened.is_ok(), "{:?}", opened.err());
    drop(opened);
    driven.open();
}
