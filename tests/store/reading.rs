//! Reading pastes, and counting the reads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tidebin::paste::{Access, ReadsLeft};
use tidebin::store::{Reason, StoreError};

use crate::fixture::{Fixture, gone, id, text, unknown};
use crate::new_paste::NewPaste;

cases! { AMPLE: memory disk engine => [
    a_read_of_an_open_paste_counts_and_all_else_does_not,
    reads_are_counted_by_hour_and_by_day,
    reads_left_count_down_and_the_last_one_leaves_a_reason,
    a_read_that_uses_up_nothing_is_counted_in_the_paste_that_is_shown,
    a_paste_that_changed_is_not_consumed_as_it_was,
    readers_at_once_get_a_paste_as_often_as_allowed,
]}

fn a_read_of_an_open_paste_counts_and_all_else_does_not(store: &mut Fixture) {
    let left = ReadsLeft::new(2).unwrap();
    let accesses = [Access::Open, Access::Link, Access::Burn(left)];
    for (key, access) in (0..).zip(accesses) {
        store
            .save(key, NewPaste::text("x").read_as(access))
            .unwrap();
        let counted = u32::from(access == Access::Open);
        for reads in 1..3 {
            assert_eq!(store.get(key).unwrap().reads(), reads * counted);
            assert_eq!(store.peek(key).unwrap().reads(), reads * counted);
        }
    }
    assert_eq!(store.get(9).map(text), unknown());
}

fn reads_are_counted_by_hour_and_by_day(store: &mut Fixture) {
    store.save(1, NewPaste::text("x")).unwrap();
    // Given two reads, one in the next hour, and three a day later
    for (reads, seconds) in [(2, 3600), (1, 86_400), (3, 0)] {
        for _ in 0..reads {
            store.get(1).unwrap();
        }
        store.advance(seconds);
    }
    // Then each is in its hour and in its day
    let counts = store.counts(1).unwrap();
    let hours = counts.by_hour(store.now());
    assert_eq!((hours[23], hours.iter().sum::<u32>()), (3, 3));
    let days = counts.by_day(store.now());
    assert_eq!((days[28], days[29]), (3, 3));
    assert_eq!(store.peek(1).unwrap().reads(), 6);
}

fn reads_left_count_down_and_the_last_one_leaves_a_reason(store: &mut Fixture) {
    let accesses = [Access::Burn, |left| Access::Locked(Some(left))];
    for (key, access) in (0..).zip(accesses) {
        let access = access(ReadsLeft::new(2).unwrap());
        store
            .save(key, NewPaste::text("x").read_as(access))
            .unwrap();
        let seen = store.peek(key).unwrap();
        let first = store.consume_as(key, &seen).unwrap();
        assert_eq!((first.left, &first.paste.bytes()[..]), (Some(1), &b"x"[..]));
        let left = store.peek(key).unwrap().access().reads_left();
        assert_eq!(left, ReadsLeft::new(1));
        assert_eq!(store.consume(key), Ok(Some(0)));
        // Then no client gets it, whether it looks now or did before
        assert_eq!(store.get(key).map(text), gone(Reason::Burned));
        let late = store.consume_as(key, &seen).unwrap_err();
        assert_eq!(late, StoreError::Gone(Reason::Burned));
    }
    store.store().validate();
}

fn a_read_that_uses_up_nothing_is_counted_in_the_paste_that_is_shown(store: &mut Fixture) {
    let saved = NewPaste::text("encrypted").read_as(Access::Locked(None));
    store.save(1, saved).unwrap();
    for reads in 1..3 {
        let seen = store.peek(1).unwrap();
        let consumed = store.consume_as(1, &seen).unwrap();
        assert_eq!((consumed.paste.reads(), consumed.left), (reads, None));
        assert_eq!(store.peek(1).unwrap().reads(), reads);
        let counts = store.counts(1).unwrap();
        assert_eq!(counts.by_day(store.now())[29], reads);
    }
}

fn a_paste_that_changed_is_not_consumed_as_it_was(store: &mut Fixture) {
    store.save(1, NewPaste::text("first").burning(1)).unwrap();
    let seen = store.peek(1).unwrap();
    store.update(1, &crate::changing::to("second")).unwrap();
    let mut consumed = store.consume_as(1, &seen);
    if !store.is_engine() {
        assert_eq!(consumed.map(drop).unwrap_err(), StoreError::Changed);
        // Then it can still be looked at and read
        consumed = store.consume_as(1, &store.peek(1).unwrap());
    }
    // An engine shows it as it is when its last view is used up
    let consumed = consumed.unwrap();
    assert_eq!(&**consumed.paste.bytes(), b"second");
    assert_eq!(consumed.left, Some(0));
}

fn readers_at_once_get_a_paste_as_often_as_allowed(store: &mut Fixture) {
    const READS: usize = 5;
    store.save(1, NewPaste::text("x").burning(5)).unwrap();
    let (shown, now) = (AtomicUsize::new(0), store.now());
    let seen = store.peek(1).unwrap();
    let tier = store.store();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = runtime.enable_all().build().unwrap();
                for _ in 0..READS {
                    let consumed = runtime.block_on(tier.consume(now, id(1), &seen));
                    shown.fetch_add(usize::from(consumed.is_ok()), Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!(shown.into_inner(), READS);
    assert_eq!(store.get(1).map(text), gone(Reason::Burned));
}
