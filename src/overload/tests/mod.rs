//! Specification of load shedding: the attacks that it withstands, and a comparison with a reference implementation.

mod fairness;
mod naive;
mod turns;
mod twin;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::preemption::MAX_LOOKS;
use super::transfer_registry::{MAX_TRANSFERS_PER_CLIENT, TransferRegistry};
use super::transfer_state::{Cancel, Resource, TransferState};
use super::{Priority, QuotaError};
use crate::fairness::{ClientKey, ExceededShare};

const MIB: u64 = 1 << 20;

fn client(network: u64, client: u64) -> ClientKey {
    ClientKey { network, client }
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Creates a registry with 32 MiB, 512 slots and 128 pauses.
fn transfers() -> TransferRegistry {
    TransferRegistry::new([20 * MIB, 26 * MIB, 32 * MIB], 512, 128)
}

/// A transfer, with a flag that is true once it was cancelled.
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

/// Starts an upload that acquires a slot.
fn try_receive(
    transfers: &mut TransferRegistry,
    now: Duration,
    who: ClientKey,
) -> Result<WatchedTransfer, QuotaError> {
    let (cut, end) = flag();
    let (number, _) = transfers.start(now, who, Priority::Save, end)?;
    assert_eq!(transfers.update(number, TransferState::occupy_slot), Ok(()));
    Ok(WatchedTransfer { number, cut })
}

fn receive(transfers: &mut TransferRegistry, now: Duration, who: ClientKey) -> WatchedTransfer {
    try_receive(transfers, now, who).expect("within its share")
}

/// Starts a response of this many bytes, if they fit into the share of its client.
fn try_send(
    transfers: &mut TransferRegistry,
    now: Duration,
    who: ClientKey,
    bytes: u64,
) -> Result<WatchedTransfer, QuotaError> {
    let (cut, end) = flag();
    let (number, _) = transfers.start(now, who, Priority::Read, end)?;
    if let Err(over_share) = transfers.request_bytes(number, bytes) {
        transfers.end(number);
        return Err(over_share);
    }
    assert_eq!(
        transfers.update(number, TransferState::confirm_bytes),
        Ok(())
    );
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

/// Starts an upload that waits for a slot.
fn queue_for_slot(
    transfers: &mut TransferRegistry,
    now: Duration,
    who: ClientKey,
) -> WatchedTransfer {
    let (cut, end) = flag();
    let started = transfers.start(now, who, Priority::Save, end);
    WatchedTransfer {
        number: started.expect("within its share").0,
        cut,
    }
}

/// Starts a response that waits for this many bytes.
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

/// Cancels other transfers for a waiting one. Returns how many were cancelled, and true if the waiting transfer may
/// queue.
fn preempt(transfers: &mut TransferRegistry, now: Duration, number: u64) -> (usize, bool) {
    let (cancels, may_queue) = transfers.preempt(now, number);
    (cancels.into_iter().map(|cut| cut()).count(), may_queue)
}

const BYTES: Resource = Resource::Bytes(Priority::Read);
