//! The identity of clients, through proxies and without, and the operator's decisions about networks.
//!
//! Each test acts as a proxy on loopback, so that it can send requests as any client.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use rustix::process::Signal;

use crate::client::{Request, Response, connect};
use crate::process::Running;
use crate::server::TestServer;

const FORWARDED_FOR: &str = "X-Forwarded-For";

/// A server that trusts the tests' address and has these rules for networks.
fn behind_proxy(networks: &str) -> TestServer {
    TestServer::with(&["--trusted-proxies", "127.0.0.1", "--networks", networks])
}

/// The status of `/` for a client that sends this header.
fn status(server: &TestServer, name: &str, value: &str) -> u16 {
    server.request("GET", "/").header(name, value).send().status
}

#[test]
fn a_denied_network_gets_403_on_every_route_and_only_health_passes() {
    let server = behind_proxy("203.0.113.0/24 deny");
    let saved = server.save("x");
    let denied = |method: &str, path: &str| {
        let request = server.request(method, path);
        request.header(FORWARDED_FOR, "203.0.113.9")
    };
    for (method, path) in [
        ("GET", "/"),
        ("HEAD", "/"),
        ("GET", "/favicon.ico"),
        ("GET", &saved.path),
        ("GET", "/no/such/route"),
        ("GET", "/record/x"),
        ("DELETE", &saved.path),
        ("POST", "/"),
        ("PUT", "/healthz"),
        ("POST", "/record"),
    ] {
        let answer = denied(method, path).body("body").send();
        assert_eq!(answer.status, 403, "{method} {path}");
        assert_eq!(answer.text().contains("network"), method != "HEAD");
    }
    assert_eq!(denied("GET", "/healthz").send().text(), "ok\n");
    assert_eq!(denied("HEAD", "/healthz").send().status, 200);
    assert_eq!(server.store.occupancy().pastes, 1);
    assert_eq!(server.get(&saved.path).status, 200);
}

#[test]
fn the_refusal_of_a_network_comes_before_the_body() {
    let server = behind_proxy("203.0.113.0/24 deny");
    let mut stream = connect(server.addr);
    let head = "PUT / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 203.0.113.9\r\n\
                Content-Length: 10\r\n\r\nhalf";
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(Response::read(&mut stream, false).status, 403);
}

#[test]
fn only_the_header_that_the_operator_named_is_read() {
    let named = |name: &str| {
        TestServer::with(&[
            "--trusted-proxies=127.0.0.1",
            "--networks=203.0.113.0/24 deny",
            &format!("--proxy-header={name}"),
        ])
    };
    let plain = "203.0.113.9";
    let forwarded = "for=192.0.2.1, for=\"203.0.113.9:4711\";proto=https";
    let by_default = behind_proxy("203.0.113.0/24 deny");
    let (real_ip, standard) = (named("X-Real-IP"), named("Forwarded"));
    for (server, name, value, expected) in [
        (&by_default, FORWARDED_FOR, plain, 403),
        (&by_default, "X-Real-IP", plain, 200),
        (&by_default, "Forwarded", forwarded, 200),
        (&real_ip, FORWARDED_FOR, plain, 200),
        (&real_ip, "x-real-ip", plain, 403),
        (&standard, FORWARDED_FOR, plain, 200),
        (&standard, "Forwarded", plain, 200),
        (&standard, "Forwarded", forwarded, 403),
    ] {
        assert_eq!(status(server, name, value), expected, "{name}: {value}");
    }
}

/// A file of networks, which is removed when dropped.
struct NetworksFile(PathBuf);

impl NetworksFile {
    fn new(name: &str, list: &str) -> Self {
        let name = format!("networks-{}-{name}", std::process::id());
        let file = Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name));
        file.write(list);
        file
    }

    fn write(&self, list: &str) {
        fs::write(&self.0, list).unwrap();
    }

    fn setting(&self) -> String {
        format!("--networks=@{}", self.0.display())
    }
}

impl Drop for NetworksFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The program behind a proxy, without the log lines of requests.
fn run(further: &[&str]) -> Running {
    let args = ["--log", "info,tidebin::http::log=warn"];
    Running::start(&[&args, further].concat())
}

fn from(running: &Running, client: &str) -> Request {
    running.request("GET", "/").header(FORWARDED_FOR, client)
}

#[test]
fn sighup_reloads_the_file_of_networks_and_a_bad_file_changes_nothing() {
    let file = NetworksFile::new(
        "reload",
        "# blocked\n203.0.113.0/24 deny # them\n10.0.0.0/8 allow, ::1 allow\n",
    );
    let flags = [
        "--trusted-proxies=127.0.0.1",
        "--base-url=http://h",
        &file.setting(),
    ];
    let mut running = run(&flags);
    let statuses = |running: &Running| {
        ["203.0.113.9", "198.51.100.9"].map(|client| from(running, client).send().status)
    };
    assert_eq!(statuses(&running), [403, 200]);

    file.write("198.51.100.0/24 deny");
    assert_eq!(statuses(&running), [403, 200], "no signal was sent yet");
    running.send(Signal::HUP);
    let line = running.next_line();
    assert!(
        line.contains("INFO networks reloaded entries=1 before=3"),
        "{line}"
    );
    assert_eq!(statuses(&running), [200, 403]);

    file.write("::/0 allow\n203.0.113.0/24 deni");
    running.send(Signal::HUP);
    let line = running.next_line();
    for words in [
        "ERROR networks not reloaded",
        "--networks",
        "line 2, character 16",
        "`deny`",
    ] {
        assert!(line.contains(words), "no {words} in {line}");
    }
    assert_eq!(statuses(&running), [200, 403]);

    fs::remove_file(&file.0).unwrap();
    running.send(Signal::HUP);
    let line = running.next_line();
    assert!(line.contains("does not exist"), "{line}");
    assert_eq!(statuses(&running), [200, 403]);

    running.send(Signal::TERM);
    assert_eq!(running.wait().0, Some(0));
}

#[test]
fn sighup_without_a_file_is_logged_and_ends_nothing() {
    for networks in [&[][..], &["--networks=203.0.113.0/24 deny"]] {
        let mut running = run(networks);
        running.send(Signal::HUP);
        let line = running.next_line();
        assert!(line.contains("INFO nothing to reload"), "{line}");
        assert_eq!(running.request("GET", "/healthz").send().status, 200);
        running.send(Signal::TERM);
        assert_eq!(running.wait().0, Some(0));
    }
}

#[test]
fn an_untrusted_proxy_is_logged_once_and_without_an_address() {
    let running = run(&[]);
    for client in ["203.0.113.9", "198.51.100.9", "rubbish"] {
        assert_eq!(from(&running, client).send().status, 200);
    }
    running.send(Signal::TERM);
    let (_, log) = running.wait();
    assert_eq!(log.matches("WARN").count(), 1, "{log}");
    for words in [
        "x-forwarded-for",
        "count as one client",
        "TIDEBIN_TRUSTED_PROXIES",
    ] {
        assert!(log.contains(words), "no {words} in {log}");
    }
    for address in ["203.0.113", "198.51.100", "127.0.0.1", "rubbish"] {
        assert!(!log.contains(address), "{address} in {log}");
    }
}

#[test]
fn a_trusted_proxy_is_not_logged() {
    let running = run(&["--trusted-proxies=127.0.0.1", "--base-url=http://h"]);
    assert_eq!(from(&running, "203.0.113.9").send().status, 200);
    running.send(Signal::TERM);
    let (_, log) = running.wait();
    assert!(!log.contains("WARN"), "{log}");
}

#[test]
fn a_malformed_address_from_a_proxy_does_not_get_the_policy_of_the_proxy() {
    let server = TestServer::with(&[
        "--trusted-proxies",
        "127.0.0.1",
        "--networks",
        "127.0.0.0/8 allow",
        "--limit-read",
        "rate 1/1h burst 1",
    ]);
    let statuses = |value: &str| [0, 1].map(|_| status(&server, FORWARDED_FOR, value));
    assert_eq!(statuses("unknown"), [200, 429]);
    assert_eq!(statuses("203.0.113.9, _hidden"), [429, 429]);
    assert_eq!(statuses("127.0.0.2"), [200, 200]);
}
