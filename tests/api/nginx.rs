//! A caching nginx, as a third party might put it in front of the server: it caches everything that it may. It ends
//! with the test, also if the test fails.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::client::{Request, connect};
use crate::folder::Folder;

/// The time after which a start that hangs fails the test.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running nginx with a single process, in a folder of its own.
pub struct Nginx {
    process: Child,
    addr: SocketAddr,
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
    /// Starts nginx in front of the server at this address.
    pub fn in_front_of(server: SocketAddr) -> Self {
        let folder = Folder::new("nginx");
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let addr = free.local_addr().expect("its address");
        drop(free);
        let path = folder.path().display().to_string();
        folder.write("nginx.conf", configuration(&path, addr, server));
        let process = Command::new("nginx")
            .args(["-p", &path, "-c", "nginx.conf", "-e", "error.log"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nginx starts");
        let mut nginx = Self {
            process,
            addr,
            folder,
        };
        nginx.until_it_listens();
        nginx
    }

    fn until_it_listens(&mut self) {
        let begun = Instant::now();
        while TcpStream::connect(self.addr).is_err() {
            let ended = self.process.try_wait().expect("a child");
            assert_eq!(ended, None, "nginx ended: {:?}", self.log());
            assert!(begun.elapsed() < PATIENCE, "it never listens");
            std::thread::yield_now();
        }
    }

    fn log(&self) -> String {
        String::from_utf8_lossy(&self.folder.read("error.log")).into_owned()
    }

    pub fn request(&self, method: &str, path: &str) -> Request {
        Request::new(self.addr, method, path)
    }

    /// Sends the request and reads until the connection is closed.
    pub fn pass(&self, request: &Request) -> Passed {
        let mut stream = connect(self.addr);
        stream.write_all(&request.bytes()).expect("it listens");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        Passed::parse(&answer)
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
    fn parse(answer: &[u8]) -> Self {
        let answer = String::from_utf8(answer.to_vec()).expect("text");
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

/// The configuration. It sets HTTP/1.1, because `curl -X POST` sends a `POST` without a length, which HTTP/1.0 does not
/// allow. Every response is cached for an hour unless the server forbids it. Below `/html/` the cache always requests
/// pages.
fn configuration(folder: &str, addr: SocketAddr, server: SocketAddr) -> String {
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
    access_log off;
    {temporary}
    proxy_cache_path {folder}/bytes keys_zone=bytes:1m;
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
    }}
}}
"
    )
}
