//! A choice: who has to go for a transfer in need, one after the other until it has what it needs.
//!
//! What it must not know: how much is needed, what ends a transfer.
//! Rule: of the networks that hold the most of just what is short, the heaviest client's slowest transfer; a network
//! that holds less than the one in need would then hold never gives, and one that holds as much only what is slow. The
//! same goes for the clients within the network of the one in need; last come its own client's other transfers, of
//! which only what is slow goes.
//! Invariants: it is made and used within one hold of the lock, in which no transfer begins.
//! Cost: each client's transfers are looked at once, however many of them have to go, and no more than [`MOST_LOOKS`]
//! clients and transfers in all, and one client's more: then it gives up, and whoever is in need presses again later.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use super::transfer::Need;
use super::transfers::Transfers;
use crate::fairness::{ClientKey, FairShares};

/// Clients and transfers that are looked at: about a third of a millisecond.
pub(super) const MOST_LOOKS: usize = 4096;

/// Among whom room is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    /// Everybody: there is too little for all.
    All,
    /// The network of whoever is in need, since it has its share.
    OwnNetwork,
    /// The client of whoever is in need, since it has its share.
    OwnClient,
}

/// What keeps a transfer from being cut.
#[derive(Clone, Copy, PartialEq, Eq)]
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

/// A transfer whose end would help.
struct Candidate {
    number: u64,
    rate: u128,
    is_slow: bool,
}

/// One choice.
pub(super) struct Choice {
    now: Duration,
    /// The one in need.
    number: u64,
    /// What it would hold beyond what it is charged for.
    more: u64,
    need: Need,
    /// Those of each client that was looked at, the slowest last.
    candidates: BTreeMap<u64, Vec<Candidate>>,
    looks: usize,
}

impl Choice {
    /// For the transfer of this number, which would hold so much more than it is charged for.
    pub(super) fn new(now: Duration, number: u64, need: Need, more: u64) -> Self {
        Self {
            now,
            number,
            need,
            more,
            candidates: BTreeMap::new(),
            looks: 0,
        }
    }

    /// Who has to go next; none if nobody has to, or only after too many looks.
    pub(super) fn next(&mut self, all: &Transfers, among: Among) -> Option<u64> {
        let (asker, shares) = (all.get(self.number)?.client, all.shares(self.need));
        let others = (among == Among::All).then(|| others(shares, asker, self.more));
        let neighbours = (among != Among::OwnClient).then(|| neighbours(shares, asker, self.more));
        let itself = (asker.client, Mercy::IfNotSlow);
        for (client, mercy) in others
            .into_iter()
            .flatten()
            .chain(neighbours.into_iter().flatten())
            .chain([itself])
        {
            self.looks += 1;
            if self.looks > MOST_LOOKS {
                return None;
            }
            if let Some(slowest) = self.slowest(all, client, mercy) {
                return Some(slowest);
            }
        }
        None
    }

    /// The slowest of a client's that would help and may be cut.
    fn slowest(&mut self, all: &Transfers, client: u64, mercy: Mercy) -> Option<u64> {
        let (now, need, looks) = (self.now, self.need, &mut self.looks);
        let candidates = self.candidates.entry(client).or_insert_with(|| {
            let mut candidates: Vec<Candidate> = all
                .of_client(client)
                .inspect(|_| *looks += 1)
                .filter(|(number, transfer)| *number != self.number && transfer.holds(need) > 0)
                .map(|(number, transfer)| Candidate {
                    number,
                    rate: transfer.rate(now),
                    is_slow: need == Need::Patience || transfer.is_slow(now),
                })
                .collect();
            candidates.sort_unstable_by_key(|it| Reverse((it.rate, it.number)));
            candidates
        });
        let slowest = candidates
            .iter()
            .rposition(|it| mercy == Mercy::None || it.is_slow)?;
        Some(candidates.remove(slowest).number)
    }
}

/// The clients of networks other than the asker's that hold no less than it would, the heaviest first.
fn others(shares: &FairShares, asker: ClientKey, more: u64) -> impl Iterator<Item = (u64, Mercy)> {
    let mine = shares.of_network(asker.network).saturating_add(more);
    shares
        .networks()
        .map_while(move |(network, weight)| Some((network, Mercy::between(weight, mine)?)))
        .filter(move |(network, _)| *network != asker.network)
        .flat_map(|(network, mercy)| {
            shares
                .clients(network)
                .map(move |(client, _)| (client, mercy))
        })
}

/// The other clients of the asker's network that hold no less than it would, the heaviest first.
fn neighbours(
    shares: &FairShares,
    asker: ClientKey,
    more: u64,
) -> impl Iterator<Item = (u64, Mercy)> {
    let mine = shares.of_client(asker).saturating_add(more);
    shares
        .clients(asker.network)
        .map_while(move |(client, weight)| Some((client, Mercy::between(weight, mine)?)))
        .filter(move |(client, _)| *client != asker.client)
}
