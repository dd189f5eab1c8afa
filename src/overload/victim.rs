//! The rule that names a victim when something is short: sockets, large buffers, bytes or pauses.
//!
//! Idle connections and those that wait for an event go first. Then the heaviest client of the heaviest network loses: a connection whose peer has
//! stopped reading, the largest buffers, or the bytes of its slowest message. Weight is the use of what is short.
//! Nobody loses bytes or a pause to a client or network that weighs more. One that weighs the same loses slow messages
//! alone, and so do the other messages of the needy client.
//! Invariants: a connection of a peer without a key, such as a trusted proxy, is evicted only for the large buffers of
//! the message that it carries. A search holds the lock
//! of the register from its look at a victim to the eviction.
//! Cost: a search gives up after [`MAX_LOOKS`] clients and messages. The needy message tries again later.

use std::time::Duration;

use super::Priority;
use super::connection::{ConnectionHandle, Phase, STALLED};
use super::register::{Entry, MAX_BUFFERED, Message, Register};
use crate::fairness::{ExceededShare, FairShares};

/// Maximum number of clients and messages that are inspected for one needy message. This takes about a third of a
/// millisecond.
pub(super) const MAX_LOOKS: usize = 4096;

/// A message younger than this is never slow.
const GRACE: Duration = Duration::from_secs(1);

/// An upload without progress for this long is slow, even if it was fast before. The average does not show such a
/// stall, because the buffers of a connection receive megabytes at once.
const STALLED_UPLOAD: Duration = Duration::from_secs(5);

/// An average of 64 KiB per second, in micro-bytes per second. A message this fast is slow only if it has stalled.
const FAST: u128 = 64 * 1024 * 1_000_000;

/// What a message lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Short {
    /// Bytes under the ceiling of this priority. Messages of this priority and of lower ones use them.
    Bytes(Priority),
    /// A share of bytes. Only messages that count towards it are chosen.
    Share(ExceededShare),
    Pause,
}

impl Register {
    /// Evicts the connection that makes room for a new one: the oldest one of the largest network that is idle or waits, or
    /// else the oldest one whose peer has stopped reading.
    pub(super) fn evict_for_socket(&mut self, now: Duration) -> bool {
        let is_stalled = |phase: Phase, since: Duration| {
            phase.is_blocked() && now.saturating_sub(since) >= STALLED
        };
        let idle = self.first_of(&self.sockets, |it| {
            let waits = it.message.as_ref().is_some_and(|it| it.awaited.is_some());
            it.handle.evict_if(|phase, _| waits || phase.is_idle())
        });
        let stalled = || self.first_of(&self.sockets, |it| it.handle.evict_if(is_stalled));
        let victim = idle.or_else(stalled);
        victim.map(|number| self.forget_evicted(number)).is_some()
    }

    /// Evicts connections while all of them have larger buffers than they may. If none is idle, the heaviest client of
    /// the heaviest network loses the connection with the largest.
    pub(super) fn evict_for_buffers(&mut self) {
        while self.buffers.total() > MAX_BUFFERED {
            let evict = |it: &Entry| it.buffered > 0 && it.handle.evict_if(is_idle);
            let largest = || {
                let (network, _) = self.buffers.networks().next()?;
                let (client, _) = self.buffers.clients(network).next()?;
                let own = self.of_network(network);
                let own = own.filter(|(_, it)| it.peer.is_some_and(|it| it.client == client));
                let proxied = self.of_client(client).filter(|(_, it, _)| it.is_proxied);
                let proxied = proxied.filter_map(|(it, ..)| Some((it, self.entries.get(&it)?)));
                let (number, entry) = own.chain(proxied).max_by_key(|(_, it)| it.buffered)?;
                entry.handle.evict_if(|_, _| true).then_some(number)
            };
            let Some(victim) = self.first_of(&self.buffers, evict).or_else(largest) else {
                return;
            };
            self.forget_evicted(victim);
        }
    }

    /// Returns the first connection that is a victim: that of the heaviest network, the oldest first.
    fn first_of(&self, shares: &FairShares, is_victim: impl Fn(&Entry) -> bool) -> Option<u64> {
        let entries = shares.networks().flat_map(|(it, _)| self.of_network(it));
        let mut victims = entries.filter(|(_, entry)| is_victim(entry));
        victims.next().map(|(number, _)| number)
    }

    /// Returns the next message that has to make room for this one. `more` is what the weights of its client and network
    /// do not include yet. Returns `None` if none has to, or after [`MAX_LOOKS`].
    pub(super) fn victim(
        &self,
        number: u64,
        now: Duration,
        short: Short,
        more: u64,
    ) -> Option<u64> {
        let own = self.message(number)?.client;
        let shares = match short {
            Short::Bytes(_) | Short::Share(_) => &self.bytes,
            Short::Pause => &self.pauses,
        };
        let (network, client) = (shares.of_network(own.network), shares.of_client(own));
        let networks = at_least_as_heavy(shares.networks(), own.network, network + more);
        let strangers = networks.flat_map(|(network, only_slow)| {
            let clients = shares.clients(network);
            clients.map(move |(client, _)| (client, only_slow))
        });
        let strangers = strangers.take_while(|_| !matches!(short, Short::Share(_)));
        let neighbours = at_least_as_heavy(shares.clients(own.network), own.client, client + more);
        let neighbours = neighbours.take_while(|_| short != Short::Share(ExceededShare::OfClient));
        let mut looks = 0;
        for (client, only_slow) in strangers.chain(neighbours).chain([(own.client, true)]) {
            let candidates = self.of_client(client).filter(|(other, message, handle)| {
                looks += 1;
                // Every paused upload is slow.
                let is_slow = || short == Short::Pause || message.is_slow(handle, now);
                *other != number && message.frees(short, handle) && (!only_slow || is_slow())
            });
            let slowest =
                candidates.min_by_key(|(it, message, handle)| (message.rate(handle, now), *it));
            looks += 1;
            if slowest.is_some() || looks >= MAX_LOOKS {
                return slowest.map(|(victim, ..)| victim);
            }
        }
        None
    }
}

impl Message {
    /// Returns whether some of what is short would come free if the message ended.
    fn frees(&self, short: Short, handle: &ConnectionHandle) -> bool {
        let has_bytes = self.held > 0 && (!self.is_last_read || handle.moved() > 0);
        match short {
            Short::Bytes(ceiling) => self.priority <= ceiling && has_bytes,
            Short::Share(_) => has_bytes,
            Short::Pause => self.may_pause,
        }
    }

    /// Returns true if the message makes room even for a client or network that weighs the same as its own.
    fn is_slow(&self, handle: &ConnectionHandle, now: Duration) -> bool {
        let stall = match self.priority {
            Priority::Save => STALLED_UPLOAD,
            Priority::Render | Priority::Read => STALLED,
        };
        let is_stalled = now.saturating_sub(handle.last_progress()) >= stall;
        let age = now.saturating_sub(self.started);
        age >= GRACE && (is_stalled || self.rate(handle, now) < FAST)
    }

    /// Returns the average rate since the start, in micro-bytes per second. This unit is small enough to compare two
    /// messages of a few bytes per minute.
    fn rate(&self, handle: &ConnectionHandle, now: Duration) -> u128 {
        let millis = now.saturating_sub(self.started).as_millis().max(1);
        u128::from(handle.moved()) * 1_000_000_000 / millis
    }
}

fn is_idle(phase: Phase, _: Duration) -> bool {
    phase.is_idle()
}

/// Returns the keys that weigh at least `weight`, heaviest first and without `own`. The flag is true if the weight is
/// equal.
fn at_least_as_heavy(
    heaviest_first: impl Iterator<Item = (u64, u64)>,
    own: u64,
    weight: u64,
) -> impl Iterator<Item = (u64, bool)> {
    heaviest_first
        .take_while(move |(_, theirs)| *theirs >= weight)
        .filter(move |(key, _)| *key != own)
        .map(move |(key, theirs)| (key, theirs == weight))
}
