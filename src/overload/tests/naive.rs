//! The reference implementation: a list of transfers, which computes every sum when it is needed.

use std::cmp::Reverse;

use super::*;

/// A transfer that is in progress and was not cancelled.
#[derive(Debug, Clone)]
pub(super) struct Twin {
    pub(super) number: u64,
    pub(super) client: ClientKey,
    pub(super) priority: Priority,
    pub(super) started: u64,
    pub(super) last_progress: u64,
    pub(super) moved: u64,
    pub(super) held: u64,
    pub(super) requested: u64,
    pub(super) queues: bool,
    pub(super) has_slot: bool,
    pub(super) may_pause: bool,
}

pub(super) const CEILINGS: [u64; 3] = [600, 800, 1024];
pub(super) const SLOTS: u64 = 16;
pub(super) const PAUSES: u64 = 6;

impl Twin {
    pub(super) fn is_upload(&self) -> bool {
        self.priority == Priority::Save
    }

    /// Returns how much the transfer counts towards its share of the resource.
    fn weight(&self, resource: Resource) -> u64 {
        match resource {
            Resource::Slot => u64::from(self.is_upload()),
            Resource::Bytes(_) => self.held + self.requested,
            Resource::Pause => u64::from(self.may_pause),
        }
    }

    /// Returns how much of the resource would come free if the transfer ended.
    fn releasable(&self, resource: Resource) -> u64 {
        match resource {
            Resource::Slot => u64::from(self.has_slot && !self.may_pause),
            Resource::Bytes(ceiling) if self.priority.index() <= ceiling.index() => self.held,
            Resource::Bytes(_) => 0,
            Resource::Pause => u64::from(self.may_pause),
        }
    }

    /// Returns how much of the resource the transfer uses or queues for.
    fn demand(&self, resource: Resource) -> u64 {
        match resource {
            Resource::Slot => u64::from(self.has_slot || self.queues && self.is_upload()),
            Resource::Bytes(ceiling) if self.priority.index() > ceiling.index() => 0,
            Resource::Bytes(_) if self.queues => self.held + self.requested,
            Resource::Bytes(_) => self.held,
            Resource::Pause => u64::from(self.may_pause),
        }
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
        let stalled = if self.is_upload() { 5 } else { 30 };
        let average = self.moved / (now - self.started).max(1);
        now > self.started && (now - self.last_progress >= stalled || average < 64 * 1024)
    }
}

/// All transfers in progress.
#[derive(Debug, Default)]
pub(super) struct Twins(pub(super) Vec<Twin>);

impl Twins {
    pub(super) fn sum(&self, of: impl Fn(&Twin) -> bool, what: impl Fn(&Twin) -> u64) -> u64 {
        self.0.iter().filter(|twin| of(twin)).map(what).sum()
    }

    fn of_client(&self, who: ClientKey, resource: Resource) -> u64 {
        self.sum(|twin| twin.client == who, |twin| twin.weight(resource))
    }

    fn of_network(&self, network: u64, resource: Resource) -> u64 {
        let is_of = |twin: &Twin| twin.client.network == network;
        self.sum(is_of, |twin| twin.weight(resource))
    }

    /// Tests if a transfer that uses `own` would exceed the shares of its client and network with `more`. Returns one
    /// flag for the client and one for the network. A flag is true if that share would be exceeded.
    pub(super) fn exceeded(
        &self,
        who: ClientKey,
        resource: Resource,
        own: u64,
        more: u64,
    ) -> [bool; 2] {
        let [of_client, of_network] = match resource {
            Resource::Slot => [SLOTS / 8, SLOTS / 2],
            Resource::Bytes(_) => [CEILINGS[2] / 4, CEILINGS[2] / 2],
            Resource::Pause => [4, PAUSES / 2],
        };
        let exceeds = |held: u64, most: u64| held != own && held + more > most;
        [
            exceeds(self.of_client(who, resource), of_client),
            exceeds(self.of_network(who.network, resource), of_network),
        ]
    }

    pub(super) fn shortage(&self, resource: Resource, more: u64) -> u64 {
        let most = match resource {
            Resource::Slot => SLOTS,
            Resource::Bytes(ceiling) => CEILINGS[ceiling.index()],
            Resource::Pause => PAUSES,
        };
        (self.sum(|_| true, |twin| twin.demand(resource)) + more).saturating_sub(most)
    }

    /// Returns the next victim by applying the rule literally: the first transfer in the rule's order that may be
    /// cancelled.
    pub(super) fn victim(
        &self,
        now: u64,
        needy: &Twin,
        resource: Resource,
        more: u64,
        scope: Option<ExceededShare>,
    ) -> Option<u64> {
        let may = |twin: &&Twin| {
            let (theirs, mine) = if twin.client.network != needy.client.network {
                if scope.is_some() {
                    return false;
                }
                let of = |twin: &Twin| self.of_network(twin.client.network, resource);
                (of(twin), of(needy) + more)
            } else if twin.client != needy.client {
                if scope == Some(ExceededShare::OfClient) {
                    return false;
                }
                let of = |twin: &Twin| self.of_client(twin.client, resource);
                (of(twin), of(needy) + more)
            } else {
                (0, 0)
            };
            let is_slow = resource == Resource::Pause || twin.is_slow(now);
            let may_be_cut = theirs > mine || theirs == mine && is_slow;
            twin.number != needy.number && twin.releasable(resource) > 0 && may_be_cut
        };
        // Other networks come first, then other clients of the same network, then the client itself. Within these, the
        // heaviest network comes first, then its heaviest client, then that client's slowest transfer.
        let order = |twin: &&Twin| {
            let is_stranger = twin.client.network != needy.client.network;
            let is_own = twin.client == needy.client;
            (
                is_stranger,
                !is_own,
                self.of_network(twin.client.network, resource),
                twin.client.network,
                self.of_client(twin.client, resource),
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

    /// Cancels transfers until enough of the resource that this transfer waits for is free. Returns the victims, and
    /// true if the transfer may queue.
    pub(super) fn preempt(&mut self, now: u64, needy: &Twin) -> (Vec<u64>, bool) {
        let (needs, amount) = if needy.requested > 0 {
            let needs = Priority::ALL.map(Resource::Bytes);
            (needs[needy.priority.index()..].to_vec(), needy.requested)
        } else {
            (vec![Resource::Slot], 1)
        };
        let (mut victims, mut freed) = (Vec::new(), 0);
        for &resource in &needs {
            let more = if needy.queues { 0 } else { amount };
            while freed < amount && self.shortage(resource, more) > 0 {
                let Some(victim) = self.victim(now, needy, resource, 0, None) else {
                    break;
                };
                freed += self
                    .remove(victim)
                    .map_or(0, |twin| twin.releasable(resource));
                victims.push(victim);
            }
        }
        let own = self.of_network(needy.client.network, needs[0]);
        let others = self.0.iter().map(|twin| twin.client.network);
        let is_light = others
            .filter(|network| *network != needy.client.network)
            .map(|network| self.of_network(network, needs[0]))
            .any(|weight| weight > 0 && weight >= own);
        (victims, is_light)
    }

    /// Cancels transfers of the same client or network until the transfer fits into the share. Returns the victims.
    pub(super) fn preempt_for_share(&mut self, now: u64, needy: &Twin, more: u64) -> Vec<u64> {
        let resource = Resource::Bytes(Priority::Read);
        let own = needy.weight(resource);
        let mut victims = Vec::new();
        loop {
            let scope = match self.exceeded(needy.client, resource, own, more) {
                [true, _] => Some(ExceededShare::OfClient),
                [false, true] => Some(ExceededShare::OfNetwork),
                [false, false] => return victims,
            };
            let Some(victim) = self.victim(now, needy, resource, more, scope) else {
                return victims;
            };
            self.remove(victim);
            victims.push(victim);
        }
    }
}
