//! Limits: who may do how much, and how much is done at once.
//!
//! What it must not know: HTTP, pastes, the clock (every call is told `now`), addresses.

mod overload;

pub use overload::{
    Class, Crowded, Cut, Direction, LONGEST_PAUSE, Load, Need, Overload, Pace, Permit, Room, Taken,
    Transfer,
};

/// A client, as keyed hashes made at the edge: no address is known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Client {
    /// The network it belongs to.
    pub network: u64,
    /// The client itself.
    pub client: u64,
}
