//! What the holder of a key, or a user of the proxy, is charged: limits and shares of its own, wherever it is.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use tidebin::clock::Clock;

use super::{KeysFile, basic, bearer};
use crate::client::{Request, Response, connect};
use crate::engine::Engine;
use crate::keep_alive::KeepAlive;
use crate::server::{Saved, TestServer};

const OFFICE: &str = "192.0.2.1";
const HOME: &str = "198.51.100.1";

/// Saves allowed at once in these tests.
const BURST: usize = 3;

const LIMIT: [&str; 2] = ["--limit-save", "rate 1/m burst 3"];

/// A server with this limit, on which a proxy names users, and the keys of two colleagues.
fn office(flags: &[&str]) -> (TestServer, KeysFile, [String; 2]) {
    let file = KeysFile::new();
    let keys = ["alice", "bob"].map(|name| file.make(&[name]));
    let names = ["--auth-header", "Remote-User", "--keys", file.path()];
    let server = TestServer::limited(&[&names, flags].concat());
    (server, file, keys)
}

fn post(server: &TestServer, from: &str) -> Request {
    server.request("POST", "/").from(from).body("x")
}

/// Returns how many of these requests are admitted until one is refused.
fn admitted(mut request: impl FnMut(usize) -> Request) -> usize {
    let statuses = (0..100).map(|number| request(number).send().status);
    let admitted = statuses.take_while(|status| *status != 429);
    admitted.inspect(|status| assert!(*status < 300)).count()
}

#[test]
fn two_keys_at_one_address_have_a_burst_each_and_a_key_has_one_at_ten_addresses() {
    for access in ["open", "save-by-key", "private"] {
        let (server, _file, [alice, bob]) = office(&[&LIMIT[..], &["--access", access]].concat());
        // When Alice saves from ten addresses, in every way in which a key is sent
        let by_alice = |number| {
            let request = post(&server, &format!("198.51.{number}.1"));
            match number % 3 {
                0 => bearer(request, &alice),
                1 => request.header("Authorization", basic(&alice)),
                _ => request.header("Cookie", format!("key={alice}")),
            }
        };
        // Then she has one burst, and her colleague and their address have theirs
        assert_eq!(admitted(|number| by_alice(number % 10)), BURST);
        for number in 0..10 {
            assert_eq!(by_alice(number).send().status, 429, "{number}");
        }
        assert_eq!(admitted(|_| bearer(post(&server, OFFICE), &alice)), 0);
        assert_eq!(admitted(|_| bearer(post(&server, OFFICE), &bob)), BURST);
        if access == "open" {
            assert_eq!(admitted(|_| post(&server, OFFICE)), BURST);
        }
    }
}

#[test]
fn a_user_whom_the_proxy_names_has_limits_of_its_own() {
    let (server, _file, [alice, _]) = office(&LIMIT);
    let by = |user: &str, from: &str| post(&server, from).header("Remote-User", user);
    assert_eq!(admitted(|_| by("alice", OFFICE)), BURST);
    assert_eq!(admitted(|_| by("alice", HOME)), 0);
    assert_eq!(admitted(|_| by("bob", OFFICE)), BURST);
    // The holder of a key of the same name may be someone else.
    assert_eq!(admitted(|_| bearer(post(&server, OFFICE), &alice)), BURST);
}

#[test]
fn a_user_who_goes_on_after_refusals_costs_no_other_user_of_its_address_a_read() {
    let (server, _file, _) = office(&["--limit-read", "rate 1/h burst 1"]);
    let read = |user: &str| {
        let request = server.request("GET", "/help").from(OFFICE);
        request.header("Remote-User", user)
    };
    // Given a user who asks sixty times, on a connection to one worker
    let mut connection = KeepAlive::new(server.addr);
    let statuses = connection.send_all((0..60).map(|_| read("alice")));
    assert_eq!(statuses[1..], [429; 59]);
    // Then the worker does not take another user, or the address itself, for the flood
    let address = server.request("GET", "/help").from(OFFICE);
    assert_eq!(connection.send_all([read("bob"), address]), [200, 200]);
}

#[test]
fn the_secret_of_an_owner_is_no_key() {
    let (server, _file, _) = office(&LIMIT);
    let by_owner = |number| {
        let secret = format!("tbo_0123456789abcdefghijk{number}");
        bearer(post(&server, OFFICE), &secret)
    };
    assert_eq!(admitted(by_owner), BURST);
    assert_eq!(admitted(|_| post(&server, OFFICE)), 0);
}

#[test]
fn wrong_guesses_of_a_holder_and_wrong_keys_are_charged_to_their_address() {
    let (server, _file, [alice, _]) = office(&["--limit-miss", "rate 1/h burst 2"]);
    let guess = |key: &str, from| {
        let request = server.request("GET", "/raw/a-guess").from(from);
        bearer(request, key).send().status
    };
    // Given an address from which a key was guessed, and a slug with a right key
    assert_eq!(guess("tbk_0123456789abcdefghijkl", OFFICE), 401);
    assert_eq!(guess(&alice, OFFICE), 404);
    // Then nothing is compared for it any more, and the key may miss elsewhere
    let refused = bearer(post(&server, OFFICE), &alice).send();
    let policy = refused.header("ratelimit-policy");
    assert_eq!(
        (refused.status, policy),
        (429, Some("\"miss-1\";q=2;w=7200"))
    );
    assert_eq!([guess(&alice, HOME), guess(&alice, HOME)], [404, 404]);
    assert_eq!(guess(&alice, HOME), 429);
}

#[test]
fn a_key_keeps_its_factor_everywhere_and_is_exempt_or_denied_as_its_network_is() {
    let file = KeysFile::new();
    let twice = file.make(&["twice", "--limit", "x2"]);
    let networks = "192.0.2.0/24 limit x10, 203.0.113.0/24 allow, 10.0.0.0/8 deny";
    let flags = [&LIMIT[..], &["--keys", file.path(), "--networks", networks]].concat();
    let server = TestServer::limited(&flags);
    let by = |from| bearer(post(&server, from), &twice);
    for _ in 0..10 {
        let exempt = by("203.0.113.1").send();
        assert_eq!((exempt.status, exempt.header("ratelimit")), (201, None));
    }
    assert_eq!(by("10.0.0.1").send().status, 403);
    assert_eq!(admitted(|_| by(OFFICE)), 2 * BURST);
    assert_eq!(admitted(|_| by(HOME)), 0);
}

#[test]
fn a_key_that_fills_the_memory_evicts_its_own_pastes_and_none_of_its_address() {
    let file = KeysFile::new();
    let [alice, bob] = ["alice", "bob"].map(|name| file.make(&[name]));
    let size = ["--max-store-size", "4MiB", "--keys", file.path()];
    let server = TestServer::unlimited(&size);
    let save = |key: Option<&String>, length| {
        let request = server.request("POST", "/").from(OFFICE);
        let request = key.into_iter().fold(request, |it, key| bearer(it, key));
        Saved::of(&request.body(vec![b'x'; length]).send())
    };
    // Given pastes of Bob and of their address, which are the oldest, and then many of Alice
    let others = [save(Some(&bob), 100_000), save(None, 100_000)];
    let first = save(Some(&alice), 100_000);
    while server.store.removal_counts().evicted < 20 {
        save(Some(&alice), 100_000);
    }
    // Then only Alice has lost some
    for saved in others {
        assert_eq!(server.get(&saved.raw()).status, 200);
    }
    assert_eq!(server.get(&first.raw()).status, 410);
}

/// Starts an upload with this key from the office, and waits until the server receives it.
fn pipe(server: &TestServer, key: &str) -> TcpStream {
    let before = server.overload.load().receiving;
    let mut stream = connect(server.addr);
    let head = format!(
        "PUT / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-Forwarded-For: {OFFICE}\r\n\
         Authorization: Bearer {key}\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    server.until("received", |load| load.receiving == before + 1);
    stream
}

#[test]
fn the_paused_uploads_of_a_key_leave_its_colleague_a_share() {
    let (server, _file, [alice, bob]) = office(&[]);
    let mut pipes: Vec<_> = (0..4).map(|_| pipe(&server, &alice)).collect();
    pipes.push(pipe(&server, &bob));
    server.advance(Duration::from_secs(15));
    server.until("patient", |load| load.paused == 5);
    for pipe in &mut pipes {
        pipe.write_all(b"1\r\nx\r\n0\r\n\r\n").unwrap();
        assert_eq!(Response::read(pipe, false).status, 201);
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_key_has_one_burst_on_all_nodes_together_and_its_colleague_has_another() {
    let (engine, clock) = (Arc::new(Engine::start()), Clock::manual());
    let file = KeysFile::new();
    let [alice, bob] = ["alice", "bob"].map(|name| file.make(&[name]));
    let proxy = ["--trusted-proxies", "127.0.0.1", "--keys", file.path()];
    let flags = [&LIMIT[..], &proxy].concat();
    let nodes = [(); 2].map(|()| TestServer::node(&engine, &clock, &flags));
    let by = |key: &str, number: usize| {
        let from = [OFFICE, HOME][number / 2 % 2];
        bearer(post(&nodes[number % 2], from), key)
    };
    assert_eq!(admitted(|number| by(&alice, number)), BURST);
    assert_eq!(admitted(|number| by(&bob, number)), BURST);
}
