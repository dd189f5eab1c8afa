//! Compares the store with its reference implementation over random steps. After each step, every index is recounted.

use std::collections::HashMap;

use proptest::prelude::*;

use super::model::Model;
use super::{at, draft, id, owner_id, revision, small_store};
use crate::fairness::ClientKey;
use crate::paste::{
    Access, Change, Content, Expiry, ReadsLeft, Slug, StoredPaste, Timestamp, Title, TitleChange,
    TokenHash,
};
use crate::store::memory::Store;
use crate::store::{ConsumeError, NotFound, Occupancy, Reason, RemovalCounts, Saver, UpdateError};

#[derive(Debug, Clone)]
enum Step {
    Save {
        client: ClientKey,
        owner: u8,
        key: u64,
        size: usize,
        title: usize,
        seconds: u64,
        burn: u8,
    },
    List(u8),
    Find(u64),
    Peek(u64),
    Read(u64),
    Change(u64, Asked),
    Take(u64),
    Advance(u64),
    Sweep,
}

/// A change: the size of the content, the length of the title, and the expiry in seconds.
type Asked = (Option<usize>, Option<usize>, Option<u64>);

fn step() -> impl Strategy<Value = Step> {
    // There are few keys, so that several steps use the same key. Sizes range from tiny to most of the store, and one
    // size is too large for the store.
    let key = 0u64..160;
    let size = prop_oneof![8 => 1usize..300, 3 => 1usize..9000, 1 => 30_000usize..70_000];
    let title = prop_oneof![3 => Just(0usize), 1 => 1usize..300];
    let seconds = prop_oneof![1 => Just(0u64), 4 => 1u64..60, 1 => Just(u64::MAX)];
    let burn = prop_oneof![1 => Just(0u8), 1 => 1u8..7];
    let asked = (
        prop::option::of(size.clone()),
        prop::option::of(title.clone()),
        prop::option::of(seconds.clone()),
    );
    // The first client inserts a third of the pastes. The same client number in two networks means two clients.
    let client = prop_oneof![1 => Just((0, 0)), 2 => (0u64..5, 0u64..6)];
    let client = client.prop_map(|(network, client)| ClientKey { network, client });
    prop_oneof![
        6 => (client, 0u8..3, key.clone(), size, title, seconds, burn).prop_map(|(client, owner, key, size, title, seconds, burn)| Step::Save { client, owner, key, size, title, seconds, burn }),
        2 => (1u8..4).prop_map(Step::List),
        3 => key.clone().prop_map(Step::Read),
        2 => (key.clone(), asked).prop_map(|(key, asked)| Step::Change(key, asked)),
        3 => key.clone().prop_map(Step::Find),
        1 => key.clone().prop_map(Step::Peek),
        1 => key.prop_map(Step::Take),
        2 => prop_oneof![9 => 0u64..20_000, 1 => 80_000_000u64..90_000_000].prop_map(Step::Advance),
        1 => Just(Step::Sweep),
    ]
}

fn check(store: &Store, model: &mut Model, now: &mut u64, step: Step) -> Result<(), TestCaseError> {
    let timestamp = at(*now);
    model.steps += 1;
    match step {
        Step::Save {
            client,
            owner,
            key,
            size,
            title,
            seconds,
            burn,
        } => {
            let stored = StoredPaste::new(
                draft(size, title, seconds),
                access_of(burn),
                revision(model.steps),
                timestamp,
                TokenHash::of(""),
            );
            // The store may have overwritten a tombstone that the reference implementation keeps. Such a key is not
            // compared.
            let forgotten = store.peek(timestamp, id(key)).err() == Some(NotFound::Unknown);
            if !is_slug(key) && model.gone.contains_key(&key) && forgotten {
                return Ok(());
            }
            let owner = if is_slug(key) { owner.max(1) } else { owner };
            let (saver, charged) = saved_by(client, owner, key, &stored);
            let expected = model.save(timestamp, client, owner, (key, is_slug(key)), &charged);
            prop_assert_eq!(store.insert(timestamp, saver, id(key), stored), expected);
        }
        Step::List(owner) => check_list(store, model, timestamp, owner)?,
        Step::Find(key) => match (store.get(timestamp, id(key)), model.find(timestamp, key)) {
            (Ok(found), Ok(at)) => {
                if model.stored[at].is_open {
                    model.read(at);
                }
                let known = model.stored.iter().find(|known| known.key == key);
                let known = known.expect("it was found");
                prop_assert_eq!(
                    (found.deadline(), found.reads()),
                    (known.deadline, known.reads)
                );
                let is_shown = matches!(found.access(), Access::Open | Access::Link);
                prop_assert_eq!(found.open().is_ok(), is_shown);
            }
            (Err(told), Err(expected)) => prop_assert!(model.agrees(expected, told)),
            (found, looked) => prop_assert!(false, "{:?} but {:?}", found.is_ok(), looked),
        },
        Step::Peek(key) => match (store.peek(timestamp, id(key)), model.find(timestamp, key)) {
            (Ok(found), Ok(at)) => {
                let known = &mut model.stored[at];
                prop_assert_eq!(found.reads(), known.reads);
                let counts = store.counts(timestamp, id(key)).expect("it was found");
                prop_assert_eq!(counts.by_day(timestamp).iter().sum::<u32>(), known.reads);
                known.seen = Some((known.revision, found));
            }
            (Err(told), Err(expected)) => prop_assert!(model.agrees(expected, told)),
            (found, looked) => prop_assert!(false, "{:?} but {:?}", found.is_ok(), looked),
        },
        Step::Read(key) => check_read(store, model, timestamp, key)?,
        Step::Change(key, asked) => check_change(store, model, timestamp, key, asked)?,
        Step::Take(key) => match (
            store.remove(timestamp, id(key), Reason::Deleted),
            model.find(timestamp, key),
        ) {
            (Ok(removed), Ok(at)) => {
                prop_assert_eq!(removed.deadline(), model.stored[at].deadline);
                model.remove(timestamp, at, Reason::Deleted);
            }
            (Err(told), Err(expected)) => prop_assert!(model.agrees(expected, told)),
            (removed, looked) => prop_assert!(false, "{:?} but {:?}", removed.is_ok(), looked),
        },
        Step::Advance(millis) => *now += millis,
        Step::Sweep => {
            let mut expected = 0;
            while let Some(at) = model.due(timestamp) {
                model.remove(timestamp, at, Reason::Expired);
                expected += 1;
            }
            prop_assert_eq!(store.sweep(timestamp), expected);
        }
    }
    store.validate();
    prop_assert_eq!(
        store.occupancy(),
        Occupancy {
            pastes: model.stored.len(),
            bytes: model.used()
        }
    );
    prop_assert!(store.occupancy().bytes <= store.room());
    prop_assert_eq!(store.removal_counts(), model.removal_counts);
    Ok(())
}

/// Returns the access that a step names by a number.
fn access_of(burn: u8) -> Access {
    match burn {
        0 => Access::Open,
        4 => Access::Link,
        5 => Access::Locked(None),
        6 => Access::Locked(ReadsLeft::new(2)),
        reads => Access::Burn(ReadsLeft::new(reads).expect("few")),
    }
}

/// Returns the saver with this owner, and the paste as the store charges it.
fn saved_by(client: ClientKey, owner: u8, key: u64, paste: &StoredPaste) -> (Saver, StoredPaste) {
    let owner = (owner > 0).then(|| owner_id(owner));
    let slug = is_slug(key).then(|| slug(key));
    let charged = match owner {
        Some(owner) => {
            let data = paste.clone().into_data();
            data.with_owner(owner.hash(), slug.clone()).with_reads(0)
        }
        None => paste.clone(),
    };
    let saver = Saver {
        client,
        owner,
        slug,
    };
    (saver, charged)
}

/// Returns whether the pastes with this key have a slug.
fn is_slug(key: u64) -> bool {
    key.is_multiple_of(3)
}

/// Returns the slug of a key. They have different lengths.
fn slug(key: u64) -> Slug {
    let length = 20 + usize::try_from(key % 40).unwrap();
    Slug::parse(&format!("{key:-<length$}")).unwrap()
}

/// Follows the pages of a list.
fn check_list(
    store: &Store,
    model: &Model,
    timestamp: Timestamp,
    owner: u8,
) -> Result<(), TestCaseError> {
    let (mut listed, mut before) = (Vec::new(), None);
    loop {
        let page = store.list(timestamp, &owner_id(owner).hash(), before, 3);
        prop_assert!(page.pastes.len() <= 3);
        for paste in &page.pastes {
            listed.push((paste.id, paste.slug.clone()));
        }
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    let expected = model.list(timestamp, owner);
    let expected = expected.into_iter();
    let expected: Vec<_> = expected
        .map(|key| (id(key), is_slug(key).then(|| slug(key))))
        .collect();
    prop_assert_eq!(listed, expected);
    Ok(())
}

/// Consumes the paste that a client saw before, or the present one if no client did.
fn check_read(
    store: &Store,
    model: &mut Model,
    timestamp: Timestamp,
    key: u64,
) -> Result<(), TestCaseError> {
    let Some(seen) = model
        .seen(key)
        .or_else(|| store.peek(timestamp, id(key)).ok())
    else {
        return Ok(());
    };
    match (
        store.consume(timestamp, id(key), &seen),
        model.find(timestamp, key),
    ) {
        (Ok(read), Ok(at)) => {
            let is_last = model.stored[at].left == Some(1);
            let reads = model.stored[at].reads + 1;
            model.read(at);
            let left = model.stored.last().and_then(|known| known.left);
            if is_last {
                model.remove(timestamp, model.stored.len() - 1, Reason::Burned);
            }
            prop_assert_eq!((read.left, read.paste.reads()), (left, reads));
        }
        (Err(ConsumeError::Changed), Ok(at)) => {
            let known = &model.stored[at];
            let seen = known.seen.as_ref().map(|(revision, _)| *revision);
            prop_assert!(seen.is_some_and(|seen| seen != known.revision));
        }
        (Err(ConsumeError::NotFound(told)), Err(expected)) => {
            prop_assert!(model.agrees(expected, told));
        }
        (read, looked) => prop_assert!(false, "{:?} but {:?}", read, looked),
    }
    Ok(())
}

fn check_change(
    store: &Store,
    model: &mut Model,
    timestamp: Timestamp,
    key: u64,
    (size, title, seconds): Asked,
) -> Result<(), TestCaseError> {
    let change = Change {
        of: None,
        content: size.map(|size| Content::new(&vec![b'y'; size], size).expect("not empty")),
        title: title.map_or(TitleChange::Keep, |title| {
            Title::new(&"u".repeat(title)).map_or(TitleChange::Remove, TitleChange::Set)
        }),
        language: None,
        expiry: seconds.map(|seconds| Expiry::from_seconds(seconds).unwrap_or(Expiry::Never)),
    };
    let before = store.peek(timestamp, id(key));
    match (
        store.update(timestamp, id(key), &change, revision(model.steps)),
        model.find(timestamp, key),
    ) {
        (Err(UpdateError::NotFound(told)), Err(expected)) => {
            prop_assert!(model.agrees(expected, told));
        }
        (done, Ok(at)) => {
            let before = before.expect("it was there").into_data();
            let changed = before.changed(&change, revision(model.steps), timestamp);
            let is_other = size.is_some() || title.is_some();
            let fits = model.change(timestamp, at, &changed.with_reads(0), is_other);
            let expected = if fits {
                Ok(())
            } else {
                Err(UpdateError::TooLarge)
            };
            prop_assert_eq!(done, expected);
        }
        (done, looked) => prop_assert!(false, "{:?} but {:?}", done, looked),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_sequence_of_steps_agrees_with_a_naive_list(steps in prop::collection::vec(step(), 1..400)) {
        let store = small_store();
        let mut model = Model {
            stored: Vec::new(), steps: 0, gone: HashMap::new(), reserved: HashMap::new(), removals: 0, removal_counts: RemovalCounts::default(), most: [0; 2],
            room: store.room(), largest: store.largest(),
        };
        let mut now = 0;
        for step in steps {
            check(&store, &mut model, &mut now, step)?;
        }
    }
}
