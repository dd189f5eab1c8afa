//! Overload as a specification: the attacks that it withstands, and the naive twin that it is compared with.

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

/// A registry of 32 MiB, 512 slots and 128 pauses.
fn transfers() -> TransferRegistry {
    TransferRegistry::new([20 * MIB, 26 * MIB, 32 * MIB], 512, 128)
}

/// A transfer with a flag that tells whether it was cancelled.
struct WatchedTransfer {
    number: u64,
    cut: Arc<AtomicBool>,
}

impl WatchedTransfer {
    fn is_cancelled(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }
}

fn flag() -> (Arc<AtomicBool>, Cancel) {
    let cut = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cut);
    (cut, Box::new(move || flag.store(true, Ordering::Relaxed)))
}

/// An upload that gets a slot.
fn try_receive(
    transfers: &mut TransferRegistry,
    now: Duration,
    who: ClientKey,
) -> Result<WatchedTransfer, QuotaError> {
    let (cut, end) = flag();
    let number = transfers.start(now, who, Priority::Save, end)?;
    assert_eq!(transfers.occupy_slot(number), Ok(()));
    Ok(WatchedTransfer { number, cut })
}

fn receive(transfers: &mut TransferRegistry, now: Duration, who: ClientKey) -> WatchedTransfer {
    try_receive(transfers, now, who).expect("within its share")
}

/// A response of this many bytes, if they are within the share of its client.
fn try_send(
    transfers: &mut TransferRegistry,
    now: Duration,
    who: ClientKey,
    bytes: u64,
) -> Result<WatchedTransfer, QuotaError> {
    let (cut, end) = flag();
    let number = transfers.start(now, who, Priority::Read, end)?;
    if let Err(over_share) = transfers.request_bytes(number, bytes) {
        transfers.end(number);
        return Err(over_share);
    }
    assert_eq!(transfers.confirm_bytes(number), Ok(()));
    Ok(WatchedTransfer { number, cut })
}

fn send(
    transfers: &mut TransferRegistry,
    now: Duration,
    who: ClientKey,
    bytes: u64,
) -> WatchedTransfer {
    try_send(transfers, now, who, bytes).expect("within its share")
}

/// An upload that waits for a slot.
fn queue_for_slot(
    transfers: &mut TransferRegistry,
    now: Duration,
    who: ClientKey,
) -> WatchedTransfer {
    let (cut, end) = flag();
    let begun = transfers.start(now, who, Priority::Save, end);
    WatchedTransfer {
        number: begun.expect("within its share"),
        cut,
    }
}

/// A response that waits for this many bytes.
fn queue_for_bytes(
    transfers: &mut TransferRegistry,
    now: Duration,
    who: ClientKey,
    bytes: u64,
) -> WatchedTransfer {
    let waits = send(transfers, now, who, 0);
    assert_eq!(transfers.request_bytes(waits.number, bytes), Ok(()));
    waits
}

/// Cancels transfers for the one in need. Returns how many they are, and whether it may queue.
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
