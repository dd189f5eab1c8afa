//! Changing pastes.

use futures_util::future::join3;
use tidebin::paste::{Change, Deadline, Expiry, Language, Title, TitleChange, TokenHash};
use tidebin::store::{Reason, StoreError};

use crate::fixture::{Fixture, text};
use crate::new_paste::{NewPaste, TOKEN, content, revision};

cases! { AMPLE: memory disk engine => [
    a_change_makes_a_new_version_and_keeps_all_else,
    a_change_of_the_expiry_alone_keeps_the_version,
    a_change_of_one_content_does_not_change_another,
    a_change_that_is_meant_for_another_paste_with_the_same_id_changes_nothing,
    a_paste_that_is_not_there_is_not_changed,
    changes_at_once_are_all_made,
]}

/// A change of the content alone.
pub fn to(text: &str) -> Change {
    Change {
        content: Some(content(text.as_bytes())),
        ..Change::default()
    }
}

fn titled(text: &str) -> Change {
    Change {
        title: TitleChange::Set(Title::new(text).unwrap()),
        ..Change::default()
    }
}

pub fn untitled() -> Change {
    Change {
        title: TitleChange::Remove,
        ..Change::default()
    }
}

pub fn expiring_in(seconds: u64) -> Change {
    Change {
        expiry: Some(Expiry::from_seconds(seconds).unwrap()),
        ..Change::default()
    }
}

fn a_change_makes_a_new_version_and_keeps_all_else(store: &mut Fixture) {
    // Given a paste that was read
    store.save(1, NewPaste::text("first").lasting(100)).unwrap();
    store.get(1).unwrap();
    let deadline = store.peek(1).unwrap().deadline();
    let in_go = Change {
        language: Language::from_name("go"),
        ..Change::default()
    };
    let expected = [
        ("first", Some("new"), "rust"),
        ("second", Some("new"), "rust"),
        ("second", None, "rust"),
        ("second", None, "go"),
    ];
    let changes = [titled("new"), to("second"), untitled(), in_go];
    for (change, (content, title, language)) in changes.into_iter().zip(expected) {
        // When a part of it is changed
        store.advance(1);
        assert_eq!(store.update(1, &change), Ok(()));
        // Then it has a new version, and the rest is as before
        let found = store.peek(1).unwrap();
        assert_eq!(found.revision(), revision(store.latest_revision()));
        assert_eq!(found.named_language(), Language::from_name(language));
        assert_eq!((found.reads(), found.deadline()), (1, deadline));
        assert!(found.token().matches(&TokenHash::of(TOKEN)));
        let shown = found.open().unwrap();
        assert_eq!(shown.title().map(Title::as_str), title);
        assert_eq!(shown.text(), Some(content));
    }
    store.store().validate();
}

fn a_change_of_the_expiry_alone_keeps_the_version(store: &mut Fixture) {
    store.save(1, NewPaste::text("x").lasting(100)).unwrap();
    let before = store.peek(1).unwrap();
    store.advance(50);
    store.update(1, &expiring_in(1000)).unwrap();
    let after = store.peek(1).unwrap();
    let expected = Deadline::after(store.now(), Expiry::from_seconds(1000).unwrap());
    assert_eq!(after.deadline(), expected);
    assert_eq!(after.revision(), before.revision());
    assert_eq!(after.saved(), before.saved());
}

fn a_change_of_one_content_does_not_change_another(store: &mut Fixture) {
    store.save(1, NewPaste::text("first")).unwrap();
    let seen = Some(store.peek(1).unwrap().saved());
    store.advance(1);
    let change = |text| Change {
        of: seen,
        ..to(text)
    };
    assert_eq!(store.update(1, &change("second")), Ok(()));
    let late = store.update(1, &change("third"));
    assert_eq!(late, Err(StoreError::ContentChanged));
    assert_eq!(store.peek(1).map(text).unwrap(), "second");
}

fn a_change_that_is_meant_for_another_paste_with_the_same_id_changes_nothing(store: &mut Fixture) {
    store.save(1, NewPaste::text("first")).unwrap();
    let token = *store.peek(1).unwrap().token();
    let change = |token| Change {
        token: Some(token),
        ..to("second")
    };
    let other = TokenHash::of("the token of another");
    assert_eq!(store.update(1, &change(other)), Err(StoreError::NotFound));
    assert_eq!(store.peek(1).map(text).unwrap(), "first");
    assert_eq!(store.update(1, &change(token)), Ok(()));
}

fn a_paste_that_is_not_there_is_not_changed(store: &mut Fixture) {
    let unknown = store.update(1, &to("x"));
    assert_eq!(unknown, Err(StoreError::NotFound));
    store.save(1, NewPaste::text("x")).unwrap();
    store.remove(1, Reason::Deleted).unwrap();
    let deleted = StoreError::Gone(Reason::Deleted);
    for change in [to("y"), titled("y"), expiring_in(9)] {
        assert_eq!(store.update(1, &change), Err(deleted));
    }
}

fn changes_at_once_are_all_made(store: &mut Fixture) {
    store.save(1, NewPaste::text("x")).unwrap();
    let (tier, now) = (store.store(), store.now());
    let update = |change: Change, number| async move {
        tier.update(now, crate::fixture::id(1), &change, revision(number))
            .await
    };
    // When three parts of a paste are changed at once
    let changes = async {
        let (content, title, expiry) = (to("y"), titled("new"), expiring_in(9));
        join3(
            update(content, 100),
            update(title, 101),
            update(expiry, 102),
        )
        .await
    };
    assert_eq!(store.wait(changes), (Ok(()), Ok(()), Ok(())));
    // Then no change undid another
    let found = store.peek(1).unwrap();
    let expected = Deadline::after(now, Expiry::from_seconds(9).unwrap());
    assert_eq!(found.deadline(), expected);
    let shown = found.open().unwrap();
    assert_eq!(shown.title().map(Title::as_str), Some("new"));
    assert_eq!(shown.text(), Some("y"));
}
