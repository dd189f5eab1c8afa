//! The store beside a naive twin: random steps, every index recounted after each.

use std::collections::HashMap;

use proptest::prelude::*;

use super::{HOLDER, at, id, paste, small_store};
use crate::paste::{Deadline, Moment, Paste};
use crate::store::{Absent, Occupancy, Reason, Refused, Store, cost_of};

/// The twin: everything in one list, least recently used first.
struct Model {
    kept: Vec<(u64, usize, Deadline, u32)>,
    gone: HashMap<u64, (Reason, usize)>,
    burials: usize,
    room: usize,
}

impl Model {
    fn used(&self) -> usize {
        self.kept.iter().map(|(_, cost, _, _)| cost).sum()
    }

    fn bury(&mut self, at: usize, reason: Reason) {
        let (key, ..) = self.kept.remove(at);
        self.burials += 1;
        self.gone.insert(key, (reason, self.burials));
    }

    fn due(&self, now: Moment) -> Option<usize> {
        let due = self
            .kept
            .iter()
            .enumerate()
            .filter(|(_, (_, _, deadline, _))| deadline.has_passed(now));
        due.min_by_key(|(_, (key, _, deadline, _))| (*deadline, id(*key)))
            .map(|(at, _)| at)
    }

    fn save(&mut self, now: Moment, key: u64, paste: &Paste) -> Result<(), Refused> {
        let cost = cost_of(paste);
        if cost > self.room {
            return Err(Refused::TooLarge);
        }
        if self.kept.iter().any(|(kept, ..)| *kept == key) || self.gone.contains_key(&key) {
            return Err(Refused::Taken);
        }
        while self.used() + cost > self.room {
            match self.due(now) {
                Some(at) => self.bury(at, Reason::Expired),
                None => self.bury(0, Reason::Evicted),
            }
        }
        self.kept.push((key, cost, paste.deadline(), 0));
        Ok(())
    }

    /// Where the paste is, or what may be said of its absence.
    fn look(&self, now: Moment, key: u64) -> Result<usize, Option<(Reason, usize)>> {
        match self.kept.iter().position(|(kept, ..)| *kept == key) {
            Some(at) if self.kept[at].2.has_passed(now) => {
                Err(Some((Reason::Expired, self.burials)))
            }
            Some(at) => Ok(at),
            None => Err(self.gone.get(&key).copied()),
        }
    }

    /// Whether the store's answer for an absent paste is right: a tombstone may be forgotten, but only after eight
    /// younger ones.
    fn agrees(&self, expected: Option<(Reason, usize)>, answer: Absent) -> bool {
        match (expected, answer) {
            (Some((reason, _)), Absent::Gone(told)) => reason == told,
            (Some((_, burial)), Absent::Unknown) => self.burials - burial >= 8,
            (None, answer) => answer == Absent::Unknown,
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Save {
        key: u64,
        size: usize,
        title: usize,
        seconds: u64,
    },
    Find(u64),
    Peek(u64),
    Take(u64),
    Advance(u64),
    Sweep,
}

fn step() -> impl Strategy<Value = Step> {
    // Few keys, so that steps meet; sizes from tiny to most of the store, and one beyond it.
    let key = 0u64..160;
    let size = prop_oneof![8 => 1usize..300, 3 => 1usize..9000, 1 => 30_000usize..70_000];
    let title = prop_oneof![3 => Just(0usize), 1 => 1usize..300];
    let seconds = prop_oneof![1 => Just(0u64), 4 => 1u64..60, 1 => Just(u64::MAX)];
    prop_oneof![
        6 => (key.clone(), size, title, seconds).prop_map(|(key, size, title, seconds)| Step::Save { key, size, title, seconds }),
        3 => key.clone().prop_map(Step::Find),
        1 => key.clone().prop_map(Step::Peek),
        1 => key.prop_map(Step::Take),
        2 => (0u64..20_000).prop_map(Step::Advance),
        1 => Just(Step::Sweep),
    ]
}

fn check(store: &Store, model: &mut Model, now: &mut u64, step: Step) -> Result<(), TestCaseError> {
    let moment = at(*now);
    match step {
        Step::Save {
            key,
            size,
            title,
            seconds,
        } => {
            let paste = paste(size, title, seconds, moment);
            // The store may have forgotten a tombstone that the twin remembers; such a key proves nothing.
            if model.gone.contains_key(&key) && store.peek(moment, id(key)) == Err(Absent::Unknown)
            {
                return Ok(());
            }
            let expected = model.save(moment, key, &paste);
            prop_assert_eq!(store.save(moment, HOLDER, id(key), paste), expected);
        }
        Step::Find(key) => match (store.find(moment, id(key)), model.look(moment, key)) {
            (Ok(found), Ok(at)) => {
                let mut entry = model.kept.remove(at);
                entry.3 += 1;
                prop_assert_eq!((found.deadline(), found.reads()), (entry.2, entry.3));
                model.kept.push(entry);
            }
            (Err(told), Err(expected)) => prop_assert!(model.agrees(expected, told)),
            (found, looked) => prop_assert!(false, "{:?} but {:?}", found.is_ok(), looked),
        },
        Step::Peek(key) => match (store.peek(moment, id(key)), model.look(moment, key)) {
            (Ok(found), Ok(at)) => prop_assert_eq!(found.reads(), model.kept[at].3),
            (Err(told), Err(expected)) => prop_assert!(model.agrees(expected, told)),
            (found, looked) => prop_assert!(false, "{:?} but {:?}", found.is_ok(), looked),
        },
        Step::Take(key) => match (
            store.take(moment, id(key), Reason::Deleted),
            model.look(moment, key),
        ) {
            (Ok(taken), Ok(at)) => {
                prop_assert_eq!(taken.deadline(), model.kept[at].2);
                model.bury(at, Reason::Deleted);
            }
            (Err(told), Err(expected)) => prop_assert!(model.agrees(expected, told)),
            (taken, looked) => prop_assert!(false, "{:?} but {:?}", taken.is_ok(), looked),
        },
        Step::Advance(millis) => *now += millis,
        Step::Sweep => {
            let mut expected = 0;
            while let Some(at) = model.due(moment) {
                model.bury(at, Reason::Expired);
                expected += 1;
            }
            prop_assert_eq!(store.sweep(moment), expected);
        }
    }
    store.validate();
    prop_assert_eq!(
        store.occupancy(),
        Occupancy {
            pastes: model.kept.len(),
            bytes: model.used()
        }
    );
    prop_assert!(store.occupancy().bytes <= store.room());
    Ok(())
}

impl PartialEq for Paste {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes() && self.saved() == other.saved()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_sequence_of_steps_agrees_with_a_naive_list(steps in prop::collection::vec(step(), 1..400)) {
        let store = small_store();
        let mut model = Model { kept: Vec::new(), gone: HashMap::new(), burials: 0, room: store.room() };
        let mut now = 0;
        for step in steps {
            check(&store, &mut model, &mut now, step)?;
        }
    }
}
