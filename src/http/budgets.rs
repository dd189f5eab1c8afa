//! The budgets of disk and memory at the start.
//!
//! Invariants: budgets into which the largest paste does not fit are refused, all of them at once. Budgets that exceed
//! what the machine has are only warned about: that can become true without a change of the settings.

use crate::config::{ByteSize, Config, ConfigError};
use crate::http::machine;
use crate::store::memory::Budget;
use crate::store::sqlite::{Limits, too_small};

/// Refuses budgets that cannot hold the largest paste. Otherwise such a paste would be received and then rejected, or
/// rejected as overload. An engine has a limit of its own for the store.
///
/// # Errors
/// Returns a message for each budget that is too small.
pub(super) fn refuse_small(config: &Config) -> Result<(), ConfigError> {
    let paste = config.pastes.max_paste_size;
    let (store, in_flight) = (config.max_store_size, config.max_in_flight);
    let mut refused = match Limits::new(config.max_disk, store) {
        _ if config.data.is_none() => Vec::new(),
        Ok(limits) => limits.refusals_of(paste),
        Err(refusal) => vec![refusal.to_string()],
    };
    let entry = Budget::for_largest(paste).bytes();
    if store < entry && config.data.is_none() && config.valkey.is_none() {
        refused.push(too_small("TIDEBIN_MAX_STORE_SIZE", store, paste, entry));
    }
    // It is received and sent at the same time.
    let copies = paste.saturating_mul(2).max(1 << 20);
    if in_flight < copies {
        refused.push(too_small("TIDEBIN_MAX_IN_FLIGHT", in_flight, paste, copies));
    }
    match refused.is_empty() {
        true => Ok(()),
        false => Err(ConfigError(refused)),
    }
}

/// Warns of budgets that exceed what the machine has.
pub(super) fn warn_of_large(config: &Config) {
    let shown = |room| ByteSize(room).rounded_down().to_string();
    let memory = machine::memory().filter(|memory| config.max_store_size > *memory);
    if let (Some(memory), None) = (memory, &config.valkey) {
        tracing::warn!(
            memory = shown(memory),
            "TIDEBIN_MAX_STORE_SIZE is more than the memory: lower it, or the process is killed before the store is full"
        );
    }
    let room = config
        .data
        .as_ref()
        .and_then(|data| machine::room_in(data.path()));
    if let Some(room) = room.filter(|room| config.max_disk > *room) {
        tracing::warn!(
            room = shown(room),
            "TIDEBIN_MAX_DISK is more than the disk has room for: lower it, or saves fail before pastes are evicted"
        );
    }
}
