//! Changes of a paste while a reader loads it: its former version never stays in the cache.

use super::parts::Parts;
use super::*;
use crate::paste::{Deadline, PasteData};
use crate::store::sqlite::reader::fetch;
use crate::store::sqlite::state::{Cached, Found, Purpose, UnsavedCounts};
use crate::store::sqlite::writer::{Transaction, Update};

/// The writer's change of the paste with the id 1.
#[derive(Debug, Clone, Copy)]
enum Event {
    Removed,
    Expired,
    ContentChanged,
    ExpiryChanged,
    Read,
    CountsSaved,
}

const EVENTS: [Event; 6] = [
    Event::Removed,
    Event::Expired,
    Event::ContentChanged,
    Event::ExpiryChanged,
    Event::Read,
    Event::CountsSaved,
];

/// The version that the writer shows to readers after the commit.
enum Shown {
    Nothing,
    Paste(PasteData),
    Access(Access),
    Counts(Vec<UnsavedCounts>),
}

impl Event {
    /// Carries out the event in a transaction.
    fn carry_out(self, parts: &Parts, transaction: &mut Transaction<'_>, now: Timestamp) -> Shown {
        let (key, reason) = (parts.key(1), Reason::Deleted);
        let update = parts.change(now);
        let (revision, _) = update.of;
        match self {
            Self::Removed => {
                transaction.remove(key, reason.into()).unwrap();
                Shown::Nothing
            }
            Self::Expired => {
                let later = Timestamp::from_millis(now.as_millis() + 7_200_000);
                transaction.now = later;
                assert_eq!(transaction.sweep().unwrap(), 1);
                Shown::Nothing
            }
            Self::ContentChanged => {
                assert!(transaction.update(&update).is_ok());
                Shown::Paste(update.paste)
            }
            Self::ExpiryChanged => {
                let sooner = Deadline::after(now, Expiry::from_seconds(10).unwrap());
                let mut paste = parts.fetch(1).unwrap().entry.paste;
                paste.deadline = sooner;
                let update = Update {
                    paste,
                    sealed: None,
                    ..update
                };
                assert!(transaction.update(&update).is_ok());
                Shown::Paste(update.paste)
            }
            Self::Read => {
                let left = transaction
                    .consume(key, revision, Reason::Burned.into())
                    .unwrap();
                Shown::Access(left.unwrap())
            }
            Self::CountsSaved => {
                let mut read = parts.fetch(1).unwrap();
                read.entry.count(now);
                read.is_dirty = true;
                let mut state = parts.shared.lock();
                state.keep_counts(key, &read);
                let counts = state.take_unsaved(true);
                drop(state);
                transaction.save_counts(&counts).unwrap();
                Shown::Counts(counts)
            }
        }
    }
}

impl Shown {
    fn show(self, parts: &Parts) {
        let (key, mut state) = (parts.key(1), parts.shared.lock());
        match self {
            Self::Nothing => {}
            Self::Paste(paste) => _ = state.replace(key, paste),
            Self::Access(access) => state.set_access(key, access),
            Self::Counts(counts) => state.forget_saved(&counts),
        }
    }
}

/// The facts that tell one version of a paste from another, and its reads.
fn version(cached: &Cached) -> (Revision, Deadline, Access, u32) {
    let Cached { entry, .. } = cached;
    let paste = &entry.paste;
    let reads = entry.total;
    (paste.revision, paste.deadline, paste.access, reads)
}

#[test]
fn a_former_version_is_not_cached_whatever_happens_while_it_is_loaded() {
    for (event, is_late) in EVENTS.map(|event| [(event, true), (event, false)]).concat() {
        // Given a reader that has read the row of a paste
        let driven = Driven::new();
        let saved = paste(b"former", burn(2), 3600, driven.now());
        driven.save(id(1), saved).unwrap();
        let (parts, now) = Parts::of(driven);
        let key = parts.key(1);
        let seq = parts.shared.lock().catalog.find(key).unwrap().seq;
        let waiting = parts.shared.lock().find(now, key, Purpose::Peek);
        assert!(matches!(waiting, Ok(Found::OnDisk(Some(_), _))));
        let former = parts.fetch(1);
        let arrive = |former| {
            let mut state = parts.shared.lock();
            let _ = state.finish_loading(key, seq, former);
        };
        // When the paste is changed, and the row arrives after or before readers are shown the change
        let mut transaction = parts.begin();
        let shown = event.carry_out(&parts, &mut transaction, now);
        transaction.commit().unwrap();
        if is_late {
            shown.show(&parts);
            arrive(former);
        } else {
            arrive(former);
            shown.show(&parts);
        }
        // Then the cache has the version that is on disk, or none
        let cached = parts.shared.lock().cache.pastes.get(&key).map(version);
        if let Some(cached) = cached {
            let present = version(&parts.fetch(1).unwrap());
            assert_eq!(cached, present, "{event:?}, late: {is_late}");
        }
        assert!(!is_late || cached.is_none(), "{event:?}");
    }
}

#[test]
fn a_row_number_that_a_failed_transaction_gave_back_shows_no_other_paste() {
    // Given a reader that looks for a paste in the row of a change that was not committed
    let driven = Driven::new();
    let saved = paste(b"kept", Access::Open, 100, driven.now());
    driven.save(id(1), saved).unwrap();
    let (parts, now) = Parts::of(driven);
    let (id, key) = (id(1), parts.key(1));
    let seq_of = |key| parts.shared.lock().catalog.find(key).unwrap().seq;
    let mut transaction = parts.begin();
    assert!(transaction.update(&parts.change(now)).is_ok());
    let seq = seq_of(key);
    transaction.roll_back(Failure::Refused(String::new()));
    // When the next transaction gives the row to another paste
    let mut transaction = parts.begin();
    let insertion = parts.insertion(now, 2);
    transaction.insert(&insertion).unwrap();
    transaction.commit().unwrap();
    assert_eq!(seq_of(parts.key(2)), seq);
    // Then the reader looks again, and the other paste is not taken for damage
    let loaded = fetch(&parts.shared, &parts.connection, id, key, seq);
    assert!(matches!(loaded, Err(StoreError::Changed)));
}
