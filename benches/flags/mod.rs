//! Flags with which the benches start the program.

#![allow(dead_code, unreachable_pub, reason = "each bench uses its part")]

/// Logs the line with the listening address, but no line of a request.
pub const QUIET: &[&str] = &["--log", "warn,tidebin::http=info,tidebin::http::log=warn"];

/// Limits that are checked on every request and refuse none.
pub const AMPLE: &[&str] = &[
    "--limit-save",
    "rate 1000000/s burst 1000000, quota 1000000000/1d, quota 1000GiB/1d",
    "--limit-read",
    "rate 1000000/s burst 1000000",
    "--limit-miss",
    "rate 1000000/s burst 1000000",
];

/// No limits.
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

/// The program trusts the clients' `X-Forwarded-For`, so one machine can send requests as many clients.
pub const BELIEVING: &[&str] = &["--trusted-proxies", "127.0.0.1"];
