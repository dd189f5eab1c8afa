//! A clock that was wrong at a start destroys nothing, and does not stay wrong for ever.

use super::*;

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

/// A store with a paste that lasts for a week, which has served for two hours.
fn served() -> Driven {
    let driven = Driven::new();
    let saved = paste(b"kept", Access::Open, 7 * DAY, driven.now());
    driven.save(id(1), saved).unwrap();
    driven.advance(2 * HOUR);
    driven
}

/// Sets the clock while the server is stopped, and starts it as the server does: not before the last time seen.
fn start_at(driven: &mut Driven, millis: u64) {
    driven.close();
    let opened = open(driven.directory.path(), DISK).unwrap();
    let start = millis.max(opened.last_seen.as_millis());
    drop(opened);
    driven.clock.store(start, Ordering::SeqCst);
    driven.open();
}

#[test]
fn a_clock_set_back_by_a_day_or_ten_years_stays_at_the_last_time_seen() {
    for days in [1, 3652] {
        let mut driven = served();
        let stop = driven.now().as_millis();
        start_at(&mut driven, stop - days * DAY * 1000);
        assert_eq!(driven.now().as_millis(), stop);
        assert_eq!(driven.get(id(1)).map(text).unwrap(), "kept");
        // The paste expires when it was promised, and not days later
        driven.advance(7 * DAY - 2 * HOUR);
        assert_eq!(driven.get(id(1)).map(text), gone(Reason::Expired));
    }
}

#[test]
fn pastes_hidden_by_a_clock_ten_years_ahead_are_shown_when_it_is_corrected() {
    // Given a server that starts with a wrong clock, serves for less than an hour, and is stopped
    let mut driven = served();
    let stop = driven.now().as_millis();
    start_at(&mut driven, stop + 3652 * DAY * 1000);
    assert_eq!(driven.get(id(1)).map(text), gone(Reason::Expired));
    let other = paste(b"saved meanwhile", Access::Open, DAY, driven.now());
    driven.save(id(2), other).unwrap();
    driven.remove(id(2), Reason::Deleted).unwrap();
    driven.advance(50 * 60);
    driven.runtime.block_on(driven.store().sweep(driven.now()));
    // When it starts with the right clock
    let start = stop + 2 * HOUR * 1000;
    start_at(&mut driven, start);
    // Then the clock is right, and nothing was destroyed
    assert_eq!(driven.now().as_millis(), start);
    assert_eq!(driven.get(id(1)).map(text).unwrap(), "kept");
}

#[test]
fn a_clock_that_is_a_day_ahead_hides_only_what_expires_within_that_day() {
    let mut driven = served();
    let soon = paste(b"soon", Access::Open, HOUR, driven.now());
    driven.save(id(2), soon).unwrap();
    let stop = driven.now().as_millis();
    start_at(&mut driven, stop + DAY * 1000);
    assert_eq!(driven.get(id(1)).map(text).unwrap(), "kept");
    assert_eq!(driven.get(id(2)).map(text), gone(Reason::Expired));
    // Expired pastes are deleted once the server has run for an hour
    driven.advance(HOUR);
    driven.runtime.block_on(driven.store().sweep(driven.now()));
    assert_eq!(driven.store().occupancy().pastes, 1);
}

#[test]
fn the_time_is_written_while_pastes_are_saved_so_a_crash_does_not_lose_it() {
    // Given a server that has run for two hours, and saves a paste now and then
    let driven = served();
    let seen = || -> u64 {
        let select = "SELECT value FROM state WHERE name = 'last_seen'";
        let connection = rusqlite::Connection::open(driven.directory.path().join("tidebin.db"));
        let seen = connection.unwrap().query_row(select, [], |row| row.get(0));
        seen.map_or(0, |seen: i64| u64::try_from(seen).unwrap())
    };
    // Then the time on disk follows within minutes, without a stop
    let written = (2..100).find(|number| {
        driven.advance(10);
        let saved = paste(b"x", Access::Open, DAY, driven.now());
        driven.save(id(*number), saved).unwrap();
        seen() + 120_000 >= driven.now().as_millis()
    });
    assert!(written.is_some());
}

#[test]
fn a_clock_that_is_behind_what_it_showed_in_the_first_hour_is_noticed() {
    // Given a new database that has served for ten minutes
    let mut driven = Driven::new();
    driven.advance(600);
    let stop = driven.now();
    driven.close();
    // Then a start hears what the clock showed, and is not bound by it
    let opened = open(driven.directory.path(), DISK).unwrap();
    assert_eq!(opened.last_shown, stop);
    assert!(opened.last_seen < stop);
}

#[test]
fn what_expires_while_the_server_runs_is_deleted_at_once() {
    // Given one paste that expired before the start, and one that expires after it
    let mut driven = Driven::new();
    for (number, seconds) in [(1, 60), (2, 600)] {
        let paste = paste(b"x", Access::Open, seconds, driven.now());
        driven.save(id(number), paste).unwrap();
    }
    let start = driven.now().as_millis() + 100_000;
    start_at(&mut driven, start);
    // When the second one expires
    driven.advance(600);
    driven.look_after();
    // Then it is deleted, and the first one is still only hidden
    assert_eq!(driven.store().occupancy().pastes, 1);
    for number in [1, 2] {
        assert_eq!(driven.get(id(number)).map(text), gone(Reason::Expired));
    }
}

#[test]
fn a_clock_that_is_set_back_is_noticed_although_the_server_was_killed_at_once() {
    // Given a server that was killed soon after its start
    let driven = Driven::new();
    driven.look_after();
    let killed = Directory::new();
    for name in ["tidebin.db", "tidebin.db-wal"] {
        std::fs::copy(driven.directory.path().join(name), killed.path().join(name)).unwrap();
    }
    // Then the next start hears what the clock showed
    let opened = open(killed.path(), DISK).unwrap();
    assert_eq!(opened.last_shown, driven.now());
}
