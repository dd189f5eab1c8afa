//! The sites of the documents that give tidebin a path of a host on which another program runs.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use super::{CADDYFILE, NGINX, pass, site};
use crate::base_path::addresses;
use crate::caddy::Caddy;
use crate::client::Request;
use crate::nginx::{Nginx, Passed};
use crate::server::TestServer;

/// The block of the document in this language.
fn snippet(language: &str) -> String {
    let operations = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/operations.md");
    let operations = std::fs::read_to_string(operations).expect("it is there");
    let (_, after) = operations
        .split_once(&format!("```{language}\n"))
        .expect("the document has it");
    after.split_once("```").expect("it ends").0.to_owned()
}

fn start() -> TestServer {
    TestServer::unlimited(&["--base-url", "https://example.org/paste"])
}

#[test]
#[ignore = "needs nginx"]
fn tidebin_and_another_program_share_a_host_behind_nginx() {
    let server = start();
    let (before, rest) = NGINX.rsplit_once("    location / {\n").unwrap();
    let (lines, after) = rest.split_once("\n    }\n").unwrap();
    let snippet = snippet("nginx");
    let copied = "    # The lines of the last `location /` in deploy/nginx.conf.\n";
    assert!(snippet.contains(copied));
    let locations = snippet.replace(copied, lines);
    let other = "location / { return 200 other; }";
    let file = [before, &locations, other, after].concat();
    let nginx = Nginx::with_site(|https, http| site(&file, http, https, server.addr));
    serves_below_the_path(nginx.addr());
}

#[test]
#[ignore = "needs caddy"]
fn tidebin_and_another_program_share_a_host_behind_caddy() {
    let server = start();
    let (options, _) = CADDYFILE.split_once("\n}\n").unwrap();
    let site = snippet("caddyfile")
        .replace("example.org {", "{$SITE} {")
        .replace("127.0.0.1:8088", "{$TIDEBIN}")
        .replace("# The other program.", "respond other");
    let file = [options, "\n}\n", &site].concat();
    let caddy = Caddy::in_front_of(server.addr, &file);
    serves_below_the_path(caddy.addr());
}

/// Asserts that saving and every link work behind this proxy, and that the rest of the host is the other program's.
fn serves_below_the_path(proxy: SocketAddr) {
    assert_eq!(pass(proxy, "GET", "/", None).body, "other");
    assert_eq!(pass(proxy, "GET", "/pastebin", None).body, "other");
    let robots = pass(proxy, "GET", "/robots.txt", None);
    assert!(robots.body.ends_with("User-agent: *\nDisallow: /paste/\n"));
    let saved = pass(proxy, "POST", "/paste", Some("text"));
    let path = saved.body.trim_end().strip_prefix("https://example.org");
    let path = path.expect("the URL starts with the base URL");
    assert_eq!(pass(proxy, "GET", path, None).body, "text");
    let mut seen = BTreeSet::new();
    let mut next = vec!["/paste/".to_owned(), "/paste".to_owned(), path.to_owned()];
    while let Some(path) = next.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let request = Request::new(proxy, "GET", &path).header("Accept", "text/html");
        let page = Passed::through(proxy, &request);
        assert!(matches!(page.status, 200 | 401), "{path}: {page:?}");
        if page.head.contains("content-type: text/html") {
            let links = addresses(&page.body).into_iter();
            let links = links.filter(|link| !link.is_empty() && !link.starts_with(['#', '?']));
            for link in links {
                assert!(link.starts_with("/paste/"), "{path} leads to {link}");
                next.push(link.to_owned());
            }
        }
    }
    // The start page, the help, the paste, its bytes, its file and its picture, the page of the API, and three assets.
    assert!(seen.len() >= 10, "{seen:?}");
}
