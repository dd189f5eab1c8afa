//! The list of all connections: who is connected, how many each peer and network has, and who makes room.
//!
//! What it must not know: addresses, sockets, requests.
//! Invariants: those of [`mod@crate::http::connection::slot`]; a connection is listed until its socket is closed.
//! Cost: a few map entries a connection. Whoever makes room is looked for past those that are busy.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::fairness::{ClientKey, FairShares};
use crate::http::connection::handle::{ConnectionHandle, Evictability};
use crate::http::connection::slot::ACCEPT_SLACK;

/// Connections of one peer at once.
pub(crate) const MOST_PER_PEER: u64 = 512;

/// Of all connections one network may have one in so many.
const NETWORK_PART: usize = 8;

/// Who is connected.
#[derive(Debug)]
pub(crate) struct ConnectionRegistry {
    /// Connections that there may be, but for those that were ended and have yet to close.
    most: usize,
    /// Connections that have a place, those that were ended too: so many sockets are open.
    count: usize,
    /// The number of the next connection: the older the smaller.
    next: u64,
    /// The sockets of each peer and network.
    sockets: FairShares,
    /// Those of them that were not ended.
    live: FairShares,
    /// The connections that were not ended, by network and number: in each network the oldest first.
    open: BTreeMap<(u64, u64), (ClientKey, Arc<ConnectionHandle>)>,
}

impl ConnectionRegistry {
    /// None so far, and never more than so many.
    pub(crate) fn new(most: usize) -> Self {
        let most_per_network = (most / NETWORK_PART).max(1);
        Self {
            most,
            count: 0,
            next: 0,
            sockets: FairShares::new(MOST_PER_PEER, most_per_network as u64),
            live: FairShares::new(u64::MAX, u64::MAX),
            open: BTreeMap::new(),
        }
    }

    /// The number of a new connection; none if there is no place for it. No peer is one that may have any number.
    pub(crate) fn enter(
        &mut self,
        peer: Option<ClientKey>,
        handle: &Arc<ConnectionHandle>,
        now: Duration,
    ) -> Option<u64> {
        if peer.is_some_and(|peer| self.sockets.exceeded(peer, 0, 1).is_some()) {
            return None;
        }
        if self.count - self.ended() >= self.most {
            // Those that were ended before have to go first.
            if self.ended() >= ACCEPT_SLACK {
                return None;
            }
            self.make_room(now)?;
        }
        self.count += 1;
        self.next += 1;
        if let Some(peer) = peer {
            self.sockets.add(peer, 1);
            self.live.add(peer, 1);
            let connection = (peer, Arc::clone(handle));
            self.open.insert((peer.network, self.next), connection);
        }
        Some(self.next)
    }

    /// Connections that were ended and have yet to close.
    fn ended(&self) -> usize {
        let ended = self.sockets.total() - self.live.total();
        usize::try_from(ended).expect("as many sockets were counted in a usize")
    }

    /// Ends the connection that is missed least; none if all are busy.
    fn make_room(&mut self, now: Duration) -> Option<()> {
        let (peer, number) = self
            .end_first(Evictability::Waiting, now)
            .or_else(|| self.end_first(Evictability::Stalled, now))?;
        self.live.sub(peer, 1);
        self.open.remove(&(peer.network, number));
        Some(())
    }

    /// Ends the oldest connection that has this leisure, of the largest network that has one; tells which.
    fn end_first(&self, leisure: Evictability, now: Duration) -> Option<(ClientKey, u64)> {
        self.live
            .networks()
            .flat_map(|(network, _)| self.open.range((network, 0)..=(network, u64::MAX)))
            .find(|(_, (_, handle))| handle.end_if(leisure, now))
            .map(|(&(_, number), (peer, _))| (*peer, number))
    }

    /// Forgets a connection that has closed.
    pub(crate) fn leave(&mut self, peer: Option<ClientKey>, number: u64) {
        self.count -= 1;
        if let Some(peer) = peer {
            self.sockets.sub(peer, 1);
            if self.open.remove(&(peer.network, number)).is_some() {
                self.live.sub(peer, 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::http::connection::handle::Activity;

    const MOST: usize = 8;
    const MOST_PER_NETWORK: usize = 4;
    const MOST_PER_PEER: usize = 2;

    /// The naive twin of one connection that is open.
    #[derive(Debug, Clone)]
    struct Twin {
        number: u64,
        peer: Option<ClientKey>,
        handle: Arc<ConnectionHandle>,
        doing: Activity,
        is_ended: bool,
    }

    #[derive(Debug, Clone)]
    enum Step {
        Enter { who: u64 },
        Do { which: usize, what: u8 },
        Pass { seconds: u64 },
        Leave { which: usize },
    }

    fn step() -> impl Strategy<Value = Step> {
        let which = 0..16_usize;
        prop_oneof![
            4 => (0..13_u64).prop_map(|who| Step::Enter { who }),
            3 => (which.clone(), 0..3_u8).prop_map(|(which, what)| Step::Do { which, what }),
            1 => (0..40_u64).prop_map(|seconds| Step::Pass { seconds }),
            1 => which.prop_map(|which| Step::Leave { which }),
        ]
    }

    /// Three peers in each of four networks, and a proxy.
    fn peer(who: u64) -> Option<ClientKey> {
        (who < 12).then_some(ClientKey {
            network: who / 3,
            client: who,
        })
    }

    fn count(twins: &[Twin], of: impl Fn(&Twin) -> bool) -> usize {
        twins.iter().filter(|twin| of(twin)).count()
    }

    fn of_network(twins: &[Twin], network: u64) -> usize {
        count(twins, |twin| {
            twin.peer.is_some_and(|peer| peer.network == network)
        })
    }

    fn has_leisure(twin: &Twin, leisure: Evictability, now: Duration) -> bool {
        match leisure {
            Evictability::Waiting => twin.doing == Activity::Waiting,
            Evictability::Stalled => {
                matches!(twin.doing, Activity::Blocked(since) if since.as_secs() + 30 <= now.as_secs())
            }
        }
    }

    /// The number of whoever makes room.
    fn missed_least(twins: &[Twin], now: Duration) -> Option<u64> {
        [Evictability::Waiting, Evictability::Stalled]
            .into_iter()
            .find_map(|leisure| {
                twins
                    .iter()
                    .filter(|twin| !twin.is_ended && has_leisure(twin, leisure, now))
                    .filter_map(|twin| twin.peer.map(|peer| (peer.network, twin.number)))
                    .max_by_key(|(network, number)| {
                        let oldest_first = std::cmp::Reverse(*number);
                        let open = count(twins, |twin| {
                            !twin.is_ended && twin.peer.is_some_and(|peer| peer.network == *network)
                        });
                        (open, *network, oldest_first)
                    })
            })
            .map(|(_, number)| number)
    }

    /// Whether a newcomer gets in, and who is ended for it.
    fn judge(twins: &[Twin], newcomer: Option<ClientKey>, now: Duration) -> (bool, Option<u64>) {
        if let Some(newcomer) = newcomer {
            let of_peer = count(twins, |twin| twin.peer == Some(newcomer));
            let of_network = of_network(twins, newcomer.network);
            if of_peer >= MOST_PER_PEER || of_network >= MOST_PER_NETWORK {
                return (false, None);
            }
        }
        if count(twins, |twin| !twin.is_ended) < MOST {
            return (true, None);
        }
        let ended = missed_least(twins, now);
        (ended.is_some(), ended)
    }

    proptest! {
        #[test]
        fn the_roster_is_what_counting_everything_anew_says(
            steps in prop::collection::vec(step(), 1..200),
        ) {
            let mut roster = ConnectionRegistry {
                sockets: FairShares::new(MOST_PER_PEER as u64, MOST_PER_NETWORK as u64),
                ..ConnectionRegistry::new(MOST)
            };
            let mut twins: Vec<Twin> = Vec::new();
            let mut now = Duration::ZERO;
            for step in steps {
                match step {
                    Step::Enter { who } => {
                        let handle = Arc::new(ConnectionHandle::new());
                        let (gets_in, ended) = judge(&twins, peer(who), now);
                        let number = roster.enter(peer(who), &handle, now);
                        prop_assert_eq!(number.is_some(), gets_in);
                        for twin in &mut twins {
                            twin.is_ended |= Some(twin.number) == ended;
                        }
                        twins.extend(number.map(|number| Twin {
                            number,
                            peer: peer(who),
                            handle,
                            doing: Activity::Waiting,
                            is_ended: false,
                        }));
                    }
                    Step::Do { which, what } => {
                        let doing = [Activity::Waiting, Activity::Answering, Activity::Blocked(now)];
                        if let Some(twin) = twins.get_mut(which) {
                            twin.doing = doing[usize::from(what)];
                            twin.handle.tell(twin.doing);
                        }
                    }
                    Step::Pass { seconds } => now += Duration::from_secs(seconds),
                    Step::Leave { which } => {
                        if which < twins.len() {
                            let twin = twins.remove(which);
                            roster.leave(twin.peer, twin.number);
                        }
                    }
                }
                for twin in &twins {
                    prop_assert_eq!(twin.handle.is_ended(), twin.is_ended);
                }
                prop_assert_eq!(roster.count, twins.len());
                prop_assert_eq!(roster.ended(), count(&twins, |twin| twin.is_ended));
            }
            for twin in twins {
                roster.leave(twin.peer, twin.number);
            }
            prop_assert_eq!((roster.count, roster.ended()), (0, 0));
            prop_assert!(roster.open.is_empty() && roster.live.networks().next().is_none());
            prop_assert!(roster.sockets.networks().next().is_none());
        }
    }

    #[test]
    fn no_more_sockets_are_open_than_may_be_while_those_that_were_ended_have_yet_to_close() {
        let mut roster = ConnectionRegistry::new(1);
        let mut enter = |who| {
            let handle = Arc::new(ConnectionHandle::new());
            let peer = ClientKey {
                network: who,
                client: who,
            };
            let number = roster.enter(Some(peer), &handle, Duration::ZERO);
            (peer, number)
        };
        let (first, number) = enter(0);
        for who in 1..=ACCEPT_SLACK as u64 {
            assert!(enter(who).1.is_some());
        }
        assert_eq!(enter(1_000).1, None);
        roster.leave(Some(first), number.unwrap());
        assert_eq!(roster.count, ACCEPT_SLACK);
        let handle = Arc::new(ConnectionHandle::new());
        assert!(roster.enter(None, &handle, Duration::ZERO).is_some());
    }
}
