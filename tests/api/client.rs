//! An HTTP client that sends exactly the given bytes, one request per connection, and checks the headers of every
//! response.

use std::fmt;
use std::io::{BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The time after which a test that hangs fails. It is longer than any wait on a very busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The pause between two looks at a state that nothing announces.
const PAUSE: Duration = Duration::from_millis(1);

/// Waits until `look` succeeds, and returns what it found.
///
/// Tests of the load, of a counter, or of another program wait here. None of these announces its changes: a signal for
/// tests would be work for every request. The thread pauses between two looks.
#[track_caller]
pub fn wait_for<T, E: fmt::Debug>(mut look: impl FnMut() -> Result<T, E>) -> T {
    let start = Instant::now();
    loop {
        match look() {
            Ok(found) => return found,
            Err(last) => assert!(start.elapsed() < PATIENCE, "still {last:?}"),
        }
        pause();
    }
}

/// Waits for a moment, so that others have the processor.
pub fn pause() {
    std::thread::park_timeout(PAUSE);
}

/// Waits until this holds.
#[track_caller]
pub fn until(mut is_so: impl FnMut() -> bool) {
    wait_for(|| is_so().then_some(()).ok_or("not so"));
}

/// Every header that a response may have. Any other header is a leak.
const KNOWN_HEADERS: [&str; 30] = [
    "access-control-allow-origin",
    "access-control-expose-headers",
    "accept-ranges",
    "allow",
    "cache-control",
    "connection",
    "content-disposition",
    "content-length",
    "content-range",
    "content-security-policy",
    "content-type",
    "cross-origin-resource-policy",
    "date",
    "etag",
    "expires",
    "location",
    "permissions-policy",
    "ratelimit",
    "ratelimit-policy",
    "referrer-policy",
    "retry-after",
    "set-cookie",
    "vary",
    "www-authenticate",
    "x-content-type-options",
    "x-expires",
    "x-frame-options",
    "x-token",
    "transfer-encoding",
    "content-encoding",
];

/// Headers that every response must have.
const PROTECTION: [&str; 7] = [
    "content-security-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
    "referrer-policy",
    "vary",
    "x-content-type-options",
    "x-frame-options",
];

/// A request to send.
#[derive(Clone)]
pub struct Request {
    addr: SocketAddr,
    pub method: String,
    path: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Option<Vec<u8>>,
    /// Checks each response.
    check: Option<fn(&Self, &Response)>,
}

impl Request {
    pub fn new(addr: SocketAddr, method: &str, path: &str) -> Self {
        Self {
            addr,
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: None,
            check: None,
        }
    }

    /// Checks each response with this function.
    pub fn checked_by(self, check: fn(&Self, &Response)) -> Self {
        Self {
            check: Some(check),
            ..self
        }
    }

    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers
            .push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Makes the request come from the client at this address, if the server trusts the proxy on this machine.
    pub fn from(self, address: &str) -> Self {
        self.header("X-Forwarded-For", address)
    }

    /// Sets a body with a declared length.
    pub fn body(mut self, body: impl AsRef<[u8]>) -> Self {
        self.body = Some(body.as_ref().to_vec());
        self
    }

    /// Sets a body of these chunks.
    pub fn chunked(mut self, chunks: &[&[u8]]) -> Self {
        let mut body = Vec::new();
        for chunk in chunks {
            body.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            body.extend_from_slice(chunk);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"0\r\n\r\n");
        self = self.header("Transfer-Encoding", "chunked");
        self.body = Some(body);
        self
    }

    pub fn has_body(&self) -> bool {
        self.body.is_some()
    }

    /// Whether the response has no body.
    pub fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// The path without its query, if it is one of the JSON API. pinnwand has one there too.
    pub fn api_path(&self) -> Option<&str> {
        let path = self.path.split('?').next()?;
        (path.starts_with("/api/v1/") && path != "/api/v1/paste").then_some(path)
    }

    /// The bytes of the request.
    pub fn bytes(&self) -> Vec<u8> {
        let has = |name: &str| {
            self.headers
                .iter()
                .any(|(known, _)| known.eq_ignore_ascii_case(name))
        };
        let mut bytes = format!("{} {} HTTP/1.1\r\n", self.method, self.path).into_bytes();
        if !has("host") {
            bytes.extend_from_slice(format!("Host: {}\r\n", self.addr).as_bytes());
        }
        if !has("connection") {
            bytes.extend_from_slice(b"Connection: close\r\n");
        }
        if let Some(body) = &self.body
            && !has("transfer-encoding")
            && !has("content-length")
        {
            bytes.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
        }
        for (name, value) in &self.headers {
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(self.body.as_deref().unwrap_or_default());
        bytes
    }

    /// Sends the request and reads one response. Errors of sending are ignored: a server that responds early may close
    /// the connection.
    pub fn send(&self) -> Response {
        let mut stream = connect(self.addr);
        let _ = stream.write_all(&self.bytes());
        let answer = Response::read(&mut BufReader::new(stream), self.is_head());
        if let Some(check) = self.check {
            check(self, &answer);
        }
        answer
    }
}

pub fn connect(addr: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(addr).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

/// Waits for the first byte of an answer, which stays unread. Returns false if the server closed the connection.
pub fn is_answered(stream: &TcpStream) -> bool {
    loop {
        match stream.peek(&mut [0]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return matches!(result, Ok(1)),
        }
    }
}

/// A complete response.
#[derive(Clone)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// Reads one response up to its declared end.
    pub fn read(stream: &mut impl Read, is_head: bool) -> Self {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            // Unlike `read`, this goes on after a signal. A read with a timeout is interrupted by every one.
            stream.read_exact(&mut byte).unwrap_or_else(|error| {
                panic!("{error} after {:?}", String::from_utf8_lossy(&head))
            });
            head.push(byte[0]);
        }
        let mut answer = Self::parse_head(&head);
        let length = answer
            .header("content-length")
            .map_or(0, |length| length.parse().expect("a length"));
        if !is_head && answer.status != 304 {
            answer.body.resize(length, 0);
            stream.read_exact(&mut answer.body).expect("the whole body");
        }
        answer.check();
        answer
    }

    fn parse_head(head: &[u8]) -> Self {
        let head = std::str::from_utf8(head).expect("headers are text");
        let mut lines = head.trim_end().split("\r\n");
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .expect("a status line");
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").expect("a header");
            (name.to_ascii_lowercase(), value.to_owned())
        };
        Self {
            status: status.parse().expect("a status"),
            headers: lines.map(header).collect(),
            body: Vec::new(),
        }
    }

    /// Asserts the properties of every response.
    fn check(&self) {
        // The HTTP library makes interim responses and the responses to malformed requests.
        if self.status == 100
            || (self.body.is_empty() && self.header("content-type").is_none() && self.status != 304)
        {
            return;
        }
        for (name, _) in &self.headers {
            assert!(
                KNOWN_HEADERS.contains(&name.as_str()),
                "{name} is not a header of ours: {self:?}"
            );
        }
        for name in PROTECTION {
            assert!(self.header(name).is_some(), "{name} is missing: {self:?}");
        }
        // A 503 is the only intended server error, and it says when to try again. Tests also make an engine fail,
        // and damage pastes.
        let says = String::from_utf8_lossy(&self.body);
        let is_planned = match self.status {
            503 => {
                self.header("retry-after") == Some("2") || says.contains("storage of the pastes")
            }
            500 => says.contains("may be damaged"),
            507 => says.contains("storage is full"),
            _ => false,
        };
        assert!(self.status < 500 || is_planned, "{self:?}");
        assert!(
            self.header("cache-control").is_some(),
            "no cache-control: {self:?}"
        );
        if self.status >= 400 {
            assert_eq!(self.header("cache-control"), Some("no-store"), "{self:?}");
        }
        let content_type = self.header("content-type").unwrap_or_default();
        let is_coded = self.header("content-encoding").is_some();
        if content_type.starts_with("text/html") && !is_coded {
            let page = self.text();
            for forbidden in [
                " style=",
                "<script>",
                "href=\"javascript:",
                " onclick",
                " onerror",
            ] {
                let found = page
                    .split("<pre")
                    .next()
                    .unwrap_or_default()
                    .contains(forbidden);
                assert!(!found, "{forbidden} in a page");
            }
        }
    }

    /// The value of a header that occurs at most once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers(name);
        let value = values.next();
        assert_eq!(values.next(), None, "{name} stands twice");
        value
    }

    /// The values of a header, in the order sent.
    pub fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.headers.iter().filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the body is text")
    }

    /// The one line of an error in plain text.
    pub fn sentence(&self) -> &str {
        assert_eq!(
            self.header("content-type"),
            Some("text/plain; charset=utf-8")
        );
        let sentence = self.text().strip_suffix('\n').expect("a line");
        assert!(
            !sentence.contains('\n') && sentence.ends_with('.'),
            "not one sentence: {sentence:?}"
        );
        sentence
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = &self.body[..self.body.len().min(300)];
        write!(
            f,
            "{} {:?} {:?}",
            self.status,
            self.headers,
            String::from_utf8_lossy(start)
        )
    }
}
