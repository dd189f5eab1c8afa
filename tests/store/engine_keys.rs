//! The keys of an engine: all expire except the operator's, and none grows without a bound.

use tidebin::fairness::ClientKey;
use tidebin::store::{ModerationChange, Note, Report};

use crate::fixture::{Fixture, id};
use crate::moderating::{block, report, reported};
use crate::new_paste::NewPaste;

cases! { AMPLE: engine => [
    all_keys_expire_except_those_of_the_operator,
    the_reports_are_at_most_a_thousand_and_those_of_a_quiet_network_stay,
    a_list_drops_what_is_due_and_expires_with_its_last_paste,
    an_entry_of_a_list_waits_for_its_paste,
    an_expired_id_that_is_used_again_starts_without_reads,
    a_paste_that_was_evicted_is_unknown_and_its_slug_stays_reserved,
]}

/// The keys that never expire.
fn lasting(store: &Fixture) -> String {
    let script = "local found={} for _,k in ipairs(redis.call('KEYS','*')) do if redis.call('PTTL',k)==-1 then table.insert(found,k) end end table.sort(found) return table.concat(found,'+')";
    store.ask_text(&format!("EVAL \"{script}\" 0"))
}

fn all_keys_expire_except_those_of_the_operator(store: &mut Fixture) {
    for (key, saved) in (0..).zip([
        NewPaste::text("x").of(1),
        NewPaste::text("x").lasting(10).of(2).at("my-notes"),
        NewPaste::text("x").burning(1),
        NewPaste::text("x").burning(3),
        NewPaste::text("x"),
    ]) {
        store.save(key, saved).unwrap();
    }
    for key in [0, 1, 4] {
        store.get(key).unwrap();
    }
    store.consume(2).unwrap();
    store.consume(3).unwrap();
    store.moderate(report(store, 0, 1)).unwrap();
    store.moderate(block(store, b"x", None)).unwrap();
    store.moderate(ModerationChange::Dismiss(id(0))).unwrap();
    store.remove(4, tidebin::store::Reason::Deleted).unwrap();
    store.update(0, &crate::changing::to("y")).unwrap();
    store.update(0, &crate::changing::expiring_in(100)).unwrap();
    store.sweep();
    assert_eq!(lasting(store), "tb:meta+tb:{m}b");
    // A list goes with its pastes, at the latest when it is shown
    store.advance(1000);
    assert_eq!(store.list(1).len(), 0);
    // The second look comes after what the first one removed.
    assert_eq!(store.list(1).len(), 0);
    assert_eq!(
        store.ask_text("EVAL \"return #redis.call('KEYS','tb:o*')..''\" 0"),
        "0"
    );
}

fn the_reports_are_at_most_a_thousand_and_those_of_a_quiet_network_stay(store: &mut Fixture) {
    for key in 0..2 {
        store.save(key, NewPaste::text("x")).unwrap();
    }
    store.moderate(report(store, 1, 1)).unwrap();
    for network in 0..1100 {
        let flood = Report {
            slug: None,
            paste: id(0),
            client: ClientKey {
                network: 100 + network,
                client: 1,
            },
            at: store.now(),
            note: Note::new("x").unwrap(),
        };
        store.moderate(ModerationChange::Report(flood)).unwrap();
    }
    let count = reported(store).len();
    assert!((900..=1000).contains(&count), "{count}");
    assert_eq!(lasting(store), "tb:meta");
}

fn a_list_drops_what_is_due_and_expires_with_its_last_paste(store: &mut Fixture) {
    for key in 0..60 {
        store
            .save(key, NewPaste::text("x").lasting(10).of(1))
            .unwrap();
    }
    store.advance(11);
    for key in 60..120 {
        store
            .save(key, NewPaste::text("x").lasting(100).of(1))
            .unwrap();
    }
    let count = "EVAL \"return redis.call('ZCARD',redis.call('KEYS','tb:o*')[1])..''\" 0";
    let count: usize = store.ask_text(count).parse().unwrap();
    assert!((60..120).contains(&count), "{count}");
    assert_eq!(store.list(1).len(), 60);
    store.advance(100);
    assert_eq!(
        store.ask_text("EVAL \"return #redis.call('KEYS','tb:o*')..''\" 0"),
        "0"
    );
}

fn an_entry_of_a_list_waits_for_its_paste(store: &mut Fixture) {
    store.save(1, NewPaste::text("x").of(1)).unwrap();
    let rename = |from: &str, to: &str| {
        store.ask_text(&format!(
            "EVAL \"redis.call('RENAME',redis.call('KEYS','{from}')[1],'{to}') return '{to}'\" 0"
        ));
    };
    // Given a save that has not arrived where its paste will be
    let name = store.ask_text("EVAL \"return redis.call('KEYS','tb:{????????????????}')[1]\" 0");
    rename(&name, "hidden");
    assert_eq!(store.list(1).len(), 0);
    // When it arrives
    rename("hidden", &name);
    // Then the list has it
    assert_eq!(store.list(1).len(), 1);
}

fn a_paste_that_was_evicted_is_unknown_and_its_slug_stays_reserved(store: &mut Fixture) {
    let notes = || NewPaste::text("x").of(1).at("my-notes");
    store.save(1, notes()).unwrap();
    // As the engine does when it makes room
    store.ask_text(
        "EVAL \"redis.call('DEL',redis.call('KEYS','tb:{????????????????}')[1]) return 'OK'\" 0",
    );
    assert_eq!(store.get(1).map(drop), crate::fixture::unknown());
    assert_eq!(store.list(1).len(), 0);
    let taken = tidebin::store::StoreError::IdTaken;
    assert_eq!(store.save(1, notes()), Err(taken));
}

fn an_expired_id_that_is_used_again_starts_without_reads(store: &mut Fixture) {
    // Given a read of which the engine hears only after the paste has expired
    store.save(1, NewPaste::text("x").lasting(1)).unwrap();
    store.consume(1).unwrap();
    store.advance(1);
    // When a paste gets the same id
    store.save(1, NewPaste::text("y").of(2)).unwrap();
    // Then it was not read
    assert_eq!(store.list(2)[0].reads, 0);
    assert_eq!(store.peek(1).unwrap().reads(), 0);
}
