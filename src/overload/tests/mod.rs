//! Overload as a specification: the attacks it stands, and the naive twin that its accounts are held to.

mod fairness;
mod naive;
mod twin;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::transfer_registry::{MAX_TRANSFERS_PER_CLIENT, TransferRegistry};
use super::transfer_state::{Cancel, Resource};
use super::victim_selector::{MAX_LOOKS, Scope};
use super::{Overload, Priority, QuotaError};
use crate::fairness::ClientKey;

const MIB: u64 = 1 << 20;

fn client(network: u64, client: u64) -> ClientKey {
    ClientKey { network, client }
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Room for 32 MiB, 512 places, 128 that pause.
fn transfers() -> TransferRegistry {
    TransferRegistry::new([20 * MIB, 26 * MIB, 32 * MIB], 512, 128)
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

fn flag() -> (Arc<AtomicBool>, Cancel) {
    let cut = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cut);
    (cut, Box::new(move || flag.store(true, Ordering::Relaxed)))
}

/// A body whose reception begins.
fn try_receive(
    transfers: &mut TransferRegistry,
    now: Duration,
    who: ClientKey,
) -> Result<Watched, QuotaError> {
    let (cut, end) = flag();
    let number = transfers.start(now, who, Priority::Save, end)?;
    assert_eq!(transfers.occupy_slot(number), Ok(()));
    Ok(Watched { number, cut })
}

fn receive(transfers: &mut TransferRegistry, now: Duration, who: ClientKey) -> Watched {
    try_receive(transfers, now, who).expect("within its share")
}

/// An answer of so many bytes, if its client gets the room.
fn try_send(
    transfers: &mut TransferRegistry,
    now: Duration,
    who: ClientKey,
    bytes: u64,
) -> Result<Watched, QuotaError> {
    let (cut, end) = flag();
    let number = transfers.start(now, who, Priority::Read, end)?;
    if let Err(over_share) = transfers.request_bytes(number, bytes) {
        transfers.end(number);
        return Err(over_share);
    }
    assert_eq!(transfers.confirm_bytes(number), Ok(()));
    Ok(Watched { number, cut })
}

fn send(transfers: &mut TransferRegistry, now: Duration, who: ClientKey, bytes: u64) -> Watched {
    try_send(transfers, now, who, bytes).expect("within its share")
}

/// A body that waits for a place.
fn queue_for_slot(transfers: &mut TransferRegistry, now: Duration, who: ClientKey) -> Watched {
    let (cut, end) = flag();
    let begun = transfers.start(now, who, Priority::Save, end);
    Watched {
        number: begun.expect("within its share"),
        cut,
    }
}

/// An answer that waits for so much room.
fn queue_for_bytes(
    transfers: &mut TransferRegistry,
    now: Duration,
    who: ClientKey,
    bytes: u64,
) -> Watched {
    let waits = send(transfers, now, who, 0);
    assert_eq!(transfers.request_bytes(waits.number, bytes), Ok(()));
    waits
}

/// Ends who has to go for what a transfer waits for; how many those are, and whether it may queue.
fn preempt(transfers: &mut TransferRegistry, now: Duration, number: u64) -> (usize, bool) {
    let waits_for_room = transfers
        .get(number)
        .is_some_and(|it| it.bytes_requested > 0);
    let preempt = if waits_for_room {
        transfers.preempt_for_bytes(now, number)
    } else {
        transfers.preempt_for_slot(now, number)
    };
    (
        preempt.cancels.into_iter().map(|cut| cut()).count(),
        preempt.may_queue,
    )
}

const BYTES: Resource = Resource::Bytes(Priority::Read);
