//! tidebin: a pastebin for the open internet. This page is the map of the house.
//!
//! # The way of a request
//!
//! ```text
//! socket ─ http::connection ─ http::request ─ http::admission ─ http::handler ─ app ─ store
//!                             parsed once     limit                │    │
//!                                             http::transfer ◄─────┤    └─ page ◄─ render
//!                                             bodies, overload     ▼
//!                                                            http::response
//! ```
//!
//! A save becomes a [`paste::Draft`], or a refusal. [`app`] gives it an id of 64 random bits and a token, and the
//! [`store::Store`] keeps it within a budget that counts every byte. A read gets a shared copy, and answers its bytes
//! or a page made of it. One line goes to the log.
//!
//! # Rooms
//!
//! - [`fairness`]: which client of which network holds how much, and so who makes room for others.
//! - [`paste`]: values that cannot be wrong: id, content, title, expiry, language, token, password.
//! - [`limit`]: rules and networks: how much a client may do.
//! - [`overload`]: load shedding: what is in progress, and who makes room.
//! - [`store`]: where pastes are kept: order of use, deadlines, budget, tombstones, sweeper. A restart forgets them.
//! - [`app`]: the use cases without HTTP: create, read, consume, update, delete.
//! - [`render`]: content in, a fragment of HTML out. [`page`]: whole pages.
//! - [`config`], [`clock`] and [`log`]: the only readers of the environment and of the time, and where log lines go.
//! - [`http`]: the edge, the only room that knows actix.
//!
//! A room uses only rooms above it in this list. `tests/tidy` holds which, the order inside of [`http`], and that no
//! files import from each other in a circle.
//!
//! # Where to look
//!
//! - A new route: one row in `http/dispatch.rs`, and one file in `http/handler` or `http/protocol`.
//! - A 429: `http/admission` asks the limiter; `http/transfer` answers it for a client with too many transfers. The words
//!   are in `http/error`.
//! - Which paste is evicted: `fairness` names the client, `store/memory/ledger` its least recently read paste.
//! - A client that hangs up: `http/connection`. What it was charged is refunded in `http/admission`.
//!
//! # Invariants
//!
//! - From its deadline on a paste is gone, swept or not. For a while its address says why.
//! - The store's charge never exceeds its budget, not by one paste.
//! - A client that hangs up or sends rubbish is normal: nothing is half stored, no lock is poisoned, nothing is logged
//!   above debug.
//! - Ids, tokens, titles and contents are in no log and in no debugging print.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a test that meets the unexpected should stop"
    )
)]

pub mod fairness;

pub mod paste;

pub mod limit;

pub mod overload;

pub mod store;

pub mod app;

pub mod render;

pub mod page;

pub mod http;

pub mod clock;
pub mod config;
mod date;
pub mod log;
