//! The reference implementation: a list of connections, which computes every sum when it is needed.

use std::cmp::Reverse;

use super::*;
use crate::fairness::ExceededShare;

/// A connection.
#[derive(Debug, Clone)]
pub(super) struct Twin {
    pub(super) number: u64,
    pub(super) peer: Option<ClientKey>,
    pub(super) phase: Phase,
    pub(super) since: u64,
    pub(super) message: Option<TwinMessage>,
}

#[derive(Debug, Clone)]
pub(super) struct TwinMessage {
    pub(super) client: ClientKey,
    pub(super) priority: Priority,
    pub(super) started: u64,
    pub(super) last_progress: u64,
    pub(super) moved: u64,
    pub(super) held: u64,
    pub(super) wanted: u64,
    pub(super) place: Option<[u64; 3]>,
    pub(super) is_revoked: bool,
}

/// The bytes of the budget, and those under each ceiling.
pub(super) const BYTES: u64 = 1024;
pub(super) const CEILINGS: [u64; 3] = [614, 819, BYTES];

pub(super) const CONNECTIONS: u64 = 8;
pub(super) const PER_NETWORK: u64 = 4;
pub(super) const PER_PEER: u64 = 2;

impl TwinMessage {
    fn weight(&self) -> u64 {
        self.held + self.wanted
    }

    /// Returns the average rate in micro-bytes per second. A time of less than one millisecond counts as one
    /// millisecond.
    fn rate(&self, now: u64) -> u64 {
        match now - self.started {
            0 => self.moved * 1_000_000_000,
            seconds => self.moved * 1_000_000 / seconds,
        }
    }

    fn is_slow(&self, now: u64) -> bool {
        let stalled = match self.priority {
            Priority::Save => 5,
            Priority::Render | Priority::Read => 30,
        };
        let average = self.moved / (now - self.started).max(1);
        now > self.started && (now - self.last_progress >= stalled || average < 64 * 1024)
    }
}

#[derive(Debug, Default)]
pub(super) struct Twins {
    pub(super) list: Vec<Twin>,
    turns: u64,
}

impl Twins {
    pub(super) fn get(&mut self, number: u64) -> &mut Twin {
        let mut list = self.list.iter_mut();
        list.find(|twin| twin.number == number).unwrap()
    }

    fn message(&mut self, number: u64) -> &mut TwinMessage {
        self.get(number).message.as_mut().unwrap()
    }

    /// Returns the messages that were not revoked.
    fn messages(&self) -> impl Iterator<Item = (u64, &TwinMessage)> {
        let messages = self.list.iter();
        let messages = messages.filter_map(|twin| Some((twin.number, twin.message.as_ref()?)));
        messages.filter(|(_, message)| !message.is_revoked)
    }

    fn of_client(&self, who: ClientKey) -> u64 {
        let own = self.messages().filter(|(_, it)| it.client == who);
        own.map(|(_, it)| it.weight()).sum()
    }

    fn of_network(&self, network: u64) -> u64 {
        let own = self
            .messages()
            .filter(|(_, it)| it.client.network == network);
        own.map(|(_, it)| it.weight()).sum()
    }

    /// Returns the bytes held under a ceiling.
    pub(super) fn held(&self, level: usize, is_counted: impl Fn(&TwinMessage) -> bool) -> u64 {
        let messages = self.list.iter().filter_map(|twin| twin.message.as_ref());
        let messages = messages.filter(|it| it.priority.index() <= level && is_counted(it));
        messages.map(|it| it.held).sum()
    }

    fn exceeded(&self, needy: &TwinMessage, more: u64) -> Option<ExceededShare> {
        let exceeds = |used: u64, most: u64| used != needy.held && used + more > most;
        if exceeds(self.of_client(needy.client), BYTES / 4) {
            Some(ExceededShare::OfClient)
        } else if exceeds(self.of_network(needy.client.network), BYTES / 2) {
            Some(ExceededShare::OfNetwork)
        } else {
            None
        }
    }

    /// Returns the next victim by applying the rule literally: the first message in the rule's order that may be
    /// revoked.
    fn victim(
        &self,
        now: u64,
        number: u64,
        level: usize,
        more: u64,
        scope: Option<ExceededShare>,
    ) -> Option<u64> {
        let (_, needy) = self.messages().find(|(it, _)| *it == number)?;
        let own = needy.client;
        let may = |(it, other): &(u64, &TwinMessage)| {
            let (theirs, mine) = if other.client.network != own.network {
                if scope.is_some() {
                    return false;
                }
                let mine = self.of_network(own.network) + more;
                (self.of_network(other.client.network), mine)
            } else if other.client != own {
                if scope == Some(ExceededShare::OfClient) {
                    return false;
                }
                (self.of_client(other.client), self.of_client(own) + more)
            } else {
                (0, 0)
            };
            let may_be_cut = theirs > mine || theirs == mine && other.is_slow(now);
            let frees = other.priority.index() <= level && other.held > 0;
            *it != number && frees && may_be_cut
        };
        // Other networks come first, then other clients of the same network, then the client itself. Within these, the
        // heaviest network comes first, then its heaviest client, then that client's slowest message.
        let order = |(it, other): &(u64, &TwinMessage)| {
            (
                other.client.network != own.network,
                other.client != own,
                self.of_network(other.client.network),
                other.client.network,
                self.of_client(other.client),
                other.client.client,
                Reverse((other.rate(now), *it)),
            )
        };
        self.messages()
            .filter(may)
            .max_by_key(order)
            .map(|(it, _)| it)
    }

    fn revoke(&mut self, number: u64) {
        let message = self.message(number);
        message.is_revoked = true;
        (message.wanted, message.place) = (0, None);
        self.grant();
    }

    /// Gives bytes to those that wait, in the order of their places.
    pub(super) fn grant(&mut self) {
        let waiting = self
            .messages()
            .filter_map(|(it, message)| Some((message.place?, it)));
        let mut waiting: Vec<_> = waiting.collect();
        waiting.sort_unstable();
        let mut blocked = None;
        for (_, number) in waiting {
            let message = self.message(number).clone();
            let first = message.priority.index();
            if blocked.is_some_and(|level| first <= level) {
                continue;
            }
            let is_short =
                |level: &usize| self.held(*level, |_| true) + message.wanted > CEILINGS[*level];
            match (first..3).filter(is_short).max() {
                Some(level) => blocked = Some(level),
                None => {
                    let message = self.message(number);
                    message.held += std::mem::take(&mut message.wanted);
                    message.place = None;
                }
            }
        }
    }

    /// Returns what the register has to answer.
    pub(super) fn hold(&mut self, now: u64, number: u64, total: u64) -> Result<bool, QuotaError> {
        let message = self.message(number).clone();
        if message.is_revoked {
            return Err(QuotaError::Cancelled);
        }
        let first = message.priority.index();
        let more = total.min(CEILINGS[first]).saturating_sub(message.held);
        if more == 0 {
            return Ok(true);
        }
        if message.place.is_none() {
            while let Some(share) = self.exceeded(&message, more)
                && let Some(victim) = self.victim(now, number, 2, more, Some(share))
            {
                self.revoke(victim);
            }
            if self.exceeded(&message, more).is_some() {
                return Err(QuotaError::OverShare);
            }
            self.message(number).wanted = more;
            self.turns += 1;
            let client = message.client;
            let weights = [self.of_network(client.network), self.of_client(client)];
            self.message(number).place = Some([weights[0], weights[1], self.turns]);
            self.grant();
        }
        while let Some(place) = self.message(number).place
            && let Some(level) = (first..3).find(|level| self.is_short(place, *level))
            && let Some(victim) = self.victim(now, number, level, 0, None)
        {
            self.revoke(victim);
        }
        let message = self.message(number);
        Ok(message.held >= total.min(CEILINGS[first]))
    }

    fn is_short(&self, place: [u64; 3], level: usize) -> bool {
        let before = self.messages().filter(|(_, it)| {
            it.priority.index() <= level && it.place.is_some_and(|other| other <= place)
        });
        let wanted: u64 = before.map(|(_, it)| it.wanted).sum();
        self.held(level, |it| !it.is_revoked) + wanted > CEILINGS[level]
    }

    pub(super) fn end(&mut self, number: u64) {
        self.get(number).message = None;
        self.grant();
    }

    pub(super) fn give_up(&mut self, number: u64) {
        if let Some(message) = &mut self.get(number).message {
            (message.wanted, message.place) = (0, None);
        }
        self.grant();
    }

    /// Starts a message of this client, if its connections are few enough.
    pub(super) fn start(
        &mut self,
        which: usize,
        now: u64,
        client: ClientKey,
        priority: Priority,
    ) -> bool {
        self.list[which].message = None;
        self.grant();
        if self.list[which].peer.is_none() && self.has_most(client) {
            return false;
        }
        self.list[which].message = Some(TwinMessage {
            client,
            priority,
            started: now,
            last_progress: now,
            moved: 0,
            held: 0,
            wanted: 0,
            place: None,
            is_revoked: false,
        });
        true
    }

    /// Returns the number of connections that count for clients like this.
    fn sockets(&self, is_counted: impl Fn(ClientKey) -> bool) -> u64 {
        let owner = |twin: &Twin| match twin.peer {
            Some(peer) => (twin.phase != Phase::Evicted).then_some(peer),
            None => twin.message.as_ref().map(|message| message.client),
        };
        let owners = self.list.iter().filter_map(owner);
        owners.filter(|it| is_counted(*it)).count() as u64
    }

    fn has_most(&self, who: ClientKey) -> bool {
        self.sockets(|it| it == who) >= PER_PEER
            || self.sockets(|it| it.network == who.network) >= PER_NETWORK
    }

    /// Returns whether a new connection is admitted, and evicts one for it.
    pub(super) fn admit(&mut self, peer: Option<ClientKey>, now: u64) -> bool {
        if peer.is_some_and(|peer| self.has_most(peer)) {
            return false;
        }
        let live = self.list.iter().filter(|it| it.phase != Phase::Evicted);
        if (live.count() as u64) < CONNECTIONS {
            return true;
        }
        let is_idle = |twin: &Twin| matches!(twin.phase, Phase::New | Phase::Idle | Phase::Head);
        let is_stalled = |twin: &Twin| {
            matches!(twin.phase, Phase::Blocked | Phase::Stuck) && twin.since + 30 <= now
        };
        let find = |is_victim: &dyn Fn(&Twin) -> bool| {
            let victims = self.list.iter().filter(|twin| is_victim(twin));
            let victims = victims.filter_map(|twin| Some((twin.peer?.network, twin.number)));
            victims.max_by_key(|(network, number)| {
                let weight = self.sockets(|it| it.network == *network);
                (weight, *network, Reverse(*number))
            })
        };
        let Some((_, number)) = find(&is_idle).or_else(|| find(&is_stalled)) else {
            return false;
        };
        let twin = self.get(number);
        twin.phase = Phase::Evicted;
        if let Some(message) = &mut twin.message {
            (message.is_revoked, message.wanted, message.place) = (true, 0, None);
        }
        self.grant();
        true
    }
}
