//! The client of the benches: a request as bytes and as a script of wrk, and its response.
//!
//! The benches use this client to check a response before and after a measurement, and to fill stores.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// The `Host` header of all requests.
const HOST: &str = "127.0.0.1:18088";

/// One request.
#[derive(Debug, Clone)]
pub struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Request {
    pub fn get(path: impl Into<String>) -> Self {
        Self {
            method: "GET",
            path: path.into(),
            headers: Vec::new(),
            body: String::new(),
        }
    }

    /// A save of this text.
    pub fn post(body: impl Into<String>) -> Self {
        Self {
            method: "POST",
            body: body.into(),
            ..Self::get("/").with("Content-Type", "text/plain")
        }
    }

    /// A save of this text as `curl -F file=@notes.txt` sends it.
    pub fn multipart(content: &str) -> Self {
        const BOUNDARY: &str = "------------------------d74496d66958873e";
        let body = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"notes.txt\"\r\n\
             Content-Type: text/plain\r\n\r\n{content}\r\n--{BOUNDARY}--\r\n"
        );
        Self {
            method: "POST",
            body,
            ..Self::get("/").with(
                "Content-Type",
                format!("multipart/form-data; boundary={BOUNDARY}"),
            )
        }
    }

    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The bytes of the request.
    pub fn to_http(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\nHost: {HOST}\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            write!(text, "{name}: {value}\r\n").unwrap();
        }
        if !self.body.is_empty() {
            write!(text, "Content-Length: {}\r\n", self.body.len()).unwrap();
        }
        write!(text, "\r\n{}", self.body).unwrap();
        text.into_bytes()
    }

    /// A script of wrk that sends only this request. Lua has the same escapes for ASCII as Rust.
    pub fn to_lua(&self) -> String {
        let Self {
            method, path, body, ..
        } = self;
        let mut script = format!("wrk.method = {method:?}\nwrk.path = {path:?}\n");
        for (name, value) in &self.headers {
            writeln!(script, "wrk.headers[{name:?}] = {value:?}").unwrap();
        }
        if !body.is_empty() {
            writeln!(script, "wrk.body = {body:?}").unwrap();
        }
        script
    }
}

/// One response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    head: String,
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// The id in the URL of the response to a save.
    pub fn id(&self) -> String {
        let address = std::str::from_utf8(&self.body).unwrap();
        assert!(
            matches!(self.status, 200 | 201),
            "{}: {address}",
            self.status
        );
        address.trim_end().rsplit('/').next().unwrap().to_owned()
    }
}

/// A persistent connection.
pub struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream: BufReader::new(stream),
        }
    }

    pub fn ask(&mut self, request: &Request) -> Answer {
        self.send(&request.to_http());
        self.answer()
    }

    pub fn send(&mut self, requests: &[u8]) {
        self.stream.get_mut().write_all(requests).unwrap();
    }

    /// Reads the response to the oldest request without a response.
    pub fn answer(&mut self) -> Answer {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.stream.read_line(&mut head).unwrap() > 0, "{head}");
        }
        let mut answer = Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head,
            body: Vec::new(),
        };
        // A 304 has no body. Its Content-Length is that of the content.
        if answer.status != 304 {
            let length = answer.header("content-length").unwrap();
            answer.body = vec![0; length.parse().unwrap()];
            self.stream.read_exact(&mut answer.body).unwrap();
        }
        answer
    }
}
