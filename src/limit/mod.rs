//! Limits: who may do how much, and how much is done at once.
//!
//! What it must not know: HTTP, pastes, the clock (every call is told `now`), the environment.
//! Invariants: an IPv4 address is one address however it is written ([`Address`]); no address outlives the call that it
//! is an argument of: what is kept of a client is a keyed hash ([`ClientKey`]).

mod address;
mod client;
mod entries;
mod networks;
mod overload;
mod prefix;
mod prefix_map;
mod proxies;

pub use address::Address;
pub use client::{ClientKey, ClientKeys};
pub use entries::Misread;
pub use networks::{NetworkProblem, Networks, Treatment};
pub use overload::{
    Class, Crowded, Cut, Direction, LONGEST_PAUSE, Load, Need, Overload, Pace, Permit, Room, Taken,
    Transfer,
};
pub use prefix::{Prefix, PrefixError};
pub use prefix_map::PrefixMap;
pub use proxies::{ProxyProblem, TrustedProxies};
