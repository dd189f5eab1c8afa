//! Full stores in memory and on disk: which paste is evicted, and whom a flood harms.

use tidebin::fairness::ClientKey;
use tidebin::paste::{Access, Asked, Change};
use tidebin::store::{Reason, StoreError};

use crate::changing::to;
use crate::fixture::{Fixture, gone, id, text};
use crate::new_paste::{CLIENT, NewPaste};
use crate::racing::{READS, race};

cases! { SMALL: memory disk => [
    among_equal_clients_the_paste_that_was_unread_for_longest_is_evicted,
    a_paste_larger_than_the_store_is_refused_and_nothing_is_evicted,
    expired_pastes_make_room_before_others_do,
    the_least_recently_read_paste_is_evicted_first_and_peeks_do_not_count,
    a_counted_view_makes_a_paste_the_most_recently_used,
    a_new_paste_counts_for_its_client_before_the_heaviest_is_chosen,
    a_client_without_pastes_is_skipped_for_the_next_heaviest,
    the_heaviest_network_loses_even_if_the_heaviest_client_is_in_another,
    a_client_that_floods_takes_no_paste_of_another,
    a_network_that_floods_evicts_only_its_own_pastes,
    a_slug_of_an_evicted_paste_is_free_after_a_day,
    an_eviction_takes_only_reads_that_are_left,
    the_longest_answer_needs_no_more_room_than_its_question,
]}

/// Makes a client whose hashes are spread like keyed hashes.
fn client(network: u64, client: u64) -> ClientKey {
    let spread = |bits: u64| bits.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ClientKey {
        network: spread(network),
        client: spread((network << 32) | client),
    }
}

/// A paste of this many hundredths of the room.
fn part(store: &Fixture, hundredths: usize) -> NewPaste {
    NewPaste::random(store.store().room() * hundredths / 100)
}

/// Saves a paste of this many hundredths of the room.
#[track_caller]
fn save(store: &Fixture, client: ClientKey, key: u64, hundredths: usize) {
    let saved = part(store, hundredths).by(client);
    assert_eq!(store.save(key, saved), Ok(()));
    let (used, room) = (store.store().occupancy().bytes, store.store().room());
    assert!(used <= room, "{used} of {room}");
}

fn evicted(store: &Fixture) -> u64 {
    store.store().removal_counts().evicted
}

fn a_paste_larger_than_the_store_is_refused_and_nothing_is_evicted(store: &mut Fixture) {
    store.save(1, NewPaste::text("x")).unwrap();
    let large = NewPaste::random(9 << 20);
    assert!(matches!(store.save(2, large), Err(StoreError::TooLarge(_))));
    let large = to(&"y".repeat(9 << 20));
    assert!(matches!(
        store.update(1, &large),
        Err(StoreError::TooLarge(_))
    ));
    assert_eq!(store.peek(1).map(text).unwrap(), "x");
}

fn expired_pastes_make_room_before_others_do(store: &mut Fixture) {
    store.save(1, part(store, 30)).unwrap();
    store.save(2, part(store, 30).lasting(1)).unwrap();
    store.advance(2);
    store.save(3, part(store, 45)).unwrap();
    store.assert_stored([1, 3]);
    assert_eq!(store.peek(2).map(text), gone(Reason::Expired));
    assert_eq!(evicted(store), 0);
}

fn the_least_recently_read_paste_is_evicted_first_and_peeks_do_not_count(store: &mut Fixture) {
    for key in 0..4 {
        let open = part(store, 18).read_as(Access::Open);
        store.save(key, open).unwrap();
    }
    store.get(0).unwrap();
    store.peek(1).unwrap();
    store.save(4, part(store, 52)).unwrap();
    store.assert_stored([0, 3, 4]);
    for key in [1, 2] {
        assert_eq!(store.peek(key).map(text), gone(Reason::Evicted), "{key}");
    }
    assert_eq!(*store.heard.lock().unwrap(), [1, 2].map(id));
    assert_eq!(evicted(store), 2);
}

fn a_counted_view_makes_a_paste_the_most_recently_used(store: &mut Fixture) {
    store.save(0, part(store, 30).burning(3)).unwrap();
    store.save(1, part(store, 30)).unwrap();
    assert_eq!(store.consume(0), Ok(Some(2)));
    store.save(2, part(store, 52)).unwrap();
    store.assert_stored([0, 2]);
}

fn a_new_paste_counts_for_its_client_before_the_heaviest_is_chosen(store: &mut Fixture) {
    (0..2).for_each(|key| save(store, client(0, 0), key, 24));
    save(store, client(1, 0), 2, 30);
    save(store, client(1, 0), 3, 30);
    store.assert_stored([0, 1, 3]);
    assert_eq!(evicted(store), 1);
}

fn a_client_without_pastes_is_skipped_for_the_next_heaviest(store: &mut Fixture) {
    save(store, client(0, 0), 1, 20);
    save(store, client(1, 0), 2, 24);
    save(store, client(1, 1), 3, 22);
    // The new paste is the heaviest and the first of its client. So the heaviest network with pastes loses one.
    save(store, client(2, 0), 4, 45);
    store.assert_stored([1, 3, 4]);
    // The new client is heavier, but the other client of its network has the only paste to evict.
    save(store, client(2, 1), 5, 44);
    store.assert_stored([1, 3, 5]);
}

fn the_heaviest_network_loses_even_if_the_heaviest_client_is_in_another(store: &mut Fixture) {
    (0..3).for_each(|key| save(store, client(0, key), key, 15));
    save(store, client(1, 0), 3, 27);
    save(store, client(2, 0), 4, 30);
    store.assert_stored([3, 4]);
    assert_eq!(evicted(store), 1);
}

/// The first key of a flood. Other clients use smaller keys.
const FLOOD: u64 = 1 << 32;

/// Saves pastes by one client after the other, until they add up to twice the room. Then those of all others are
/// still there, and the last one of the flood.
fn flood(
    store: &Fixture,
    bystander: impl Fn(u64) -> ClientKey,
    flooder: impl Fn(u64) -> ClientKey,
) {
    for key in 0..12 {
        save(store, bystander(key), key, 2);
    }
    for n in 0..40 {
        save(store, flooder(n), FLOOD + n, 5);
    }
    assert!(evicted(store) > 15);
    store.assert_stored(0..12);
    store.assert_stored([FLOOD + 39]);
    store.store().validate();
}

fn among_equal_clients_the_paste_that_was_unread_for_longest_is_evicted(store: &mut Fixture) {
    // Given a full store with an equal paste of each of many clients
    let save = |store: &Fixture, key| {
        let saved = NewPaste::random(500).read_as(Access::Open);
        store.save(key, saved.by(client(key, 0))).unwrap();
    };
    let full = (0..).find(|key| {
        save(store, *key);
        evicted(store) > 0
    });
    let full = full.unwrap() + 1;
    store.assert_stored(1..full);
    // When every other one is read, in another order than they were saved in, and as many new ones are saved
    let read: Vec<_> = (1..full).rev().step_by(2).collect();
    read.iter().for_each(|key| drop(store.get(*key).unwrap()));
    let unread = full - 1 - read.len() as u64;
    for nth in 0..unread {
        save(store, full + nth);
        assert_eq!(evicted(store), nth + 2);
    }
    // Then those that were not read have made room
    store.assert_stored(read.iter().copied().chain(full..full + unread));
    // And the next ones take the room of the one that was read first
    save(store, full + unread);
    store.assert_stored(read.iter().copied().skip(1));
    store.store().validate();
}

fn a_client_that_floods_takes_no_paste_of_another(store: &mut Fixture) {
    // Others are in the network of the flooder too
    flood(store, |key| client(key % 2, 1 + key % 4), |_| client(0, 0));
}

fn a_network_that_floods_evicts_only_its_own_pastes(store: &mut Fixture) {
    flood(store, |key| client(1 + key % 3, key % 4), |n| client(0, n));
}

fn a_slug_of_an_evicted_paste_is_free_after_a_day(store: &mut Fixture) {
    let notes = || NewPaste::text("x").of(1).at("my-notes");
    store.save(0, notes()).unwrap();
    (1..).find(|key| {
        save(store, CLIENT, *key, 20);
        store.peek(0).is_err()
    });
    assert_eq!(store.peek(0).map(text), gone(Reason::Evicted));
    if store.is_durable() {
        store.restart();
    }
    assert_eq!(store.save(0, notes()), Err(StoreError::IdTaken));
    store.advance(86_400);
    assert_eq!(store.save(0, notes()), Ok(()));
}

fn an_eviction_takes_only_reads_that_are_left(store: &mut Fixture) {
    for key in (0..24).step_by(2) {
        let (tier, now) = (store.store(), store.now());
        let (saver, paste) = part(store, 70).by(CLIENT).parts(now, key);
        let (shown, saved) = race(store, key, part(store, 40), |runtime| {
            runtime.block_on(tier.insert(now, saver, id(key + 1), paste))
        });
        assert_eq!(saved, Ok(()));
        let reason = if shown == READS {
            Reason::Burned
        } else {
            Reason::Evicted
        };
        assert_eq!(store.get(key).map(text), gone(reason));
        assert!(shown <= READS);
    }
    store.store().validate();
}

fn the_longest_answer_needs_no_more_room_than_its_question(store: &mut Fixture) {
    // Given a question of one character
    store.save(1, NewPaste::question("?")).unwrap();
    let before = store.store().occupancy().bytes;
    // When the longest answer takes its place
    let mut random = vec![0; 32 + Asked::MAX_ANSWER + 16];
    getrandom::fill(&mut random).unwrap();
    let answer = Asked::answer(&random);
    let change = Change {
        content: answer,
        ..Change::default()
    };
    store.update(1, &change).unwrap();
    // Then it is charged the same, and a short one less
    assert_eq!(store.store().occupancy().bytes, before);
    let change = Change {
        content: Asked::answer(&random[..49]),
        ..Change::default()
    };
    store.update(1, &change).unwrap();
    assert!(store.store().occupancy().bytes < before);
}
