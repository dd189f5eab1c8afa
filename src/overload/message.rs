//! The messages in the register: the bytes that uploads and large responses hold or wait for, and their pauses.
//!
//! Invariants:
//! - The messages hold no more bytes than the budget: all together, saves and renders four fifths, renders three fifths.
//!   So when bytes run short, renders are refused first, then saves, and other responses last.
//! - Bytes that a victim has to give back stay counted until they are given back, but not for its client. So one
//!   shortage has no second victim while the first is still ending.
//! - Waiting messages get bytes in the order of the weights that their networks and clients had when they began to
//!   wait. So a client that asks for much never delays others.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::connection::ConnectionHandle;
use super::register::{Message, PAUSES, Place, Register, Waiter};
use super::victim::{Search, Short};
use super::{Priority, QuotaError};
use crate::fairness::ClientKey;

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

    /// Notes that a connection has an upload or a large response, which may hold bytes.
    pub(super) fn start_message(
        &mut self,
        number: u64,
        now: Duration,
        client: ClientKey,
        priority: Priority,
    ) {
        self.end_message(number);
        if let Some(entry) = self.entries.get_mut(&number) {
            entry.handle.start_message(now);
            entry.message = Some(Message {
                client,
                priority,
                started: now,
                held: 0,
                place: None,
                may_pause: false,
                is_revoked: false,
            });
            self.by_client.insert((client.client, number));
        }
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
                self.make_room_in_share(number, now, lacking);
            }
            self.wait(number, lacking)?;
            self.grant();
        }
        match waits {
            true => self.make_room(number, now),
            false => self.give_up(number),
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

    /// Gives bytes to those that wait, as long as they are free. One that lacks bytes under a ceiling keeps all others
    /// from these that come after it.
    fn grant(&mut self) {
        let mut lowest = 0;
        let next = |waiting: &BTreeMap<Place, Waiter>, lowest| {
            let mut waiting = waiting.iter();
            let next = waiting.find(|(_, it)| it.priority.index() >= lowest);
            next.map(|(place, it)| (*place, it.number, it.priority.index(), it.wanted))
        };
        while let Some((place, number, priority, wanted)) = next(&self.waiting, lowest) {
            let is_short = |level: &usize| {
                self.held[..=*level].iter().sum::<u64>() + wanted > self.ceilings[*level]
            };
            if let Some(level) = (priority..3).rev().find(is_short) {
                lowest = level + 1;
                continue;
            }
            self.waiting.remove(&place);
            self.held[priority] += wanted;
            if let Some(message) = self.message_mut(number) {
                message.held += wanted;
                message.place = None;
            }
            self.wake(number);
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

    /// Revokes messages of the same client or network until `more` bytes fit into the share, or none may be revoked.
    fn make_room_in_share(&mut self, number: u64, now: Duration, more: u64) {
        // Bytes of every priority count towards the share.
        let mut search = Search::new(number, now, Short::Bytes(Priority::Read), more);
        while let Some(message) = self.message(number)
            && let Some(share) = self.bytes.exceeded(message.client, message.held, more)
        {
            search.share = Some(share);
            let Some(victim) = self.victim(&mut search) else {
                return;
            };
            self.revoke(victim);
        }
    }

    /// Revokes other messages until the bytes come free that this one waits for. Bytes are freed under its own ceiling
    /// first, and then under each higher ceiling. Those that come free under one also count under the next.
    fn make_room(&mut self, number: u64, now: Duration) {
        let Some(place) = self.message(number).and_then(|it| it.place) else {
            return;
        };
        let mut freed = 0;
        for ceiling in Priority::ALL {
            let mut search = Search::new(number, now, Short::Bytes(ceiling), 0);
            while let Some(waiter) = self.waiting.get(&place)
                && ceiling >= waiter.priority
                && freed < waiter.wanted
                && self.is_short(place, ceiling.index())
                && let Some(victim) = self.victim(&mut search)
            {
                freed += self.message(victim).map_or(0, |it| it.held);
                self.revoke(victim);
            }
        }
    }

    /// Returns whether bytes under this ceiling are missing for the message at this place and for those before it, once
    /// the revoked ones are given back.
    fn is_short(&self, place: Place, level: usize) -> bool {
        let before = self.waiting.range(..=place).map(|(_, it)| it);
        let before = before.filter(|it| it.priority.index() <= level);
        let wanted: u64 = before.map(|it| it.wanted).sum();
        let [held, revoked] =
            [&self.held, &self.revoked].map(|it| it[..=level].iter().sum::<u64>());
        held - revoked + wanted > self.ceilings[level]
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
        if self.pauses.total() >= PAUSES {
            let mut search = Search::new(number, now, Short::Pause, 1);
            let victim = self.victim(&mut search);
            self.revoke(victim.ok_or(QuotaError::OverShare)?);
        }
        self.pauses.add(client, 1);
        if let Some(message) = self.message_mut(number) {
            message.may_pause = true;
        }
        Ok(())
    }

    /// Lets a message give back all bytes.
    fn revoke(&mut self, number: u64) {
        self.cancelled += 1;
        self.stop_counting_message(number);
        if let Some(entry) = self.entries.get(&number) {
            entry.handle.is_revoked.store(true, Ordering::Release);
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
            && entry.message.take().is_some()
        {
            self.moved = self.moved.wrapping_add(entry.handle.moved());
        }
    }
}
