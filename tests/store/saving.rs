//! Saving pastes.

use tidebin::paste::{Access, Deadline, Expiry, Language, ReadsLeft, TokenHash};
use tidebin::store::{Reason, StoreError};

use crate::fixture::{Fixture, bytes, text};
use crate::new_paste::{NewPaste, TOKEN, owner_id, revision};

cases! { AMPLE: memory disk engine => [
    a_saved_paste_is_found_as_it_was_saved,
    an_id_is_taken_by_its_paste_and_after_it,
    a_content_of_any_size_is_found_byte_for_byte,
]}

const ACCESSES: [fn() -> Access; 5] = [
    || Access::Open,
    || Access::Link,
    || Access::Burn(ReadsLeft::new(2).unwrap()),
    || Access::Locked(None),
    || Access::Locked(ReadsLeft::new(3)),
];

fn a_saved_paste_is_found_as_it_was_saved(store: &mut Fixture) {
    for (key, access) in (0..).zip(ACCESSES) {
        // Given a paste
        let saved = NewPaste::text("content").lasting(100).read_as(access());
        store.save(key, saved.of(3)).unwrap();
        // Then it is found with all that belongs to it
        let found = store.peek(key).unwrap();
        let expiry = Expiry::from_seconds(100).unwrap();
        assert_eq!(found.access(), access());
        assert_eq!(found.saved(), store.now());
        assert_eq!(found.deadline(), Deadline::after(store.now(), expiry));
        assert_eq!(found.revision(), revision(store.latest_revision()));
        assert_eq!(found.named_language(), Language::from_name("rust"));
        assert!(found.token().matches(&TokenHash::of(TOKEN)));
        assert!(found.owner() == Some(&owner_id(3).hash()));
        assert_eq!((found.reads(), bytes(&found)), (0, &b"content"[..]));
        if let Ok(shown) = found.open() {
            assert_eq!(shown.title().unwrap().as_str(), "a title");
        }
    }
    store.store().validate();
}

fn an_id_is_taken_by_its_paste_and_after_it(store: &mut Fixture) {
    store.save(1, NewPaste::text("first")).unwrap();
    let again = || store.save(1, NewPaste::text("second"));
    assert_eq!(again(), Err(StoreError::IdTaken));
    assert_eq!(store.peek(1).map(text).unwrap(), "first");
    store.remove(1, Reason::Deleted).unwrap();
    // An engine looks for a tombstone only if an id may come twice: if it is that of a slug.
    if !store.is_engine() {
        assert_eq!(again(), Err(StoreError::IdTaken));
    }
}

fn a_content_of_any_size_is_found_byte_for_byte(store: &mut Fixture) {
    // Around the sizes of pages, and of contents that are sealed on another thread
    for (key, size) in (0..).zip([1, 4056, 4057, 65_536, 700_000]) {
        let saved = NewPaste::random(size);
        store.save(key, saved.clone()).unwrap();
        assert_eq!(bytes(&store.get(key).unwrap()), saved.content(), "{size}");
    }
}
