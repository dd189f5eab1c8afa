//! Flags: how the program is started by the benches that start it.

#![allow(dead_code, unreachable_pub, reason = "each bench uses its part")]

/// The line that says where it listens is logged, but none a request.
pub const QUIET: &[&str] = &["--log", "warn,tidebin::http=info,tidebin::http::log=warn"];

/// Limits that are decided on every request and refuse none.
pub const AMPLE: &[&str] = &[
    "--limit-save",
    "rate 1000000/s burst 1000000, quota 1000000000/1d, quota 1000GiB/1d",
    "--limit-read",
    "rate 1000000/s burst 1000000",
    "--limit-miss",
    "rate 1000000/s burst 1000000",
];

/// No limits at all.
pub const OFF: &[&str] = &[
    "--limit-save",
    "off",
    "--limit-read",
    "off",
    "--limit-miss",
    "off",
    "--limit-password",
    "off",
];

/// Clients say who they are, and are believed.
pub const BELIEVING: &[&str] = &["--trusted-proxies", "127.0.0.1"];
