//! Overload as a specification: the attacks it stands, and the naive twin that its accounts are held to.

mod fairness;
mod twin;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::transfers::{MOST_PER_CLIENT, Transfers};
use super::{Among, Class, Crowded, Cut, Direction, Need};
use crate::limit::ClientKey;

const MIB: u64 = 1 << 20;

fn client(network: u64, client: u64) -> ClientKey {
    ClientKey { network, client }
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Room for 32 MiB, 512 places, 128 that pause.
fn transfers() -> Transfers {
    Transfers::new(32 << 20, 512, 128)
}

/// A transfer with a flag that tells whether it was cut.
struct Watched {
    number: u64,
    cut: Arc<AtomicBool>,
}

impl Watched {
    fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }
}

fn flag() -> (Arc<AtomicBool>, Cut) {
    let cut = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cut);
    (cut, Box::new(move || flag.store(true, Ordering::Relaxed)))
}

/// A body whose reception begins.
fn try_receive(
    transfers: &mut Transfers,
    now: Duration,
    who: ClientKey,
) -> Result<Watched, Crowded> {
    let (cut, end) = flag();
    let number = transfers.begin(now, who, Direction::Receiving, Class::Save, end)?;
    transfers.take_place(number);
    Ok(Watched { number, cut })
}

fn receive(transfers: &mut Transfers, now: Duration, who: ClientKey) -> Watched {
    try_receive(transfers, now, who).expect("within its share")
}

/// An answer of so many bytes, if its client gets the room.
fn try_send(
    transfers: &mut Transfers,
    now: Duration,
    who: ClientKey,
    bytes: u64,
) -> Result<Watched, Crowded> {
    let (cut, end) = flag();
    let number = transfers.begin(now, who, Direction::Sending, Class::Read, end)?;
    if let Err(crowded) = transfers.want(number, bytes) {
        transfers.end(number);
        return Err(crowded);
    }
    transfers.hold(number);
    Ok(Watched { number, cut })
}

fn send(transfers: &mut Transfers, now: Duration, who: ClientKey, bytes: u64) -> Watched {
    try_send(transfers, now, who, bytes).expect("within its share")
}

/// Ends who has to go; how many those are.
fn make_room(
    transfers: &mut Transfers,
    now: Duration,
    number: u64,
    need: Need,
    amount: u64,
) -> usize {
    let cuts = transfers.make_room(now, number, need, Among::All, amount);
    cuts.into_iter().map(|cut| cut()).count()
}

const BYTES: Need = Need::Room(Class::Read);
