//! tidebin: a pastebin that can be left on the open internet.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a test that meets the unexpected should stop"
    )
)]

pub mod clock;
pub mod config;
pub mod http;
pub mod log;
pub mod paste;
pub mod store;
pub mod view;
