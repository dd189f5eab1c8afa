//! Blocked contents and reports.

use std::sync::Arc;

use tidebin::fairness::ClientKey;
use tidebin::store::{Block, ContentHash, ModerationChange, Note, Reason, Report, StoreError};

use crate::fixture::{Fixture, gone, id};
use crate::new_paste::NewPaste;

cases! { AMPLE: memory disk engine => [
    a_content_is_blocked_until_it_is_allowed_again,
    a_new_reason_takes_the_place_of_the_old_one,
    a_network_reports_a_paste_once,
    reports_leave_with_their_paste_however_it_leaves,
    a_dismissed_report_may_be_made_again,
]}

pub fn block(store: &Fixture, content: &[u8], note: Option<&str>) -> ModerationChange {
    ModerationChange::Block(Block {
        hash: ContentHash::of(content),
        since: store.now(),
        note: note.map(|note| Note::new(note).unwrap()),
    })
}

pub fn report(store: &Fixture, key: u64, network: u64) -> ModerationChange {
    ModerationChange::Report(Report {
        slug: None,
        paste: id(key),
        client: ClientKey { network, client: 1 },
        at: store.now(),
        note: Note::new("phishing").unwrap(),
    })
}

/// Returns the pastes and the networks of all reports.
pub fn reported(store: &Fixture) -> Vec<(u64, u64)> {
    let reports = store.wait(store.store().reports(store.now())).unwrap();
    let key = |report: &Report| (0..99).find(|key| id(*key) == report.paste).unwrap();
    let pair = |report: &Report| (key(report), report.client.network);
    reports.iter().map(pair).collect()
}

pub fn blocks(store: &Fixture) -> Vec<Block> {
    store.store().blocks()
}

pub fn is_blocked(store: &Fixture, content: &[u8]) -> bool {
    let content = Arc::from(content);
    store.wait(store.store().is_blocked(&content)).unwrap()
}

fn a_content_is_blocked_until_it_is_allowed_again(store: &mut Fixture) {
    // A large content is hashed on another thread
    let contents = [&b"small"[..], &[7; 100_000]];
    for content in contents {
        assert!(!is_blocked(store, content));
        assert_eq!(store.moderate(block(store, content, None)), Ok(true));
        assert!(is_blocked(store, content));
        assert!(!is_blocked(store, b"another"));
    }
    let hashes = [contents[1], contents[0]].map(ContentHash::of);
    let listed: Vec<_> = blocks(store).iter().map(|block| block.hash).collect();
    assert_eq!(listed, hashes);
    for hash in hashes {
        assert_eq!(store.moderate(ModerationChange::Unblock(hash)), Ok(true));
        let again = store.moderate(ModerationChange::Unblock(hash));
        assert_eq!(again, Err(StoreError::NotListed));
    }
    assert!(!is_blocked(store, contents[0]));
}

fn a_new_reason_takes_the_place_of_the_old_one(store: &mut Fixture) {
    let note = || blocks(store)[0].note.clone();
    assert_eq!(store.moderate(block(store, b"x", Some("spam"))), Ok(true));
    assert_eq!(store.moderate(block(store, b"x", None)), Ok(false));
    assert_eq!(note(), Note::new("spam").ok());
    assert_eq!(store.moderate(block(store, b"x", Some("virus"))), Ok(true));
    assert_eq!(note(), Note::new("virus").ok());
    assert_eq!(blocks(store).len(), 1);
}

fn a_network_reports_a_paste_once(store: &mut Fixture) {
    let unknown = store.moderate(report(store, 1, 1));
    assert_eq!(unknown, Err(StoreError::NotFound));
    store.save(1, NewPaste::text("x")).unwrap();
    assert_eq!(store.moderate(report(store, 1, 1)), Ok(true));
    assert_eq!(store.moderate(report(store, 1, 1)), Ok(false));
    assert_eq!(store.moderate(report(store, 1, 2)), Ok(true));
    assert_eq!(reported(store), [(1, 2), (1, 1)]);
}

fn reports_leave_with_their_paste_however_it_leaves(store: &mut Fixture) {
    for key in 0..4 {
        let saved = NewPaste::text("x").burning(1);
        store.save(key, saved.lasting(10 + key)).unwrap();
        store.moderate(report(store, key, 1)).unwrap();
    }
    store.remove(1, Reason::Deleted).unwrap();
    store.consume(2).unwrap();
    assert_eq!(reported(store), [(3, 1), (0, 1)]);
    store.advance(10);
    assert_eq!(reported(store), [(3, 1)]);
    // Then one that was removed is not reported
    let late = |key| store.moderate(report(store, key, 1));
    assert_eq!(late(0), store.expired());
    assert_eq!(late(1), gone(Reason::Deleted));
    assert_eq!(late(2), gone(Reason::Burned));
}

fn a_dismissed_report_may_be_made_again(store: &mut Fixture) {
    for key in [1, 2] {
        store.save(key, NewPaste::text("x")).unwrap();
        store.moderate(report(store, key, 1)).unwrap();
        store.moderate(report(store, key, 2)).unwrap();
    }
    let dismiss = || store.moderate(ModerationChange::Dismiss(id(1)));
    assert_eq!(dismiss(), Ok(true));
    assert_eq!(reported(store), [(2, 2), (2, 1)]);
    assert_eq!(dismiss(), Err(StoreError::NotListed));
    assert_eq!(store.moderate(report(store, 1, 1)), Ok(true));
}
