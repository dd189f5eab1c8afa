//! Attacks on the limiter: floods, forged addresses, and guesses on many connections at once.

use std::thread;
use std::time::Duration;

use super::{save, saved};
use crate::client::Request;
use crate::keep_alive::KeepAlive;
use crate::server::TestServer;

const FLOODER: &str = "192.0.2.1";

/// Other clients: in the network of the flood, in other networks, and of the other address family.
const POLITE: [&str; 6] = [
    "192.0.2.2",
    "192.0.2.3",
    "198.51.100.1",
    "203.0.113.1",
    "2001:db8::1",
    "2001:db8:0:1::1",
];

/// Sends these requests on this many connections at once; returns how many got this status.
fn count(
    server: &TestServer,
    connections: usize,
    status: u16,
    requests: impl Fn(usize) -> Vec<Request> + Sync,
) -> usize {
    let send = |connection| KeepAlive::new(server.addr).send_all(requests(connection));
    let send = &send;
    thread::scope(|scope| {
        let connections: Vec<_> = (0..connections)
            .map(|connection| scope.spawn(move || send(connection)))
            .collect();
        let statuses = connections
            .into_iter()
            .flat_map(|sent| sent.join().unwrap());
        statuses.filter(|answer| *answer == status).count()
    })
}

/// Returns this many requests that are charged as reads and take little time.
fn reads(server: &TestServer, from: &str, times: usize) -> Vec<Request> {
    vec![server.request("HEAD", "/").from(from); times]
}

#[test]
fn a_client_at_a_hundred_times_its_rate_fails_no_request_of_the_others() {
    // Given limits of 5 saves at once and then 1 per second, and of 100 reads at once and then 10 per second
    const SECONDS: usize = 3;
    let server = TestServer::limited(&[
        "--limit-save",
        "rate 1/s burst 5",
        "--limit-read",
        "rate 10/s burst 100",
    ]);
    let (mut flood_reads, mut flood_saves) = (0, 0);
    for _ in 0..SECONDS {
        // When one client sends a hundred times its rate in each second, and six others send exactly their rate
        thread::scope(|scope| {
            for client in POLITE {
                let server = &server;
                scope.spawn(move || {
                    assert_eq!(save(server, client, "x").status, 201, "{client}");
                    let served = count(server, 1, 200, |_| reads(server, client, 10));
                    assert_eq!(served, 10, "{client}");
                });
            }
            flood_reads += count(&server, 4, 200, |_| reads(&server, FLOODER, 250));
            let saves = (0..100).map(|_| save(&server, FLOODER, "x").status);
            flood_saves += saves.filter(|status| *status == 201).count();
        });
        server.advance(Duration::from_secs(1));
    }
    // Then the others got all responses, and the flooding client got as many as any client
    assert_eq!(flood_reads, 100 + 10 * (SECONDS - 1));
    assert_eq!(flood_saves, 5 + (SECONDS - 1));
}

#[test]
fn an_untrusted_peer_that_rotates_the_header_is_still_one_client() {
    let server = TestServer::without_proxy();
    let pretend = |request: Request, turn: usize| {
        let (high, low) = (turn / 256, turn % 256);
        request
            .header("X-Forwarded-For", format!("10.{high}.{low}.1"))
            .header("X-Real-IP", format!("2001:db8:{turn:x}::1"))
            .header("Forwarded", format!("for=172.16.{high}.{low}"))
    };
    let saves = (0..100).map(|turn| pretend(server.request("POST", "/").body("x"), turn).send());
    assert_eq!(saves.filter(|answer| answer.status == 201).count(), 30);
    let known = server.limiter.stats().clients;
    assert_eq!((known.used, known.shared), (1, 0));
}

#[test]
fn a_client_that_guesses_slugs_on_eight_connections_stops_at_the_miss_burst() {
    let server = TestServer::limited(&[]);
    let there = saved(&server, POLITE[2], "x");
    // A server thread checks the limit of misses and then charges the miss. So when one thread charges the last miss of
    // the burst, each other thread may already have checked the limit for one more.
    let overshoot = thread::available_parallelism().unwrap().get() - 1;
    let guesses = |connection: usize| {
        let path = |guess| format!("/raw/guess-{connection}-{guess}");
        let guess = |guess| server.request("GET", &path(guess)).from(FLOODER);
        (0..200).map(guess).collect()
    };
    let misses = count(&server, 8, 404, guesses);
    assert!((60..=60 + overshoot).contains(&misses), "{misses} misses");
    let stats = server.request("GET", &format!("{}/stats", there.path));
    let stats = stats.header("X-Token", &there.token);
    let hits = |_| vec![stats.clone().from(FLOODER); 100];
    assert_eq!(count(&server, 8, 429, hits), 800);
    assert_eq!(stats.from(POLITE[0]).send().status, 200);
}
