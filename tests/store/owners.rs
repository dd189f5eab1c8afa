//! Owners and the lists of their pastes.

use tidebin::paste::{Access, Deadline, Expiry, Language, ReadsLeft, Title};
use tidebin::store::Reason;

use crate::changing::{expiring_in, to, untitled};
use crate::fixture::{Fixture, id};
use crate::new_paste::{NewPaste, owner_id, slug};

cases! { AMPLE: memory disk engine => [
    a_list_has_the_pastes_of_its_owner_the_newest_first,
    a_list_tells_what_belongs_to_a_paste,
    a_change_keeps_a_paste_at_its_place_and_its_owner,
    an_owner_who_deletes_page_after_page_meets_every_paste,
    a_read_counts_in_the_list,
    a_list_tells_by_what_a_content_is_recognised,
]}

fn keys(store: &Fixture, owner: u8) -> Vec<u64> {
    let key = |listed| (0..99).find(|key| id(*key) == listed).unwrap();
    let listed = store.list(owner).into_iter();
    listed.map(|it| key(it.id)).collect()
}

fn a_list_has_the_pastes_of_its_owner_the_newest_first(store: &mut Fixture) {
    // Given pastes of two owners and of none
    for key in 0..8 {
        store.save(key, NewPaste::text("x").of(1)).unwrap();
    }
    store.save(8, NewPaste::text("x").of(2)).unwrap();
    store.save(9, NewPaste::text("x")).unwrap();
    store
        .save(10, NewPaste::text("x").of(1).lasting(10))
        .unwrap();
    assert_eq!(keys(store, 1), [10, 7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(keys(store, 2), [8]);
    assert_eq!(keys(store, 3), [0; 0]);
    // When some leave
    store.remove(3, Reason::Deleted).unwrap();
    store.remove(7, Reason::RemovedByOperator).unwrap();
    store.advance(10);
    assert_eq!(keys(store, 1), [6, 5, 4, 2, 1, 0]);
    store.store().validate();
}

fn a_list_tells_what_belongs_to_a_paste(store: &mut Fixture) {
    let access = Access::Burn(ReadsLeft::new(2).unwrap());
    let saved = NewPaste::text("four").read_as(access).lasting(100);
    store.save(1, saved.of(1).at("my-notes")).unwrap();
    let locked = NewPaste::text("encrypted").read_as(Access::Locked(None));
    store.save(2, locked.titled(None).of(1)).unwrap();
    store.consume(1).unwrap();
    let listed = store.list(1);
    let [locked, burning] = &listed[..] else {
        panic!("{listed:?}")
    };
    let summary = &burning.summary;
    assert_eq!(summary.title.as_ref().map(Title::as_str), Some("a title"));
    assert_eq!(summary.language, Language::from_name("rust"));
    assert_eq!((summary.size, summary.saved), (4, store.now()));
    assert_eq!(burning.access, Access::Burn(ReadsLeft::new(1).unwrap()));
    assert_eq!(
        (burning.slug.as_ref(), burning.reads),
        (Some(&slug("my-notes")), 1)
    );
    let expected = Deadline::after(store.now(), Expiry::from_seconds(100).unwrap());
    assert_eq!(burning.deadline, expected);
    assert_eq!(
        (locked.access, locked.summary.size),
        (Access::Locked(None), 9)
    );
    assert_eq!(
        (locked.deadline, &locked.summary.title),
        (Deadline::NEVER, &None)
    );
    assert_eq!((&locked.slug, locked.reads), (&None, 0));
}

fn a_change_keeps_a_paste_at_its_place_and_its_owner(store: &mut Fixture) {
    for key in 1..4 {
        store.save(key, NewPaste::text("x").of(1)).unwrap();
    }
    store.advance(1);
    store.update(2, &to("changed")).unwrap();
    assert_eq!(keys(store, 1), [3, 2, 1]);
    let summary = &store.list(1)[1].summary;
    assert_eq!((summary.size, summary.saved), (7, store.now()));
    assert!(store.peek(2).unwrap().owner() == Some(&owner_id(1).hash()));
}

fn an_owner_who_deletes_page_after_page_meets_every_paste(store: &mut Fixture) {
    for key in 0..7 {
        store.save(key, NewPaste::text("x").of(1)).unwrap();
    }
    let (mut met, mut before) = (0, None);
    loop {
        let owner = owner_id(1);
        let page = store.store().list(store.now(), &owner, before, 2);
        let page = store.wait(page).unwrap();
        for listed in &page.pastes {
            let removed = store
                .store()
                .remove(store.now(), listed.id, Reason::Deleted.into());
            assert_eq!(store.wait(removed), Ok(()));
            met += 1;
        }
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!((met, store.pastes()), (7, 0));
}

/// Returns the name and the line of each paste of the first owner.
fn outlines(store: &Fixture) -> Vec<Option<[String; 2]>> {
    let text = |title: Option<Title>| title.map_or(String::new(), |it| it.as_str().to_owned());
    let listed = store.list(1).into_iter();
    let outlines = listed.map(|it| it.summary.outline.map(|it| [it.name, it.line].map(text)));
    outlines.collect()
}

fn a_list_tells_by_what_a_content_is_recognised(store: &mut Fixture) {
    let outline = |name: &str, line: &str| Some([name.to_owned(), line.to_owned()]);
    let paste = || NewPaste::text("use std::fs;\n\nfn tide() {}\n").of(1);
    // Given pastes without and with a title, and some that are not for every reader
    store.save(1, paste().titled(None)).unwrap();
    store.save(2, paste()).unwrap();
    store.save(3, paste().burning(2)).unwrap();
    store
        .save(4, paste().read_as(Access::Locked(None)))
        .unwrap();
    let before = [
        None,
        None,
        outline("", "use std::fs;"),
        outline("fn tide", "use std::fs;"),
    ];
    assert_eq!(outlines(store), before);
    if store.is_durable() {
        store.restart();
        assert_eq!(outlines(store), before);
    }
    // When their content, title or expiry changes
    store.update(1, &to("struct Ledger;\n")).unwrap();
    store.update(2, &untitled()).unwrap();
    store.update(3, &to("struct Ledger;\n")).unwrap();
    store.update(1, &expiring_in(100)).unwrap();
    // Then so does what the list tells
    let after = [
        None,
        None,
        outline("fn tide", "use std::fs;"),
        outline("struct Ledger", ""),
    ];
    assert_eq!(outlines(store), after);
}

fn a_read_counts_in_the_list(store: &mut Fixture) {
    store.save(1, NewPaste::text("x").of(1)).unwrap();
    for reads in 1..4 {
        store.get(1).unwrap();
        assert_eq!(store.list(1)[0].reads, reads);
    }
}
