//! Events between the start of a transaction and its end: it fails, or others read and change the same pastes.

use std::sync::atomic::AtomicBool;
use std::thread;

use super::parts::Parts;
use super::*;
use crate::paste::Deadline;
use crate::store::RemovalCounts;
use crate::store::sqlite::database::tables;
use crate::store::sqlite::limits::Limits;
use crate::store::sqlite::state::{Found, Purpose};
use crate::store::sqlite::writer::Update;

#[test]
fn a_transaction_that_fails_leaves_all_pastes_their_counts_and_their_reasons() {
    // Given a paste in memory with a read that is not on disk yet
    let driven = Driven::new();
    let saved = paste(b"kept", Access::Open, 100, driven.now());
    driven.save(id(1), saved).unwrap();
    let (parts, now) = Parts::of(driven);
    let key = parts.key(1);
    let before = parts.shared.lock().catalog.listing(key).unwrap();
    let stored = tables::paste(&parts.connection, before.seq).unwrap();
    let load = parts.fetch(1);
    let mut state = parts.shared.lock();
    assert!(matches!(
        state.find(now, key, Purpose::Read),
        Ok(Found::OnDisk(Some(_), _))
    ));
    let _ = state.finish_loading(key, before.seq, load);
    state.count_read(now, key);
    drop(state);
    // When a transaction that removes it and inserts another fails
    let mut transaction = parts.begin();
    transaction.remove(key, Reason::Deleted.into()).unwrap();
    let insertion = parts.insertion(now, 2);
    transaction.insert(&insertion).unwrap();
    assert_eq!(parts.shared.lock().catalog.ledger.len(), 1);
    transaction.roll_back(Failure::Refused(String::new()));
    // Then all is as before
    let mut state = parts.shared.lock();
    assert_eq!(state.catalog.listing(key), Some(before));
    assert_eq!(state.catalog.ledger.len(), 1);
    assert_eq!(
        state.catalog.ledger.removal_counts,
        RemovalCounts::default()
    );
    assert_eq!(state.catalog.inconsistency(), None);
    assert!(state.catalog.find(parts.key(2)).is_none());
    let tombstone = state.catalog.ledger.tombstones.find(parts.key(2).as_id());
    assert_eq!(tombstone, None);
    assert_eq!(state.unwritten_counts(), 1);
    let unsaved = state.take_unsaved(true);
    assert_eq!((unsaved.len(), unsaved[0].total), (1, 1));
    // And its count waits until it is written
    assert_eq!(state.unwritten_counts(), 1);
    state.forget_saved(&unsaved);
    assert_eq!(state.unwritten_counts(), 0);
    drop(state);
    let after = tables::paste(&parts.connection, before.seq).unwrap();
    assert_eq!(after.unwrap().2, stored.unwrap().2);
}

#[test]
fn a_change_of_a_version_that_is_no_longer_the_present_one_is_made_again() {
    // Given two changes that start from the same version
    let driven = Driven::new();
    let saved = paste(b"kept", Access::Open, 100, driven.now());
    driven.save(id(1), saved.clone()).unwrap();
    let (parts, now) = Parts::of(driven);
    let deadline = Deadline::after(now, Expiry::from_seconds(10).unwrap());
    let change = |paste| Update {
        summary: None,
        id: id(1),
        key: parts.key(1),
        of: (saved.revision(), saved.deadline()),
        paste,
        sealed: None,
    };
    let mut sooner = saved.data().clone();
    sooner.deadline = deadline;
    let first = change(sooner);
    let second = change(saved.data().clone());
    // When both are in one transaction
    let mut transaction = parts.begin();
    assert!(transaction.update(&first).is_ok());
    // Then the second is not made, since it would undo the first
    let outcome = transaction.update(&second);
    let is_declined = matches!(outcome, Err(Failure::Declined(StoreError::Changed)));
    assert!(is_declined, "{outcome:?}");
    assert!(transaction.commit().is_ok());
}

#[test]
fn a_large_paste_is_replaced_in_a_full_store_without_more_room() {
    // Given a store that is full except for the room of one page
    let driven = Driven::new();
    let large = |salt: u64| -> Vec<u8> {
        let mut random = salt;
        let next = || {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33).to_le_bytes()[0]
        };
        std::iter::repeat_with(next).take(1 << 20).collect()
    };
    let now = driven.now();
    let room = driven.store().room() / Limits::cost_of(1 << 20);
    for number in 0..room as u64 {
        let saved = driven.save(
            id(number),
            paste(&large(number + 1), Access::Locked(None), 0, now),
        );
        saved.unwrap();
    }
    assert_eq!(driven.store().removal_counts().evicted, 0);
    // When pastes are replaced
    for number in 0..3 {
        let change = Change {
            content: Content::new(&large(number + 100), 1 << 20).ok(),
            ..Change::default()
        };
        // Then no change finds the file full
        assert_eq!(driven.update(id(number), &change, 9), Ok(()), "{number}");
    }
    assert_eq!(driven.store().removal_counts().evicted, 0);
}

#[test]
fn changes_and_reads_of_many_threads_lose_no_change_and_never_fail() {
    // Given a paste, and threads that keep pushing it out of the cache
    let driven = Driven::new();
    let now = driven.now();
    let saved = paste(b"kept", Access::Open, 0, now);
    driven.save(id(0), saved).unwrap();
    for number in 1..26 {
        let filler = paste(&[7; 400_000], Access::Locked(None), 0, now);
        driven.save(id(number), filler).unwrap();
    }
    let (store, ended) = (driven.store(), AtomicBool::new(false));
    let block_on = |future: &mut dyn FnMut(&tokio::runtime::Runtime)| {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        future(&runtime.unwrap());
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            block_on(&mut |runtime| {
                let mut number = 0;
                while !ended.load(Ordering::SeqCst) {
                    number = number % 25 + 1;
                    runtime.block_on(store.peek(now, id(number))).unwrap();
                }
            });
        });
        // When one thread changes the title and another the expiry
        let titles = scope.spawn(|| {
            block_on(&mut |runtime| {
                for round in 0..60_u64 {
                    let title = Title::new(&format!("round {round}")).unwrap();
                    let change = Change {
                        title: TitleChange::Set(title.clone()),
                        ..Change::default()
                    };
                    let revision = Revision::from_random((round + 100).to_be_bytes());
                    let changed = runtime.block_on(store.update(now, id(0), &change, revision));
                    // Then each sees its own changes, and no read fails
                    assert!(
                        matches!(changed, Ok(()) | Err(StoreError::Failed)),
                        "{changed:?}"
                    );
                    let seen = runtime.block_on(store.peek(now, id(0))).unwrap();
                    if changed.is_ok() {
                        assert_eq!(seen.data().title.as_ref(), Some(&title));
                    }
                }
            });
        });
        let expiries = scope.spawn(|| {
            block_on(&mut |runtime| {
                for round in 1..=60_u64 {
                    let expiry = Expiry::from_seconds(round * 1000).unwrap();
                    let change = Change {
                        expiry: Some(expiry),
                        ..Change::default()
                    };
                    let revision = Revision::from_random(round.to_le_bytes());
                    let changed = runtime.block_on(store.update(now, id(0), &change, revision));
                    let seen = runtime.block_on(store.peek(now, id(0))).unwrap();
                    if changed.is_ok() {
                        assert_eq!(seen.deadline(), Deadline::after(now, expiry));
                    }
                }
            });
        });
        let outcomes = [titles.join(), expiries.join()];
        ended.store(true, Ordering::SeqCst);
        assert!(outcomes.iter().all(Result::is_ok));
    });
    driven.store().validate();
}
