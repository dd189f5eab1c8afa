//! Tests that compare the registry with the reference implementation. After random steps, both must refuse the same
//! requests and choose the same victims.

use proptest::prelude::*;

use super::naive::{CEILINGS, PAUSES, SLOTS, Twin, Twins};
use super::*;

#[derive(Debug, Clone)]
enum Step {
    Begin {
        who: u64,
        priority: Priority,
    },
    Progress {
        which: usize,
        bytes: u64,
    },
    Request {
        which: usize,
        bytes: u64,
    },
    /// The transfer acquires the resource that it waits for.
    Get {
        which: usize,
    },
    Preempt {
        which: usize,
    },
    PreemptForShare {
        which: usize,
        bytes: u64,
    },
    AllowPause {
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
    let priority = prop_oneof![
        2 => Just(Priority::Save),
        1 => Just(Priority::Render),
        1 => Just(Priority::Read),
    ];
    prop_oneof![
        4 => (0..9u64, priority).prop_map(|(who, priority)| Step::Begin { who, priority }),
        1 => (which.clone(), 0..1_000_000u64).prop_map(|(which, bytes)| Step::Progress { which, bytes }),
        // So many that the transfer is slow only if it stalls
        1 => which.clone().prop_map(|which| Step::Progress { which, bytes: 1 << 25 }),
        3 => (which.clone(), 1..300u64).prop_map(|(which, bytes)| Step::Request { which, bytes }),
        3 => which.clone().prop_map(|which| Step::Get { which }),
        3 => which.clone().prop_map(|which| Step::Preempt { which }),
        1 => (which.clone(), 1..300u64).prop_map(|(which, bytes)| Step::PreemptForShare { which, bytes }),
        1 => which.clone().prop_map(|which| Step::AllowPause { which }),
        1 => which.prop_map(|which| Step::End { which }),
        1 => (0..40u64).prop_map(|seconds| Step::Wait { seconds }),
        // The ages and pauses from which on a transfer is slow
        2 => prop::sample::select(vec![1, 5, 30]).prop_map(|seconds| Step::Wait { seconds }),
    ]
}

/// Returns client number `who`. Each network has three clients.
fn who(who: u64) -> ClientKey {
    client(who / 3, who)
}

/// The registry and the reference implementation. Each transfer in progress has a flag that is true once it was
/// cancelled.
struct Both {
    all: TransferRegistry,
    twins: Twins,
    cancels: Vec<(u64, Arc<AtomicBool>)>,
    now: u64,
}

impl Both {
    /// Cancels these transfers, and checks that they are the expected victims.
    fn cut(&mut self, cancels: Vec<Cancel>, expected: Vec<u64>) -> Result<(), TestCaseError> {
        let mut cut = Vec::new();
        for end in cancels {
            end();
            let is_new = |(number, flag): &&(u64, Arc<AtomicBool>)| {
                flag.load(Ordering::Relaxed) && !cut.contains(number)
            };
            cut.extend(self.cancels.iter().find(is_new).map(|(number, _)| *number));
        }
        self.cancels.retain(|(number, _)| !cut.contains(number));
        prop_assert_eq!(&cut, &expected);
        // A cancelled transfer cannot acquire anything more.
        for number in cut {
            prop_assert_eq!(
                self.all.request_bytes(number, 1),
                Err(QuotaError::Cancelled)
            );
            prop_assert_eq!(
                self.all.update(number, TransferState::confirm_bytes),
                Err(QuotaError::Cancelled)
            );
            prop_assert_eq!(
                self.all.update(number, TransferState::occupy_slot),
                Err(QuotaError::Cancelled)
            );
            let pause = self.all.allow_pause(at(self.now), number).err();
            prop_assert_eq!(pause, Some(QuotaError::Cancelled));
        }
        Ok(())
    }

    fn start(&mut self, who: ClientKey, priority: Priority) -> Result<(), TestCaseError> {
        let exceeded = self.twins.exceeded(who, Resource::Slot, 0, 1) != [false; 2];
        let (cut, end) = flag();
        let started = self.all.start(at(self.now), who, priority, end);
        let is_refused = priority == Priority::Save && exceeded;
        prop_assert_eq!(started.is_err(), is_refused);
        let Ok((number, _)) = started else {
            return Ok(());
        };
        self.cancels.push((number, cut));
        self.twins.0.push(Twin {
            number,
            client: who,
            priority,
            started: self.now,
            last_progress: self.now,
            moved: 0,
            held: 0,
            requested: 0,
            queues: false,
            has_slot: false,
            may_pause: false,
        });
        Ok(())
    }

    fn allow_pause(&mut self, index: usize) -> Result<(), TestCaseError> {
        let twin = self.twins.0[index].clone();
        let resource = Resource::Pause;
        let mut expected = Ok(Vec::new());
        if !twin.may_pause {
            let exceeded = self.twins.exceeded(twin.client, resource, 0, 1);
            let victim = self.twins.victim(self.now, &twin, resource, 1, None);
            expected = match (exceeded, self.twins.shortage(resource, 1), victim) {
                ([false, false], 0, _) => Ok(Vec::new()),
                ([false, false], _, Some(victim)) => Ok(vec![victim]),
                _ => Err(QuotaError::OverShare),
            };
        }
        match (self.all.allow_pause(at(self.now), twin.number), expected) {
            (Ok(cut), Ok(victims)) => {
                self.twins.0[index].may_pause = true;
                for victim in &victims {
                    self.twins.remove(*victim);
                }
                self.cut(cut.into_iter().collect(), victims)
            }
            (Err(error), Err(expected)) => {
                prop_assert_eq!(error, expected);
                Ok(())
            }
            (error, expected) => {
                prop_assert!(false, "{:?} but {:?}", error.is_ok(), expected);
                Ok(())
            }
        }
    }

    fn take(&mut self, step: Step) -> Result<(), TestCaseError> {
        let (now, count) = (self.now, self.twins.0.len());
        let which = match step {
            Step::Begin { who: one, priority } => return self.start(who(one), priority),
            Step::Wait { seconds } => {
                self.now += seconds;
                return Ok(());
            }
            _ if count == 0 => return Ok(()),
            Step::Progress { which, .. }
            | Step::Request { which, .. }
            | Step::Get { which }
            | Step::Preempt { which }
            | Step::PreemptForShare { which, .. }
            | Step::AllowPause { which }
            | Step::End { which } => which % count,
        };
        let twin = &mut self.twins.0[which];
        let number = twin.number;
        match step {
            Step::Begin { .. } | Step::Wait { .. } => {}
            Step::Progress { bytes, .. } => {
                self.all
                    .get(number)
                    .unwrap()
                    .progress
                    .record(at(now), bytes);
                (twin.moved, twin.last_progress) = (twin.moved + bytes, now);
            }
            Step::Request { bytes, .. } => {
                let (client, own) = (twin.client, twin.held + twin.requested);
                let exceeded = self.twins.exceeded(client, BYTES, own, bytes);
                let requested = self.all.request_bytes(number, bytes);
                prop_assert_eq!(requested.is_ok(), exceeded == [false; 2]);
                if requested.is_ok() {
                    self.twins.0[which].requested += bytes;
                }
            }
            Step::Get { .. } if twin.is_upload() && !twin.has_slot => {
                prop_assert_eq!(self.all.update(number, TransferState::occupy_slot), Ok(()));
                (twin.has_slot, twin.queues) = (true, false);
            }
            Step::Get { .. } => {
                prop_assert_eq!(
                    self.all.update(number, TransferState::confirm_bytes),
                    Ok(())
                );
                twin.held += std::mem::take(&mut twin.requested);
                twin.queues = false;
            }
            Step::Preempt { .. } if twin.requested == 0 && (twin.has_slot || !twin.is_upload()) => {
            }
            Step::Preempt { .. } => {
                let twin = twin.clone();
                let (victims, may_queue) = self.twins.preempt(now, &twin);
                let (cancels, queues) = self.all.preempt(at(now), number);
                prop_assert_eq!(queues, may_queue);
                self.cut(cancels, victims)?;
                let mut twins = self.twins.0.iter_mut();
                if let Some(twin) = twins.find(|twin| twin.number == number) {
                    twin.queues |= may_queue;
                }
            }
            Step::PreemptForShare { bytes, .. } => {
                let twin = twin.clone();
                let victims = self.twins.preempt_for_share(now, &twin, bytes);
                let cancels = self.all.preempt_for_share(at(now), number, bytes);
                self.cut(cancels, victims)?;
            }
            Step::AllowPause { .. } => self.allow_pause(which)?,
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
    fn sums_and_victims_are_those_of_a_naive_list(steps in prop::collection::vec(step(), 1..200)) {
        let all = TransferRegistry::new(CEILINGS, SLOTS, PAUSES);
        let mut both = Both { all, twins: Twins::default(), cancels: Vec::new(), now: 0 };
        for step in steps {
            both.take(step)?;
            let may_pause = both.twins.sum(|_| true, |twin| u64::from(twin.may_pause));
            prop_assert_eq!(both.all.pauses.total(), may_pause);
        }
    }
}
