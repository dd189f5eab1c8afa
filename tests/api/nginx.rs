//! An nginx in front of the server: one that caches everything it may, as a third party might run it, or one with a
//! given site. It ends with the test, also if the test fails.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::client::{Request, connect, wait_for};
use crate::folder::Folder;
use crate::free_port::free_address;

/// A running nginx with a single process, in a folder of its own.
pub struct Nginx {
    process: Child,
    addr: SocketAddr,
    second_addr: SocketAddr,
    folder: Folder,
}

/// A response that came through nginx.
#[derive(Debug)]
pub struct Passed {
    pub status: u16,
    /// Status line and headers.
    pub head: String,
    pub body: String,
}

impl Nginx {
    /// Starts a caching nginx in front of the server at this address.
    pub fn in_front_of(server: SocketAddr) -> Self {
        Self::start(|folder, addr, _| caching_site(folder, addr, server))
    }

    /// Starts nginx with a site that may listen on two addresses.
    pub fn with_site(site: impl FnOnce(SocketAddr, SocketAddr) -> String) -> Self {
        Self::start(|_, addr, second_addr| site(addr, second_addr))
    }

    fn start(site: impl FnOnce(&str, SocketAddr, SocketAddr) -> String) -> Self {
        let folder = Folder::new("nginx");
        let [addr, second_addr] = [free_address(), free_address()];
        let path = folder.path().display().to_string();
        let site = site(&path, addr, second_addr);
        folder.write("nginx.conf", configuration(&path, &site));
        let process = Command::new("nginx")
            .args(["-p", &path, "-c", "nginx.conf", "-e", "error.log"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nginx starts");
        let mut nginx = Self {
            process,
            addr,
            second_addr,
            folder,
        };
        nginx.until_it_listens();
        nginx
    }

    fn until_it_listens(&mut self) {
        wait_for(|| {
            let ended = self.process.try_wait().expect("a child");
            assert_eq!(ended, None, "nginx ended: {:?}", self.log());
            TcpStream::connect(self.addr)
        });
    }

    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The second address that its site may listen on.
    pub fn second_addr(&self) -> SocketAddr {
        self.second_addr
    }

    /// All that it logged.
    pub fn log(&self) -> String {
        let logs = ["error.log", "access.log"].map(|name| self.folder.read(name));
        String::from_utf8_lossy(&logs.concat()).into_owned()
    }

    pub fn request(&self, method: &str, path: &str) -> Request {
        Request::new(self.addr, method, path)
    }

    /// Sends the request and reads until the connection is closed.
    pub fn pass(&self, request: &Request) -> Passed {
        Passed::through(self.addr, request)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // A single process leaves nothing behind.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

impl Passed {
    /// Sends the request to a proxy and reads until the connection is closed.
    pub fn through(proxy: SocketAddr, request: &Request) -> Self {
        let mut stream = connect(proxy);
        // A proxy that refuses a request may close the connection before it has read the whole body.
        _ = stream.write_all(&request.bytes());
        Self::read(&mut stream)
    }

    /// Reads one answer, until the connection is closed or reset.
    pub fn read(stream: &mut TcpStream) -> Self {
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
        }
        let answer = String::from_utf8(answer).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a whole head");
        let status = head.split(' ').nth(1).expect("a status line");
        Self {
            status: status.parse().expect("a status"),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    /// Returns whether the response came from the cache.
    pub fn is_hit(&self) -> bool {
        self.head.contains("\r\nx-cache: hit")
    }

    /// Returns whether the cache looked for the response and did not have it.
    pub fn is_miss(&self) -> bool {
        self.head.contains("\r\nx-cache: miss")
    }
}

/// The configuration with this site.
fn configuration(folder: &str, site: &str) -> String {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {folder}/{kind};"))
        .join("\n    ");
    format!(
        "daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log {folder}/access.log;
    {temporary}
    {site}
}}
"
    )
}

/// The site of the cache. It sets HTTP/1.1, because `curl -X POST` sends a `POST` without a length, which HTTP/1.0 does
/// not allow. Every response is cached for an hour unless the server forbids it. Below `/html/` the cache always
/// requests pages.
fn caching_site(folder: &str, addr: SocketAddr, server: SocketAddr) -> String {
    format!(
        "proxy_cache_path {folder}/bytes keys_zone=bytes:1m;
    proxy_cache_path {folder}/pages keys_zone=pages:1m;
    server {{
        listen {addr};
        proxy_http_version 1.1;
        proxy_set_header Connection \"\";
        proxy_cache_valid any 1h;
        add_header X-Cache $upstream_cache_status always;
        location / {{
            proxy_pass http://{server};
            proxy_cache bytes;
        }}
        location /html/ {{
            proxy_pass http://{server}/;
            proxy_set_header Connection \"\";
            proxy_set_header Accept text/html;
            proxy_cache pages;
        }}
    }}"
    )
}
