//! A server that listens on a Unix socket, as a proxy on the same machine uses it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use crate::caddy::Caddy;
use crate::client::{Request, Response};
use crate::folder::Folder;
use crate::nginx::{Nginx, Passed};
use crate::process::tidebin;

/// A running program that listens on a socket in a folder of its own.
struct Listening {
    child: Child,
    folder: Folder,
}

impl Listening {
    fn start(flags: &[&str]) -> Self {
        Self::start_in(Folder::new("socket"), flags)
    }

    fn start_in(folder: Folder, flags: &[&str]) -> Self {
        let mut listening = Self {
            child: tidebin(&[&["--addr", &address(&folder)], flags].concat())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program starts"),
            folder,
        };
        let log = listening.child.stderr.take().expect("it has a log");
        let mut lines = BufReader::new(log).lines().map_while(Result::ok);
        let shown = address(&listening.folder);
        assert!(lines.any(|line| line.contains(&shown)), "it ended");
        listening
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    fn send(&self, request: &Request) -> Response {
        let mut stream = UnixStream::connect(self.path()).expect("it listens");
        stream.write_all(&request.bytes()).expect("it reads");
        Response::read(&mut stream, request.is_head())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn address(folder: &Folder) -> String {
    format!("unix:{}", folder.path().join("s").display())
}

fn request(method: &str, path: &str) -> Request {
    Request::new(SocketAddr::from(([127, 0, 0, 1], 80)), method, path)
}

/// The message of a start that is refused.
fn refusal(folder: &Folder) -> String {
    let ended = tidebin(&["--addr", &address(folder)]).output();
    String::from_utf8(ended.expect("it ends").stderr).expect("text")
}

#[test]
fn a_unix_socket_serves_its_group_and_answers_health_checks() {
    let server = Listening::start(&[]);
    let saved = server.send(&request("POST", "/").body("hello"));
    let path = saved.text().trim_end().rsplit('/').next().expect("an id");
    let read = server.send(&request("GET", &format!("/{path}")));
    assert_eq!((saved.status, read.text()), (201, "hello"));
    let mode = fs::metadata(server.path()).expect("a socket").permissions();
    assert_eq!(mode.mode() & 0o777, 0o660);
    let address = address(&server.folder);
    let check = tidebin(&["healthcheck", "--addr", &address]).status();
    assert!(check.expect("it ends").success());
}

#[test]
fn a_client_behind_a_unix_socket_is_the_one_that_the_proxy_names() {
    let server = Listening::start(&["--limit-save", "rate 1/1h burst 1"]);
    let save = |client| server.send(&request("POST", "/").body("x").from(client));
    let statuses = ["192.0.2.1", "192.0.2.1", "198.51.100.1"].map(|client| save(client).status);
    assert_eq!(statuses, [201, 429, 201]);
}

#[test]
fn a_request_without_a_host_on_a_unix_socket_gets_a_link_to_localhost() {
    let server = Listening::start(&[]);
    let mut stream = UnixStream::connect(server.path()).expect("it listens");
    write!(stream, "PUT / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx").expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    assert!(answer.contains("\r\n\r\nhttp://localhost/"), "{answer}");
}

#[test]
fn a_start_replaces_the_socket_that_a_killed_server_left() {
    let mut killed = Listening::start(&[]);
    killed.child.kill().expect("it runs");
    killed.child.wait().expect("it ends");
    assert!(killed.path().exists());
    let folder = std::mem::replace(&mut killed.folder, Folder::new("none"));
    let server = Listening::start_in(folder, &[]);
    assert_eq!(server.send(&request("GET", "/healthz")).status, 200);
}

#[test]
fn a_start_without_the_directory_of_the_socket_says_so() {
    let folder = Folder::new("socket");
    let nowhere = format!("unix:{}/none/s", folder.path().display());
    let ended = tidebin(&["--addr", &nowhere]).output().expect("it ends");
    let message = String::from_utf8(ended.stderr).expect("text");
    assert!(message.contains("Create the directory"), "{message}");
}

#[test]
fn a_start_takes_the_path_of_no_other_server_and_of_no_file() {
    let folder = Folder::new("socket");
    let listener = UnixListener::bind(folder.path().join("s")).expect("a socket");
    assert!(refusal(&folder).contains("Address already in use"));
    drop(listener);
    fs::remove_file(folder.path().join("s")).expect("a socket");
    folder.write("s", "mine");
    assert!(refusal(&folder).contains("Address already in use"));
    assert_eq!(folder.read("s"), b"mine");
}

#[test]
#[ignore = "needs nginx"]
fn nginx_reaches_the_server_by_the_line_for_a_unix_socket() {
    let server = Listening::start(&[]);
    let file = include_str!("../../deploy/nginx.conf").replace("# server unix:", "server unix:");
    let path = server.path().display().to_string();
    let nginx = Nginx::with_site(|https, http| {
        let file = file.replace("/run/tidebin/tidebin.sock", &path);
        let file = file.replace("server 127.0.0.1:8088;", "");
        crate::deploy::site(&file, http, https, https)
    });
    passes(nginx.addr());
}

#[test]
#[ignore = "needs caddy"]
fn caddy_reaches_the_server_at_a_unix_socket() {
    let server = Listening::start(&[]);
    let upstream = format!("unix/{}", server.path().display());
    let caddy = Caddy::in_front_of(upstream, include_str!("../../deploy/Caddyfile"));
    passes(caddy.addr());
}

fn passes(proxy: SocketAddr) {
    let saved = Passed::through(proxy, &Request::new(proxy, "POST", "/").body("hello"));
    let path = saved.body.trim_end().rsplit('/').next().expect("an id");
    let read = Passed::through(proxy, &Request::new(proxy, "GET", &format!("/{path}")));
    assert_eq!((saved.status, &*read.body), (201, "hello"));
}
