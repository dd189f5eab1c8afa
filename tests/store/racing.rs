//! Operations at the same time: readers against what ends a paste, and savers for one slug.

use std::sync::Barrier;
use std::thread;

use tidebin::paste::Timestamp;
use tidebin::store::{Reason, StoreError};
use tokio::runtime::{Builder, Runtime};

use crate::changing::to;
use crate::fixture::{Fixture, gone, id, text};
use crate::new_paste::{NewPaste, revision};
use crate::rounds::rounds;

cases! { AMPLE: memory disk engine => [
    a_removal_succeeds_only_while_reads_are_left,
    an_expiry_takes_only_reads_that_are_left,
    a_change_takes_no_read_away,
    exactly_one_of_those_who_save_at_a_slug_at_once_gets_it,
]}

/// The reads of each paste.
pub const READS: usize = 3;

fn runtime() -> Runtime {
    let mut runtime = Builder::new_current_thread();
    runtime.enable_all().build().unwrap()
}

/// Saves this paste for three reads, and lets four readers race for it against the rival. Returns how many got
/// it, and what the rival got.
pub fn race<T: Send>(
    store: &Fixture,
    key: u64,
    saved: NewPaste,
    rival: impl FnOnce(&Runtime) -> T + Send,
) -> (usize, T) {
    store.save(key, saved.lasting(10).burning(3)).unwrap();
    let seen = store.peek(key).unwrap();
    let (tier, now, start) = (store.store(), store.now(), &Barrier::new(5));
    thread::scope(|scope| {
        let read = || {
            let runtime = runtime();
            start.wait();
            runtime.block_on(tier.consume(now, id(key), &seen)).is_ok()
        };
        let readers = [(); 4].map(|()| scope.spawn(read));
        let runtime = runtime();
        start.wait();
        let outcome = rival(&runtime);
        let shown = readers.map(|reader| usize::from(reader.join().unwrap()));
        (shown.iter().sum(), outcome)
    })
}

fn a_removal_succeeds_only_while_reads_are_left(store: &mut Fixture) {
    for key in 0..rounds(12).into() {
        let (tier, now) = (store.store(), store.now());
        let (shown, removed) = race(store, key, NewPaste::text("x"), |runtime| {
            runtime.block_on(tier.remove(now, id(key), Reason::Deleted.into()))
        });
        let reason = match removed {
            Ok(()) => Reason::Deleted,
            refused => {
                assert_eq!(refused, gone(Reason::Burned));
                Reason::Burned
            }
        };
        assert_eq!(store.get(key).map(text), gone(reason));
        assert!((shown == READS) == (reason == Reason::Burned) && shown <= READS);
    }
    store.store().validate();
}

fn an_expiry_takes_only_reads_that_are_left(store: &mut Fixture) {
    for key in 0..rounds(12).into() {
        let (tier, later) = (
            store.store(),
            Timestamp::from_millis(store.now().as_millis() + 10_000),
        );
        let (shown, ()) = race(store, key, NewPaste::text("x"), |runtime| {
            runtime.block_on(tier.sweep(later))
        });
        store.advance(10);
        let expected = if shown == READS {
            gone(Reason::Burned)
        } else {
            store.expired()
        };
        assert_eq!(store.get(key).map(text), expected);
        assert!(shown <= READS);
    }
    store.store().validate();
}

fn a_change_takes_no_read_away(store: &mut Fixture) {
    for key in 0..rounds(12).into() {
        let (tier, now, change) = (store.store(), store.now(), to("y"));
        let (mut shown, changed) = race(store, key, NewPaste::text("x"), |runtime| {
            runtime.block_on(tier.update(now, id(key), &change, revision(1 << 40)))
        });
        while store.consume(key).is_ok() {
            shown += 1;
        }
        assert_eq!(shown, READS, "{changed:?}");
        assert_eq!(store.get(key).map(text), gone(Reason::Burned));
    }
    store.store().validate();
}

fn exactly_one_of_those_who_save_at_a_slug_at_once_gets_it(store: &mut Fixture) {
    let (tier, now, start) = (store.store(), store.now(), &Barrier::new(4));
    for key in 0..rounds(12).into() {
        let save = |turn| {
            let (saver, paste) = NewPaste::text("x").of(1).at("my-notes").parts(now, turn);
            let runtime = runtime();
            start.wait();
            runtime.block_on(tier.insert(now, saver, id(key), paste))
        };
        let saved = thread::scope(|scope| {
            let save = &save;
            let savers = [1, 2, 3, 4].map(|turn| scope.spawn(move || save(turn)));
            savers.map(|saver| saver.join().unwrap())
        });
        let count = |outcome| saved.iter().filter(|it| **it == outcome).count();
        assert_eq!((count(Ok(())), count(Err(StoreError::IdTaken))), (1, 3));
    }
}
