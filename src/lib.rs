//! tidebin: a pastebin for the open internet. This page is the map of the house.
//!
//! # The way of a request
//!
//! ```text
//! socket ── http: route, who may, what is wanted ── handler ─┐
//!                                                            │
//!   answer ◄── view (HTML) or the bytes ◄── store ◄── paste: is it valid
//!                                             ▲
//!              sweeper thread: frees what is past its deadline
//! ```
//!
//! A save becomes a [`paste::Draft`] at the edge, or a refusal; the [`store::Store`] keeps it as a [`paste::Paste`]
//! under an id of 64 random bits, within a budget that counts every byte. A read takes it out as a shared copy and
//! answers its bytes, or a page made of it. One line goes to the log.
//!
//! # Rooms, and what each must not know
//!
//! - [`paste`]: values that cannot be wrong. No HTTP, no locks, no async, no clock, no environment.
//! - [`store`]: where pastes are kept: order of use, deadlines, budget, tombstones, sweeper. No HTTP, no HTML, no clock:
//!   each call is told `now`.
//! - [`limit`]: who is a client and how much it may do: networks, token buckets, sliding windows, overload. No HTTP,
//!   no pastes, no clock.
//! - [`render`]: content in, a fragment of HTML out. [`page`]: whole pages. No HTTP, no store.
//! - [`http`]: the edge, the only room that knows actix. Not how things are kept or shown.
//! - [`config`]: the only reader of the environment. [`clock`]: the only one to ask for the time. [`log`]: where log
//!   lines go.
//!
//! `paste` ← `store`, `render` ← `page`; `paste`, `limit` ← `config`; all of them ← `http` ← the program. Nothing points back; a test reads the sources for it.
//!
//! # What always holds
//!
//! - From its deadline on a paste is gone, swept or not; what is gone says why for as long as that is remembered.
//! - The store's charge never exceeds its budget, not by one paste.
//! - A client that hangs up or sends rubbish is normal: nothing is half kept, no lock is poisoned, nothing is logged
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

pub mod store;

pub mod limit;

pub mod overload;

pub mod app;

pub mod render;

pub mod page;

pub mod http;

pub mod clock;
pub mod config;
mod date;
pub mod log;
