//! `tidebin healthcheck`: asks a running server whether it serves. An image without a shell has nothing else to ask
//! with.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than a healthy server ever takes, shorter than what calls this waits.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks the server that listens on this address.
///
/// # Errors
/// If it cannot be reached, or answers anything but 200.
pub fn healthcheck(listening: SocketAddr) -> io::Result<()> {
    let addr = reachable(listening);
    ask(addr).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("no healthy server at {addr}: {error}"),
        )
    })
}

fn ask(addr: SocketAddr) -> io::Result<()> {
    let mut stream = TcpStream::connect_timeout(&addr, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut status = [0; 12];
    stream.read_exact(&mut status)?;
    if status == *b"HTTP/1.1 200" {
        Ok(())
    } else {
        Err(io::Error::other("it did not answer 200"))
    }
}

/// One listens on all addresses by an address that is none; it is reached at the loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    address
}
