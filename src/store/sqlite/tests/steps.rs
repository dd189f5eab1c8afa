//! Compares the durable store with a simple map over random steps, with restarts among them.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Step {
    Save {
        owner: u8,
        key: u64,
        size: usize,
        seconds: u64,
        burn: u8,
    },
    List(u8),
    Get(u64),
    Consume(u64),
    Change(u64, Option<usize>, Option<u64>),
    Remove(u64),
    Advance(u64),
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let key = 0u64..12;
    let size = prop_oneof![4 => 1usize..300, 2 => 3000usize..9000, 1 => 60_000usize..80_000];
    let seconds = prop_oneof![1 => Just(0u64), 3 => 1u64..60];
    let saved = (0u8..3, key.clone(), size.clone(), seconds.clone(), 0u8..4);
    let changed = (
        key.clone(),
        prop::option::of(size),
        prop::option::of(seconds),
    );
    prop_oneof![
        5 => saved.prop_map(|(owner, key, size, seconds, burn)| Step::Save { owner, key, size, seconds, burn }),
        3 => (1u8..4).prop_map(Step::List),
        4 => key.clone().prop_map(Step::Get),
        3 => key.clone().prop_map(Step::Consume),
        3 => changed.prop_map(|(key, size, seconds)| Step::Change(key, size, seconds)),
        1 => key.prop_map(Step::Remove),
        2 => prop_oneof![4 => 1u64..20, 1 => Just(86_400)].prop_map(Step::Advance),
        2 => Just(Step::Restart),
    ]
}

/// A paste of the reference implementation.
#[derive(Debug, Clone)]
struct Twin {
    content: Vec<u8>,
    deadline: Option<u64>,
    left: Option<u8>,
    reads: u32,
    owner: u8,
    /// The number of the step that saved it.
    saved: usize,
}

/// The reference implementation: a map, and the reason why a paste is gone.
#[derive(Debug, Default)]
struct Model {
    pastes: HashMap<u64, Twin>,
    gone: HashMap<u64, Reason>,
    /// When the slugs whose pastes ended are free again.
    reserved: HashMap<u64, u64>,
}

impl Model {
    fn is_taken(&self, key: u64, now: u64) -> bool {
        self.pastes.contains_key(&key)
            || match is_slug(key) {
                true => self.reserved.get(&key).is_some_and(|until| *until > now),
                false => self.gone.contains_key(&key),
            }
    }

    fn end(&mut self, key: u64, reason: Reason, now: u64) {
        self.pastes.remove(&key);
        self.gone.insert(key, reason);
        self.reserved.insert(key, now + 86_400_000);
    }

    fn find(&mut self, key: u64, now: u64) -> Result<&mut Twin, NotFound> {
        let gone = self.gone.get(&key).copied();
        match self.pastes.get_mut(&key) {
            Some(twin) if twin.deadline.is_some_and(|deadline| deadline <= now) => {
                Err(NotFound::Gone(Reason::Expired))
            }
            Some(twin) => Ok(twin),
            None => Err(gone.map_or(NotFound::Unknown, NotFound::Gone)),
        }
    }
}

/// Returns whether the pastes with this key have a slug.
fn is_slug(key: u64) -> bool {
    key.is_multiple_of(3)
}

fn slug(key: u64) -> Option<Slug> {
    is_slug(key).then(|| Slug::parse(&format!("slug-{key}")).unwrap())
}

fn content(size: usize, salt: usize) -> Vec<u8> {
    (0..size)
        .map(|at| u8::try_from((at * at + salt) % 200).unwrap())
        .collect()
}

fn deadline(now: u64, seconds: u64) -> Option<u64> {
    (seconds > 0).then(|| now + seconds * 1000)
}

fn check(driven: &mut Driven, model: &mut Model, number: usize, step: Step) {
    let now = driven.now().as_millis();
    match step {
        Step::Save {
            owner,
            key,
            size,
            seconds,
            burn: reads,
        } => {
            // When a slug that expired is free again depends on when the writer sweeps it.
            let twin = model.pastes.get(&key);
            let deadline = twin.and_then(|twin| twin.deadline);
            if is_slug(key) && deadline.is_some_and(|deadline| deadline <= now) {
                return;
            }
            let content = content(size, number);
            let access = if reads == 0 {
                Access::Open
            } else {
                burn(reads)
            };
            let paste = paste(&content, access, seconds, driven.now());
            let owner = if is_slug(key) { owner.max(1) } else { owner };
            let saved = driven.save_with_slug(owner, id(key), slug(key), paste);
            if model.is_taken(key, now) {
                assert_eq!(saved, Err(InsertError::IdTaken));
                return;
            }
            assert_eq!(saved, Ok(()));
            let left = (reads > 0).then_some(reads);
            let deadline = self::deadline(now, seconds);
            let twin = Twin {
                content,
                deadline,
                left,
                reads: 0,
                owner,
                saved: number,
            };
            model.gone.remove(&key);
            model.pastes.insert(key, twin);
        }
        Step::List(owner) => check_list(driven, model, owner),
        Step::Get(key) => {
            let got = driven.get(id(key));
            let twin = model.find(key, now).map(|twin| {
                twin.reads += u32::from(twin.left.is_none());
                (twin.content.clone(), twin.reads)
            });
            let got = got.map(|paste| (paste.reads(), paste.into_paste().bytes().to_vec()));
            let got = got.map(|(reads, bytes)| (bytes, reads));
            assert_eq!(got, twin.map_err(ReadError::NotFound));
        }
        Step::Consume(key) => {
            let consumed = driven.consume(id(key));
            let twin = model.find(key, now).map(|twin| {
                twin.reads += 1;
                twin.left = twin.left.map(|left| left - 1);
                twin.left
            });
            assert_eq!(consumed, twin.map_err(ConsumeError::NotFound));
            if twin == Ok(Some(0)) {
                model.end(key, Reason::Burned, now);
            }
        }
        Step::Change(key, size, seconds) => {
            let new = size.map(|size| content(size, number));
            let change = Change {
                content: new
                    .as_ref()
                    .map(|new| Content::new(new, new.len()).unwrap()),
                expiry: seconds.map(|s| Expiry::from_seconds(s).unwrap_or(Expiry::Never)),
                ..Change::default()
            };
            let updated = driven.update(id(key), &change, u8::try_from(number % 200 + 2).unwrap());
            let twin = model.find(key, now).map(|twin| {
                twin.content = new.unwrap_or_else(|| twin.content.clone());
                twin.deadline = match seconds {
                    Some(seconds) => deadline(now, seconds),
                    None => twin.deadline,
                };
            });
            assert_eq!(updated, twin.map_err(UpdateError::NotFound));
        }
        Step::Remove(key) => {
            let removed = driven.remove(id(key), Reason::Deleted);
            let twin = model.find(key, now).map(|_| ());
            assert_eq!(removed, twin.map_err(ReadError::NotFound));
            if twin.is_ok() {
                model.end(key, Reason::Deleted, now);
            }
        }
        Step::Advance(seconds) => driven.advance(seconds),
        Step::Restart => driven.restart(),
    }
    driven.store().validate();
}

/// Compares the whole list of an owner.
fn check_list(driven: &Driven, model: &Model, owner: u8) {
    let now = driven.now().as_millis();
    let mut expected: Vec<_> = model.pastes.iter().collect();
    expected.retain(|(_, twin)| {
        twin.owner == owner && twin.deadline.is_none_or(|deadline| deadline > now)
    });
    expected.sort_by_key(|(_, twin)| std::cmp::Reverse(twin.saved));
    let expected = expected
        .into_iter()
        .map(|(key, twin)| (id(*key), slug(*key), twin.content.len(), twin.reads));
    let listed = driven.list(owner).into_iter();
    let listed = listed.map(|paste| (paste.id, paste.slug, paste.summary.size, paste.reads));
    assert_eq!(listed.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_store_answers_as_a_map_does_whenever_it_is_restarted(steps in prop::collection::vec(step(), 1..60)) {
        let mut driven = Driven::new();
        let mut model = Model::default();
        for (number, step) in steps.into_iter().enumerate() {
            check(&mut driven, &mut model, number, step);
        }
    }
}
