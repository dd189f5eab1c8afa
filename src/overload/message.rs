//! The messages in the register: the bytes that uploads and large responses hold or wait for, and their pauses.
//!
//! Invariants:
//! - The messages hold no more bytes than the budget: all together, saves and renders four fifths, renders three fifths.
//!   So when bytes run short, renders are refused first, then saves, and other responses last.
//! - Bytes that a victim has to give back stay counted until they are given back, but not for its client. So one
//!   shortage has no second victim while the first is still ending.
//! - Waiting messages get bytes in the order of the weights that their networks and clients had when they began to
//!   wait. So a client that asks for much never delays others. If too many wait, the heaviest has to go.

use std::collections::BTreeMap;
use std::time::Duration;

use super::connection::ConnectionHandle;
use super::register::{Entry, Message, PAUSES, Place, Register, Waiter};
use super::victim::Short;
use super::{Priority, QuotaError};
use crate::fairness::ClientKey;

/// Maximum number of messages that wait at once. The system holds up to 128 KiB of an upload meanwhile.
pub(super) const MAX_WAITING: usize = 512;

impl Register {
    /// Returns the messages of a client that were not revoked, and their connections.
    pub(super) fn of_client(
        &self,
        client: u64,
    ) -> impl Iterator<Item = (u64, &Message, &ConnectionHandle)> {
        let numbers = self.by_client.range((client, 0)..=(client, u64::MAX));
        numbers.filter_map(|(_, number)| {
            let entry = self.entries.get(number)?;
            Some((*number, entry.message.as_ref()?, &*entry.handle))
        })
    }

    /// Returns the message of a connection, unless it was revoked.
    pub(super) fn message(&self, number: u64) -> Option<&Message> {
        let message = self.entries.get(&number)?.message.as_ref();
        message.filter(|message| !message.is_revoked)
    }

    fn message_mut(&mut self, number: u64) -> Option<&mut Message> {
        self.entries.get_mut(&number)?.message.as_mut()
    }

    /// Notes that a connection has an upload or a large response, which may hold bytes. Behind a proxy, it counts as a
    /// connection of its client.
    pub(super) fn start_message(
        &mut self,
        number: u64,
        now: Duration,
        client: ClientKey,
        priority: Priority,
    ) -> Result<(), QuotaError> {
        self.end_message(number);
        let entry = self.entries.get_mut(&number);
        let entry = entry.ok_or(QuotaError::Cancelled)?;
        let is_proxied = entry.peer.is_none();
        if is_proxied {
            if self.sockets.exceeded(client, 0, 1).is_some() {
                return Err(QuotaError::OverShare);
            }
            self.sockets.add(client, 1);
            self.buffers.add(client, entry.buffered);
        }
        entry.handle.start_message(now);
        entry.message = Some(Message {
            client,
            priority,
            started: now,
            held: 0,
            place: None,
            may_pause: false,
            awaited: None,
            is_last_read: false,
            is_proxied,
            is_revoked: false,
        });
        self.by_client.insert((client.client, number));
        Ok(())
    }

    /// Returns how many of these bytes a message lacks. One that is larger than its ceiling holds all bytes under that,
    /// so it is admitted when no other message is in progress.
    pub(super) fn lacks(&self, number: u64, total: u64) -> Result<u64, QuotaError> {
        let message = self.message(number).ok_or(QuotaError::Cancelled)?;
        let total = total.min(self.ceilings[message.priority.index()]);
        Ok(total.saturating_sub(message.held))
    }

    /// Gives the message `total` bytes, or lets it wait for them if it `waits`. Then others make room for it: of its own
    /// client or network if it exceeds their share, otherwise those that weigh most. Returns whether it has the bytes.
    pub(super) fn hold(
        &mut self,
        number: u64,
        now: Duration,
        total: u64,
        waits: bool,
    ) -> Result<bool, QuotaError> {
        let lacking = self.lacks(number, total)?;
        if lacking > 0 && self.message(number).is_some_and(|it| it.place.is_none()) {
            if waits {
                self.make_room(number, now, lacking, |it| {
                    let message = it.message(number)?;
                    let share = it.bytes.exceeded(message.client, message.held, lacking);
                    share.map(Short::Share)
                });
            }
            self.wait(number, lacking)?;
            self.grant();
        }
        if waits {
            self.limit_waiting();
            self.make_room(number, now, 0, |it| it.short_of(number));
        } else {
            self.give_up(number);
        }
        Ok(self.lacks(number, total)? == 0)
    }

    /// Lets a message wait for more bytes. They count for its client from now on, so that no client waits for more than
    /// its share.
    fn wait(&mut self, number: u64, wanted: u64) -> Result<(), QuotaError> {
        let message = self.message(number).ok_or(QuotaError::Cancelled)?;
        let (client, priority) = (message.client, message.priority);
        if self.bytes.exceeded(client, message.held, wanted).is_some() {
            return Err(QuotaError::OverShare);
        }
        self.bytes.add(client, wanted);
        self.last_turn += 1;
        let weights = (
            self.bytes.of_network(client.network),
            self.bytes.of_client(client),
        );
        let place = (weights.0, weights.1, self.last_turn);
        let waiter = Waiter {
            number,
            priority,
            wanted,
        };
        self.waiting.insert(place, waiter);
        if let Some(message) = self.message_mut(number) {
            message.place = Some(place);
        }
        Ok(())
    }

    /// Lets the heaviest go if too many wait.
    fn limit_waiting(&mut self) {
        if self.waiting.len() > MAX_WAITING
            && let Some(heaviest) = self.waiting.values().next_back()
        {
            self.revoke(heaviest.number);
        }
    }

    /// Gives bytes to those that wait, as long as they are free. One that lacks bytes under a ceiling keeps all others
    /// from these that come after it.
    fn grant(&mut self) {
        let mut lowest = 0;
        let next = |waiting: &BTreeMap<Place, Waiter>, lowest| {
            let mut waiting = waiting.iter().map(|(place, waiter)| (*place, *waiter));
            waiting.find(|(_, waiter)| waiter.priority.index() >= lowest)
        };
        while let Some((place, waiter)) = next(&self.waiting, lowest) {
            let (first, wanted) = (waiter.priority.index(), waiter.wanted);
            let is_short =
                |level: &usize| under(&self.held, *level) + wanted > self.ceilings[*level];
            if let Some(level) = (first..3).rev().find(is_short) {
                lowest = level + 1;
                continue;
            }
            self.waiting.remove(&place);
            self.held[first] += wanted;
            if let Some(message) = self.message_mut(waiter.number) {
                message.held += wanted;
                message.place = None;
            }
            self.wake(waiter.number);
        }
    }

    /// Ends the wait of a message.
    pub(super) fn give_up(&mut self, number: u64) {
        if let Some(message) = self.message_mut(number)
            && let Some(place) = message.place.take()
        {
            let client = message.client;
            let waiter = self.waiting.remove(&place);
            self.bytes.sub(client, waiter.map_or(0, |it| it.wanted));
            self.grant();
        }
    }

    /// Revokes other messages as long as something is short, and one has to make room. `more` is what the weight of this
    /// message does not include yet.
    fn make_room(
        &mut self,
        number: u64,
        now: Duration,
        more: u64,
        short: impl Fn(&Self) -> Option<Short>,
    ) {
        while let Some(short) = short(self)
            && let Some(victim) = self.victim(number, now, short, more)
        {
            self.revoke(victim);
        }
    }

    /// Returns what a waiting message lacks: bytes under its own ceiling, or under a higher one.
    /// What those before it want counts too, and what is revoked does not.
    fn short_of(&self, number: u64) -> Option<Short> {
        let message = self.message(number)?;
        let (place, own) = (message.place?, message.priority);
        let is_short = |ceiling: &Priority| {
            let before = self.waiting.range(..=place).map(|(_, it)| it);
            let before = before.filter(|it| it.priority <= *ceiling);
            let (level, wanted) = (ceiling.index(), before.map(|it| it.wanted).sum::<u64>());
            under(&self.held, level) - under(&self.revoked, level) + wanted > self.ceilings[level]
        };
        let mut ceilings = Priority::ALL.into_iter().filter(|it| *it >= own);
        ceilings.find(is_short).map(Short::Bytes)
    }

    /// Allows an upload to pause. Revokes another paused one if all pauses are in use.
    pub(super) fn allow_pause(&mut self, number: u64, now: Duration) -> Result<(), QuotaError> {
        let message = self.message(number).ok_or(QuotaError::Cancelled)?;
        let client = message.client;
        if message.may_pause {
            return Ok(());
        }
        if self.pauses.exceeded(client, 0, 1).is_some() {
            return Err(QuotaError::OverShare);
        }
        let is_full = |it: &Self| it.pauses.total() >= PAUSES;
        self.make_room(number, now, 1, |it| is_full(it).then_some(Short::Pause));
        if is_full(self) {
            return Err(QuotaError::OverShare);
        }
        self.pauses.add(client, 1);
        if let Some(message) = self.message_mut(number) {
            message.may_pause = true;
        }
        Ok(())
    }

    /// Notes that a message cannot be repeated from now on.
    pub(super) fn set_last_read(&mut self, number: u64) -> Result<(), QuotaError> {
        let message = self.message_mut(number).filter(|it| !it.is_revoked);
        message.ok_or(QuotaError::Cancelled)?.is_last_read = true;
        Ok(())
    }

    /// Notes what a message waits for. Another one that waits for the same ends.
    pub(super) fn wait_for(&mut self, number: u64, awaited: u64) {
        self.end_waits(|it| it == awaited);
        if let Some(message) = self.message_mut(number) {
            message.awaited = Some(awaited);
        }
    }

    /// Ends this message if it waits for something.
    pub(super) fn end_wait(&mut self, number: u64) {
        if self
            .message_mut(number)
            .is_some_and(|it| it.awaited.is_some())
        {
            self.end(number);
        }
    }

    /// Ends the messages that wait for something of which this is true.
    pub(super) fn end_waits(&mut self, is_over: impl Fn(u64) -> bool) {
        let is_over = |(number, entry): (&u64, &Entry)| {
            let awaited = entry.message.as_ref()?.awaited?;
            is_over(awaited).then_some(*number)
        };
        for number in self.entries.iter().filter_map(is_over).collect::<Vec<_>>() {
            self.end(number);
        }
    }

    /// Lets a message give back all bytes.
    fn revoke(&mut self, number: u64) {
        self.cancelled += 1;
        self.end(number);
    }

    fn end(&mut self, number: u64) {
        self.stop_counting_message(number);
        if let Some(entry) = self.entries.get(&number) {
            entry.handle.revoke();
        }
        self.wake(number);
    }

    /// Stops counting a message for its client. What it holds stays counted until it is given back.
    pub(super) fn stop_counting_message(&mut self, number: u64) {
        self.give_up(number);
        if let Some(entry) = self.entries.get_mut(&number)
            && let Some(message) = &mut entry.message
            && !std::mem::replace(&mut message.is_revoked, true)
        {
            let client = message.client;
            self.bytes.sub(client, message.held);
            self.pauses.sub(client, message.may_pause.into());
            if message.is_proxied {
                self.buffers.sub(client, entry.buffered);
            }
            self.by_client.remove(&(client.client, number));
            self.revoked[message.priority.index()] += message.held;
        }
    }

    /// Counts the bytes of a revoked message as given back.
    pub(super) fn release(&mut self, number: u64) {
        if let Some(entry) = self.entries.get_mut(&number)
            && let Some(message) = entry.message.as_mut().filter(|it| it.is_revoked)
        {
            let (held, priority) = (std::mem::take(&mut message.held), message.priority.index());
            self.held[priority] -= held;
            self.revoked[priority] -= held;
            self.grant();
        }
    }

    /// Removes a message that has ended.
    pub(super) fn end_message(&mut self, number: u64) {
        self.stop_counting_message(number);
        self.release(number);
        if let Some(entry) = self.entries.get_mut(&number)
            && let Some(message) = entry.message.take()
        {
            self.moved = self.moved.wrapping_add(entry.handle.moved());
            self.sockets.sub(message.client, message.is_proxied.into());
        }
    }
}

/// Returns the bytes of all priorities that are under a ceiling.
fn under(bytes: &[u64; 3], level: usize) -> u64 {
    bytes[..=level].iter().sum()
}
