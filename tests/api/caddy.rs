//! A Caddy in front of the server, as the files of `deploy` and the documents run it, but without TLS. It ends with the
//! test, also if the test fails.

use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::client::wait_for;
use crate::folder::Folder;
use crate::free_port::free_address;

/// A running Caddy, in a folder of its own.
pub struct Caddy {
    process: Child,
    addr: SocketAddr,
    _folder: Folder,
}

impl Caddy {
    /// Starts Caddy in front of the server with this file, which names the site and the server by `SITE` and `TIDEBIN`.
    /// The programs of other tests would use the same port for their administration, so it is off.
    pub fn in_front_of(server: impl ToString, caddyfile: &str) -> Self {
        let folder = Folder::new("caddy");
        let addr = free_address();
        let options = caddyfile.find("\n{\n").expect("it has global options");
        let (before, after) = caddyfile.split_at(options);
        let after = after.replacen("{\n", "{\n\tadmin off\n", 1);
        folder.write("Caddyfile", [before, &after].concat());
        let process = Command::new("caddy")
            .args(["run", "--config", "Caddyfile", "--adapter", "caddyfile"])
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .env("SITE", format!("http://{addr}"))
            .env("TIDEBIN", server.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("caddy starts");
        let mut caddy = Self {
            process,
            addr,
            _folder: folder,
        };
        wait_for(|| {
            let ended = caddy.process.try_wait().expect("a child");
            assert_eq!(ended, None, "caddy ended");
            TcpStream::connect(addr)
        });
        caddy
    }

    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

impl Drop for Caddy {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}
