//! Tests of the memory tier alone: how long the lock is held, tables and records, many threads, and the sweeper. Tests
//! of what all tiers promise are in `tests/store`.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::*;
use crate::paste::{Access, Content, Draft, Expiry, TokenHash};

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

/// An open paste of this many bytes that is saved at the time zero. Zero seconds mean that it never expires.
fn paste(size: usize, seconds: u64) -> StoredPaste {
    let draft = Draft {
        slug: None,
        content: Content::new(&vec![b'x'; size], size).expect("not empty"),
        title: None,
        language: None,
        expiry: Expiry::from_seconds(seconds).unwrap_or(Expiry::Never),
    };
    let revision = Revision::from_random([0; 8]);
    StoredPaste::new(draft, Access::Open, revision, at(0), TokenHash::of(""))
}

#[track_caller]
fn save(store: &Store, client: ClientKey, key: u64, paste: StoredPaste) {
    assert_eq!(store.insert(at(0), client.into(), id(key), paste), Ok(()));
}

#[test]
fn a_large_paste_evicts_more_than_a_batch_of_tiny_ones() {
    let store = Store::new(Budget::new(1 << 20), Box::new(|_| ()));
    for key in 0..1200 {
        save(&store, CLIENT, key, paste(1, 10));
    }
    save(&store, CLIENT, 9999, paste(700_000, 10));
    assert!(store.occupancy().pastes < 1200 - 3 * BATCH);
    store.validate();
}

#[test]
fn a_large_insert_ends_however_many_others_insert_between_its_lock_holds() {
    let budget = 4 << 20;
    let mut state = State::new(Budget::new(budget), Arc::default());
    let mut next = 0;
    let mut insert_tiny = |state: &mut State| {
        let tiny = paste(1, 10);
        let cost = cost_of(&tiny);
        assert!(state.make_room(at(0), CLIENT, cost, &mut Vec::new()));
        state.insert(CLIENT, id(next), tiny.into_data(), cost);
        next += 1;
    };
    while state.stats(at(0)).removed.evicted == 0 {
        insert_tiny(&mut state);
    }
    let (large, mut holds) = (state.largest, 1);
    while !state.make_room(at(0), CLIENT, large, &mut Vec::new()) {
        state.reserved_room = state.room - state.ledger.charged();
        // This inserts more pastes than one batch removes.
        for _ in 0..2 * BATCH {
            insert_tiny(&mut state);
        }
        assert_eq!(state.inconsistency(), None);
        state.reserved_room = 0;
        holds += 1;
        assert!(
            holds <= budget / budget::LEAST_COST / BATCH + 1,
            "{holds} holds"
        );
    }
}

#[test]
fn large_inserts_at_once_with_room_for_one_all_succeed_in_turn() {
    let store = Store::new(Budget::new(4 << 20), Box::new(|_| ()));
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..20 {
                    for tiny in 0..400 {
                        let key = thread * 1_000_000 + round * 1_000 + tiny;
                        let saved = store.insert(at(0), CLIENT.into(), id(key), paste(1, 10));
                        assert_eq!(saved, Ok(()));
                    }
                    let large = paste(3 << 20, 10);
                    let key = thread * 1_000_000 + round * 1_000 + 999;
                    assert_eq!(store.insert(at(0), CLIENT.into(), id(key), large), Ok(()));
                }
            });
        }
    });
    store.validate();
}

#[test]
fn the_table_keeps_its_size_however_long_a_full_store_of_tiny_pastes_churns() {
    let store = Store::new(Budget::new(4 << 20), Box::new(|_| ()));
    for key in 0..200_000 {
        save(&store, CLIENT, key, paste(1, 10));
    }
    store.validate();
}

#[test]
fn many_threads_on_one_store_leave_it_consistent_and_within_its_budget() {
    let store = Store::new(Budget::new(256 << 10), Box::new(|_| ()));
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..3_000u64 {
                    let now = at(round * 7);
                    let key = thread * 1_000_000 + round;
                    let size = usize::try_from(round * 37 % 5000).unwrap_or(0) + 1;
                    let seconds = now.as_millis() / 1000 + 1 + round % 20;
                    let saved = store.insert(now, CLIENT.into(), id(key), paste(size, seconds));
                    assert_eq!(saved, Ok(()));
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

/// How long a test waits for a thread.
const PATIENCE: Duration = Duration::from_secs(300);

#[test]
fn the_sweeper_frees_expired_pastes_and_wakes_for_an_earlier_deadline() {
    let (swept, is_swept) = channel();
    let hook = Box::new(move |id| swept.send(id).unwrap());
    let store = Arc::new(Store::new(Budget::new(Budget::LEAST), hook));
    let sweeper = Sweeper::start(Arc::clone(&store), || at(5_000)).unwrap();
    save(&store, CLIENT, 1, paste(9, 3600));
    // By the sweeper's clock, this paste has expired when it is inserted.
    save(&store, CLIENT, 2, paste(9, 1));
    // Then the sweeper does not sleep until the first deadline
    assert_eq!(is_swept.recv_timeout(PATIENCE), Ok(id(2)));
    drop(sweeper);
    assert_eq!(store.occupancy().pastes, 1);
    store.validate();
}

#[test]
fn the_sweeper_stops_at_once_even_if_the_next_deadline_is_far_away() {
    let (stopped, has_stopped) = channel();
    std::thread::spawn(move || {
        for _ in 0..50 {
            let store = Arc::new(Store::new(Budget::new(Budget::LEAST), Box::new(|_| ())));
            save(&store, CLIENT, 1, paste(9, 3600));
            drop(Sweeper::start(store, || at(0)).unwrap());
        }
        stopped.send(()).unwrap();
    });
    assert_eq!(has_stopped.recv_timeout(PATIENCE), Ok(()));
}

/// Makes a client whose hashes are spread like keyed hashes.
fn client(network: u64, client: u64) -> ClientKey {
    let spread = |bits: u64| bits.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ClientKey {
        network: spread(network),
        client: spread((network << 32) | client),
    }
}

#[test]
fn a_flood_from_a_thousand_networks_evicts_no_client_that_holds_less_than_they() {
    // Given clients with five pastes each, which take less than a thousandth of the store
    let store = Store::new(Budget::new(8 << 20), Box::new(|_| ()));
    for key in 0..100 {
        save(&store, client(5000 + key / 5, 0), key, paste(900, 0));
    }
    // When a thousand networks write ten times the budget
    let cost = cost_of(&paste(900, 0));
    for number in 0..(80 << 20) / cost as u64 {
        let flooder = client(number % 1000, number % 3);
        save(&store, flooder, 1000 + number, paste(900, 0));
    }
    assert!(store.removal_counts().evicted > 10_000);
    assert!((0..100).all(|key| store.peek(at(0), id(key)).is_ok()));
    store.validate();
}

#[test]
fn of_ten_thousand_savers_of_an_equal_paste_those_read_or_saved_last_keep_theirs() {
    // Given a store with room for a part of the pastes
    let store = Store::new(Budget::new(4 << 20), Box::new(|_| ()));
    // When each client saves one, and another reads the first one after each save
    for n in 0..10_000 {
        save(&store, client(n, 0), n, paste(100, 0));
        store.get(at(0), id(0)).expect("it is read again and again");
    }
    // Then those saved last are there, and no other but the one that is read
    let kept = store.occupancy().pastes as u64;
    assert!((2_000..8_000).contains(&kept), "{kept}");
    let first = 10_000 - (kept - 1);
    assert!((first..10_000).all(|n| store.peek(at(0), id(n)).is_ok()));
    // And when all are read, oldest last, the newest make room for the next
    for n in (first..10_000).rev() {
        store.get(at(0), id(n)).expect("it is kept");
    }
    for n in 10_000..10_100 {
        save(&store, client(n, 0), n, paste(100, 0));
    }
    assert!((first..9_901).all(|n| store.peek(at(0), id(n)).is_ok()));
    assert!((10_000..10_100).all(|n| store.peek(at(0), id(n)).is_ok()));
    store.validate();
}

#[test]
fn thirty_thousand_clients_come_and_go_and_leave_nothing_behind() {
    let store = Store::new(Budget::new(1 << 20), Box::new(|_| ()));
    for key in 0..30_000 {
        save(&store, client(key, 0), key, paste(10, 0));
    }
    let full = store.occupancy();
    store.validate();
    for key in 0..30_000 {
        let _ = store.remove(at(0), id(key), Reason::Deleted);
    }
    // Then no record of a client is left, and as many new clients fit into the store as before.
    store.validate();
    assert_eq!(store.occupancy().pastes, 0);
    for key in 200_000..230_000 {
        save(&store, client(key, 0), key, paste(10, 0));
    }
    assert_eq!(store.occupancy(), full);
}
