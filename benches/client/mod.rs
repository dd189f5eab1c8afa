//! A client that measures each of its requests: one persistent connection, one request at a time.

#![allow(dead_code, unreachable_pub, reason = "each bench uses its part of it")]

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The time after which a run that hangs fails. It is longer than any response takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A persistent connection.
#[derive(Debug)]
pub struct Client {
    stream: BufReader<TcpStream>,
}

/// A complete response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// The bytes of a request as a trusted proxy sends it for the client at `from`. `headers` are whole lines.
pub fn request(method: &str, path: &str, from: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = match (method, body.len()) {
        ("GET" | "HEAD", 0) => String::new(),
        (_, length) => format!("Content-Length: {length}\r\n"),
    };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: {from}\r\n{headers}{length}\r\n"
    );
    [head.as_bytes(), body].concat()
}

impl Client {
    pub fn connect(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream: BufReader::with_capacity(64 * 1024, stream),
        })
    }

    /// Sends the bytes and does not wait for a response.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Sends a request and reads its response.
    pub fn ask(&mut self, request: &[u8]) -> io::Result<Answer> {
        self.send(request)?;
        let mut answer = self.head()?;
        if !request.starts_with(b"HEAD ") {
            answer.body = self.body(&answer)?;
        }
        Ok(answer)
    }

    fn head(&mut self) -> io::Result<Answer> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(": ").ok_or_else(|| strange(&line))?;
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        Ok(Answer {
            status: status.ok_or_else(|| strange(&first))?,
            headers,
            body: Vec::new(),
        })
    }

    fn body(&mut self, answer: &Answer) -> io::Result<Vec<u8>> {
        if answer.header("transfer-encoding") == Some("chunked") {
            return self.chunks();
        }
        let length = answer.header("content-length").map(str::parse);
        match length {
            Some(Ok(length)) => self.bytes(length),
            _ => Err(strange("an answer without its length")),
        }
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let length = usize::from_str_radix(&line, 16).map_err(|_| strange(&line))?;
            body.append(&mut self.bytes(length)?);
            self.line()?;
            if length == 0 {
                return Ok(body);
            }
        }
    }

    fn bytes(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line)? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

impl Answer {
    /// The value of a header, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The id of the saved paste: the end of the URL in the body.
    pub fn saved_id(&self) -> String {
        let url = String::from_utf8_lossy(&self.body);
        let id = url.trim_end().rsplit('/').next();
        id.unwrap_or_default().to_owned()
    }
}

fn strange(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.to_owned())
}
