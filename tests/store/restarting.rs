//! What a restart of the server keeps.

use tidebin::paste::{Language, ReadsLeft, Title, TokenHash};
use tidebin::store::{ContentHash, ModerationChange, Reason, StoreError};

use crate::changing::to;
use crate::fixture::{Fixture, gone, id, text};
use crate::moderating::{block, blocks, is_blocked, report, reported};
use crate::new_paste::{NewPaste, TOKEN, slug};

cases! { AMPLE: disk engine => [
    a_paste_with_all_that_belongs_to_it_survives_a_restart,
    reads_left_count_down_across_restarts,
    the_reason_of_a_removal_survives,
    what_expired_meanwhile_is_hidden_at_once,
    lists_and_slugs_survive_a_restart,
    blocks_and_reports_survive_and_those_taken_back_do_not_return,
]}

fn a_paste_with_all_that_belongs_to_it_survives_a_restart(store: &mut Fixture) {
    // Given a paste that was read twice, and changed
    store
        .save(1, NewPaste::text("first").lasting(100).of(1))
        .unwrap();
    store.get(1).unwrap();
    store.advance(1);
    store.update(1, &to("second")).unwrap();
    store.get(1).unwrap();
    let before = store.peek(1).unwrap();
    store.restart();
    // Then it is the same paste
    let after = store.peek(1).unwrap();
    assert_eq!((after.reads(), after.saved()), (2, before.saved()));
    assert_eq!(after.deadline(), before.deadline());
    assert_eq!(after.revision(), before.revision());
    assert_eq!(after.named_language(), Language::from_name("rust"));
    assert!(after.token().matches(&TokenHash::of(TOKEN)));
    assert!(after.owner().is_some() && after.owner() == before.owner());
    let counts = store.counts(1).unwrap();
    assert_eq!(counts.by_day(store.now())[29], 2);
    let shown = after.open().unwrap();
    let title = shown.title().map(Title::as_str);
    assert_eq!((shown.text(), title), (Some("second"), Some("a title")));
    store.store().validate();
}

fn reads_left_count_down_across_restarts(store: &mut Fixture) {
    store.save(1, NewPaste::text("secret").burning(2)).unwrap();
    store.restart();
    assert_eq!(store.consume(1), Ok(Some(1)));
    store.restart();
    let left = store.peek(1).unwrap().access().reads_left();
    assert_eq!(left, ReadsLeft::new(1));
    assert_eq!(store.consume(1), Ok(Some(0)));
    store.restart();
    assert_eq!(store.get(1).map(text), gone(Reason::Burned));
}

fn the_reason_of_a_removal_survives(store: &mut Fixture) {
    let reasons = [Reason::Deleted, Reason::RemovedByOperator, Reason::Expired];
    for (key, reason) in (0..).zip(reasons) {
        store.save(key, NewPaste::text("x").lasting(10)).unwrap();
        if reason != Reason::Expired {
            store.remove(key, reason).unwrap();
        }
    }
    store.advance(10);
    store.sweep();
    assert_eq!(store.pastes(), 0);
    store.restart();
    for (key, reason) in (0..).zip(reasons) {
        let expected = match reason {
            Reason::Expired => store.expired(),
            reason => gone(reason),
        };
        assert_eq!(store.get(key).map(text), expected);
    }
}

fn what_expired_meanwhile_is_hidden_at_once(store: &mut Fixture) {
    store
        .save(1, NewPaste::text("x").lasting(10).of(1))
        .unwrap();
    store.save(2, NewPaste::text("x").of(1)).unwrap();
    store.advance(20);
    store.restart();
    assert_eq!(store.get(1).map(text), store.expired());
    assert_eq!(store.list(1).len(), 1);
    // Then the start alone destroys nothing, where a wrong clock could
    store.sweep();
    let kept = if store.grace() > 0 { 2 } else { 1 };
    assert_eq!(store.pastes(), kept);
    // When the clock is trusted
    store.advance_millis(store.grace());
    store.sweep();
    assert_eq!(store.pastes(), 1);
    assert_eq!(store.get(1).map(text), store.expired());
}

fn lists_and_slugs_survive_a_restart(store: &mut Fixture) {
    for key in 1..4 {
        store.save(key, NewPaste::text("x").of(1)).unwrap();
    }
    store
        .save(4, NewPaste::text("x").of(2).at("my-notes"))
        .unwrap();
    store
        .save(5, NewPaste::text("x").of(2).at("my-older-notes"))
        .unwrap();
    store.remove(5, Reason::Deleted).unwrap();
    store.get(1).unwrap();
    store.update(1, &to("changed")).unwrap();
    store.restart();
    // Then the order, the reads and the slugs are as before
    let listed = store.list(1);
    let ids: Vec<_> = listed.iter().map(|it| it.id).collect();
    assert_eq!(ids, [3, 2, 1].map(id));
    assert_eq!((listed[2].summary.size, listed[2].reads), (7, 1));
    let title = listed[2].summary.title.as_ref().map(Title::as_str);
    assert_eq!(title, Some("a title"));
    assert_eq!(store.list(2)[0].slug, Some(slug("my-notes")));
    // And new pastes come before them, and a slug stays reserved for a day
    let save = |key| store.save(key, NewPaste::text("x").of(2).at("my-older-notes"));
    assert_eq!(save(5), Err(StoreError::IdTaken));
    store.advance(86_400);
    save(5).unwrap();
    assert_eq!(store.list(2)[0].id, id(5));
    store.restart();
    assert_eq!(store.list(2).len(), 2);
    store.assert_stored([5]);
}

fn blocks_and_reports_survive_and_those_taken_back_do_not_return(store: &mut Fixture) {
    for key in 1..4 {
        store.save(key, NewPaste::text("x")).unwrap();
        store.moderate(report(store, key, key)).unwrap();
    }
    store.remove(3, Reason::Deleted).unwrap();
    store.moderate(block(store, b"a", Some("spam"))).unwrap();
    store.moderate(block(store, b"b", Some("spam"))).unwrap();
    // When one of each is taken back
    let unblock = ModerationChange::Unblock(ContentHash::of(b"a"));
    store.moderate(unblock).unwrap();
    store.moderate(ModerationChange::Dismiss(id(1))).unwrap();
    let before = blocks(store);
    store.restart();
    assert_eq!((blocks(store), before.len()), (before, 1));
    assert!(is_blocked(store, b"b") && !is_blocked(store, b"a"));
    assert_eq!(reported(store), [(2, 2)]);
    // Then new ones take the place of none
    store.moderate(block(store, b"c", None)).unwrap();
    store.restart();
    assert_eq!(blocks(store).len(), 2);
}
