//! A free port for a program that cannot pick one itself.
//!
//! Between the choice and the program's start, a connection of another test would take a port that the system picks. So
//! these ports lie below those from which systems pick: Linux does so from 32768 on.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// Returns a local address with a free port. Each call of a process returns another one.
pub fn free_address() -> SocketAddr {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let free = (0..1000).find_map(|_| {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let number = std::process::id().wrapping_mul(61).wrapping_add(number);
        let port = u16::try_from(20_000 + number % 10_000).ok()?;
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()
    });
    let listener = free.expect("a free port");
    listener.local_addr().expect("it is bound")
}
