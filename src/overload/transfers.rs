//! Transfers: bodies being received and answers being sent, and which of them has to go when something runs short.
//!
//! What it must not know: sockets, permits, what ends a transfer: whoever begins one hands in what ends it.
//! Invariants: whoever holds the most makes room ([`Choice`]). No client and no network has more than its share. Nobody
//! is cut while there is enough for all who hold some or queue for it, and for one in need no more than it lacks. What
//! was cut counts no more, is not chosen twice and gets nothing more.
//! Cost: a few entries of trees a transfer; a choice is bounded.
//! Why the network counts: a thousand pipes of one flooder do not put out the one pipe of somebody else.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::choice::{Among, Choice};
use super::demand::Demand;
use super::room::Priority;

use super::transfer::{Cut, Direction, Need, Transfer};
use crate::fairness::{ClientKey, ExceededShare, FairShares};

/// Transfers of one client at once, whatever they hold.
pub(super) const MOST_PER_CLIENT: usize = 512;

/// Bodies of one client that pause, at once.
pub const PAUSES_OF_CLIENT: u64 = 4;

/// Why a transfer may not begin, not pause, or not hold more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaError {
    /// Its client or network has its share.
    Share,
    /// It was cut for the sake of others.
    Cut,
}

/// What comes of pressing for something that is short.
#[derive(Default)]
pub(super) struct Press {
    /// What ends those who have to go.
    pub(super) cuts: Vec<Cut>,
    /// Whether the one in need may queue for it: the heaviest do not stand in front of others.
    pub(super) may_queue: bool,
}

/// All that are under way.
pub(super) struct Transfers {
    /// By number, in the order of their beginning; also those that were cut, until they end.
    under_way: BTreeMap<u64, Transfer>,
    /// Those of each client that were not cut; no entry for none.
    by_client: BTreeMap<u64, BTreeSet<u64>>,
    /// Bytes held or waited for.
    room: FairShares,
    /// Bodies being received, or waiting for a place.
    places: FairShares,
    /// Bodies that pause.
    patience: FairShares,
    /// What all of them hold or queue for.
    demand: Demand,
    begun: u64,
    /// How many were cut.
    cuts: u64,
    /// Bytes moved by all that ever were.
    moved: u64,
}

impl Transfers {
    /// Of which all together hold so many bytes under the ceiling of each class, have so many places and may so many of
    /// them pause. A client gets a quarter of the bytes and an eighth of the places, a network half of each.
    pub(super) fn new(ceilings: [u64; 3], places: u64, pauses: u64) -> Self {
        let [.., bytes] = ceilings;
        Self {
            under_way: BTreeMap::new(),
            by_client: BTreeMap::new(),
            room: FairShares::new(bytes / 4, bytes / 2),
            places: FairShares::new(places / 8, places / 2),
            patience: FairShares::new(PAUSES_OF_CLIENT, pauses / 2),
            demand: Demand::new(ceilings, places, pauses),
            begun: 0,
            cuts: 0,
            moved: 0,
        }
    }

    /// Notes a transfer that begins now and says its number.
    ///
    /// # Errors
    /// If its client or network has too many already.
    pub(super) fn begin(
        &mut self,
        now: Duration,
        client: ClientKey,
        direction: Direction,
        class: Priority,
        cut: Cut,
    ) -> Result<u64, QuotaError> {
        let others = self.by_client.get(&client.client);
        if others.is_some_and(|others| others.len() >= MOST_PER_CLIENT) {
            return Err(QuotaError::Share);
        }
        if direction == Direction::Receiving {
            if self.places.exceeded(client, 0, 1).is_some() {
                return Err(QuotaError::Share);
            }
            self.places.add(client, 1);
        }
        self.begun += 1;
        let transfer = Transfer::new(now, client, direction, class, cut);
        self.demand.add(&transfer);
        self.under_way.insert(self.begun, transfer);
        let numbers = self.by_client.entry(client.client).or_default();
        numbers.insert(self.begun);
        Ok(self.begun)
    }

    /// So many bytes more have moved.
    pub(super) fn moved(&mut self, now: Duration, number: u64, bytes: u64) {
        if let Some(transfer) = self.under_way.get_mut(&number) {
            transfer.moved(now, bytes);
            self.moved = self.moved.wrapping_add(bytes);
        }
    }

    /// Notes that a transfer has got the place that it waited for, which counted for its share before.
    pub(super) fn take_place(&mut self, number: u64) -> Result<(), QuotaError> {
        self.change(number, Transfer::take_place)
    }

    /// Notes that a transfer waits for so much room, which counts for its share from now on: nobody queues for more
    /// than that.
    pub(super) fn want(&mut self, number: u64, bytes: u64) -> Result<(), QuotaError> {
        let transfer = self.counted(number)?;
        let (client, own) = (transfer.client, transfer.room());
        if self.room.exceeded(client, own, bytes).is_some() {
            return Err(QuotaError::Share);
        }
        self.room.add(client, bytes);
        self.change(number, |transfer| transfer.wanted += bytes)
    }

    /// Notes that a transfer has got the room that it waited for.
    pub(super) fn hold(&mut self, number: u64) -> Result<(), QuotaError> {
        self.change(number, Transfer::hold)
    }

    /// Lets a transfer pause: what to call to end the one that has to go for it, if one has to.
    pub(super) fn be_patient(
        &mut self,
        now: Duration,
        number: u64,
    ) -> Result<Option<Cut>, QuotaError> {
        let transfer = self.counted(number)?;
        if transfer.patient {
            return Ok(None);
        }
        let client = transfer.client;
        if self.patience.exceeded(client, 0, 1).is_some() {
            return Err(QuotaError::Share);
        }
        let mut cut = None;
        if self.lacks(number, Need::Patience) > 0 {
            let mut choice = Choice::new(now, number, Need::Patience, 1);
            let chosen = choice.next(self, Among::All).ok_or(QuotaError::Share)?;
            cut = self.cut_off(chosen);
        }
        self.patience.add(client, 1);
        self.change(number, |transfer| transfer.patient = true)?;
        Ok(cut)
    }

    /// Chooses who has to go so that a transfer gets the place that it waits for. What ends them is to be called
    /// without a lock: it may give back what is locked.
    pub(super) fn press_for_place(&mut self, now: Duration, number: u64) -> Press {
        self.press(now, number, &[Need::Place], 1)
    }

    /// The same for the room that it waits for.
    pub(super) fn press_for_room(&mut self, now: Duration, number: u64) -> Press {
        let Ok(transfer) = self.counted(number) else {
            return Press::default();
        };
        let amount = transfer.wanted;
        let needs = Priority::ALL.map(Need::Bytes);
        let needs = &needs[transfer.class.index()..];
        self.press(now, number, needs, amount)
    }

    /// Chooses who of its own network has to go so that so many bytes more are within the share of a transfer's client
    /// and network.
    pub(super) fn press_for_share(&mut self, now: Duration, number: u64, bytes: u64) -> Vec<Cut> {
        // Of any class: all of them count for the share.
        let mut choice = Choice::new(now, number, Need::Bytes(Priority::Read), bytes);
        let mut cuts = Vec::new();
        while let Ok(transfer) = self.counted(number)
            && let Some(share) = (self.room).exceeded(transfer.client, transfer.room(), bytes)
            && let Some(chosen) = choice.next(
                self,
                match share {
                    ExceededShare::OfClient => Among::OwnClient,
                    ExceededShare::OfNetwork => Among::OwnNetwork,
                },
            )
        {
            cuts.extend(self.cut_off(chosen));
        }
        cuts
    }

    /// Forgets a transfer that has ended. What would have ended it is to be dropped without a lock, too.
    pub(super) fn end(&mut self, number: u64) -> Option<Cut> {
        let cut = self.take_out(number);
        self.under_way.remove(&number);
        cut
    }

    /// One that is under way.
    pub(super) fn get(&self, number: u64) -> Option<&Transfer> {
        self.under_way.get(&number)
    }

    /// Those of a client that were not cut, and their numbers.
    pub(super) fn of_client(&self, client: u64) -> impl Iterator<Item = (u64, &Transfer)> {
        let numbers = self.by_client.get(&client).into_iter().flatten();
        numbers.filter_map(|number| Some((*number, self.under_way.get(number)?)))
    }

    /// What everybody holds or waits for of it.
    pub(super) fn shares(&self, need: Need) -> &FairShares {
        match need {
            Need::Place => &self.places,
            Need::Bytes(_) => &self.room,
            Need::Patience => &self.patience,
        }
    }

    /// How many may pause.
    #[must_use]
    pub(super) fn patient(&self) -> u64 {
        self.patience.total()
    }

    /// Bytes moved by all that ever were.
    #[must_use]
    pub(super) fn bytes(&self) -> u64 {
        self.moved
    }

    /// How many were ever cut.
    #[must_use]
    pub(super) fn cuts(&self) -> u64 {
        self.cuts
    }

    /// How many are under way.
    #[must_use]
    pub(super) fn count(&self) -> usize {
        self.under_way.len()
    }

    /// One that was not cut.
    fn counted(&self, number: u64) -> Result<&Transfer, QuotaError> {
        let transfer = self.under_way.get(&number);
        transfer
            .filter(|it| it.cut.is_some())
            .ok_or(QuotaError::Cut)
    }

    /// Changes what one that was not cut holds or waits for.
    fn change(
        &mut self,
        number: u64,
        change: impl FnOnce(&mut Transfer),
    ) -> Result<(), QuotaError> {
        let transfer = self.under_way.get_mut(&number);
        let transfer = transfer
            .filter(|it| it.cut.is_some())
            .ok_or(QuotaError::Cut)?;
        self.demand.sub(transfer);
        change(transfer);
        self.demand.add(transfer);
        Ok(())
    }

    /// Chooses who has to go so that a transfer gets so much of what it waits for: of each of its needs, one after the
    /// other, as what is held for the first helps with the next.
    fn press(&mut self, now: Duration, number: u64, needs: &[Need], amount: u64) -> Press {
        let mut press = Press::default();
        let mut freed = 0;
        for &need in needs {
            let mut choice = Choice::new(now, number, need, 0);
            while freed < amount
                && self.lacks(number, need) > 0
                && let Some(chosen) = choice.next(self, Among::All)
            {
                freed += self.get(chosen).map_or(0, |it| it.holds(need));
                press.cuts.extend(self.cut_off(chosen));
            }
        }
        let is_light = needs.iter().any(|need| self.is_light(number, *need));
        press.may_queue = is_light && self.change(number, Transfer::queue).is_ok();
        press
    }

    /// How much of it is missing if a transfer is to have what it needs together with all who have some or queue.
    fn lacks(&self, number: u64, need: Need) -> u64 {
        let own = self.counted(number).map(|it| it.does_not_queue_for(need));
        own.map_or(0, |own| self.demand.lacks(need, own))
    }

    /// Whether another network holds as much of it as the transfer's own, or more: then it may queue with the others.
    fn is_light(&self, number: u64, need: Need) -> bool {
        let Ok(transfer) = self.counted(number) else {
            return false;
        };
        let (shares, own) = (self.shares(need), transfer.client.network);
        let mut others = shares.networks().filter(|(network, _)| *network != own);
        let heaviest = others.next();
        heaviest.is_some_and(|(_, weight)| weight >= shares.of_network(own))
    }

    fn cut_off(&mut self, number: u64) -> Option<Cut> {
        self.cuts += 1;
        self.take_out(number)
    }

    /// Counts a transfer no more; what ends it, if it had not been taken out before.
    fn take_out(&mut self, number: u64) -> Option<Cut> {
        let transfer = self.under_way.get_mut(&number)?;
        let (cut, client) = (transfer.cut.take()?, transfer.client);
        self.demand.sub(transfer);
        self.room.sub(client, transfer.room());
        if transfer.direction == Direction::Receiving {
            self.places.sub(client, 1);
        }
        if transfer.patient {
            self.patience.sub(client, 1);
        }
        if let Some(numbers) = self.by_client.get_mut(&client.client) {
            numbers.remove(&number);
            if numbers.is_empty() {
                self.by_client.remove(&client.client);
            }
        }
        Some(cut)
    }
}

impl std::fmt::Debug for Transfers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transfers")
            .field("under_way", &self.count())
            .finish_non_exhaustive()
    }
}
