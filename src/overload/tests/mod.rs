//! Specification of load shedding: the attacks that it withstands, and a comparison with a reference implementation.

mod connections;
mod fairness;
mod naive;
mod turns;
mod twin;

use std::sync::Arc;
use std::time::Duration;

use super::connection::ConnectionHandle;
use super::register::Register;
use super::{Overload, Phase, Priority, QuotaError};
use crate::fairness::ClientKey;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

fn client(network: u64, client: u64) -> ClientKey {
    ClientKey { network, client }
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A register with room for 32 MiB.
fn register() -> Register {
    let mut register = Register::new(32 * MIB);
    register.limit_connections(10_000);
    register
}

/// Starts a message on a connection of its own.
fn start(
    register: &mut Register,
    now: Duration,
    who: ClientKey,
    priority: Priority,
) -> Arc<ConnectionHandle> {
    let handle = register.connect(now, None);
    let started = register.start_message(handle.number, now, who, priority);
    assert_eq!(started, Ok(()));
    handle
}

/// Starts a message that asks for bytes. Returns whether it holds them.
fn ask(
    register: &mut Register,
    now: Duration,
    who: ClientKey,
    priority: Priority,
    bytes: u64,
) -> (Arc<ConnectionHandle>, Result<bool, QuotaError>) {
    let handle = start(register, now, who, priority);
    let held = register.hold(handle.number, now, bytes, true);
    (handle, held)
}

/// Starts a message that holds these bytes.
fn send(
    register: &mut Register,
    now: Duration,
    who: ClientKey,
    priority: Priority,
    bytes: u64,
) -> Arc<ConnectionHandle> {
    let (handle, held) = ask(register, now, who, priority, bytes);
    assert_eq!(held, Ok(true));
    handle
}

fn revoked(handles: &[Arc<ConnectionHandle>]) -> usize {
    handles.iter().filter(|handle| handle.is_revoked()).count()
}
