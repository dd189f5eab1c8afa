//! Removing pastes, and the reasons that stay.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tidebin::store::Reason;

use crate::changing::to;
use crate::fixture::{Fixture, gone, id, text, unknown};
use crate::new_paste::NewPaste;

cases! { AMPLE: memory disk engine => [
    every_operation_tells_why_a_paste_is_gone,
    exactly_one_of_those_who_remove_a_paste_at_once_gets_it,
    removals_are_counted_by_their_reason,
    the_hook_hears_of_every_paste_that_was_changed_or_removed,
]}

fn every_operation_tells_why_a_paste_is_gone(store: &mut Fixture) {
    assert_eq!(store.remove(0, Reason::Deleted), unknown());
    for (key, reason) in [(1, Reason::Deleted), (2, Reason::RemovedByOperator)] {
        store.save(key, NewPaste::text("x")).unwrap();
        assert_eq!(store.remove(key, reason), Ok(()));
        for _ in 0..2 {
            assert_eq!(store.get(key).map(text), gone(reason));
            assert_eq!(store.peek(key).map(text), gone(reason));
            assert_eq!(store.counts(key).map(drop), gone(reason));
            assert_eq!(store.remove(key, Reason::Deleted), gone(reason));
        }
    }
    assert_eq!(store.pastes(), 0);
    store.store().validate();
}

fn exactly_one_of_those_who_remove_a_paste_at_once_gets_it(store: &mut Fixture) {
    for key in 0..5 {
        store.save(key, NewPaste::text("x")).unwrap();
        let (winners, now, tier) = (AtomicUsize::new(0), store.now(), store.store());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut runtime = tokio::runtime::Builder::new_current_thread();
                    let runtime = runtime.enable_all().build().unwrap();
                    let removed =
                        runtime.block_on(tier.remove(now, id(key), Reason::Deleted.into()));
                    winners.fetch_add(usize::from(removed.is_ok()), Ordering::SeqCst);
                });
            }
        });
        assert_eq!(winners.into_inner(), 1);
    }
}

fn removals_are_counted_by_their_reason(store: &mut Fixture) {
    for key in 0..6 {
        let saved = NewPaste::text("x").burning(1);
        store
            .save(key, saved.lasting(if key < 3 { 10 } else { 100 }))
            .unwrap();
    }
    store.remove(3, Reason::Deleted).unwrap();
    store.remove(4, Reason::RemovedByOperator).unwrap();
    store.consume(5).unwrap();
    store.advance(10);
    store.sweep();
    let counts = store.store().removal_counts();
    // An engine removes what has expired, and tells no node.
    let expired = if store.is_engine() { 0 } else { 3 };
    assert_eq!((counts.expired, counts.evicted), (expired, 0));
    assert_eq!((counts.deleted, counts.removed_by_operator), (1, 1));
    assert_eq!(counts.burned, 1);
}

fn the_hook_hears_of_every_paste_that_was_changed_or_removed(store: &mut Fixture) {
    for key in 0..4 {
        store.save(key, NewPaste::text("x").burning(1)).unwrap();
        assert_eq!(store.heard.lock().unwrap().pop(), None);
    }
    store.update(0, &to("y")).unwrap();
    store.remove(1, Reason::Deleted).unwrap();
    store.consume(2).unwrap();
    let mut heard = store.heard.lock().unwrap().clone();
    heard.dedup();
    assert_eq!(heard, [0, 1, 2].map(id));
}
