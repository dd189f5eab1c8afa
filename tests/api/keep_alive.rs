//! A client that sends many requests on one connection, as fast as they are answered, for floods and races. Where only
//! statuses and bodies matter, it reads no more; other tests check the headers of responses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::client::{Request, Response, connect};

/// The number of requests without a body that are sent before their responses are read. Requests with bodies are sent
/// one at a time: the HTTP library closes a connection if it answers a request while the body of a later one arrives.
const AHEAD: usize = 64;

/// One persistent connection.
pub struct KeepAlive {
    stream: BufReader<TcpStream>,
}

impl KeepAlive {
    pub fn new(addr: SocketAddr) -> Self {
        Self::on(connect(addr))
    }

    pub fn on(stream: TcpStream) -> Self {
        Self {
            stream: BufReader::new(stream),
        }
    }

    /// Sends these requests and returns the status of each response. The server must not reject a request before it has
    /// read the body, because it would close the connection.
    pub fn send_all(&mut self, requests: impl IntoIterator<Item = Request>) -> Vec<u16> {
        let mut requests = requests.into_iter().peekable();
        let mut statuses = Vec::new();
        while let Some(next) = requests.peek() {
            let ahead = if next.has_body() { 1 } else { AHEAD };
            let (mut bytes, mut are_heads) = (Vec::new(), Vec::new());
            for request in requests.by_ref().take(ahead) {
                are_heads.push(request.is_head());
                bytes.extend(request.header("Connection", "keep-alive").bytes());
            }
            self.begin(&bytes);
            for is_head in are_heads {
                let Some((status, _)) = self.answer(is_head) else {
                    panic!(
                        "closed after {} answers, the last {:?}",
                        statuses.len(),
                        statuses.last()
                    );
                };
                statuses.push(status);
            }
        }
        statuses
    }

    /// Sends the bytes of a request; its response is read later.
    pub fn begin(&mut self, request: &[u8]) {
        self.stream
            .get_mut()
            .write_all(request)
            .expect("it listens");
    }

    /// Reads status and body of a response; returns `None` if the connection was closed instead.
    pub fn answer(&mut self, is_head: bool) -> Option<(u16, Vec<u8>)> {
        let (mut status, mut length) = (None, 0);
        let mut line = String::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line).expect("an answer");
            let text = line.strip_suffix("\r\n")?;
            if text.is_empty() {
                break;
            }
            if status.is_none() {
                status = text.split(' ').nth(1).map(|code| code.parse().unwrap());
            } else if let Some(value) = text.strip_prefix("content-length: ") {
                length = value.parse().expect("a length");
            }
        }
        let mut body = vec![0; if is_head { 0 } else { length }];
        self.stream.read_exact(&mut body).expect("the whole body");
        status.map(|status| (status, body))
    }

    /// Reads a response with its headers.
    pub fn response(&mut self) -> Response {
        Response::read(&mut self.stream, false)
    }
}
