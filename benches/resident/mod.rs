//! The resident memory of a process, as Linux reports it.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each bench uses its part, and a figure of nothing should stop"
)]

/// The resident bytes of this process.
pub fn resident_bytes() -> usize {
    bytes_of("self", "VmRSS:")
}

/// The bytes in this line of the status of a process. `VmRSS:` is its resident memory and `VmHWM:` the peak of it.
pub fn bytes_of(process: &str, line: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let kibibytes = status.lines().find_map(|status| status.strip_prefix(line));
    let kibibytes = kibibytes.unwrap().trim().trim_end_matches(" kB");
    kibibytes.parse::<usize>().unwrap() * 1024
}
