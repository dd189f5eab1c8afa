//! The client of the benches: one persistent connection. It fills stores, checks responses, and measures requests.

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

impl Client {
    pub fn connect(address: &str) -> io::Result<Self> {
        Self::over(TcpStream::connect(address)?)
    }

    pub fn over(stream: TcpStream) -> io::Result<Self> {
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
        match request.starts_with(b"HEAD ") {
            true => self.head(),
            false => self.answer(),
        }
    }

    /// Reads the response to the oldest request without a response.
    pub fn answer(&mut self) -> io::Result<Answer> {
        let mut answer = self.head()?;
        // A 304 has no body. Its Content-Length is that of the content.
        if answer.status != 304 {
            let length = answer.header("content-length").map(str::parse);
            let Some(Ok(length)) = length else {
                return Err(strange("an answer without its length"));
            };
            answer.body = vec![0; length];
            self.stream.read_exact(&mut answer.body)?;
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
    pub fn id(&self) -> String {
        let url = String::from_utf8_lossy(&self.body);
        assert!(matches!(self.status, 200 | 201), "{}: {url}", self.status);
        let id = url.trim_end().rsplit('/').next();
        id.unwrap_or_default().to_owned()
    }
}

fn strange(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.to_owned())
}
