//! A comparison of the register with the reference implementation, over random steps.

use proptest::prelude::*;

use super::naive::{BYTES, CONNECTIONS, PER_NETWORK, PER_PEER, Twin, Twins};
use super::*;
use crate::fairness::FairShares;

#[derive(Debug, Clone)]
enum Step {
    Connect {
        peer: u64,
    },
    Enter {
        which: usize,
        phase: usize,
    },
    Close {
        which: usize,
    },
    Start {
        which: usize,
        who: u64,
        priority: Priority,
    },
    Progress {
        which: usize,
        bytes: u64,
    },
    Hold {
        which: usize,
        total: u64,
    },
    GiveUp {
        which: usize,
    },
    Release {
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
    let which = 0..16_usize;
    let priority = prop::sample::select(Priority::ALL.to_vec());
    prop_oneof![
        4 => (0..16u64).prop_map(|peer| Step::Connect { peer }),
        3 => (which.clone(), 0..4_usize).prop_map(|(which, phase)| Step::Enter { which, phase }),
        1 => which.clone().prop_map(|which| Step::Close { which }),
        5 => (which.clone(), 0..9u64, priority)
            .prop_map(|(which, who, priority)| Step::Start { which, who, priority }),
        3 => (which.clone(), prop::sample::select(vec![1, 200, 100_000, 5_000_000]))
            .prop_map(|(which, bytes)| Step::Progress { which, bytes }),
        8 => (which.clone(), 1..400u64).prop_map(|(which, total)| Step::Hold { which, total }),
        1 => which.clone().prop_map(|which| Step::GiveUp { which }),
        2 => which.clone().prop_map(|which| Step::Release { which }),
        1 => which.prop_map(|which| Step::End { which }),
        1 => (0..40u64).prop_map(|seconds| Step::Wait { seconds }),
        // The ages and pauses from which on a message is slow
        2 => prop::sample::select(vec![1, 5, 30]).prop_map(|seconds| Step::Wait { seconds }),
    ]
}

/// Returns client number `who`. Each network has three clients. From number 12 on, there is no key, as for proxies.
fn key(who: u64) -> Option<ClientKey> {
    (who < 12).then(|| client(who / 3, who))
}

struct Both {
    register: Register,
    twins: Twins,
    handles: Vec<Arc<ConnectionHandle>>,
    now: u64,
}

impl Both {
    fn new() -> Self {
        let mut register = Register::new(BYTES);
        register.limit_connections(CONNECTIONS);
        register.sockets = FairShares::new(PER_PEER, PER_NETWORK);
        Self {
            register,
            twins: Twins::default(),
            handles: Vec::new(),
            now: 0,
        }
    }

    fn connect(&mut self, peer: u64) -> Result<(), TestCaseError> {
        let handle = self.register.connect(at(self.now), key(peer));
        let is_admitted = self.twins.admit(key(peer), self.now);
        prop_assert_eq!(handle.number > 0, is_admitted);
        if is_admitted {
            self.twins.list.push(Twin {
                number: handle.number,
                peer: key(peer),
                phase: Phase::New,
                since: self.now,
                message: None,
            });
            self.handles.push(handle);
        }
        Ok(())
    }

    fn take(&mut self, step: Step) -> Result<(), TestCaseError> {
        let now = self.now;
        let which = match step {
            Step::Connect { peer } => {
                return self.connect(peer);
            }
            Step::Wait { seconds } => {
                self.now += seconds;
                return Ok(());
            }
            Step::Enter { which, .. }
            | Step::Close { which }
            | Step::Start { which, .. }
            | Step::Progress { which, .. }
            | Step::Hold { which, .. }
            | Step::GiveUp { which }
            | Step::Release { which }
            | Step::End { which } => which,
        };
        let Some(handle) = self.handles.get(which).map(Arc::clone) else {
            return Ok(());
        };
        let (number, twin) = (handle.number, &mut self.twins.list[which]);
        match step {
            Step::Connect { .. } | Step::Wait { .. } => {}
            Step::Enter { phase, .. } => {
                // Each way leads to the last of these phases, from wherever the connection is.
                let ways: [&[Phase]; 4] = [
                    &[Phase::Answering],
                    &[Phase::Answering, Phase::Blocked],
                    &[Phase::Answering, Phase::Sending, Phase::Stuck],
                    &[Phase::Answering, Phase::Sending, Phase::Stuck, Phase::Idle],
                ];
                let way = [&[Phase::Sending, Phase::Idle, Phase::Head], ways[phase]].concat();
                way.iter().for_each(|it| handle.enter(*it, at(now)));
                if twin.phase != Phase::Evicted {
                    (twin.phase, twin.since) = (way[way.len() - 1], now);
                    prop_assert_eq!(handle.phase().0, twin.phase);
                }
            }
            Step::Close { .. } => {
                self.register.close(number);
                self.twins.list.remove(which);
                self.twins.grant();
                self.handles.remove(which);
            }
            Step::Start { who, priority, .. } if twin.phase != Phase::Evicted => {
                let client = client(who / 3, who);
                let started = self
                    .register
                    .start_message(number, at(now), client, priority);
                let expected = self.twins.start(which, now, client, priority);
                prop_assert_eq!(started.is_ok(), expected);
            }
            Step::Progress { bytes, .. } => {
                if let Some(message) = &mut twin.message {
                    handle.record_progress(at(now), bytes);
                    message.moved += bytes;
                    message.last_progress = now;
                }
            }
            Step::Hold { total, .. } if twin.message.is_some() => {
                let held = self.register.hold(number, at(now), total, true);
                prop_assert_eq!(held, self.twins.hold(now, number, total));
            }
            Step::GiveUp { .. } => {
                self.register.give_up(number);
                self.twins.give_up(number);
            }
            Step::Release { .. } => {
                self.register.release(number);
                if let Some(message) = twin.message.as_mut().filter(|it| it.is_revoked) {
                    message.held = 0;
                    self.twins.grant();
                }
            }
            Step::End { .. } => {
                self.register.end_message(number);
                self.twins.end(number);
            }
            Step::Start { .. } | Step::Hold { .. } => {}
        }
        Ok(())
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let (register, twins) = (&self.register, &self.twins);
        prop_assert_eq!(register.counts.open, twins.list.len() as u64);
        for (handle, twin) in self.handles.iter().zip(&twins.list) {
            let is_evicted = twin.phase == Phase::Evicted;
            prop_assert_eq!(handle.is_evicted(), is_evicted);
            let is_revoked = twin.message.as_ref().is_some_and(|it| it.is_revoked);
            if twin.message.is_some() && !is_evicted {
                prop_assert_eq!(handle.is_revoked(), is_revoked);
            }
            let own = register.message(handle.number).map(|it| it.held);
            let expected = twin.message.as_ref().filter(|it| !it.is_revoked);
            prop_assert_eq!(own, expected.map(|it| it.held));
        }
        let mut load = crate::overload::Load::default();
        register.report(&mut load);
        prop_assert_eq!(load.bytes as u64, twins.held(2, |_| true));
        prop_assert!(load.bytes as u64 <= BYTES);
        Ok(())
    }
}

proptest! {
    #[test]
    fn sums_and_victims_are_those_of_a_naive_list(steps in prop::collection::vec(step(), 1..200)) {
        let mut both = Both::new();
        for step in steps {
            both.take(step)?;
            both.check()?;
        }
        for handle in &both.handles {
            both.register.close(handle.number);
        }
        let register = &both.register;
        prop_assert_eq!((register.counts.open, register.sockets.total()), (0, 0));
        prop_assert_eq!((register.bytes.total(), register.buffers.total()), (0, 0));
    }
}
