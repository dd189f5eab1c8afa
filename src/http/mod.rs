//! The edge: the only room that knows HTTP.
//!
//! Its parts, from the bottom up. No part uses a later one:
//!
//! 1. [`connection`]: sockets, their limits, and the protection against slow clients.
//! 2. [`problem`]: the types of errors. [`request`]: the parsed request: route, response format, client, options,
//!    conditions.
//! 3. [`error`]: every reason to reject a request, with its status and its sentence.
//! 4. [`admission`]: charges each request to the rate limiter, and refunds unused charges.
//! 5. [`transfer`]: request bodies, response bodies and CPU-bound work, within the budgets of load shedding.
//! 6. [`response`]: headers, bodies and error responses.
//! 7. [`handler`]: one file for each resource or action.
//! 8. [`protocol`]: the APIs of other pastebins.
//!
//! [`termbin`] serves the TCP port without HTTP. [`limiting`] is the middleware in front of the handlers, and [`routes`]
//! calls them by its table. All workers share the [`state`]. The [`server`] assembles everything.
//! This room does not know how pastes are stored or how pages are made.
//! Invariants: client input becomes a type that is always valid, or an error. A client that hangs up is normal: nothing
//! is half stored.

mod access_log;
mod admission;
mod budgets;
mod command;
mod connection;
mod error;
mod handler;
mod healthcheck;
mod limiting;
mod listener;
mod machine;
mod problem;
mod protocol;
mod request;
mod response;
mod routes;
mod server;
mod signals;
mod state;
mod storage;
mod termbin;
mod transfer;

pub use command::ask;
pub use healthcheck::healthcheck;
pub use server::Server;
pub use signals::{stop_flag, stop_signal};
pub use storage::refuse_foreign;

#[cfg(test)]
mod tests;
