//! Computes how many connections the process's limit of open files allows.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::overload::ACCEPT_SLACK;

/// Maximum number of connections, however many files the system allows. An idle one takes 12 KiB, and one with a
/// request up to 80 KiB.
const MAX_CONNECTIONS: u64 = 3 * 1024;

/// The number of files that connections with a slot may not use.
const RESERVED_FILES: u64 = 64 + ACCEPT_SLACK as u64;

/// Raises the soft limit of open files as far as needed and allowed. Returns the number of connections that the limit
/// allows.
///
/// With the usual limit of 1,024, two peers could use up all connections.
///
/// # Errors
/// If the system refuses to raise the limit.
pub(crate) fn max_connections() -> io::Result<usize> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum
        .unwrap_or(u64::MAX)
        .min(MAX_CONNECTIONS + RESERVED_FILES);
    if current.is_some_and(|current| current < wanted) {
        let raised = Rlimit {
            current: Some(wanted),
            maximum,
        };
        setrlimit(Resource::Nofile, raised)?;
    }
    usize::try_from(wanted.saturating_sub(RESERVED_FILES).max(1)).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overload::MAX_PER_PEER;

    #[test]
    fn the_process_may_open_more_files_than_one_peer_has_connections() {
        assert!(max_connections().unwrap() as u64 > MAX_PER_PEER);
        let current = getrlimit(Resource::Nofile).current;
        assert!(current.is_none_or(|current| current > RESERVED_FILES + MAX_PER_PEER));
    }
}
