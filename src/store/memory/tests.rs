//! Tests of the store: one test for each promise, and tests with many threads on one store. `fairness` tests which
//! paste is evicted. `steps` compares the store with a reference implementation.

mod fairness;
mod model;
mod steps;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::paste::{Access, Change, Content, Draft, Expiry, OwnerId, Title, TokenHash};

const CLIENT: ClientKey = ClientKey {
    network: 1,
    client: 1,
};

fn id(bits: u64) -> PasteId {
    // The keys are spread like random ids. The odd factor keeps them different.
    PasteId::from_random(
        bits.wrapping_add(1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .to_be_bytes(),
    )
}

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn draft(size: usize, title: usize, seconds: u64) -> Draft {
    Draft {
        slug: None,
        content: Content::new(&vec![b'x'; size], size).expect("not empty"),
        title: Title::new(&"t".repeat(title)),
        language: None,
        expiry: Expiry::from_seconds(seconds).unwrap_or(Expiry::Never),
    }
}

fn paste(size: usize, title: usize, seconds: u64, now: Timestamp) -> StoredPaste {
    let draft = draft(size, title, seconds);
    StoredPaste::new(draft, Access::Open, revision(0), now, TokenHash::of(""))
}

fn owner_id(number: u8) -> OwnerId {
    OwnerId::of_secret(&number.to_string())
}

/// Returns the revision that the step with this number makes.
fn revision(step: usize) -> Revision {
    Revision::from_random((step as u64).to_be_bytes())
}

fn small_store() -> Store {
    Store::new(Budget::new(Budget::LEAST))
}

#[test]
fn a_change_of_one_content_does_not_change_another() {
    let store = small_store();
    store
        .insert(at(0), CLIENT, id(1), paste(9, 0, 10, at(0)))
        .unwrap();
    let seen = store.peek(at(0), id(1)).unwrap().saved();
    let change = |size| Change {
        of: Some(seen),
        content: Content::new(&vec![b'y'; size], size).ok(),
        ..Change::default()
    };
    assert_eq!(store.update(at(0), id(1), &change(5), revision(1)), Ok(()));
    let later = store.update(at(0), id(1), &change(6), revision(2));
    assert_eq!(later, Err(UpdateError::ContentChanged));
    assert_eq!(store.peek(at(0), id(1)).unwrap().content_bytes(), 5);
}

#[test]
fn a_paste_is_found_until_its_deadline_and_not_after_it_even_without_a_sweep() {
    let store = small_store();
    store
        .insert(at(0), CLIENT, id(1), paste(9, 0, 10, at(0)))
        .unwrap();
    assert!(store.get(at(9_999), id(1)).is_ok());
    assert_eq!(
        store.get(at(10_000), id(1)).err(),
        Some(NotFound::Gone(Reason::Expired))
    );
    assert_eq!(store.occupancy().pastes, 1);
    assert_eq!(store.sweep(at(10_000)), 1);
    assert_eq!(
        store.get(at(10_000), id(1)).err(),
        Some(NotFound::Gone(Reason::Expired))
    );
}

#[test]
fn the_removal_hook_is_called_for_every_removed_paste() {
    let heard: Arc<Mutex<Vec<PasteId>>> = Arc::default();
    let listener = Arc::clone(&heard);
    let store = Store::with_removal_hook(
        Budget::new(Budget::LEAST),
        Box::new(move |id| listener.lock().push(id)),
    );
    let keep = |key, seconds| {
        let size = store.room() / 4;
        store.insert(at(0), CLIENT, id(key), paste(size, 0, seconds, at(0)))
    };
    keep(1, 100).unwrap();
    keep(2, 10).unwrap();
    keep(3, 100).unwrap();
    assert!(heard.lock().is_empty());
    store.remove(at(1), id(3), Reason::Deleted).unwrap();
    assert_eq!(store.sweep(at(10_000)), 1);
    assert_eq!(*heard.lock(), [id(3), id(2)]);
    for key in 4..8 {
        keep(key, 100).unwrap();
    }
    assert_eq!(*heard.lock(), [id(3), id(2), id(1), id(4)]);
}

#[test]
fn many_pastes_with_the_same_deadline_each_keep_their_own_entry() {
    let store = small_store();
    for key in 0..50 {
        store
            .insert(at(0), CLIENT, id(key), paste(1, 0, 10, at(0)))
            .unwrap();
    }
    store.remove(at(1), id(25), Reason::Deleted).unwrap();
    store.validate();
    assert_eq!(store.sweep(at(10_000)), 49);
    store.validate();
}

#[test]
fn expired_pastes_make_room_before_others_do() {
    let store = small_store();
    store
        .insert(at(0), CLIENT, id(1), paste(20_000, 0, 100, at(0)))
        .unwrap();
    store
        .insert(at(0), CLIENT, id(2), paste(20_000, 0, 1, at(0)))
        .unwrap();
    store
        .insert(at(2_000), CLIENT, id(3), paste(30_000, 0, 100, at(2_000)))
        .unwrap();
    assert!(store.peek(at(2_000), id(1)).is_ok());
    assert_eq!(
        store.peek(at(2_000), id(2)).err(),
        Some(NotFound::Gone(Reason::Expired))
    );
}

#[test]
fn a_paste_larger_than_the_store_is_refused_and_nothing_is_evicted_for_it() {
    let store = small_store();
    store
        .insert(at(0), CLIENT, id(1), paste(9, 0, 10, at(0)))
        .unwrap();
    assert_eq!(
        store.insert(at(0), CLIENT, id(2), paste(70_000, 0, 10, at(0))),
        Err(InsertError::TooLarge)
    );
    assert!(store.peek(at(0), id(1)).is_ok());
}

#[test]
fn a_large_paste_evicts_more_than_a_batch_of_tiny_ones() {
    let store = Store::new(Budget::new(1 << 20));
    for key in 0..1200 {
        store
            .insert(at(0), CLIENT, id(key), paste(1, 0, 10, at(0)))
            .unwrap();
    }
    store
        .insert(at(1), CLIENT, id(9999), paste(700_000, 0, 10, at(1)))
        .unwrap();
    assert!(store.occupancy().pastes < 1200 - 3 * BATCH);
    store.validate();
}

#[test]
fn a_large_insert_ends_however_many_others_insert_between_its_lock_holds() {
    let budget = 4 << 20;
    let mut state = State::new(Budget::new(budget), Arc::default());
    let mut next = 0;
    let mut insert_tiny = |state: &mut State| {
        let tiny = paste(1, 0, 10, at(0));
        let cost = cost_of(&tiny);
        assert!(state.make_room(at(0), CLIENT, cost, &mut Vec::new()));
        state.insert(CLIENT, id(next), tiny.into_data(), cost);
        next += 1;
    };
    while state.removal_counts().evicted == 0 {
        insert_tiny(&mut state);
    }
    let (large, mut holds) = (state.largest(), 1);
    while !state.make_room(at(0), CLIENT, large, &mut Vec::new()) {
        state.reserve_room();
        // This inserts more pastes than one batch removes.
        for _ in 0..2 * BATCH {
            insert_tiny(&mut state);
        }
        assert_eq!(state.inconsistency(), None);
        state.release_reservation();
        holds += 1;
        assert!(
            holds <= budget / budget::LEAST_COST / BATCH + 1,
            "{holds} holds"
        );
    }
}

#[test]
fn large_inserts_at_once_with_room_for_one_all_succeed_in_turn() {
    let store = Store::new(Budget::new(4 << 20));
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..20 {
                    for tiny in 0..400 {
                        let key = thread * 1_000_000 + round * 1_000 + tiny;
                        let saved = store.insert(at(0), CLIENT, id(key), paste(1, 0, 10, at(0)));
                        assert_eq!(saved, Ok(()));
                    }
                    let large = paste(3 << 20, 0, 10, at(0));
                    let key = thread * 1_000_000 + round * 1_000 + 999;
                    assert_eq!(store.insert(at(0), CLIENT, id(key), large), Ok(()));
                }
            });
        }
    });
    store.validate();
}

#[test]
fn the_table_keeps_its_size_however_long_a_full_store_of_tiny_pastes_churns() {
    let store = Store::new(Budget::new(4 << 20));
    for key in 0..200_000 {
        store
            .insert(at(0), CLIENT, id(key), paste(1, 0, 10, at(0)))
            .unwrap();
    }
    store.validate();
}

#[test]
fn exactly_one_of_many_concurrent_removals_gets_the_paste() {
    let store = small_store();
    for round in 0..200 {
        store
            .insert(at(0), CLIENT, id(round), paste(9, 0, 10, at(0)))
            .unwrap();
        let winners = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let removed = store.remove(at(0), id(round), Reason::Burned).is_ok();
                    winners.fetch_add(usize::from(removed), Ordering::SeqCst);
                });
            }
        });
        assert_eq!(winners.into_inner(), 1, "round {round}");
    }
}

#[test]
fn many_threads_on_one_store_leave_it_consistent_and_within_its_budget() {
    let store = Store::new(Budget::new(256 << 10));
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..3_000u64 {
                    let now = at(round * 7);
                    let key = thread * 1_000_000 + round;
                    let size = usize::try_from(round * 37 % 5000).unwrap_or(0) + 1;
                    store
                        .insert(now, CLIENT, id(key), paste(size, 0, 1 + round % 20, now))
                        .unwrap();
                    let _ = store.get(now, id(key.saturating_sub(thread + 3)));
                    let _ = store.remove(now, id(key.saturating_sub(5)), Reason::Deleted);
                    if round % 64 == 0 {
                        store.sweep(now);
                    }
                    assert!(store.occupancy().bytes <= store.room());
                }
            });
        }
    });
    store.validate();
}

/// Waits until the condition is true, for at most 20 seconds. Returns false if it never was. The wait yields to the
/// sweeper's thread and does not sleep.
fn eventually(mut holds: impl FnMut() -> bool) -> bool {
    let patience = crate::clock::Clock::system();
    while patience.elapsed() < Duration::from_secs(20) {
        if holds() {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

#[test]
fn the_sweeper_frees_expired_pastes_and_wakes_for_an_earlier_deadline() {
    let store = Arc::new(small_store());
    let sweeper = Sweeper::start(Arc::clone(&store), || at(5_000)).unwrap();
    store
        .insert(at(0), CLIENT, id(1), paste(9, 0, 3600, at(0)))
        .unwrap();
    // By the sweeper's clock, this paste has expired when it is inserted.
    store
        .insert(at(0), CLIENT, id(2), paste(9, 0, 1, at(0)))
        .unwrap();
    assert!(
        eventually(|| store.occupancy().pastes == 1),
        "the sweeper slept through an earlier deadline"
    );
    drop(sweeper);
    store.validate();
}

#[test]
fn the_sweeper_stops_at_once_even_if_the_next_deadline_is_far_away() {
    let patience = crate::clock::Clock::system();
    for _ in 0..50 {
        let store = Arc::new(small_store());
        store
            .insert(at(0), CLIENT, id(1), paste(9, 0, 3600, at(0)))
            .unwrap();
        drop(Sweeper::start(store, || at(0)).unwrap());
    }
    assert!(patience.elapsed() < Duration::from_secs(20));
}
