//! The accounts beside their naive twin: random steps, and every refusal and every victim is the same.

use proptest::prelude::*;

use super::naive::{CEILINGS, PAUSES, PLACES, Twin, Twins};
use super::*;

#[derive(Debug, Clone)]
enum Step {
    Begin {
        who: u64,
        class: Option<Priority>,
    },
    Moved {
        which: usize,
        bytes: u64,
    },
    Want {
        which: usize,
        bytes: u64,
    },
    /// Gets what it waits for.
    Get {
        which: usize,
    },
    Press {
        which: usize,
    },
    PressForShare {
        which: usize,
        bytes: u64,
    },
    BePatient {
        which: usize,
    },
    End {
        which: usize,
    },
    Wait {
        seconds: u64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..64usize;
    let answer = prop::sample::select(&Priority::ALL[..]).prop_map(Some);
    let class = prop_oneof![Just(None), answer];
    prop_oneof![
        4 => (0..9u64, class).prop_map(|(who, class)| Step::Begin { who, class }),
        1 => (which.clone(), 0..1_000_000u64).prop_map(|(which, bytes)| Step::Moved { which, bytes }),
        3 => (which.clone(), 1..300u64).prop_map(|(which, bytes)| Step::Want { which, bytes }),
        3 => which.clone().prop_map(|which| Step::Get { which }),
        3 => which.clone().prop_map(|which| Step::Press { which }),
        1 => (which.clone(), 1..300u64).prop_map(|(which, bytes)| Step::PressForShare { which, bytes }),
        1 => which.clone().prop_map(|which| Step::BePatient { which }),
        1 => which.prop_map(|which| Step::End { which }),
        1 => (0..40u64).prop_map(|seconds| Step::Wait { seconds }),
    ]
}

/// Three clients in each of three networks.
fn who(who: u64) -> ClientKey {
    client(who / 3, who)
}

/// The list beside the accounts, and who was cut of those that are under way there.
struct Both {
    all: Transfers,
    twins: Twins,
    cuts: Vec<(u64, Arc<AtomicBool>)>,
    now: u64,
}

impl Both {
    /// Ends these, and checks that it is who had to go.
    fn cut(&mut self, cuts: Vec<Cut>, expected: Vec<u64>) -> Result<(), TestCaseError> {
        let mut cut = Vec::new();
        for end in cuts {
            end();
            let is_new = |(number, flag): &&(u64, Arc<AtomicBool>)| {
                flag.load(Ordering::Relaxed) && !cut.contains(number)
            };
            cut.extend(self.cuts.iter().find(is_new).map(|(number, _)| *number));
        }
        self.cuts.retain(|(number, _)| !cut.contains(number));
        prop_assert_eq!(&cut, &expected);
        // What was cut gets nothing more.
        for number in cut {
            prop_assert_eq!(self.all.want(number, 1), Err(QuotaError::Cut));
            prop_assert_eq!(self.all.hold(number), Err(QuotaError::Cut));
            prop_assert_eq!(self.all.take_place(number), Err(QuotaError::Cut));
        }
        Ok(())
    }

    fn begin(&mut self, who: ClientKey, class: Option<Priority>) -> Result<(), TestCaseError> {
        let direction = class.map_or(Direction::Receiving, |_| Direction::Sending);
        let class = class.unwrap_or(Priority::Save);
        let exceeded = self.twins.exceeded(who, Need::Place, 0, 1) != [false; 2];
        let (cut, end) = flag();
        let begun = self.all.begin(at(self.now), who, direction, class, end);
        let is_refused = direction == Direction::Receiving && exceeded;
        prop_assert_eq!(begun.is_err(), is_refused);
        let Ok(number) = begun else {
            return Ok(());
        };
        self.cuts.push((number, cut));
        self.twins.0.push(Twin {
            number,
            client: who,
            direction,
            class,
            began: self.now,
            last_move: self.now,
            moved: 0,
            held: 0,
            wanted: 0,
            queues: false,
            has_place: false,
            patient: false,
        });
        Ok(())
    }

    fn be_patient(&mut self, index: usize) -> Result<(), TestCaseError> {
        let twin = self.twins.0[index].clone();
        let need = Need::Patience;
        let mut expected = Ok(Vec::new());
        if !twin.patient {
            let exceeded = self.twins.exceeded(twin.client, need, 0, 1);
            let victim = self.twins.victim(self.now, &twin, need, 1, Among::All);
            expected = match (exceeded, self.twins.lacks(need, 1), victim) {
                ([false, false], 0, _) => Ok(Vec::new()),
                ([false, false], _, Some(victim)) => Ok(vec![victim]),
                _ => Err(QuotaError::Share),
            };
        }
        match (self.all.be_patient(at(self.now), twin.number), expected) {
            (Ok(cut), Ok(victims)) => {
                self.twins.0[index].patient = true;
                for victim in &victims {
                    self.twins.remove(*victim);
                }
                self.cut(cut.into_iter().collect(), victims)
            }
            (Err(told), Err(expected)) => {
                prop_assert_eq!(told, expected);
                Ok(())
            }
            (told, expected) => {
                prop_assert!(false, "{:?} but {:?}", told.is_ok(), expected);
                Ok(())
            }
        }
    }

    fn take(&mut self, step: Step) -> Result<(), TestCaseError> {
        let (now, count) = (self.now, self.twins.0.len());
        let which = match step {
            Step::Begin { who: one, class } => return self.begin(who(one), class),
            Step::Wait { seconds } => {
                self.now += seconds;
                return Ok(());
            }
            _ if count == 0 => return Ok(()),
            Step::Moved { which, .. }
            | Step::Want { which, .. }
            | Step::Get { which }
            | Step::Press { which }
            | Step::PressForShare { which, .. }
            | Step::BePatient { which }
            | Step::End { which } => which % count,
        };
        let twin = &mut self.twins.0[which];
        let number = twin.number;
        match step {
            Step::Begin { .. } | Step::Wait { .. } => {}
            Step::Moved { bytes, .. } => {
                self.all.moved(at(now), number, bytes);
                (twin.moved, twin.last_move) = (twin.moved + bytes, now);
            }
            Step::Want { bytes, .. } => {
                let (client, own) = (twin.client, twin.held + twin.wanted);
                let exceeded = self.twins.exceeded(client, BYTES, own, bytes);
                let wanted = self.all.want(number, bytes);
                prop_assert_eq!(wanted.is_ok(), exceeded == [false; 2]);
                if wanted.is_ok() {
                    self.twins.0[which].wanted += bytes;
                }
            }
            Step::Get { .. } if twin.is_place() && !twin.has_place => {
                prop_assert_eq!(self.all.take_place(number), Ok(()));
                (twin.has_place, twin.queues) = (true, false);
            }
            Step::Get { .. } => {
                prop_assert_eq!(self.all.hold(number), Ok(()));
                twin.held += std::mem::take(&mut twin.wanted);
                twin.queues = false;
            }
            Step::Press { .. } if twin.wanted == 0 && (twin.has_place || !twin.is_place()) => {}
            Step::Press { .. } => {
                let twin = twin.clone();
                let (victims, may_queue) = self.twins.press(now, &twin);
                let press = if twin.wanted > 0 {
                    self.all.press_for_room(at(now), number)
                } else {
                    self.all.press_for_place(at(now), number)
                };
                prop_assert_eq!(press.may_queue, may_queue);
                self.cut(press.cuts, victims)?;
                let mut twins = self.twins.0.iter_mut();
                if let Some(twin) = twins.find(|twin| twin.number == number) {
                    twin.queues |= may_queue;
                }
            }
            Step::PressForShare { bytes, .. } => {
                let twin = twin.clone();
                let victims = self.twins.press_for_share(now, &twin, bytes);
                let cuts = self.all.press_for_share(at(now), number, bytes);
                self.cut(cuts, victims)?;
            }
            Step::BePatient { .. } => self.be_patient(which)?,
            Step::End { .. } => {
                self.all.end(number);
                self.twins.0.remove(which);
            }
        }
        Ok(())
    }
}

proptest! {
    #[test]
    fn accounts_and_choices_are_those_of_a_list(steps in prop::collection::vec(step(), 1..200)) {
        let all = Transfers::new(CEILINGS, PLACES, PAUSES);
        let mut both = Both { all, twins: Twins::default(), cuts: Vec::new(), now: 0 };
        for step in steps {
            both.take(step)?;
            let patient = both.twins.sum(|_| true, |twin| u64::from(twin.patient));
            prop_assert_eq!(both.all.patient(), patient);
        }
    }
}
