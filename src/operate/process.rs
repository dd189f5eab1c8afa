//! The operating system's figures about this process.

use std::fs;

/// Returns the bytes of memory that are resident, or `None` where the system does not tell.
pub fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    resident_in(&status)
}

/// Returns the resident bytes in this text of `/proc/PID/status`.
fn resident_in(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resident_memory_is_read_from_its_line() {
        let status = "Name:\ttidebin\nVmHWM:\t  9000 kB\nVmRSS:\t  8192 kB\n";
        assert_eq!(resident_in(status), Some(8 << 20));
        assert_eq!(resident_in("Name:\ttidebin\n"), None);
    }
}
