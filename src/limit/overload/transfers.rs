//! Transfers: bodies being received and answers being sent, and which of them has to go when something runs short.
//!
//! What it must not know: sockets, permits, what ends a transfer: whoever begins one hands in what ends it.
//! Invariants: whoever holds the most makes room. No client and no network has more than its share. When something is
//! short nevertheless, who has to go is of the network that holds the most of just that, in it of the heaviest client,
//! and of that the slowest; a network that holds less than the one in need would then hold never makes room for it, and
//! one that holds as much only by what is slow. The same goes for the clients within a network. What has been chosen
//! counts no more and is not chosen twice.
//! Cost: a few entries of trees a transfer; a choice looks at no more than [`MOST_LOOKS`] clients, at one as a rule.
//! Why the network counts: a thousand pipes of one flooder do not put out the one pipe of somebody else.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::room::Class;
use super::shares::Shares;
use super::transfer::{Cut, Direction, Need, Transfer};
use crate::limit::ClientKey;

/// Transfers of one client at once, whatever they hold.
pub(super) const MOST_PER_CLIENT: usize = 512;

/// Bodies of one client that pause, at once.
pub(super) const MOST_PATIENT_PER_CLIENT: u64 = 4;

/// A choice gives up after so many clients of whom nobody may be cut.
const MOST_LOOKS: usize = 64;

/// Among whom room is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// Everybody: there is too little for all.
    All,
    /// The network of whoever is in need, since it has its share.
    OwnNetwork,
}

/// Why a transfer may not begin, not pause, or not hold more: its client or network has its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crowded;

/// All that are under way.
pub(super) struct Transfers {
    /// By number, in the order of their beginning; also those that were cut, until they end.
    under_way: BTreeMap<u64, Transfer>,
    /// Those of each client that were not cut; no entry for none.
    by_client: BTreeMap<u64, BTreeSet<u64>>,
    /// Bytes held or waited for.
    room: Shares,
    /// Bodies being received, or waiting for a place.
    places: Shares,
    /// Bodies that pause.
    patience: Shares,
    most_patient: u64,
    begun: u64,
    /// How many were cut.
    cut: u64,
    /// Bytes moved by all that ever were.
    moved: u64,
}

/// What keeps a transfer from being cut.
#[derive(Clone, Copy)]
enum Mercy {
    None,
    /// Being young or fast.
    IfNotSlow,
}

impl Mercy {
    /// Of whoever holds so much with somebody who would hold so much; none may be cut who holds less.
    fn between(theirs: u64, mine: u64) -> Option<Self> {
        match theirs.cmp(&mine) {
            std::cmp::Ordering::Greater => Some(Self::None),
            std::cmp::Ordering::Equal => Some(Self::IfNotSlow),
            std::cmp::Ordering::Less => None,
        }
    }
}

impl Transfers {
    /// Of which all together hold so many bytes, have so many places and may so many of them pause. A client gets a
    /// quarter of the bytes and an eighth of the places, a network half of each.
    pub(super) fn new(bytes: usize, places: usize, patient: usize) -> Self {
        let (bytes, places, patient) = (bytes as u64, places as u64, patient as u64);
        Self {
            under_way: BTreeMap::new(),
            by_client: BTreeMap::new(),
            room: Shares::new(bytes / 4, bytes / 2),
            places: Shares::new(places / 8, places / 2),
            patience: Shares::new(MOST_PATIENT_PER_CLIENT, patient / 2),
            most_patient: patient,
            begun: 0,
            cut: 0,
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
        class: Class,
        cut: Cut,
    ) -> Result<u64, Crowded> {
        let others = self.by_client.get(&client.client);
        if others.is_some_and(|others| others.len() >= MOST_PER_CLIENT) {
            return Err(Crowded);
        }
        if direction == Direction::Receiving {
            if !self.places.allow(client, 0, 1) {
                return Err(Crowded);
            }
            self.places.add(client, 1);
        }
        self.begun += 1;
        let transfer = Transfer::new(now, client, direction, class, cut);
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
    pub(super) fn take_place(&mut self, number: u64) {
        if let Some(transfer) = self.under_way.get_mut(&number) {
            transfer.has_place = true;
        }
    }

    /// Notes that a transfer waits for so much room, which counts for its share from now on: nobody queues for more
    /// than that.
    ///
    /// # Errors
    /// If its client or network would have more than its share.
    pub(super) fn want(&mut self, number: u64, bytes: u64) -> Result<(), Crowded> {
        let transfer = self.under_way.get_mut(&number);
        let Some(transfer) = transfer.filter(|transfer| transfer.cut.is_some()) else {
            return Ok(());
        };
        if !self.room.allow(transfer.client, transfer.room(), bytes) {
            return Err(Crowded);
        }
        self.room.add(transfer.client, bytes);
        transfer.wanted += bytes;
        Ok(())
    }

    /// Notes that a transfer has got the room that it waited for.
    pub(super) fn hold(&mut self, number: u64) {
        if let Some(transfer) = self.under_way.get_mut(&number) {
            transfer.held += std::mem::take(&mut transfer.wanted);
        }
    }

    /// Whether another network holds as much of it as the transfer's own, or more: then it may queue with the others.
    pub(super) fn is_light(&self, number: u64, need: Need) -> bool {
        let Some(transfer) = self.under_way.get(&number) else {
            return false;
        };
        let (shares, own) = (self.shares(need), transfer.client.network);
        let mut others = shares.networks().filter(|(network, _)| *network != own);
        let heaviest = others.next();
        heaviest.is_some_and(|(_, weight)| weight >= shares.of_network(own))
    }

    /// Lets a transfer pause: what to call to end the one that has to go for it, if one has to.
    ///
    /// # Errors
    /// If its client or network has too many that pause already.
    pub(super) fn be_patient(
        &mut self,
        now: Duration,
        number: u64,
    ) -> Result<Option<Cut>, Crowded> {
        let transfer = self.under_way.get(&number);
        let Some(transfer) = transfer.filter(|it| it.cut.is_some() && !it.patient) else {
            return Ok(None);
        };
        let client = transfer.client;
        if !self.patience.allow(client, 0, 1) {
            return Err(Crowded);
        }
        let mut cut = None;
        if self.patience.total() >= self.most_patient {
            let chosen = self.choose(now, number, Need::Patience, Among::All, 1);
            cut = chosen.and_then(|chosen| self.take_out(chosen));
            cut.as_ref().ok_or(Crowded)?;
            self.cut += 1;
        }
        if let Some(transfer) = self.under_way.get_mut(&number) {
            transfer.patient = true;
            self.patience.add(client, 1);
        }
        Ok(cut)
    }

    /// Chooses who has to go so that a transfer gets so much of what it needs: `amount` is counted for it already if
    /// room is made among all. What ends them is to be called without a lock: it may give back what is locked.
    pub(super) fn make_room(
        &mut self,
        now: Duration,
        number: u64,
        need: Need,
        among: Among,
        amount: u64,
    ) -> Vec<Cut> {
        let more = match among {
            Among::All => 0,
            Among::OwnNetwork => amount,
        };
        let mut cuts = Vec::new();
        let mut freed = 0;
        while freed < amount
            && let Some(chosen) = self.choose(now, number, need, among, more)
        {
            freed += self.under_way.get(&chosen).map_or(0, |it| it.holds(need));
            cuts.extend(self.take_out(chosen));
            self.cut += 1;
        }
        cuts
    }

    /// Forgets a transfer that has ended. What would have ended it is to be dropped without a lock, too.
    pub(super) fn end(&mut self, number: u64) -> Option<Cut> {
        let cut = self.take_out(number);
        self.under_way.remove(&number);
        cut
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
        self.cut
    }

    /// How many are under way.
    #[must_use]
    pub(super) fn count(&self) -> usize {
        self.under_way.len()
    }

    fn shares(&self, need: Need) -> &Shares {
        match need {
            Need::Place => &self.places,
            Need::Room(_) => &self.room,
            Need::Patience => &self.patience,
        }
    }

    /// Who has to go for this transfer, whose own weight lacks `more`.
    fn choose(
        &self,
        now: Duration,
        number: u64,
        need: Need,
        among: Among,
        more: u64,
    ) -> Option<u64> {
        let (asker, shares) = (self.under_way.get(&number)?.client, self.shares(need));
        let networks = (among == Among::All).then(|| shares.networks());
        let mine = shares.of_network(asker.network).saturating_add(more);
        let others = networks
            .into_iter()
            .flatten()
            .take_while(|(_, weight)| *weight >= mine)
            .filter(|(network, _)| *network != asker.network)
            .flat_map(|(network, weight)| {
                let clients = shares.clients(network);
                clients.filter_map(move |(client, _)| Some((client, Mercy::between(weight, mine)?)))
            });
        let mine = shares.of_client(asker).saturating_add(more);
        let neighbours = shares
            .clients(asker.network)
            .take_while(|(_, weight)| *weight >= mine)
            .filter(|(client, _)| *client != asker.client)
            .filter_map(|(client, weight)| Some((client, Mercy::between(weight, mine)?)));
        let itself = (asker.client, Mercy::IfNotSlow);
        others
            .take(MOST_LOOKS)
            .chain(neighbours.take(MOST_LOOKS))
            .chain([itself])
            .find_map(|(client, mercy)| self.slowest(now, client, need, mercy, number))
    }

    /// The slowest of a client's that would help and may be cut, other than the one in need.
    fn slowest(
        &self,
        now: Duration,
        client: u64,
        need: Need,
        mercy: Mercy,
        but: u64,
    ) -> Option<u64> {
        let numbers = self.by_client.get(&client)?.iter();
        numbers
            .filter(|number| **number != but)
            .filter_map(|number| Some((number, self.under_way.get(number)?)))
            .filter(|(_, transfer)| transfer.holds(need) > 0)
            .filter(|(_, transfer)| match mercy {
                Mercy::None => true,
                Mercy::IfNotSlow => need == Need::Patience || transfer.is_slow(now),
            })
            .min_by_key(|(_, transfer)| transfer.rate(now))
            .map(|(number, _)| *number)
    }

    /// Counts a transfer no more; what ends it, if it had not been taken out before.
    fn take_out(&mut self, number: u64) -> Option<Cut> {
        let transfer = self.under_way.get_mut(&number)?;
        let (cut, client) = (transfer.cut.take()?, transfer.client);
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
