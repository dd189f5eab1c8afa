//! Tests of the registry: a full recount, and what connections hold.

use std::sync::Barrier;

use proptest::prelude::*;

use super::*;
use crate::http::connection::handle::Activity;

const MAX: usize = 8;
const PER_NETWORK: u64 = 4;
const PER_PEER: u64 = 2;

/// One open connection of the reference implementation.
#[derive(Clone)]
struct Twin {
    number: u64,
    peer: Option<ClientKey>,
    handle: Arc<ConnectionHandle>,
    activity: Activity,
    is_evicted: bool,
}

#[derive(Debug, Clone)]
enum Step {
    Insert { peer: u64 },
    SetActivity { which: usize, activity: u8 },
    Advance { seconds: u64 },
    Remove { which: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..16_usize;
    prop_oneof![
        4 => (0..13_u64).prop_map(|peer| Step::Insert { peer }),
        3 => (which.clone(), 0..3_u8)
            .prop_map(|(which, activity)| Step::SetActivity { which, activity }),
        1 => (0..40_u64).prop_map(|seconds| Step::Advance { seconds }),
        1 => which.prop_map(|which| Step::Remove { which }),
    ]
}

/// The key of a peer. Peers 0 to 11 are clients, three in each of four networks. Peer 12 is a trusted proxy, which
/// has no key.
fn key(peer: u64) -> Option<ClientKey> {
    (peer < 12).then_some(ClientKey {
        network: peer / 3,
        client: peer,
    })
}

fn count(twins: &[Twin], of: impl Fn(&Twin) -> bool) -> u64 {
    twins.iter().filter(|twin| of(twin)).count() as u64
}

impl Twin {
    fn is_of_network(&self, network: u64) -> bool {
        self.peer.is_some_and(|peer| peer.network == network)
    }

    fn has(&self, evictability: Evictability, now: Duration) -> bool {
        match evictability {
            Evictability::Waiting => self.activity == Activity::Waiting,
            Evictability::Stalled => {
                matches!(self.activity, Activity::Blocked(since) if since.as_secs() + 30 <= now.as_secs())
            }
        }
    }
}

/// Returns the number of the connection to evict.
fn victim(twins: &[Twin], now: Duration) -> Option<u64> {
    [Evictability::Waiting, Evictability::Stalled]
        .into_iter()
        .find_map(|evictability| {
            twins
                .iter()
                .filter(|twin| !twin.is_evicted && twin.has(evictability, now))
                .filter_map(|twin| twin.peer.map(|peer| (peer.network, twin.number)))
                .max_by_key(|(network, number)| {
                    let oldest_first = std::cmp::Reverse(*number);
                    let live = count(twins, |twin| {
                        !twin.is_evicted && twin.is_of_network(*network)
                    });
                    (live, *network, oldest_first)
                })
        })
        .map(|(_, number)| number)
}

/// Returns whether a new connection is admitted, and the number of the connection that is evicted for it.
fn judge(twins: &[Twin], newcomer: Option<ClientKey>, now: Duration) -> (bool, Option<u64>) {
    if let Some(newcomer) = newcomer {
        let of_peer = count(twins, |twin| twin.peer == Some(newcomer));
        let of_network = count(twins, |twin| twin.is_of_network(newcomer.network));
        if of_peer >= PER_PEER || of_network >= PER_NETWORK {
            return (false, None);
        }
    }
    if count(twins, |twin| !twin.is_evicted) < MAX as u64 {
        return (true, None);
    }
    let victim = victim(twins, now);
    (victim.is_some(), victim)
}

proptest! {
    #[test]
    fn the_registry_decides_as_a_full_recount_would(
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let mut registry = ConnectionRegistry {
            sockets: FairShares::new(PER_PEER, PER_NETWORK),
            ..ConnectionRegistry::new(MAX)
        };
        let mut twins: Vec<Twin> = Vec::new();
        let mut now = Duration::ZERO;
        for step in steps {
            match step {
                Step::Insert { peer } => {
                    let handle = Arc::new(ConnectionHandle::default());
                    let (is_admitted, victim) = judge(&twins, key(peer), now);
                    let number = registry.admit(key(peer), &handle, now);
                    prop_assert_eq!(number.is_some(), is_admitted);
                    for twin in &mut twins {
                        twin.is_evicted |= Some(twin.number) == victim;
                    }
                    twins.extend(number.map(|number| Twin {
                        number,
                        peer: key(peer),
                        handle,
                        activity: Activity::Waiting,
                        is_evicted: false,
                    }));
                }
                Step::SetActivity { which, activity } => {
                    let activities = [Activity::Waiting, Activity::Answering, Activity::Blocked(now)];
                    if let Some(twin) = twins.get_mut(which) {
                        twin.activity = activities[usize::from(activity)];
                        twin.handle.set_activity(twin.activity);
                    }
                }
                Step::Advance { seconds } => now += Duration::from_secs(seconds),
                Step::Remove { which } => {
                    if which < twins.len() {
                        let twin = twins.remove(which);
                        registry.remove(twin.peer, twin.number);
                    }
                }
            }
            for twin in &twins {
                prop_assert_eq!(twin.handle.is_evicted(), twin.is_evicted);
            }
            prop_assert_eq!(registry.counts.open, twins.len() as u64);
            prop_assert_eq!(registry.evicted(), count(&twins, |twin| twin.is_evicted));
        }
        for twin in twins {
            registry.remove(twin.peer, twin.number);
        }
        prop_assert_eq!((registry.counts.open, registry.evicted()), (0, 0));
        prop_assert!(registry.handles.is_empty() && registry.live.networks().next().is_none());
        prop_assert!(registry.sockets.networks().next().is_none());
    }
}

/// A registry with a connection of each of these peers, and their handles. A peer is a network and a client.
fn registry_of(
    peers: &[(u64, u64)],
) -> (ConnectionRegistry, Vec<(ClientKey, Arc<ConnectionHandle>)>) {
    let mut registry = ConnectionRegistry::new(100);
    let admit = |&(network, client): &(u64, u64)| {
        let (peer, handle) = (
            ClientKey { network, client },
            Arc::new(ConnectionHandle::default()),
        );
        handle.set_activity(Activity::Answering);
        registry.admit(Some(peer), &handle, Duration::ZERO).unwrap();
        (peer, handle)
    };
    let handles = peers.iter().map(admit).collect();
    (registry, handles)
}

#[test]
fn the_heaviest_client_of_the_heaviest_network_loses_what_holds_most() {
    let peers = [(1, 1), (1, 2), (1, 2), (2, 3)];
    let (mut registry, handles) = registry_of(&peers);
    let third = MAX_BUFFERED / 3;
    let holds = [third / 2, third / 2 + 1, third - 1, third];
    for (index, held) in holds.into_iter().enumerate() {
        registry.set_buffered(handles[index].0, index as u64 + 1, held);
    }
    assert!(handles.iter().all(|(_, handle)| !handle.is_evicted()));
    registry.set_buffered(handles[3].0, 4, third + 10);
    let evicted: Vec<_> = handles
        .iter()
        .map(|(_, handle)| handle.is_evicted())
        .collect();
    assert_eq!(evicted, [false, false, true, false]);
    assert_eq!(registry.buffered.total(), 2 * (third / 2) + 1 + third + 10);
}

#[test]
fn a_connection_that_waits_for_a_request_makes_room_before_a_busy_one() {
    let (mut registry, handles) = registry_of(&[(1, 1), (2, 2), (3, 3)]);
    handles[1].1.set_activity(Activity::Waiting);
    handles[2].1.set_activity(Activity::Waiting);
    registry.set_buffered(handles[1].0, 2, 1);
    registry.set_buffered(handles[0].0, 1, MAX_BUFFERED);
    let evicted: Vec<_> = handles
        .iter()
        .map(|(_, handle)| handle.is_evicted())
        .collect();
    assert_eq!(evicted, [false, true, false], "the third one holds nothing");
    for (index, (peer, _)) in handles.into_iter().enumerate() {
        registry.remove(Some(peer), index as u64 + 1);
    }
    assert_eq!((registry.buffered.total(), registry.live.total()), (0, 0));
}

#[test]
fn a_connection_that_starts_a_request_is_not_evicted_as_one_that_waits() {
    const ROUNDS: usize = 5_000;
    let barrier = Barrier::new(2);
    for _ in 0..ROUNDS {
        // Given a connection that waits, and two that hold more than the buffers may have
        let (mut registry, handles) = registry_of(&[(1, 1), (2, 2), (3, 3)]);
        let (peer, waiting) = &handles[0];
        waiting.set_activity(Activity::Waiting);
        registry.set_buffered(*peer, 1, 1);
        registry.set_buffered(handles[1].0, 2, MAX_BUFFERED - 1);
        // When room is made while it starts a request
        let has_started = std::thread::scope(|scope| {
            let starting = scope.spawn(|| {
                barrier.wait();
                waiting.set_activity(Activity::Answering);
                !waiting.is_evicted()
            });
            barrier.wait();
            registry.set_buffered(handles[2].0, 3, 1);
            starting.join().unwrap()
        });
        // Then it either was evicted before, or another one is
        assert_ne!(has_started, waiting.is_evicted());
    }
}

#[test]
fn newcomers_are_refused_while_too_many_evicted_connections_have_yet_to_close() {
    let mut registry = ConnectionRegistry::new(1);
    let mut insert = |peer| {
        let handle = Arc::new(ConnectionHandle::default());
        let peer = ClientKey {
            network: peer,
            client: peer,
        };
        let number = registry.admit(Some(peer), &handle, Duration::ZERO);
        (peer, number)
    };
    let (first, number) = insert(0);
    for peer in 1..=ACCEPT_SLACK as u64 {
        assert!(insert(peer).1.is_some());
    }
    assert_eq!(insert(1_000).1, None);
    registry.remove(Some(first), number.unwrap());
    assert_eq!(registry.counts.open, ACCEPT_SLACK as u64);
    let handle = Arc::new(ConnectionHandle::default());
    assert!(registry.admit(None, &handle, Duration::ZERO).is_some());
}
