//! Connections: sockets, their limits, and the protection against slow clients.
//!
//! These files handle a connection, in this order:
//!
//! 1. The server acquires a [slot](crate::overload::ConnectionSlot) for an accepted socket. The register of
//!    [`crate::overload`] limits the connections of each peer and network, and evicts one when all are in use. A
//!    connection costs a file descriptor and memory before it has sent a byte that a rate limit could judge.
//! 2. The HTTP library reads and writes through a [`GuardedStream`]. The stream gives it one [`message`] at a time,
//!    without its [unused headers](unused_headers). It enforces the [time limit of heads](timer), and rejects a head
//!    that is too large. A client that was refused waits before its next head is read.
//! 3. The stream and the request that is being answered share a [`ConnectionState`]. An [`InFlightGuard`] marks a
//!    request from its head until its response is complete.
//! 4. The state enters the [phases](crate::overload::Phase) of the connection, which the register sees. The stream
//!    tells it how large the buffers are, and gives back the bytes of a response when others need them.
//!
//! When a client hangs up:
//!
//! 1. A read returns a reset, or a write fails. While a request is answered, the stream reads a little ahead to
//!    notice a reset. The end of the stream alone may be a half-close. A request that arrived whole is still answered
//!    then.
//! 2. The library drops the future of the handler, the body and the guards. Their destructors release memory and
//!    permits.
//! 3. The stream closes its socket and then drops its slot, so the register never counts too few sockets.
//!
//! An evicted connection ends in the same way: its task is woken, and the stream returns an error.
//!
//! This module does not know routes, responses, the limiter, or how an address becomes a client. The server passes in
//! the clock, the slot of each connection, and a [`HeadRejection`].

mod file_limit;
mod guarded_stream;
mod in_flight;
mod message;
mod state;
#[cfg(test)]
mod tests;
mod timer;
mod unused_headers;

#[cfg(test)]
pub(crate) use unused_headers::blank_unused;

pub(crate) use file_limit::max_connections;
pub(crate) use guarded_stream::{GuardedStream, HeadRejection};
pub(crate) use in_flight::InFlightGuard;
pub(crate) use message::{BodyLength, MAX_HEAD};
pub(crate) use state::ConnectionState;
pub(crate) use timer::{Timer, wait_until};
