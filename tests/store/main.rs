//! The contract of the store: the same cases run on each tier, without HTTP.
//!
//! A file has the cases of one subject. [`cases`] makes a test of each of them on each tier that it is for. Differences
//! between the tiers are in [`fixture`].
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a test that meets the unexpected should stop, and its helpers are for this binary"
)]

/// Makes a test of each of these cases on each of these tiers, with a store of this size: a module for each tier, with
/// a test for each case.
macro_rules! cases {
    (@$size:ident engine [$($case:ident),+ $(,)?]) => {
        mod engine {
            $(
                #[test]
                #[ignore = "needs valkey-server or redis-server"]
                fn $case() {
                    super::$case(&mut $crate::fixture::Fixture::engine($crate::fixture::$size));
                }
            )+
        }
    };
    (@$size:ident $tier:ident [$($case:ident),+ $(,)?]) => {
        mod $tier {
            $(
                #[test]
                fn $case() {
                    super::$case(&mut $crate::fixture::Fixture::$tier($crate::fixture::$size));
                }
            )+
        }
    };
    ($size:ident: $($tier:ident)+ => $cases:tt) => {
        $(cases!(@$size $tier $cases);)+
    };
}

mod changing;
#[allow(dead_code, reason = "tests/api uses all of it")]
#[path = "../api/engine.rs"]
mod engine;
mod engine_keys;
mod evicting;
mod expiring;
mod fixture;
#[allow(dead_code, reason = "tests/api uses all of it")]
#[path = "../api/folder.rs"]
mod folder;
mod holders;
mod moderating;
mod new_paste;
mod owners;
mod racing;
mod reading;
mod removing;
mod restarting;
#[path = "../api/rounds.rs"]
mod rounds;
mod saving;
mod slugs;
mod twin;
