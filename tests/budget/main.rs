//! The instructions that requests may cost, counted by callgrind.
//!
//! `budgets.txt` has the budget of each kind of request and the functions that spend most of it. A request that costs
//! 3 % more fails, with the functions that grew. `TIDEBIN_WRITE_BUDGETS=1 tests/run its_budget` writes the file anew; the
//! commit says why a budget rises.
//! The load of the machine hardly changes a count: only timers run more often. The processor would change it, for the C
//! library chooses its functions by that; so it is told to choose those that every x86-64 processor has. The crates that
//! choose too use AVX2, which `tests/run` asks for. A new compiler may change every count.
//! The server has one worker, and the settings of the allocator are not those of production: they are left alone where
//! `GLIBC_TUNABLES` is set. The binary is that of the profile `budget`. That of a release spends about 5 % less.
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
