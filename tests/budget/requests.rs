//! The requests whose instructions are counted.

use crate::callgrind::Counted;
use crate::profile;

/// The least saves that fill the store of a counted server, so that each further one evicts a paste.
const FILLING: usize = 8_000;

/// The lines that curl sends.
pub const CURL: &str = "Host: localhost:8080\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n";

/// The lines that a browser sends when it opens a page.
pub const BROWSER: &str = "Host: localhost:8080\r\n\
    User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n\
    Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n\
    Accept-Language: en-US,en;q=0.5\r\n\
    Accept-Encoding: gzip, deflate, br, zstd\r\n\
    Sec-Fetch-Dest: document\r\n\
    Sec-Fetch-Mode: navigate\r\n\
    Sec-Fetch-Site: none\r\n\
    Sec-Fetch-User: ?1\r\n\
    Upgrade-Insecure-Requests: 1\r\n\
    Connection: keep-alive\r\n\
    Priority: u=0, i\r\n\
    Pragma: no-cache\r\n\
    Cache-Control: no-cache\r\n\
    DNT: 1\r\n\
    Sec-GPC: 1\r\n";

/// 1 KiB of text. It does not change with the program, so neither do the figures.
pub const TEXT: &str = include_str!("text.txt");

pub fn get(path: &str, headers: &str, more: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\n{headers}{more}\r\n").into_bytes()
}

pub fn save(headers: &str, text: &str) -> Vec<u8> {
    let length = text.len();
    format!("POST / HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{text}").into_bytes()
}

#[test]
#[ignore = "needs valgrind and the binary of the profile budget"]
fn a_read_stays_within_its_budget() {
    let mut server = Counted::in_memory();
    let id = server.save();
    profile::check(
        "read",
        server.count(&get(&format!("/raw/{id}"), CURL, ""), 200),
    );
}

#[test]
#[ignore = "needs valgrind and the binary of the profile budget"]
fn a_read_by_a_browser_stays_within_its_budget() {
    let mut server = Counted::in_memory();
    let id = server.save();
    let request = get(&format!("/raw/{id}"), BROWSER, "");
    profile::check("read with browser headers", server.count(&request, 200));
}

#[test]
#[ignore = "needs valgrind and the binary of the profile budget"]
fn a_read_of_unchanged_bytes_stays_within_its_budget() {
    let mut server = Counted::in_memory();
    let path = format!("/raw/{}", server.save());
    let etag = server.ask(&get(&path, CURL, "")).header("etag");
    let request = get(&path, CURL, &format!("If-None-Match: {etag}\r\n"));
    profile::check("304", server.count(&request, 304));
}

#[test]
#[ignore = "needs valgrind and the binary of the profile budget"]
fn a_cached_page_stays_within_its_budget() {
    let mut server = Counted::in_memory();
    let id = server.save();
    profile::check(
        "cached page",
        server.count(&get(&format!("/{id}"), BROWSER, ""), 200),
    );
}

#[test]
#[ignore = "needs valgrind and the binary of the profile budget"]
fn a_save_that_evicts_stays_within_its_budget() {
    let mut server = Counted::in_memory();
    server.repeat(&save(CURL, TEXT), 201, FILLING);
    profile::check("save", server.count(&save(CURL, TEXT), 201));
    let name = "save with browser headers";
    profile::check(name, server.count(&save(BROWSER, TEXT), 201));
}

#[test]
#[ignore = "needs valgrind and the binary of the profile budget"]
fn a_save_on_disk_stays_within_its_budget() {
    let mut server = Counted::on_disk();
    profile::check("save on disk", server.count(&save(CURL, TEXT), 201));
}
