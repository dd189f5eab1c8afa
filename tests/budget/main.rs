//! The instructions that requests may cost, counted by callgrind.
//!
//! `budgets.txt` has the budget of each kind of request and the functions that spend most of it. A request that costs
//! 3 % more fails, with the functions that grew. `TIDEBIN_WRITE_BUDGETS=1 tests/run its_budget` writes the file anew; the
//! commit says why a budget rises.
//! A count does not depend on the load of the machine. It would depend on its processor, for the C library chooses its
//! functions by that; so it is told to choose those that every x86-64 processor has. The crates that choose too use AVX2
//! wherever callgrind has it. The server has one worker, and the binary is that of the profile `budget`.
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
