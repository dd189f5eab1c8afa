//! What each network holds, and the removal of all pastes of one.

use std::sync::atomic::{AtomicUsize, Ordering};

use tidebin::fairness::ClientKey;
use tidebin::paste::{Access, ReadsLeft};
use tidebin::store::Reason;

use crate::fixture::{Fixture, gone, id, text};
use crate::new_paste::{NewPaste, owner_id};

mod together {
    use super::each_paste_is_removed_once_though_two_operators_remove_at_once;

    cases! { AMPLE: memory disk => [
        each_paste_is_removed_once_though_two_operators_remove_at_once,
    ]}
}

cases! { AMPLE: memory disk engine => [
    all_pastes_of_an_account_are_removed_for_good_and_no_other,
    what_a_network_holds_is_known_and_removed_also_if_it_has_expired,
    the_pastes_of_a_network_are_told_without_their_ids,
]}

/// The client of an account is a network of its own.
const ACCOUNT: ClientKey = ClientKey {
    network: 7,
    client: 8,
};

fn remove_of(store: &Fixture, network: u64, owner: Option<u8>) -> usize {
    let owner = owner.map(owner_id);
    let mut removed = 0;
    loop {
        let (tier, reason) = (store.store(), Reason::RemovedByOperator);
        let part = tier.remove_of(store.now(), network, owner.as_ref(), reason);
        match store.wait(part).unwrap() {
            0 => return removed,
            part => removed += part,
        }
    }
}

fn all_pastes_of_an_account_are_removed_for_good_and_no_other(store: &mut Fixture) {
    // Given more pastes of an account than a batch has, and others
    for key in 0..300 {
        let saved = NewPaste::text("x").by(ACCOUNT).of(1);
        let saved = match key % 50 {
            0 => saved.at(&format!("slug-{key}")),
            _ => saved,
        };
        store.save(key, saved).unwrap();
    }
    for (key, owner) in [(500, 2), (501, 3)] {
        store.save(key, NewPaste::text("x").of(owner)).unwrap();
    }
    // When all of it are removed, then each is gone for that reason, and no other
    assert_eq!(remove_of(store, 7, Some(1)), 300);
    for _ in 0..2 {
        for key in [0, 1, 149, 299] {
            let found = store.get(key).map(text);
            assert_eq!(found, gone(Reason::RemovedByOperator));
        }
        assert!(store.list(1).is_empty());
        store.assert_stored([500, 501]);
        store.store().validate();
        // Also after a restart
        if store.is_durable() {
            store.restart();
        }
    }
    assert_eq!(remove_of(store, 7, Some(1)), 0);
}

fn block_on<T>(operation: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(operation)
}

fn each_paste_is_removed_once_though_two_operators_remove_at_once(store: &mut Fixture) {
    for key in 0..600 {
        let saved = NewPaste::text("x").by(ACCOUNT).of(1);
        store.save(key, saved).unwrap();
    }
    let (now, tier) = (store.now(), store.store());
    let removed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        // Meanwhile their owner saves more
        scope.spawn(|| {
            for key in 600..650 {
                let (saver, paste) = NewPaste::text("x").by(ACCOUNT).of(1).parts(now, key);
                block_on(tier.insert(now, saver, id(key), paste)).unwrap();
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let remove = tier.remove_of(now, 7, None, Reason::RemovedByOperator);
                    match block_on(remove).unwrap() {
                        0 => return,
                        part => removed.fetch_add(part, Ordering::SeqCst),
                    };
                }
            });
        }
    });
    let left = store.store().share(7).unwrap().pastes;
    assert_eq!(removed.into_inner() + left, 650);
    assert_eq!(remove_of(store, 7, None), left);
    assert_eq!(store.store().share(7), Some(Default::default()));
    assert_eq!(store.store().removal_counts().removed_by_operator, 650);
    store.store().validate();
}

fn what_a_network_holds_is_known_and_removed_also_if_it_has_expired(store: &mut Fixture) {
    let client = |network, client| ClientKey { network, client };
    let saved = store.now().as_millis() / 1000 * 1000;
    for (key, by, seconds) in [
        (0, client(1, 1), 5),
        (1, client(1, 2), 500),
        (2, client(2, 1), 500),
    ] {
        let paste = NewPaste::text("x").by(by).lasting(seconds);
        store.save(key, paste).unwrap();
    }
    let Some(_) = store.store().share(1) else {
        // An engine knows no networks, and removes nothing of one.
        assert!(store.store().heaviest(9).is_empty());
        return assert_eq!(remove_of(store, 1, None), 0);
    };
    assert_eq!(store.store().heaviest(9), [1, 2]);
    assert_eq!(store.store().heaviest(1), [1]);
    store.advance(10);
    for _ in 0..2 {
        let share = |network| store.store().share(network).unwrap();
        assert_eq!((share(1).pastes, share(1).saved), (2, saved));
        assert_eq!((share(2).pastes, share(3)), (1, Default::default()));
        assert_eq!(share(1).bytes, 2 * share(2).bytes);
        if store.is_durable() {
            store.restart();
        }
    }
    assert_eq!(remove_of(store, 1, None), 2);
    assert_eq!(remove_of(store, 9, None), 0);
    assert_eq!(store.store().heaviest(9), [2]);
    store.assert_stored([2]);
}

fn the_pastes_of_a_network_are_told_without_their_ids(store: &mut Fixture) {
    let once = Access::Burn(ReadsLeft::new(1).unwrap());
    for (key, network, access) in [(0, 1, Access::Open), (1, 1, once), (2, 2, Access::Open)] {
        let by = ClientKey { network, client: 1 };
        let paste = NewPaste::text("x").by(by).read_as(access);
        store.save(key, paste).unwrap();
        store.advance(1);
    }
    store.get(0).unwrap();
    let facts = |store: &Fixture, most| {
        let told = store.wait(store.store().unnamed(1, most)).unwrap();
        told.into_iter().map(|it| (it.access, it.reads)).collect()
    };
    if store.is_engine() {
        assert_eq!(facts(store, 9), Vec::new());
        return;
    }
    for _ in 0..2 {
        let told = store.wait(store.store().unnamed(1, 9)).unwrap();
        let bytes: usize = told.iter().map(|it| it.bytes).sum();
        assert_eq!(Some(bytes), store.store().share(1).map(|it| it.bytes));
        let [latest, other] = [0, 1].map(|at| told[at].saved);
        assert_eq!(
            latest.since(other).as_secs() + other.since(latest).as_secs(),
            1
        );
        let mut told: Vec<_> = facts(store, 9);
        told.sort_by_key(|(_, reads)| *reads);
        assert_eq!(told, [(once, 0), (Access::Open, 1)]);
        assert_eq!(facts(store, 1).len(), 1);
        if store.is_durable() {
            store.restart();
        }
    }
}
