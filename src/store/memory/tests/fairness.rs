//! Tests of the choice of the client that loses a paste. Attacks on the pastes of other clients must fail.

use super::{at, id, paste, small_store};
use crate::fairness::ClientKey;
use crate::store::memory::{Budget, Store, cost_of};
use crate::store::{NotFound, Reason};

/// Makes a client whose hashes are spread like keyed hashes.
fn client(network: u64, client: u64) -> ClientKey {
    let spread = |bits: u64| bits.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ClientKey {
        network: spread(network),
        client: spread((network << 32) | client),
    }
}

/// Inserts a paste of this size that never expires.
#[track_caller]
fn save(store: &Store, client: ClientKey, key: u64, size: usize) {
    store
        .insert(at(0), client, id(key), paste(size, 0, u64::MAX, at(0)))
        .unwrap();
}

#[track_caller]
fn assert_stored(store: &Store, keys: impl IntoIterator<Item = u64>) {
    for key in keys {
        assert!(store.peek(at(0), id(key)).is_ok(), "{key} is gone");
    }
}

/// Inserts pastes of this size, by one client after the other, until they add up to ten times the budget.
fn flood(store: &Store, budget: usize, size: usize, client: impl Fn(u64) -> ClientKey) {
    let cost = cost_of(&paste(size, 0, 1, at(0)));
    let enough = (budget * 10 / cost) as u64;
    (0..enough).for_each(|n| save(store, client(n), FLOOD + n, size));
    assert!(
        store.removal_counts().evicted > enough / 2,
        "the store never was full"
    );
    store.validate();
}

/// The first key of a flood. Other clients use smaller keys.
const FLOOD: u64 = 1 << 32;

#[test]
fn a_client_writes_ten_times_the_budget_and_no_other_client_loses_a_paste() {
    // Given other clients, some in the flooder's network, each with a few pastes
    let store = Store::new(Budget::new(4 << 20));
    let bystander = |key: u64| client(key % 8, 1 + key % 40);
    (0..400).for_each(|key| save(&store, bystander(key), key, 2000));
    // When one client of network 0 writes ten times the budget
    flood(&store, 4 << 20, 5000, |_| client(0, 0));
    // Then all pastes of the other clients are stored, and the last ones of the flooder
    assert_stored(&store, 0..400);
    let last = FLOOD + (4 << 20) * 10 / cost_of(&paste(5000, 0, 1, at(0))) as u64 - 1;
    assert_stored(&store, last - 100..=last);
}

#[test]
fn ten_thousand_clients_of_one_network_evict_only_pastes_of_their_network() {
    let store = Store::new(Budget::new(8 << 20));
    let bystander = |key: u64| client(1 + key % 30, key % 3);
    (0..600).for_each(|key| save(&store, bystander(key), key, 3000));
    flood(&store, 8 << 20, 1000, |n| client(0, n % 10_000));
    assert_stored(&store, 0..600);
}

#[test]
fn a_flood_from_a_thousand_networks_evicts_no_client_that_holds_less_than_they() {
    // Given other clients, each with five pastes that take less than a thousandth of the store
    let store = Store::new(Budget::new(8 << 20));
    let bystander = |key: u64| client(5000 + key / 5, 0);
    (0..100).for_each(|key| save(&store, bystander(key), key, 900));
    flood(&store, 8 << 20, 900, |n| client(n % 1000, n % 3));
    assert_stored(&store, 0..100);
}

#[test]
fn with_one_client_the_least_recently_read_is_evicted_first_and_peeks_do_not_count() {
    let store = small_store();
    let alone = client(0, 0);
    (0..4).for_each(|key| save(&store, alone, key, 10_000));
    store.get(at(0), id(0)).unwrap();
    store.peek(at(0), id(1)).unwrap();
    save(&store, alone, 4, 35_000);
    assert_stored(&store, [0, 3, 4]);
    for key in [1, 2] {
        let evicted = Some(NotFound::Gone(Reason::Evicted));
        assert_eq!(store.peek(at(0), id(key)).err(), evicted, "{key}");
    }
}

#[test]
fn a_new_paste_counts_for_its_client_before_the_heaviest_client_is_chosen() {
    let store = small_store();
    (0..2).for_each(|key| save(&store, client(0, 0), key, 10_000));
    save(&store, client(1, 0), 2, 15_000);
    save(&store, client(1, 0), 3, 15_000);
    assert_stored(&store, [0, 1, 3]);
}

#[test]
fn a_client_without_pastes_is_skipped_for_the_next_heaviest() {
    let store = small_store();
    save(&store, client(0, 0), 1, 10_000);
    save(&store, client(1, 0), 2, 12_000);
    save(&store, client(1, 1), 3, 11_000);
    // The new paste is the heaviest and the first of its client. So the heaviest network with pastes loses one.
    save(&store, client(2, 0), 4, 25_000);
    assert_stored(&store, [1, 3, 4]);
    // The new client is heavier, but the other client of its network has the only paste to evict.
    save(&store, client(2, 1), 5, 24_000);
    assert_stored(&store, [1, 3, 5]);
}

#[test]
fn the_heaviest_network_loses_a_paste_even_if_the_heaviest_client_is_in_another() {
    let store = small_store();
    (0..3).for_each(|key| save(&store, client(0, key), key, 9_000));
    save(&store, client(1, 0), 3, 17_000);
    save(&store, client(2, 0), 4, 17_000);
    assert_stored(&store, [3, 4]);
    assert_eq!(store.removal_counts().evicted, 1);
}

#[test]
fn thirty_thousand_clients_come_and_go_and_leave_nothing_behind() {
    let store = Store::new(Budget::new(1 << 20));
    for key in 0..30_000 {
        save(&store, client(key, 0), key, 10);
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
        save(&store, client(key, 0), key, 10);
    }
    assert_eq!(store.occupancy(), full);
}

#[test]
fn removals_are_counted_by_their_reason() {
    let store = small_store();
    for key in 0..6 {
        let expires = if key == 0 { 1 } else { 10 };
        store
            .insert(
                at(0),
                client(0, 0),
                id(key),
                paste(11_000, 0, expires, at(0)),
            )
            .unwrap();
    }
    assert_eq!(store.removal_counts().evicted, 1);
    store.remove(at(0), id(1), Reason::Burned).unwrap();
    store.remove(at(0), id(2), Reason::Deleted).unwrap();
    assert_eq!(store.sweep(at(10_000)), 3);
    let departures = store.removal_counts();
    assert_eq!((departures.burned, departures.deleted), (1, 1));
    assert_eq!((departures.expired, departures.evicted), (3, 1));
}
