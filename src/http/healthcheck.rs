//! `tidebin healthcheck`: checks that a running server answers. A container image without a shell has no other client.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use socket2::{Domain, SockAddr, Socket, Type};

use crate::config::ListenAddr;

/// The time limit of each step: longer than a healthy server needs, shorter than a container runtime waits.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Checks the server that listens on this address.
///
/// # Errors
/// If it cannot be reached, or answers with another status than 200.
pub fn healthcheck(listening: ListenAddr) -> io::Result<()> {
    let addr = reachable(listening);
    ask(&addr).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("The health check of {addr} failed: {error}."),
        )
    })
}

fn ask(addr: &ListenAddr) -> io::Result<()> {
    let mut stream = connect(addr)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut status = [0; 12];
    stream.read_exact(&mut status)?;
    if status == *b"HTTP/1.1 200" {
        Ok(())
    } else {
        Err(io::Error::other("the status of the response is not 200"))
    }
}

/// Connects within [`TIMEOUT`]. A Unix socket whose backlog is full fails at once.
pub(super) fn connect(address: &ListenAddr) -> io::Result<Socket> {
    let (domain, address) = match address {
        ListenAddr::Tcp(address) => (Domain::for_address(*address), SockAddr::from(*address)),
        ListenAddr::Unix(path) => (Domain::UNIX, SockAddr::unix(path)?),
    };
    let socket = Socket::new(domain, Type::STREAM, None)?;
    socket.connect_timeout(&address, TIMEOUT)?;
    Ok(socket)
}

/// Returns the address to connect to: the loopback address for a server that listens on the unspecified address
/// (`0.0.0.0` or `[::]`).
pub(super) fn reachable(mut listening: ListenAddr) -> ListenAddr {
    if let ListenAddr::Tcp(address) = &mut listening
        && address.ip().is_unspecified()
    {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    listening
}
