//! The files of `deploy`. A real nginx runs the site of `nginx.conf`, and a real Caddy that of `Caddyfile`, both
//! without TLS.

mod base_path;
mod guides;

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;

use socket2::{Domain, Socket, Type};

use crate::caddy::Caddy;
use crate::client::{Request, connect};
use crate::free_port::free_address;
use crate::nginx::{Nginx, Passed};
use crate::server::TestServer;

const NGINX: &str = include_str!("../../deploy/nginx.conf");
const CADDYFILE: &str = include_str!("../../deploy/Caddyfile");

/// The file with free ports instead of the public ones and of tidebin's own, with its log in the folder of nginx, and
/// without TLS. Every line that is not replaced is used as it is.
pub fn site(file: &str, http: SocketAddr, https: SocketAddr, server: SocketAddr) -> String {
    let mut site = String::new();
    for line in file.lines() {
        let line = match line.trim() {
            "listen 80;" => format!("listen {http};"),
            "listen 443 ssl;" => format!("listen {https};"),
            "server 127.0.0.1:8088;" => format!("server {server};"),
            "listen [::]:80;" | "listen [::]:443 ssl;" => continue,
            line if line.starts_with("ssl_certificate") => continue,
            line => line.replace("error_log /var/log/nginx/", "error_log "),
        };
        site.push_str(&line);
        site.push('\n');
    }
    site
}

/// A server behind the site. It has the limits of these flags.
fn start(flags: &[&str]) -> (TestServer, Nginx) {
    let server = TestServer::unlimited(flags);
    let nginx = Nginx::with_site(|https, http| site(NGINX, http, https, server.addr));
    (server, nginx)
}

/// The path of the paste that was saved.
#[track_caller]
fn path(response: &Passed) -> String {
    assert_eq!(response.status, 201, "{response:?}");
    let id = response.body.trim_end().rsplit('/').next();
    format!("/{}", id.unwrap_or_default())
}

/// Sends a request to the proxy at this address.
fn pass(proxy: SocketAddr, method: &str, path: &str, body: Option<&str>) -> Passed {
    let request = Request::new(proxy, method, path);
    let request = match body {
        Some(body) => request.body(body),
        None => request,
    };
    Passed::through(proxy, &request)
}

/// Runs a check on each proxy in front of a server of its own with these flags.
fn behind_nginx(flags: &[&str], check: impl Fn(&TestServer, SocketAddr)) {
    let (server, nginx) = start(flags);
    check(&server, nginx.addr());
}

fn behind_caddy(flags: &[&str], check: impl Fn(&TestServer, SocketAddr)) {
    let server = TestServer::unlimited(flags);
    let caddy = Caddy::in_front_of(server.addr, CADDYFILE);
    check(&server, caddy.addr());
}

const ONE_SAVE: [&str; 2] = ["--limit-save", "rate 1/1h burst 1"];

#[test]
#[ignore = "needs nginx"]
fn nginx_passes_large_pastes_reads_of_burns_and_pipes() {
    behind_nginx(&[], passes_pastes);
}

#[test]
#[ignore = "needs caddy"]
fn caddy_passes_large_pastes_reads_of_burns_and_pipes() {
    behind_caddy(&[], passes_pastes);
}

#[test]
#[ignore = "needs nginx"]
fn each_client_behind_nginx_has_its_own_limits() {
    behind_nginx(&ONE_SAVE, passes_the_address_of_the_client);
}

#[test]
#[ignore = "needs nginx"]
fn each_visitor_of_a_proxy_before_nginx_has_limits_by_that_proxys_header() {
    let header = ["--proxy-header", "CF-Connecting-IP"];
    behind_nginx(&[&ONE_SAVE[..], &header].concat(), |_, nginx| {
        for (visitor, status) in [
            ("203.0.113.1", 201),
            ("203.0.113.1", 429),
            ("198.51.100.1", 201),
        ] {
            let save = Request::new(nginx, "POST", "/").body("text");
            let save = save.header("CF-Connecting-IP", visitor);
            assert_eq!(Passed::through(nginx, &save).status, status, "{visitor}");
        }
    });
}

#[test]
#[ignore = "needs caddy"]
fn each_client_behind_caddy_has_its_own_limits() {
    behind_caddy(&ONE_SAVE, passes_the_address_of_the_client);
}

fn passes_pastes(server: &TestServer, proxy: SocketAddr) {
    // The largest paste passes, and tidebin itself refuses a larger one.
    let content = "x".repeat(1 << 20);
    let saved = path(&pass(proxy, "POST", "/", Some(&content)));
    assert!(pass(proxy, "GET", &saved, None).body == content);
    let refused = pass(proxy, "POST", "/", Some(&(content + "x")));
    assert_eq!(refused.status, 413);
    assert!(refused.body.contains("1 MiB"), "{refused:?}");
    // A paste that burns is read by a post without a body, once.
    let saved = path(&pass(proxy, "POST", "/?burn=1", Some("secret")));
    assert_eq!(pass(proxy, "GET", &saved, None).status, 405);
    assert_eq!(pass(proxy, "POST", &saved, None).body, "secret");
    assert_eq!(pass(proxy, "POST", &saved, None).status, 410);
    // An upload from a pipe arrives while it pauses.
    let mut stream = connect(proxy);
    let head = format!("POST / HTTP/1.1\r\nHost: {proxy}\r\nConnection: close\r\n");
    let chunk = "Transfer-Encoding: chunked\r\n\r\n6\r\nfirst \r\n";
    write!(stream, "{head}{chunk}").expect("it listens");
    server.until("receiving", |load| load.receiving == 1);
    server.advance(Duration::from_secs(9 * 60));
    write!(stream, "4\r\nlast\r\n0\r\n\r\n").expect("it waits");
    let saved = path(&Passed::read(&mut stream));
    assert_eq!(server.get(&saved).text(), "first last");
}

/// Asserts that clients have limits of their own, whatever they claim, of one save.
fn passes_the_address_of_the_client(_: &TestServer, proxy: SocketAddr) {
    // Every request of the same client claims another address.
    for (client, claimed, status) in [
        ("127.0.0.2", Some("198.51.100.7"), 201),
        ("127.0.0.2", Some("198.51.100.8"), 429),
        ("127.0.0.2", Some("127.0.0.1"), 429),
        ("127.0.0.2", None, 429),
        ("127.0.0.3", Some("198.51.100.7"), 201),
        ("127.0.0.3", None, 429),
    ] {
        let mut save = Request::new(proxy, "POST", "/").body("text");
        if let Some(claimed) = claimed {
            save = save.from(claimed);
        }
        let mut stream = connect_from(client, proxy);
        stream.write_all(&save.bytes()).expect("it listens");
        let saved = Passed::read(&mut stream);
        assert_eq!(saved.status, status, "{client} as {claimed:?}");
    }
}

/// Connects from this address of this machine.
fn connect_from(client: &str, addr: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let client = SocketAddr::new(client.parse().expect("an address"), 0);
    socket.bind(&client.into()).expect("a loopback address");
    socket.connect(&addr.into()).expect("it listens");
    socket.into()
}

#[test]
#[ignore = "needs nginx"]
fn no_log_contains_an_id_or_a_password() {
    let server = free_address();
    let nginx = Nginx::with_site(|https, http| site(NGINX, http, https, server));
    let path = "/0123456789ab?password=hush";
    let failed = nginx.pass(&nginx.request("GET", path));
    assert_eq!(failed.status, 502, "{failed:?}");
    let mut stream = connect(nginx.second_addr());
    write!(stream, "GET {path} HTTP/1.0\r\n\r\n").expect("it listens");
    assert_eq!(Passed::read(&mut stream).status, 308);
    let log = nginx.log();
    assert!(!log.contains("0123456789ab"), "{log}");
    assert!(!log.contains("hush"), "{log}");
    // A socket that is missing is a worse error to nginx than a port that refuses
    let socket = NGINX.replace("    server 127.0.0.1:8088;", "").replace(
        "    # server unix:/run/tidebin/",
        "    server unix:/nowhere/",
    );
    let nginx = Nginx::with_site(|https, http| site(&socket, http, https, server));
    assert_eq!(nginx.pass(&nginx.request("GET", path)).status, 502);
    assert!(!nginx.log().contains("0123456789ab"), "{}", nginx.log());
}

#[test]
#[ignore = "needs nginx"]
fn a_request_without_tls_is_sent_to_the_same_path_with_it() {
    let (_server, nginx) = start(&[]);
    let mut stream = connect(nginx.second_addr());
    write!(stream, "GET /ID?lines=1 HTTP/1.0\r\n\r\n").expect("it listens");
    let response = Passed::read(&mut stream);
    assert_eq!(response.status, 308);
    let target = "\r\nlocation: https://paste.example.org/id?lines=1";
    assert!(response.head.ends_with(target), "{response:?}");
}

#[test]
#[ignore = "needs nginx"]
fn nginx_itself_answers_the_challenges_of_the_certificate() {
    let (_server, nginx) = start(&[]);
    let mut stream = connect(nginx.second_addr());
    write!(stream, "GET /.well-known/acme-challenge/x HTTP/1.0\r\n\r\n").expect("it listens");
    let response = Passed::read(&mut stream);
    // Its folder has no such file here. A redirect would lead to a site that has no certificate yet.
    assert_eq!(response.status, 404, "{response:?}");
}

#[test]
#[ignore = "needs systemd-analyze"]
fn the_units_of_systemd_have_an_exposure_of_two_at_most() {
    for unit in ["tidebin.service", "tidebin-backup.service"] {
        let unit = format!("{}/deploy/{unit}", env!("CARGO_MANIFEST_DIR"));
        let analysis = Command::new("systemd-analyze")
            .args(["security", "--offline=true", "--threshold=20", &unit])
            .output()
            .expect("systemd-analyze starts");
        let printed = String::from_utf8_lossy(&analysis.stdout);
        assert!(analysis.status.success(), "{unit}: {printed}");
        assert!(printed.contains("Overall exposure level"), "{printed}");
    }
}

#[test]
fn the_units_run_as_the_user_that_sysusers_makes() {
    let made = include_str!("../../deploy/tidebin.sysusers")
        .split_whitespace()
        .nth(1)
        .expect("a user");
    for unit in [
        include_str!("../../deploy/tidebin.service"),
        include_str!("../../deploy/tidebin-backup.service"),
    ] {
        assert!(
            unit.lines().any(|line| line == format!("User={made}")),
            "{made}: {unit}"
        );
        // The directories of a dynamic user are links, and it is gone while the server is stopped
        assert!(!unit.contains("DynamicUser="), "{unit}");
    }
}

#[test]
fn a_server_is_started_again_however_often_it_found_no_engine() {
    let unit = include_str!("../../deploy/tidebin.service");
    let (head, service) = unit.split_once("[Service]").expect("a section");
    // systemd ignores it in another section, and gives up after five starts
    assert!(
        head.lines().any(|line| line == "StartLimitIntervalSec=0"),
        "{head}"
    );
    assert!(
        service.lines().any(|line| line == "Restart=on-failure"),
        "{service}"
    );
    let cluster = include_str!("../../deploy/cluster/compose.yml");
    let (_, node) = cluster.split_once("x-node:").expect("the nodes");
    let (node, _) = node.split_once("services:").expect("the services");
    assert!(node.contains("\n  restart: unless-stopped\n"), "{node}");
}

#[test]
fn the_memory_limits_hold_the_default_store_on_a_machine_with_512_mb() {
    let number = |file: &str, name: &str, unit: &str| -> u64 {
        let mut lines = file.lines().map(str::trim);
        let value = lines.find_map(|line| line.strip_prefix(name));
        let value = value.and_then(|value| value.strip_suffix(unit));
        let value = value.and_then(|value| value.trim().parse().ok());
        value.unwrap_or_else(|| panic!("no {name} in {unit}"))
    };
    let settings = include_str!("../../.env.example");
    let store = number(settings, "#TIDEBIN_MAX_STORE_SIZE=", "MiB");
    let unit = include_str!("../../deploy/tidebin.service");
    let compose = include_str!("../../deploy/compose.yml");
    for limit in [
        number(unit, "MemoryMax=", "M"),
        number(compose, "mem_limit:", "m"),
        number(compose, "memswap_limit:", "m"),
    ] {
        assert!((2 * store + 192..512).contains(&limit), "{limit} MiB");
    }
}
