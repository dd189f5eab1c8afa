//! The store beside a naive twin: random steps, every index recounted after each.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::{at, id, paste, small_store};
use crate::paste::{Deadline, Moment, Paste};
use crate::store::ledger::Ledger;
use crate::store::{Absent, Departures, Holder, Occupancy, Reason, Refused, Store, cost_of};

/// A paste as the twin knows it.
struct Kept {
    key: u64,
    holder: Holder,
    cost: usize,
    deadline: Deadline,
    reads: u32,
}

/// The twin: everything in one list, least recently used first.
struct Model {
    kept: Vec<Kept>,
    gone: HashMap<u64, (Reason, usize)>,
    burials: usize,
    departures: Departures,
    /// The most pastes, holders and networks that there ever were at a time.
    most: [usize; 3],
    room: usize,
    largest: usize,
}

impl Model {
    fn used(&self) -> usize {
        let [pastes, holders, networks] = self.most;
        let ledger = pastes * Ledger::SLOT + holders * Ledger::HOLDER + networks * Ledger::NETWORK;
        self.weight(|_| true) + ledger
    }

    fn weight(&self, of: impl Fn(Holder) -> bool) -> usize {
        let held = self.kept.iter().filter(|kept| of(kept.holder));
        held.map(|kept| kept.cost).sum()
    }

    fn bury(&mut self, at: usize, reason: Reason) {
        let key = self.kept.remove(at).key;
        self.burials += 1;
        self.gone.insert(key, (reason, self.burials));
        match reason {
            Reason::Expired => self.departures.expired += 1,
            Reason::Burned => self.departures.burned += 1,
            Reason::Deleted => self.departures.deleted += 1,
            Reason::Evicted => self.departures.evicted += 1,
        }
    }

    fn due(&self, now: Moment) -> Option<usize> {
        let due = (0..self.kept.len()).filter(|at| self.kept[*at].deadline.has_passed(now));
        due.min_by_key(|at| (self.kept[*at].deadline, id(self.kept[*at].key)))
    }

    /// The rule as it is written: the heaviest network, its heaviest holder, its least recently read paste; what comes
    /// in counts as its saver's, of equals the greater hash gives, who keeps nothing cannot.
    fn next_to_give(&self, saver: Holder, incoming: usize) -> Option<usize> {
        let network_weight = |network: u64| {
            let own = if network == saver.network {
                incoming
            } else {
                0
            };
            (
                self.weight(|holder| holder.network == network) + own,
                network,
            )
        };
        let holder_weight = |given: Holder| {
            let own = if given == saver { incoming } else { 0 };
            (self.weight(|holder| holder == given) + own, given.client)
        };
        let holders = || self.kept.iter().map(|kept| kept.holder);
        let network = holders()
            .map(|holder| holder.network)
            .max_by_key(|network| network_weight(*network))?;
        let within = holders().filter(|holder| holder.network == network);
        let holder = within.max_by_key(|holder| holder_weight(*holder))?;
        self.kept.iter().position(|kept| kept.holder == holder)
    }

    fn save(
        &mut self,
        now: Moment,
        holder: Holder,
        key: u64,
        paste: &Paste,
    ) -> Result<(), Refused> {
        let cost = cost_of(paste);
        if cost > self.largest {
            return Err(Refused::TooLarge);
        }
        if self.kept.iter().any(|kept| kept.key == key) || self.gone.contains_key(&key) {
            return Err(Refused::Taken);
        }
        while self.used() + cost + Ledger::GROWTH > self.room {
            match self.due(now) {
                Some(at) => self.bury(at, Reason::Expired),
                None => {
                    let at = self.next_to_give(holder, cost).expect("something is kept");
                    self.bury(at, Reason::Evicted);
                }
            }
        }
        self.kept.push(Kept {
            key,
            holder,
            cost,
            deadline: paste.deadline(),
            reads: 0,
        });
        let holders: HashSet<Holder> = self.kept.iter().map(|kept| kept.holder).collect();
        let networks: HashSet<u64> = holders.iter().map(|holder| holder.network).collect();
        let now = [self.kept.len(), holders.len(), networks.len()];
        self.most = [0, 1, 2].map(|at| self.most[at].max(now[at]));
        Ok(())
    }

    /// Where the paste is, or what may be said of its absence.
    fn look(&self, now: Moment, key: u64) -> Result<usize, Option<(Reason, usize)>> {
        match self.kept.iter().position(|kept| kept.key == key) {
            Some(at) if self.kept[at].deadline.has_passed(now) => {
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
        holder: Holder,
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
    // The first holder saves a third of it; the same client number in two networks is two holders.
    let holder = prop_oneof![1 => Just((0, 0)), 2 => (0u64..5, 0u64..6)];
    let holder = holder.prop_map(|(network, client)| Holder { network, client });
    prop_oneof![
        6 => (holder, key.clone(), size, title, seconds).prop_map(|(holder, key, size, title, seconds)| Step::Save { holder, key, size, title, seconds }),
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
            holder,
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
            let expected = model.save(moment, holder, key, &paste);
            prop_assert_eq!(store.save(moment, holder, id(key), paste), expected);
        }
        Step::Find(key) => match (store.find(moment, id(key)), model.look(moment, key)) {
            (Ok(found), Ok(at)) => {
                let mut entry = model.kept.remove(at);
                entry.reads += 1;
                prop_assert_eq!(
                    (found.deadline(), found.reads()),
                    (entry.deadline, entry.reads)
                );
                model.kept.push(entry);
            }
            (Err(told), Err(expected)) => prop_assert!(model.agrees(expected, told)),
            (found, looked) => prop_assert!(false, "{:?} but {:?}", found.is_ok(), looked),
        },
        Step::Peek(key) => match (store.peek(moment, id(key)), model.look(moment, key)) {
            (Ok(found), Ok(at)) => prop_assert_eq!(found.reads(), model.kept[at].reads),
            (Err(told), Err(expected)) => prop_assert!(model.agrees(expected, told)),
            (found, looked) => prop_assert!(false, "{:?} but {:?}", found.is_ok(), looked),
        },
        Step::Take(key) => match (
            store.take(moment, id(key), Reason::Deleted),
            model.look(moment, key),
        ) {
            (Ok(taken), Ok(at)) => {
                prop_assert_eq!(taken.deadline(), model.kept[at].deadline);
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
    prop_assert_eq!(store.departures(), model.departures);
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
        let mut model = Model {
            kept: Vec::new(), gone: HashMap::new(), burials: 0, departures: Departures::default(), most: [0; 3],
            room: store.room(), largest: store.largest(),
        };
        let mut now = 0;
        for step in steps {
            check(&store, &mut model, &mut now, step)?;
        }
    }
}
