//! The machine or the container that the server runs on: its memory, its disk, and its volumes.
//!
//! Invariants: what the system does not tell is `None`, and stops nothing.

use std::path::Path;
use std::{fs, io, process};

/// Returns the bytes of memory: those of the machine, or of the process's control group (cgroup v2) if that has less.
pub(super) fn memory() -> Option<usize> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"));
    let limit = group.map(|group| format!("/sys/fs/cgroup{group}/memory.max"));
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    // The unit of systemd hides the first file.
    least(
        &read("/proc/meminfo"),
        &limit.map_or_else(String::new, |path| read(&path)),
    )
}

/// Returns the lesser of the memory in `/proc/meminfo` and the limit of a group, of those that are known.
fn least(meminfo: &str, limit: &str) -> Option<usize> {
    let total = meminfo.strip_prefix("MemTotal:");
    let total = total.and_then(|rest| rest.split_whitespace().next()?.parse::<usize>().ok());
    // A group without a limit has the word `max`.
    let limit = limit.trim().parse().ok();
    total
        .map(|kibibytes| kibibytes << 10)
        .into_iter()
        .chain(limit)
        .min()
}

/// Returns the bytes that the files of a data directory may take: those that they take now, and free ones.
pub(super) fn room_in(directory: &Path) -> Option<usize> {
    let disk = rustix::fs::statvfs(directory).ok()?;
    let room = taken_in(directory).ok()? + disk.f_bavail.saturating_mul(disk.f_frsize);
    usize::try_from(room).ok()
}

fn taken_in(directory: &Path) -> io::Result<u64> {
    let files = fs::read_dir(directory)?.flatten();
    let sizes = files.filter_map(|file| Some(file.metadata().ok()?.len()));
    Ok(sizes.sum())
}

/// Returns true if a directory is removed together with the container in which this process is the first one.
pub(super) fn ends_with_container(directory: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mountinfo");
    let path = fs::canonicalize(directory);
    process::id() == 1
        && mounts.is_ok_and(|mounts| path.is_ok_and(|path| !is_mounted(&mounts, &path)))
}

/// Returns whether a mount other than the root holds the path. `mounts` is `/proc/self/mountinfo`.
fn is_mounted(mounts: &str, path: &Path) -> bool {
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    points
        .filter(|point| *point != "/")
        .any(|point| path.starts_with(point))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_that_of_the_machine_or_the_limit_of_the_group() {
        const ALL: &str = "MemTotal:       2048 kB\nMemFree:  1 kB\n";
        for (all, group, bytes) in [
            (ALL, "", Some(2 << 20)),
            (ALL, "max\n", Some(2 << 20)),
            (ALL, "1048576\n", Some(1 << 20)),
            (ALL, "9000000000\n", Some(2 << 20)),
            ("", "1048576\n", Some(1 << 20)),
            ("", "max\n", None),
        ] {
            assert_eq!(least(all, group), bytes, "{group:?}");
        }
    }

    #[test]
    fn a_full_disk_has_room_for_the_files_that_are_there() {
        // Given a directory with files, and a file system without free space
        let name = format!("tidebin-taken-{:016x}", getrandom::u64().unwrap());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("tidebin.db"), [1; 5000]).unwrap();
        fs::write(path.join("ballast"), [1; 300]).unwrap();
        assert_eq!(taken_in(&path).unwrap(), 5300);
        assert_eq!(room_in(Path::new("/proc/self/fdinfo")), Some(0));
        fs::remove_dir_all(&path).unwrap();
        assert_eq!(room_in(&path), None);
    }
}
