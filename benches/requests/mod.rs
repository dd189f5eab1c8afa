//! Whole requests to a server on [`loopback`](crate::loopback). Many differ from another request in one part only.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "a bench that meets the unexpected should stop"
)]

use crate::flags::AMPLE;
use crate::loopback::{Loopback, get, send};
use crate::{Call, code, large};

/// A whole request.
pub struct Request {
    pub name: &'static str,
    pub calls: u32,
    flags: &'static [&'static str],
    /// Makes the bytes of the request. The server has the given paste.
    bytes: fn(&Saved) -> Vec<u8>,
    status: &'static str,
}

/// A paste on the server: 1 KiB of Rust.
struct Saved {
    id: String,
    etag: String,
}

/// No limits for saves.
const SAVES_UNLIMITED: &[&str] = &["--limit-save", "off"];

/// One read per day.
const ONE_READ: &[&str] = &["--limit-read", "rate 1/1d burst 1"];

const CURL: &str = "User-Agent: curl/8.14.1\r\nAccept: */*\r\n";
const BROTLI_PAGE: &str = "Accept: text/html\r\nAccept-Encoding: br\r\n";
const PLAIN_PAGE: &str = "Accept: text/html\r\n";
const CHROMIUM: &str = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n";
const FIREFOX: &str = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n";
/// The header of a browser for a picture. It has many media ranges, and none of them accepts a page.
const PICTURE: &str =
    "Accept: image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8\r\n";

impl Request {
    pub fn named(name: &str) -> Self {
        let named = |request: &Self| request.name == name;
        requests().into_iter().find(named).unwrap()
    }

    pub fn to_tidebin(&self) -> Call {
        let mut line = Loopback::tidebin(self.flags);
        let saved = Saved::on(&mut line);
        self.again(line, &saved, self.status)
    }

    pub fn to_bare(&self) -> Call {
        let saved = Saved {
            id: "0123456789ab".to_owned(),
            etag: "\"12345-420\"".to_owned(),
        };
        self.again(Loopback::bare(), &saved, "200")
    }

    /// Returns a call that repeats the request. The request is sent several times before, so that one-time preparations
    /// do not count.
    fn again(&self, mut line: Loopback, saved: &Saved, status: &str) -> Call {
        let bytes = (self.bytes)(saved);
        for _ in 0..10 {
            line.ask(&bytes);
        }
        let last = line.ask(&bytes);
        let answered = String::from_utf8_lossy(&last);
        assert!(
            answered.starts_with(&format!("HTTP/1.1 {status} ")),
            "{answered}"
        );
        Box::new(move || line.ask_again(&bytes, &last))
    }
}

impl Saved {
    fn on(line: &mut Loopback) -> Self {
        let answer = line.ask(&send("PUT", "/main.rs", CURL, code().as_bytes()));
        let answer = String::from_utf8(answer).unwrap();
        let id = answer.trim_end().rsplit('/').next().unwrap().to_owned();
        let read = line.ask(&get(&format!("/raw/{id}"), CURL));
        let read = String::from_utf8(read).unwrap();
        let etag = read.lines().find_map(|line| line.strip_prefix("etag: "));
        Self {
            id,
            etag: etag.unwrap_or_default().to_owned(),
        }
    }
}

pub fn requests() -> Vec<Request> {
    let to = |flags, status, name, bytes| Request {
        name,
        calls: 4000,
        flags,
        bytes,
        status,
    };
    let ok = |name, bytes| to(AMPLE, "200", name, bytes);
    let slow = |name, status, bytes| Request {
        name,
        calls: 200,
        flags: AMPLE,
        bytes,
        status,
    };
    vec![
        ok("GET health", |_| get("/healthz", "")),
        ok("GET raw", |saved| get(&format!("/raw/{}", saved.id), "")),
        ok("GET raw, headers of curl", |saved| {
            get(&format!("/raw/{}", saved.id), CURL)
        }),
        ok("GET raw, lines in the query", |saved| {
            get(&format!("/raw/{}?lines=2-3", saved.id), "")
        }),
        to(AMPLE, "304", "GET raw, not modified", |saved| {
            get(
                &format!("/raw/{}", saved.id),
                &format!("If-None-Match: {}\r\n", saved.etag),
            )
        }),
        ok("GET file", |saved| get(&format!("/dl/{}", saved.id), "")),
        ok("GET negotiated, headers of curl", |saved| {
            get(&format!("/{}", saved.id), CURL)
        }),
        ok("GET negotiated, headers for a picture", |saved| {
            get(&format!("/{}", saved.id), PICTURE)
        }),
        ok("GET page, cached", |saved| {
            get(&format!("/{}", saved.id), PLAIN_PAGE)
        }),
        ok("GET page, cached, brotli", |saved| {
            get(&format!("/{}", saved.id), BROTLI_PAGE)
        }),
        ok("the same, headers of Chromium", |saved| {
            get(&format!("/{}", saved.id), CHROMIUM)
        }),
        ok("the same, headers of Firefox", |saved| {
            get(&format!("/{}", saved.id), FIREFOX)
        }),
        to(AMPLE, "404", "GET raw, unknown id", |_| {
            get("/raw/0123456789ab", CURL)
        }),
        to(ONE_READ, "429", "GET raw, rate limited", |saved| {
            get(&format!("/raw/{}", saved.id), CURL)
        }),
        to(AMPLE, "201", "POST 1 KiB", |_| {
            send("POST", "/", CURL, code().as_bytes())
        }),
        to(SAVES_UNLIMITED, "201", "POST 1 KiB, limits off", |_| {
            send("POST", "/", CURL, code().as_bytes())
        }),
        to(AMPLE, "201", "POST 1 KiB, options in the query", |_| {
            send(
                "POST",
                "/?expires=1d&lang=rust&title=a%20title",
                CURL,
                code().as_bytes(),
            )
        }),
        to(AMPLE, "201", "PUT 1 KiB, a plain name", |_| {
            send("PUT", "/a-name.rs", CURL, code().as_bytes())
        }),
        to(AMPLE, "201", "PUT 1 KiB, an escaped name", |_| {
            send("PUT", "/%C3%A4%20n%C3%A4me.rs", CURL, code().as_bytes())
        }),
        ok("POST 1 KiB, multipart", |_| multipart(&code())),
        slow("POST 1 MiB", "201", |_| {
            send("POST", "/", CURL, large().as_bytes())
        }),
        slow("POST 1 MiB, multipart", "200", |_| multipart(&large())),
    ]
}

/// A form with this content as `curl -F 'c=<-'` sends it.
fn multipart(content: &str) -> Vec<u8> {
    const BOUNDARY: &str = "------------------------d74496d66958873e";
    let body = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\n{content}\r\n--{BOUNDARY}--\r\n"
    );
    let headers = format!("{CURL}Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n");
    send("POST", "/", &headers, body.as_bytes())
}
