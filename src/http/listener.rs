//! The sockets on which the server accepts connections.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::Path;

use actix_web::rt::net as rt;
use socket2::SockRef;

use crate::config::ListenAddr;
use crate::http::healthcheck::connect;
use crate::overload::MAX_PAUSE;

/// The number of connections that the operating system completes before the server accepts them. The system drops the
/// next ones, and their clients try again only after a second. Linux lowers this to `net.core.somaxconn`.
const BACKLOG: i32 = 1024;

/// The system takes more of a response while it has fewer bytes than this that are not sent. Without it, a reader that
/// stops makes the system hold megabytes. A size of the whole buffer would also bound what is on its way, and so slow
/// down readers far away.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 16 * 1024;

/// The users that may connect to a Unix socket: its owner and its group. A peer there is trusted like a proxy.
const SOCKET_MODE: u32 = 0o660;

/// The socket of HTTP.
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    /// Listens on the configured address.
    pub(crate) fn bind(address: &ListenAddr) -> io::Result<Self> {
        let path = match address {
            ListenAddr::Tcp(address) => {
                return listen(*address, ["--addr", "TIDEBIN_ADDR"]).map(Self::Tcp);
            }
            ListenAddr::Unix(path) => path,
        };
        let listening = remove_stale(path).and_then(|()| UnixListener::bind(path));
        let listener = listening.map_err(|error| {
            let way_out = match error.kind() {
                ErrorKind::NotFound => {
                    "Create the directory of the socket, such as by `RuntimeDirectory=` of the unit"
                }
                _ => "Use another path, by --addr or TIDEBIN_ADDR",
            };
            let problem = format!("Cannot listen on {address}: {error}. {way_out}.");
            io::Error::new(error.kind(), problem)
        })?;
        fs::set_permissions(path, Permissions::from_mode(SOCKET_MODE))?;
        SockRef::from(&listener).listen(BACKLOG)?;
        Ok(Self::Unix(listener))
    }

    /// The address of the TCP socket; `None` for a Unix socket.
    pub(crate) fn tcp_addr(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            Self::Unix(_) => None,
        }
    }

    /// The address for the log: a URL, or `unix:` and the path.
    pub(crate) fn shown(&self) -> io::Result<String> {
        Ok(match self {
            Self::Tcp(listener) => format!("http://{}", listener.local_addr()?),
            Self::Unix(listener) => {
                let address = listener.local_addr()?;
                let path = address.as_pathname().unwrap_or(Path::new(""));
                ListenAddr::Unix(path.to_owned()).to_string()
            }
        })
    }
}

/// Removes a socket that an earlier server left. One that a server listens on stays, and so does any other file.
fn remove_stale(path: &Path) -> io::Result<()> {
    match connect(&ListenAddr::Unix(path.to_owned())) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            match fs::symlink_metadata(path)?.file_type().is_socket() {
                true => fs::remove_file(path),
                false => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// Returns an accepted connection of a Unix socket as the type of the others, which reads and writes any socket. It has
/// no address of a peer.
pub(crate) fn as_tcp(stream: rt::UnixStream) -> io::Result<rt::TcpStream> {
    rt::TcpStream::from_std(OwnedFd::from(stream.into_std()?).into())
}

/// Listens on an address that was set by this flag or variable.
pub(crate) fn listen(address: SocketAddr, [flag, variable]: [&str; 2]) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address).map_err(|error| {
        let way_out = match error.kind() {
            ErrorKind::AddrNotAvailable => "Use an address of this machine, or 0.0.0.0 for all",
            _ => "Use another port",
        };
        let problem =
            format!("Cannot listen on {address}: {error}. {way_out}, by {flag} or {variable}.");
        io::Error::new(error.kind(), problem)
    })?;
    // The standard library listens with a backlog of 128. Listening again replaces it.
    SockRef::from(&listener).listen(BACKLOG)?;
    // Every connection inherits these options from the listener. The system closes a connection whose peer acknowledges
    // nothing for this long.
    #[cfg(target_os = "linux")]
    SockRef::from(&listener).set_tcp_user_timeout(Some(MAX_PAUSE))?;
    #[cfg(target_os = "linux")]
    SockRef::from(&listener).set_tcp_notsent_lowat(UNSENT)?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
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

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_holds_little_of_a_response_that_its_client_does_not_read() {
        const MOST: usize = 256 * 1024;
        let listener = listen(([127, 0, 0, 1], 0).into(), ["--addr", "TIDEBIN_ADDR"]).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut accepted, _) = listener.accept().unwrap();
        accepted.set_nonblocking(true).unwrap();
        let mut taken = 0;
        while let Ok(written) = accepted.write(&[0; 64 * 1024]) {
            taken += written;
        }
        assert!((1..MOST).contains(&taken), "{taken} bytes");
        drop(client);
    }
}
