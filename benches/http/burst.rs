//! A burst: many clients that connect at the same moment. If the queue of new connections is full, the system
//! ignores a client, which tries again after a second.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

use crate::flags::{AMPLE, QUIET};
use crate::load::{Client, Request, Server};

/// The name of the measured time, in milliseconds.
pub(crate) const NAME: &str = "400 connections at once, ten times: longest wait";

const CONNECTIONS: usize = 400;
const TIMES: usize = 10;

/// Returns the longest time from the start of a burst to the end of a response, in milliseconds.
pub(crate) fn longest_wait() -> f64 {
    let server = Server::tidebin(&[QUIET, AMPLE].concat());
    let request = Request::get(format!("/raw/{}", server.save(&"x".repeat(1024))));
    let waits = (0..TIMES).map(|_| wait(&server, &request));
    waits.max().unwrap().as_secs_f64() * 1e3
}

/// Opens all connections, then sends a request on each, then reads the responses. Returns the time until the last one.
fn wait(server: &Server, request: &Request) -> Duration {
    let address: SocketAddr = server.address().parse().unwrap();
    let sockets: Vec<Socket> = (0..CONNECTIONS).map(|_| socket()).collect();
    let start = Instant::now();
    for socket in &sockets {
        // A socket that does not block returns an error while it connects.
        let _ = socket.connect(&address.into());
    }
    let mut clients: Vec<Client> = sockets.into_iter().map(client).collect();
    let request = request.to_http();
    clients
        .iter_mut()
        .for_each(|one| one.send(&request).unwrap());
    for client in &mut clients {
        assert!(client.answer().unwrap().status == 200, "no paste");
    }
    start.elapsed()
}

fn socket() -> Socket {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_nonblocking(true).unwrap();
    socket
}

/// The first write to the connection waits until it is open.
fn client(socket: Socket) -> Client {
    socket.set_nonblocking(false).unwrap();
    Client::over(socket.into()).unwrap()
}
