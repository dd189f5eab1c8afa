//! The naive list of transfers: sums everything up anew at every question, and names who has to go.

use std::cmp::Reverse;

use super::*;

/// One that was not cut and has not ended.
#[derive(Debug, Clone)]
pub(super) struct Twin {
    pub(super) number: u64,
    pub(super) client: ClientKey,
    pub(super) direction: Direction,
    pub(super) class: Priority,
    pub(super) began: u64,
    pub(super) last_move: u64,
    pub(super) moved: u64,
    pub(super) held: u64,
    pub(super) wanted: u64,
    pub(super) queues: bool,
    pub(super) has_place: bool,
    pub(super) patient: bool,
}

pub(super) const CEILINGS: [u64; 3] = [600, 800, 1024];
pub(super) const PLACES: u64 = 16;
pub(super) const PAUSES: u64 = 6;

impl Twin {
    pub(super) fn is_place(&self) -> bool {
        self.direction == Direction::Receiving
    }

    /// What it weighs when this is short.
    fn weight(&self, need: Need) -> u64 {
        match need {
            Need::Place => u64::from(self.is_place()),
            Need::Bytes(_) => self.held + self.wanted,
            Need::Patience => u64::from(self.patient),
        }
    }

    /// What its end would give.
    fn gives(&self, need: Need) -> u64 {
        match need {
            Need::Place => u64::from(self.has_place && !self.patient),
            Need::Bytes(ceiling) if self.class.index() <= ceiling.index() => self.held,
            Need::Bytes(_) => 0,
            Need::Patience => u64::from(self.patient),
        }
    }

    /// What it takes of it, or will before others.
    fn demand(&self, need: Need) -> u64 {
        match need {
            Need::Place => u64::from(self.has_place || self.queues && self.is_place()),
            Need::Bytes(ceiling) if self.class.index() > ceiling.index() => 0,
            Need::Bytes(_) if self.queues => self.held + self.wanted,
            Need::Bytes(_) => self.held,
            Need::Patience => u64::from(self.patient),
        }
    }

    /// Micro-bytes a second, with a millisecond at least.
    fn rate(&self, now: u64) -> u64 {
        match now - self.began {
            0 => self.moved * 1_000_000_000,
            seconds => self.moved * 1_000_000 / seconds,
        }
    }

    fn is_slow(&self, now: u64) -> bool {
        let stalled = if self.is_place() { 5 } else { 30 };
        let average = self.moved / (now - self.began).max(1);
        now > self.began && (now - self.last_move >= stalled || average < 64 * 1024)
    }
}

/// The whole list.
#[derive(Debug, Default)]
pub(super) struct Twins(pub(super) Vec<Twin>);

impl Twins {
    pub(super) fn sum(&self, of: impl Fn(&Twin) -> bool, what: impl Fn(&Twin) -> u64) -> u64 {
        self.0.iter().filter(|twin| of(twin)).map(what).sum()
    }

    fn of_client(&self, who: ClientKey, need: Need) -> u64 {
        self.sum(|twin| twin.client == who, |twin| twin.weight(need))
    }

    fn of_network(&self, network: u64, need: Need) -> u64 {
        let is_of = |twin: &Twin| twin.client.network == network;
        self.sum(is_of, |twin| twin.weight(need))
    }

    /// Whether a transfer that has `own` gets more of what its client and network may have so much of.
    pub(super) fn exceeded(&self, who: ClientKey, need: Need, own: u64, more: u64) -> [bool; 2] {
        let [of_client, of_network] = match need {
            Need::Place => [PLACES / 8, PLACES / 2],
            Need::Bytes(_) => [CEILINGS[2] / 4, CEILINGS[2] / 2],
            Need::Patience => [4, PAUSES / 2],
        };
        let exceeds = |held: u64, most: u64| held != own && held + more > most;
        [
            exceeds(self.of_client(who, need), of_client),
            exceeds(self.of_network(who.network, need), of_network),
        ]
    }

    pub(super) fn lacks(&self, need: Need, more: u64) -> u64 {
        let most = match need {
            Need::Place => PLACES,
            Need::Bytes(ceiling) => CEILINGS[ceiling.index()],
            Need::Patience => PAUSES,
        };
        (self.sum(|_| true, |twin| twin.demand(need)) + more).saturating_sub(most)
    }

    /// The one who has to go next, as the rule is written: everybody in its order, and the first who may.
    pub(super) fn victim(
        &self,
        now: u64,
        asker: &Twin,
        need: Need,
        more: u64,
        among: Among,
    ) -> Option<u64> {
        let may = |twin: &&Twin| {
            let (theirs, mine) = if twin.client.network != asker.client.network {
                if among != Among::All {
                    return false;
                }
                let of = |twin: &Twin| self.of_network(twin.client.network, need);
                (of(twin), of(asker) + more)
            } else if twin.client != asker.client {
                if among == Among::OwnClient {
                    return false;
                }
                let of = |twin: &Twin| self.of_client(twin.client, need);
                (of(twin), of(asker) + more)
            } else {
                (0, 0)
            };
            let is_slow = need == Need::Patience || twin.is_slow(now);
            let may_be_cut = theirs > mine || theirs == mine && is_slow;
            twin.number != asker.number && twin.gives(need) > 0 && may_be_cut
        };
        // Strangers, then neighbours, then the client's own; the heaviest network, its heaviest client, the slowest.
        let order = |twin: &&Twin| {
            let is_stranger = twin.client.network != asker.client.network;
            let is_own = twin.client == asker.client;
            (
                is_stranger,
                !is_own,
                self.of_network(twin.client.network, need),
                twin.client.network,
                self.of_client(twin.client, need),
                twin.client.client,
                Reverse((twin.rate(now), twin.number)),
            )
        };
        let victim = self.0.iter().filter(may).max_by_key(order);
        victim.map(|twin| twin.number)
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<Twin> {
        let index = self.0.iter().position(|twin| twin.number == number)?;
        Some(self.0.remove(index))
    }

    /// Presses for what the transfer waits for; who has to go, and whether it may queue.
    pub(super) fn press(&mut self, now: u64, asker: &Twin) -> (Vec<u64>, bool) {
        let (needs, amount) = if asker.wanted > 0 {
            let needs = Priority::ALL.map(Need::Bytes);
            (needs[asker.class.index()..].to_vec(), asker.wanted)
        } else {
            (vec![Need::Place], 1)
        };
        let (mut victims, mut freed) = (Vec::new(), 0);
        for &need in &needs {
            let more = if asker.queues { 0 } else { amount };
            while freed < amount && self.lacks(need, more) > 0 {
                let Some(victim) = self.victim(now, asker, need, 0, Among::All) else {
                    break;
                };
                freed += self.remove(victim).map_or(0, |twin| twin.gives(need));
                victims.push(victim);
            }
        }
        let own = self.of_network(asker.client.network, needs[0]);
        let others = self.0.iter().map(|twin| twin.client.network);
        let is_light = others
            .filter(|network| *network != asker.client.network)
            .map(|network| self.of_network(network, needs[0]))
            .any(|weight| weight > 0 && weight >= own);
        (victims, is_light)
    }

    /// Presses for so much more of its own network's share; who has to go.
    pub(super) fn press_for_share(&mut self, now: u64, asker: &Twin, more: u64) -> Vec<u64> {
        let need = Need::Bytes(Priority::Read);
        let own = asker.weight(need);
        let mut victims = Vec::new();
        loop {
            let among = match self.exceeded(asker.client, need, own, more) {
                [true, _] => Among::OwnClient,
                [false, true] => Among::OwnNetwork,
                [false, false] => return victims,
            };
            let Some(victim) = self.victim(now, asker, need, more, among) else {
                return victims;
            };
            self.remove(victim);
            victims.push(victim);
        }
    }
}
