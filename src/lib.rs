//! tidebin: a pastebin for the open internet. This page is a map of the source code.
//!
//! # How a request is processed
//!
//! ```text
//! socket ─ http::connection ─ http::request ─ http::admission ─ http::handler ─ app ─ store
//!                             parsed once     limit                │    │
//!                                             http::transfer ◄─────┤    └─ page ◄─ render
//!                                             bodies, overload     ▼
//!                                                            http::response
//! ```
//!
//! A request to save becomes a [`paste::Draft`], or is refused. [`app`] gives the new paste an id of 64 random bits and
//! a token. The [`store::Store`] stores it within a budget that counts every byte. A request to read gets a shared copy
//! of the paste. The response is its bytes, or a page made from them. Each request is logged in one line.
//!
//! # Modules
//!
//! - [`allocator`]: makes the C library return freed memory to the system.
//! - [`fairness`]: how much each client and each network uses, and which client must release some.
//! - `byte_size`, `date`, `hidden`: a number of bytes, a date, and a value that debug output omits.
//! - [`paste`]: types that admit only valid values: id, content, title, expiry, language, token, owner, password.
//! - [`detection`]: the language of a text that names none, and the level of a line of a log.
//! - [`limit`]: rate limits and quotas: how much each client and each network may do.
//! - [`account`]: who a client is, and what it may do: keys and their rights.
//! - [`overload`]: load shedding: limits what is in flight, and ends some of it when there is too much.
//! - [`store`]: the stored pastes, with their order of use, deadlines, budgets and tombstones, in memory alone or on
//!   disk too.
//! - [`app`]: the use cases without HTTP: create, read, consume, update, delete, list, report, block.
//! - [`render`]: turns content into a fragment of HTML. [`page`]: whole pages, and their cache.
//! - [`operate`]: the operator's view: metrics and recent counts.
//! - `spelling`: which known name a mistyped one most likely means.
//! - [`config`] alone reads the environment, [`clock`] alone reads the time, and [`log`] writes the log lines.
//! - [`maintenance`]: the subcommands that back up and check a data directory, and that make and revoke keys.
//! - [`http`]: the HTTP server, the only module that knows actix.
//!
//! A module uses only modules above it in this list. `tests/tidy` checks this, the order inside [`http`], and that no
//! files import each other in a cycle.
//!
//! # Where to look
//!
//! - A new route: one row in `http/routes.rs`, and one file in `http/handler` or `http/protocol`.
//! - A 429 response: `http/admission` asks the limiter, and `http/transfer` refuses a client that holds too many bytes.
//!   The messages are in `http/error`.
//! - The pastes on disk (the durable tier): [`store::sqlite`], with the backup and the check. Acknowledged means
//!   synced.
//! - Which paste is evicted: `fairness` chooses the client, and `store/ledger` its least recently read paste.
//! - A client that disconnects: `http/connection` notices it, and `http/admission` refunds its charge.
//!
//! # Invariants
//!
//! - From its deadline on, a paste cannot be read, even before the sweeper removes it. For some time, its URL answers
//!   with the reason.
//! - The bytes charged for the stored pastes never exceed the store's budget.
//! - A client that disconnects or sends malformed requests is normal: nothing is half stored, no lock is poisoned, and
//!   nothing is logged above the level debug.
//! - Ids, tokens, titles and contents never appear in logs or debug output.
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

pub mod detection;

pub mod limit;

pub mod account;

pub mod overload;

pub mod store;

pub mod app;

pub mod render;

pub mod page;

pub mod operate;

pub mod http;

pub mod allocator;
mod byte_size;
pub mod clock;
pub mod config;
mod date;
mod hidden;
pub mod log;
pub mod maintenance;
mod spelling;
