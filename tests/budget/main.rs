//! The instructions that requests may cost, counted by callgrind.
//!
//! `budgets.txt` has the budget of each kind of request and the functions that spend most of it. A
//! request that costs over 3 % more fails, with the functions that grew. With `TIDEBIN_WRITE_BUDGETS=1`, a test replaces
//! its budget; the commit says why it rises.
//! The load of the machine hardly changes a count: only timers run more often. The processor would
//! change it, for the C library chooses its functions by that; so it is told to choose those that every x86-64
//! processor has. The crates that choose too use AVX2, which `tests/run` asks for. Another compiler or C library may
//! change every count: these are of Rust 1.95 and Debian 12. The server has one worker, and the settings of the
//! allocator are not those of production: they are left alone where `GLIBC_TUNABLES` is set. The binary is that of the
//! profile `budget`. That of a release spends 4 to 15 % less.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a test that meets the unexpected should stop, and its helpers are for this binary"
)]

mod callgrind;
#[allow(dead_code, reason = "these tests need only its path")]
#[path = "../api/folder.rs"]
mod folder;
mod profile;
mod requests;
