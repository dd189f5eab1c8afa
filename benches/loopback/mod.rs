//! A server in this process, and one connection to it that repeats a request.
//!
//! Requests can reach the server only through a socket. The times include the work of the system for the socket, the
//! instructions do not. Both include the work of the client, so the client does little: it checks only the start and
//! the end of a response.
#![allow(
    unreachable_pub,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a bench that meets the unexpected should stop"
)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use actix_web::{App, HttpResponse, HttpServer, web};
use tidebin::clock::Clock;
use tidebin::config::{Config, Invocation};
use tidebin::http::Server;
use tidebin::page;

/// A connection to a server of its own.
pub struct Loopback {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Loopback {
    /// Connects to tidebin with these flags.
    pub fn tidebin(flags: &[&str]) -> Self {
        let server = Server::bind(config(flags), Clock::system()).unwrap();
        let address = server.addr().unwrap();
        std::thread::spawn(move || {
            let served = server.run(std::future::pending());
            actix_web::rt::System::new().block_on(served).unwrap();
        });
        // The server compresses its assets at the start, and a request for an asset waits for that. On a slow machine
        // the connection may be closed meanwhile, so the request is repeated.
        let asset = get(&format!("/assets/{}", page::STYLE.name), "");
        while Self::to(address).answer_to(&asset).is_none() {}
        Self::to(address)
    }

    /// Connects to a handler that reads the body and returns a constant: the minimal work of a server.
    pub fn bare() -> Self {
        let app = || {
            let handler = async |_body: web::Bytes| HttpResponse::Ok().body("tidebin\n");
            App::new()
                .app_data(web::PayloadConfig::new(4 << 20))
                .default_service(web::to(handler))
        };
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let server = HttpServer::new(app).disable_signals().tcp_nodelay(true);
            let serve = server.listen(listener).unwrap().run();
            actix_web::rt::System::new().block_on(serve).unwrap();
        });
        Self::to(address)
    }

    fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            buffer: vec![0; 64 * 1024],
        }
    }

    /// Sends these bytes and returns the whole response.
    pub fn ask(&mut self, request: &[u8]) -> Vec<u8> {
        self.answer_to(request).unwrap()
    }

    /// Sends the request and reads the whole response. Returns `None` if the connection is closed before its end.
    fn answer_to(&mut self, request: &[u8]) -> Option<Vec<u8>> {
        self.stream.write_all(request).ok()?;
        let mut answer = Vec::new();
        while !is_whole(&answer) {
            let read = self.stream.read(&mut self.buffer).ok()?;
            if read == 0 {
                return None;
            }
            answer.extend_from_slice(&self.buffer[..read]);
        }
        Some(answer)
    }

    /// Sends this request and waits for a response with the same status and the same last byte as `last`. A response of
    /// less than 64 KiB arrives in one piece.
    pub fn ask_again(&mut self, request: &[u8], last: &[u8]) {
        self.stream.write_all(request).unwrap();
        let mut filled = 0;
        while filled == 0 || self.buffer[filled - 1] != last[last.len() - 1] {
            let read = self.stream.read(&mut self.buffer[filled..]).unwrap();
            assert!(read > 0, "closed or too long");
            filled += read;
        }
        assert!(
            self.buffer.starts_with(&last[..STATUS_LINE]),
            "{}",
            String::from_utf8_lossy(&self.buffer[..filled])
        );
    }
}

/// The length of `HTTP/1.1 200`.
const STATUS_LINE: usize = 12;

fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, _)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.to_ascii_lowercase().lines().find_map(|line| {
        let length = line.strip_prefix("content-length: ")?;
        length.parse::<usize>().ok()
    });
    answer.len() >= head.len() + 4 + length.unwrap_or(0)
}

fn config(flags: &[&str]) -> Config {
    let args = ["tidebin", "--addr", "127.0.0.1:0"];
    let args = args.iter().chain(flags).map(Into::into);
    match Invocation::from_parts(args, [], || Ok(Vec::new())) {
        Ok(Invocation::Serve(config)) => *config,
        other => panic!("no configuration: {other:?}"),
    }
}

/// A request without a body; `headers` are whole lines.
pub fn get(path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n").into_bytes()
}

/// A request with a body; `headers` are whole lines.
pub fn send(method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}
