//! Limits: who may do how much, and how much is done at once.
//!
//! What it must not know: HTTP, pastes, the clock (every call is told `now`), addresses.

mod overload;
mod pace;
mod room;
mod transfers;

pub use overload::{Load, Overload, PLACES, Permit, Transfer};
pub use pace::{LONGEST_PAUSE, Pace};
pub use room::{Class, Room, Taken};
pub use transfers::{Crowded, Cut, Direction, Need};

/// A client, as keyed hashes made at the edge: no address is known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Client {
    /// The network it belongs to.
    pub network: u64,
    /// The client itself.
    pub client: u64,
}
