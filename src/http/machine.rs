//! The machine or the container that the server runs on: its volumes.

use std::path::Path;
use std::{fs, process};

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
