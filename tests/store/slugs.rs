//! Pastes whose id is made from a slug: when the id is free again.

use tidebin::store::{Reason, StoreError};

use crate::changing::to;
use crate::fixture::{Fixture, gone, text};
use crate::new_paste::{NewPaste, slug};

cases! { AMPLE: memory disk engine => [
    a_slug_is_taken_until_a_day_after_its_paste_ended_however_it_ended,
    a_slug_stays_when_its_paste_changes,
]}

const DAY: u64 = 86_400;

fn a_slug_is_taken_until_a_day_after_its_paste_ended_however_it_ended(store: &mut Fixture) {
    let notes = |text| NewPaste::text(text).of(1).at("my-notes");
    let taken = Err(StoreError::IdTaken);
    for (key, reason) in [
        (1, Reason::Deleted),
        (2, Reason::RemovedByOperator),
        (3, Reason::Burned),
        (4, Reason::Expired),
    ] {
        // Given a paste with a slug that ended
        store
            .save(key, notes("old").lasting(10).burning(1))
            .unwrap();
        assert_eq!(store.save(key, notes("new")), taken);
        match reason {
            Reason::Burned => assert_eq!(store.consume(key), Ok(Some(0))),
            Reason::Expired => store.advance(10),
            _ => store.remove(key, reason).unwrap(),
        }
        let expected = match reason {
            Reason::Expired => store.expired(),
            reason => gone(reason),
        };
        assert_eq!(store.get(key).map(text), expected);
        assert_eq!(store.save(key, notes("new")), taken, "{reason:?}");
        store.sweep();
        // Then its id is free a day later, and not before
        store.advance_millis(DAY * 1000 - 1 - store.slack());
        assert_eq!(store.save(key, notes("new")), taken, "{reason:?}");
        store.advance_millis(1 + store.slack());
        assert_eq!(store.save(key, notes("new")), Ok(()), "{reason:?}");
        assert_eq!(store.get(key).map(text).unwrap(), "new");
    }
    store.store().validate();
}

fn a_slug_stays_when_its_paste_changes(store: &mut Fixture) {
    store
        .save(1, NewPaste::text("x").of(1).at("my-notes"))
        .unwrap();
    store.update(1, &to("y")).unwrap();
    assert_eq!(store.list(1)[0].slug, Some(slug("my-notes")));
    store.remove(1, Reason::Deleted).unwrap();
    let again = store.save(1, NewPaste::text("x").of(1).at("my-notes"));
    assert_eq!(again, Err(StoreError::IdTaken));
}
