//! Attacks on the cores: many networks that let the server render, derive keys and compare all the time.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use tidebin::fairness::ClientKey;

use super::saved;
use crate::client::{Request, Response, connect, wait_for};
use crate::every_tier::counts::stats;
use crate::server::{Saved, TestServer};

const POLITE: &str = "203.0.113.1";

/// A text that takes longer to highlight than a render may take, also in a release build.
fn large() -> String {
    "| a `b` *c* [d](e) | **f** ~~g~~ |\n".repeat(20_000)
}

fn browse(server: &TestServer, from: &str, path: &str) -> Request {
    let request = server.request("GET", path).from(from);
    request.header("Accept", "text/html")
}

#[test]
fn a_newcomer_gets_its_page_while_sixteen_networks_wait_for_theirs() {
    // Given two cores, and sixteen networks that wait for large pages
    let server = TestServer::unlimited(&["--max-in-flight", "128MiB"]);
    let large = saved(&server, "10.0.0.1", large()).path;
    let mut cores = server.take_all(&server.overload.renders);
    let mut crowd: Vec<TcpStream> = (0..16)
        .map(|network| {
            let path = format!("{large}?lines={}", network + 1);
            let request = browse(&server, &format!("10.0.{network}.1"), &path);
            let mut stream = connect(server.addr);
            stream.write_all(&request.bytes()).unwrap();
            stream
        })
        .collect();
    server.until("wait", |load| load.transfers == 16);
    // When another one asks for a small page, and one core comes free
    let small = saved(&server, POLITE, "fn main() {}").path;
    let mut polite = connect(server.addr);
    polite
        .write_all(&browse(&server, POLITE, &format!("{small}.rs")).bytes())
        .unwrap();
    server.until("waits too", |load| load.transfers == 17);
    // (The next turn after its own is that of the test.)
    let (now, work) = (server.clock.elapsed(), Duration::from_millis(30));
    let stranger = ClientKey {
        network: 1,
        client: 1,
    };
    let mut after = server.overload.renders.enter(now, stranger, work);
    drop(cores.pop());
    // Then it gets its page, and the others still wait
    let page = Response::read(&mut polite, false);
    assert_eq!(page.status, 200);
    assert!(page.text().contains("class=\"k\"") && page.header("etag").is_some());
    let after = wait_for(|| after.try_recv());
    assert_eq!(server.renders(), 1);
    // And then they get theirs
    drop((after, cores));
    for stream in &mut crowd {
        assert_eq!(Response::read(stream, false).status, 200);
    }
    drop(crowd);
    server.until_all_have_ended();
}

#[test]
fn passwords_and_comparisons_without_a_turn_use_up_nothing() {
    // Given a server whose cores are all busy
    let server = TestServer::limited(&["--limit-password", "rate 1/1m burst 1"]);
    let save = |query: &str, body: &str| {
        let request = server.request("POST", &format!("/{query}")).from(POLITE);
        Saved::of(&request.body(body).send())
    };
    let locked = save("?burn=2&password=right", "secret");
    let burns = save("?burn=1", "burns");
    let [old, new] = ["old", "new"].map(|text| save("", text));
    let cores = server.take_all(&server.overload.renders);
    let post = |path: &str| server.request("POST", path).from(POLITE);
    let unlock = post(&locked.path).header("X-Password", "right");
    let compare = browse(&server, POLITE, &format!("/diff/{}/{}", old.id, new.id));
    let requests = [
        unlock.clone(),
        post(&locked.path).header("X-Password", "wrong"),
        post("/?password=right").body("new"),
        post(&burns.path).header("Accept", "text/html"),
        compare.clone(),
    ];
    // When a client sends passwords, burns a paste and compares two
    for request in &requests {
        // Then it is told to try again
        let refused = server.patiently(request);
        assert_eq!(
            (refused.status, refused.header("retry-after")),
            (503, Some("2"))
        );
    }
    assert_eq!(server.store.occupancy().pastes, 4);
    drop(cores);
    // And then all of it works: no view and no attempt was used up
    for _ in 0..2 {
        assert_eq!(unlock.send().text(), "secret");
    }
    assert_eq!(stats(&server, &old.id, &old.token)["reads"], 0);
    assert_eq!(compare.send().status, 200);
    assert_eq!(post(&burns.path).send().text(), "burns");
    server.until_all_have_ended();
}

#[test]
fn many_pages_of_one_client_leave_the_cached_page_of_another() {
    // Given a cache for a few pages, with the page of a client
    let server = TestServer::unlimited(&["--max-page-cache", "128KiB"]);
    let own = server.save("own");
    let crowd = [0; 18].map(|_| server.save(vec![b'x'; 15_000]));
    assert_eq!(browse(&server, POLITE, &own.path).send().status, 200);
    // When another client reads more pages than the cache has room for
    for other in &crowd {
        let page = browse(&server, "198.51.100.1", &other.path).send();
        assert_eq!(page.status, 200);
    }
    // Then the page of the first client is still cached
    let renders = server.renders();
    assert_eq!(browse(&server, POLITE, &own.path).send().status, 200);
    assert_eq!(server.renders(), renders);
}
