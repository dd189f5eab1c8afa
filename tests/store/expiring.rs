//! Pastes that expire.

use tidebin::store::Reason;

use crate::changing::{expiring_in, to};
use crate::fixture::{Fixture, gone, text};
use crate::new_paste::NewPaste;

cases! { AMPLE: memory disk engine => [
    a_paste_is_found_until_its_deadline_and_not_after_it_swept_or_not,
    nothing_is_done_with_a_paste_that_has_expired,
    a_sweep_removes_what_has_expired_and_nothing_else,
    a_new_expiry_takes_the_place_of_the_old_one,
]}

fn a_paste_is_found_until_its_deadline_and_not_after_it_swept_or_not(store: &mut Fixture) {
    // Given a paste that expires within a second
    store.advance_millis(500);
    store.save(1, NewPaste::text("x").lasting(10)).unwrap();
    store.advance_millis(9_999 - store.slack());
    store.sweep();
    assert_eq!(store.get(1).map(text).unwrap(), "x");
    store.advance_millis(1 + store.slack());
    for _ in 0..2 {
        assert_eq!(store.get(1).map(text), store.expired());
        store.advance(1);
        store.sweep();
        assert_eq!(store.pastes(), 0);
    }
}

fn nothing_is_done_with_a_paste_that_has_expired(store: &mut Fixture) {
    store
        .save(1, NewPaste::text("x").lasting(10).burning(2).of(1))
        .unwrap();
    let seen = store.peek(1).unwrap();
    store.advance(10);
    let expired = store.expired::<()>().unwrap_err();
    for _ in 0..2 {
        let consumed = store.consume_as(1, &seen).unwrap_err();
        assert_eq!(consumed, expired);
        for change in [to("y"), expiring_in(100)] {
            let refused = Err(expired);
            assert_eq!(store.update(1, &change), refused);
        }
        assert_eq!(store.counts(1).map(drop), store.expired());
        assert_eq!(store.remove(1, Reason::Deleted), store.expired());
        assert_eq!(store.list(1).len(), 0);
        store.sweep();
    }
}

fn a_sweep_removes_what_has_expired_and_nothing_else(store: &mut Fixture) {
    // Given pastes with the same deadline, of which one is removed, and others
    for key in 0..8 {
        store.save(key, NewPaste::text("x").lasting(10)).unwrap();
    }
    store.save(8, NewPaste::text("x").lasting(11)).unwrap();
    store.save(9, NewPaste::text("x")).unwrap();
    store.remove(5, Reason::Deleted).unwrap();
    store.store().validate();
    store.advance(10);
    store.sweep();
    assert_eq!(store.pastes(), 2);
    store.assert_stored([8, 9]);
    assert_eq!(store.get(5).map(text), gone(Reason::Deleted));
    store.store().validate();
}

fn a_new_expiry_takes_the_place_of_the_old_one(store: &mut Fixture) {
    for key in [1, 2] {
        store.save(key, NewPaste::text("x").lasting(10)).unwrap();
    }
    store.update(1, &expiring_in(100)).unwrap();
    store.update(2, &expiring_in(5)).unwrap();
    store.advance(5);
    store.sweep();
    assert_eq!(store.get(2).map(text), store.expired());
    store.advance(94);
    store.sweep();
    store.assert_stored([1]);
    store.advance(1);
    assert_eq!(store.get(1).map(text), store.expired());
}
