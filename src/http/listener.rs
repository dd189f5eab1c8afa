//! The sockets on which the server accepts connections.

use std::io;
use std::net::{SocketAddr, TcpListener};

use crate::overload::MAX_PAUSE;

/// The number of connections that the operating system completes before the server accepts them. The system drops the
/// next ones, and their clients try again only after a second. Linux lowers this to `net.core.somaxconn`.
const BACKLOG: i32 = 1024;

/// Listens on an address that was set by this flag or variable.
pub(crate) fn listen(address: SocketAddr, [flag, variable]: [&str; 2]) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!(
                "Cannot listen on {address}: {error}. Use another port, by {flag} or {variable}."
            ),
        )
    })?;
    // The standard library listens with a backlog of 128. Listening again replaces it.
    socket2::SockRef::from(&listener).listen(BACKLOG)?;
    // Every connection inherits this timeout from the listener. The system closes a connection whose peer acknowledges
    // nothing for this long.
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(&listener).set_tcp_user_timeout(Some(MAX_PAUSE))?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_of_connections_is_completed_before_the_server_accepts_any() {
        const CLIENTS: usize = 400;
        let largest = std::fs::read_to_string("/proc/sys/net/core/somaxconn");
        if largest.is_ok_and(|most| most.trim().parse().is_ok_and(|most: usize| most < CLIENTS)) {
            return;
        }
        let listener = listen(([127, 0, 0, 1], 0).into(), ["--addr", "TIDEBIN_ADDR"]).unwrap();
        let address = listener.local_addr().unwrap();
        // No connection is ever accepted, so one beyond the backlog would fail however long it waits.
        let clients: io::Result<Vec<_>> = (0..CLIENTS)
            .map(|_| TcpStream::connect_timeout(&address, Duration::from_secs(3)))
            .collect();
        assert_eq!(clients.unwrap().len(), CLIENTS);
    }
}
