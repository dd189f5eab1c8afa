//! A store and a naive twin take the same random steps. After each of them both have the same pastes and the same
//! answers, and the indexes of the store are recounted.

mod model;
mod steps;

use proptest::test_runner::{Config, TestRunner};
use tidebin::paste::{
    Access, Change, Deadline, Expiry, ReadsLeft, StoredPaste, Timestamp, Title, TitleChange,
};
use tidebin::store::{Reason, StoreError};

use crate::fixture::{AMPLE, Fixture, SMALL, bytes, id};
use crate::new_paste::{NewPaste, content, owner_id, slug};
use model::{Known, Model, has_slug};
use steps::{Changed, Save, Step, steps};

/// The store and its twin.
struct Pair {
    store: Fixture,
    model: Model,
}

impl Pair {
    fn new(store: Fixture) -> Self {
        let model = Model {
            started: store.now(),
            grace: store.grace(),
            forgets: store.is_engine(),
            ..Model::default()
        };
        Self { store, model }
    }

    fn take(&mut self, step: Step) {
        self.model.steps += 1;
        let now = self.store.now();
        self.model.forget(now);
        match step {
            Step::Save(save) => self.save(&save),
            Step::List(owner) => self.list(owner),
            Step::Get(key) => self.get(key),
            Step::Peek(key) => self.peek(key),
            Step::Consume(key) => self.consume(key),
            Step::Change(key, changed) => self.change(key, &changed),
            Step::Remove(key) => self.remove(key),
            Step::RemoveAll(number) => self.remove_all(number),
            Step::Advance(seconds) => self.store.advance(seconds),
            Step::Sweep => {
                self.store.sweep();
                while let Some(at) = self.model.due(now) {
                    self.model.remove(now, at, Reason::Expired);
                }
            }
            Step::Restart => {
                self.store.restart();
                self.model.restart(now);
                // A node hears how full its engine is with a sweep.
                self.take(Step::Sweep);
            }
        }
        let store = self.store.store();
        store.validate();
        self.model.forget(self.store.now());
        assert_eq!(self.store.pastes(), self.model.stored.len());
        assert!(store.occupancy().bytes <= store.room());
        assert_eq!(store.removal_counts(), self.model.counts);
        self.recount();
    }

    /// Compares what each network holds with the pastes of the twin.
    fn recount(&self) {
        for network in 0..4 {
            let of_it = |known: &&Known| known.client.network == network;
            let pastes = self.model.stored.iter().filter(of_it);
            let expected = (!self.model.forgets).then(|| pastes.clone().count());
            let share = self.store.store().share(network);
            assert_eq!(share.map(|share| share.pastes), expected);
            if let Some(share) = share {
                assert_eq!(share.bytes, pastes.map(|known| known.cost).sum::<usize>());
            }
        }
    }

    /// Lets the twin remove as many pastes as the store did, to make room for the paste with this key.
    fn make_room(&mut self, known: &mut Known) {
        let paste = self.store.peek(known.key).expect("it was stored");
        known.cost = self.store.cost(&paste);
        let of = |counts: tidebin::store::RemovalCounts| counts.expired + counts.evicted;
        let before = of(self.model.counts);
        let count = of(self.store.store().removal_counts()) - before;
        let now = self.store.now();
        self.model.make_room(now, known.client, known.cost, count);
    }

    fn save(&mut self, save: &Save) {
        let (key, now) = (save.key, self.store.now());
        if self.model.forgets && !has_slug(key) && self.model.gone.contains_key(&key) {
            // A random id does not come twice, so an engine does not ask for a tombstone.
            return;
        }
        // Only a paste with an owner has a slug.
        let owner = save.owner.max(has_slug(key).into());
        let mut saved = NewPaste::random(save.size)
            .read_as(save.access)
            .by(save.client);
        saved = saved.titled(title(save.title));
        if owner > 0 {
            saved = saved.of(owner);
        }
        if has_slug(key) {
            saved = saved.at(&slug_text(key));
        }
        if save.seconds > 0 {
            saved = saved.lasting(save.seconds);
        }
        let mut known = Known {
            client: save.client,
            owner,
            title: title(save.title),
            deadline: deadline(now, save.seconds),
            saved: self.model.steps,
            dated: self.model.steps,
            revision: self.model.steps,
            ..Known::new(key, saved.content().to_vec(), save.access)
        };
        let answer = self.store.save(key, saved);
        if let Some(error) = self.model.taken(now, key) {
            return assert_eq!(answer, Err(error));
        }
        assert_eq!(answer, Ok(()));
        self.make_room(&mut known);
        self.model.gone.remove(&key);
        self.model.stored.push(known);
    }

    fn list(&self, owner: u8) {
        let listed = self.store.list(owner).into_iter();
        let listed = listed.map(|it| (it.id, it.slug, it.summary.size, it.reads, it.deadline));
        let expected = self.model.list(self.store.now(), owner).into_iter();
        let expected = expected.map(|it| {
            let slug = has_slug(it.key).then(|| slug(&slug_text(it.key)));
            (id(it.key), slug, it.content.len(), it.reads, it.deadline)
        });
        assert_eq!(listed.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    fn get(&mut self, key: u64) {
        let (found, now) = (self.store.get(key), self.store.now());
        let at = match self.model.find(now, key) {
            Ok(at) => at,
            Err(error) => return assert_eq!(found.unwrap_err(), error),
        };
        let known = match self.model.stored[at].access {
            Access::Open => self.model.read(at),
            _ => &mut self.model.stored[at],
        };
        compare(known, &found.unwrap());
    }

    fn peek(&mut self, key: u64) {
        let (found, now) = (self.store.peek(key), self.store.now());
        match self.model.find(now, key) {
            Ok(at) => {
                let (known, found) = (&mut self.model.stored[at], found.unwrap());
                compare(known, &found);
                let counts = self.store.counts(key).unwrap();
                assert_eq!(counts.by_day(now).iter().sum::<u32>(), known.reads);
                known.seen = Some((known.revision, found));
            }
            Err(error) => assert_eq!(found.unwrap_err(), error),
        }
    }

    /// Consumes the version that a client saw before, or the present one if none did.
    fn consume(&mut self, key: u64) {
        let now = self.store.now();
        let known = self.model.stored.iter().find(|known| known.key == key);
        let before = known.and_then(|known| known.seen.clone());
        let seen = match (&before, self.store.peek(key)) {
            (Some((_, seen)), _) => seen.clone(),
            (None, Ok(seen)) => seen,
            (None, Err(_)) => return,
        };
        let consumed = self.store.consume_as(key, &seen);
        let at = match self.model.find(now, key) {
            Ok(at) => at,
            Err(error) => return assert_eq!(consumed.unwrap_err(), error),
        };
        // An engine gives the only view of a paste as it is then, also if it was changed meanwhile.
        let is_only = matches!(seen.access(), Access::Burn(left) if left.get() == 1);
        let present = self.model.stored[at].revision;
        let was_changed = before.is_some_and(|(revision, _)| revision != present);
        if was_changed && !(self.model.forgets && is_only) {
            return assert_eq!(consumed.unwrap_err(), StoreError::Changed);
        }
        let left = self.model.read(at).left;
        let consumed = consumed.unwrap();
        assert_eq!(consumed.left, left);
        if left == Some(0) {
            let last = self.model.stored.len() - 1;
            self.model.remove(now, last, Reason::Burned);
        }
    }

    fn change(&mut self, key: u64, changed: &Changed) {
        let now = self.store.now();
        let new = changed
            .size
            .map(|size| NewPaste::random(size).content().to_vec());
        let change = Change {
            content: new.as_deref().map(content),
            title: match changed.title.map(title) {
                None => TitleChange::Keep,
                Some(None) => TitleChange::Remove,
                Some(Some(title)) => TitleChange::Set(title),
            },
            expiry: changed.seconds.map(expiry),
            ..Change::default()
        };
        let answer = self.store.update(key, &change);
        let at = match self.model.find(now, key) {
            Ok(at) => at,
            Err(error) => return assert_eq!(answer, Err(error)),
        };
        assert_eq!(answer, Ok(()));
        let mut known = self.model.stored.remove(at);
        if new.is_some() || changed.title.is_some() {
            known.revision = self.model.steps;
        }
        known.content = new.unwrap_or(known.content);
        known.title = changed.title.map_or(known.title, title);
        known.deadline = changed
            .seconds
            .map_or(known.deadline, |it| deadline(now, it));
        known.dated = self.model.steps;
        self.make_room(&mut known);
        self.model.stored.push(known);
    }

    fn remove(&mut self, key: u64) {
        let removed = self.store.remove(key, Reason::Deleted);
        let now = self.store.now();
        let expected = self.model.find(now, key);
        assert_eq!(removed, expected.map(drop));
        if let Ok(at) = expected {
            self.model.remove(now, at, Reason::Deleted);
        }
    }

    fn remove_all(&mut self, number: u8) {
        let (now, reason) = (self.store.now(), Reason::RemovedByOperator);
        let forgets = self.model.forgets;
        let is_one = |known: &Known| match forgets {
            true => known.owner == number && number > 0,
            false => known.client.network == u64::from(number),
        };
        let mut removed = 0;
        while let Some(at) = self.model.stored.iter().position(is_one) {
            self.model.remove(now, at, reason);
            removed += 1;
        }
        let owner = (number > 0).then(|| owner_id(number));
        let (tier, network) = (self.store.store(), number.into());
        let removal = tier.remove_of(now, network, owner.as_ref(), reason);
        assert_eq!(self.store.wait(removal), Ok(removed));
    }
}

fn compare(known: &Known, found: &StoredPaste) {
    assert!(bytes(found) == known.content, "another content");
    assert_eq!(
        (found.reads(), found.deadline()),
        (known.reads, known.deadline)
    );
    let left = found.access().reads_left().map(ReadsLeft::get);
    assert_eq!(left, known.left);
    if let Ok(shown) = found.clone().open() {
        assert_eq!(shown.title(), known.title.as_ref());
    }
}

fn slug_text(key: u64) -> String {
    format!("slug-{key}")
}

fn title(length: usize) -> Option<Title> {
    Title::new(&"t".repeat(length))
}

fn expiry(seconds: u64) -> Expiry {
    Expiry::from_seconds(seconds).unwrap_or(Expiry::Never)
}

fn deadline(now: Timestamp, seconds: u64) -> Deadline {
    Deadline::after(now, expiry(seconds))
}

/// Takes random steps with new stores and with pastes of at most this many pages, those steps that the filter allows.
fn compare_in_random_steps(
    new: impl Fn() -> Fixture,
    pages: usize,
    cases: u32,
    is_allowed: impl Fn(&Step) -> bool,
) {
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    });
    let run = |steps: Vec<Step>| {
        let mut pair = Pair::new(new());
        for step in steps {
            if is_allowed(&step) {
                pair.take(step);
            }
        }
        (1..4).for_each(|owner| pair.list(owner));
        Ok(())
    };
    runner.run(&steps(pages), run).expect("both do the same");
}

/// The usual number of cases. A fast store takes more of them, and a slow one less.
fn usual() -> u32 {
    Config::default().cases
}

/// So many pages at most never fill a store.
const FEW: usize = 10;

const fn is_not_restart(step: &Step) -> bool {
    !matches!(step, Step::Restart)
}

mod memory {
    use super::*;

    #[test]
    fn any_steps_have_the_answers_of_a_list() {
        compare_in_random_steps(|| Fixture::memory(AMPLE), FEW, 2 * usual(), is_not_restart);
    }

    #[test]
    fn a_full_store_evicts_as_a_list_does() {
        compare_in_random_steps(|| Fixture::memory(SMALL), 60, 8 * usual(), is_not_restart);
    }
}

mod disk {
    use super::*;

    #[test]
    fn any_steps_and_restarts_have_the_answers_of_a_list() {
        compare_in_random_steps(|| Fixture::disk(AMPLE), FEW, usual() / 4, |_| true);
    }

    /// After a restart, the order of use is that of the days.
    #[test]
    fn a_full_store_evicts_as_a_list_does() {
        compare_in_random_steps(|| Fixture::disk(SMALL), 90, usual() / 8, is_not_restart);
    }
}

mod engine {
    use super::*;

    #[test]
    #[ignore = "needs valkey-server or redis-server"]
    fn any_steps_and_restarts_have_the_answers_of_a_list() {
        compare_in_random_steps(|| Fixture::engine(AMPLE), FEW, usual() / 2, |_| true);
    }
}
