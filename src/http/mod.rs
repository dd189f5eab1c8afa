//! The edge: the only room that knows HTTP.
//!
//! Its rooms, from the bottom up; none uses a later one:
//!
//! 1. [`connection`]: sockets, slow clients, hang-ups, and who makes room for a newcomer.
//! 2. [`request`]: the request parsed once: route, response format, client, options, conditions.
//! 3. [`error`]: everything that a request may be refused for, with its status and sentence.
//! 4. [`admission`]: what the limiter charges a request, and what it gives back.
//! 5. [`transfer`]: bodies in and out, and work that takes a core, under the budgets of load shedding.
//! 6. [`response`]: headers, content codings, errors as answers.
//! 7. [`handler`]: one file for each thing that a client can ask for.
//! 8. [`protocol`]: the interfaces of other pastebins.
//!
//! `POST /{id}` with a form chooses its handler in [`action`]. [`state`] is what all share, [`dispatch`] the table of routes and the way of a request through it, [`server`] the
//! assembly.
//! What it must not know: how pastes are stored, how pages are made.
//! Invariants: bytes from a client become a type that cannot be wrong here, or a refusal. A client that hangs up is
//! normal and changes nothing.

mod access_log;
mod action;
mod admission;
mod application;
mod connection;
mod counters;
mod dispatch;
mod error;
mod handler;
mod healthcheck;
mod protocol;
mod reload;
mod request;
mod response;
mod server;
mod state;
mod stop;
mod transfer;

pub use counters::Counters;
pub use healthcheck::healthcheck;
pub use server::Server;
pub use stop::stop_signal;
