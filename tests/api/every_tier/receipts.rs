//! Receipts: the owner of a paste that burned or was deleted learns when. Nobody else does.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use crate::client::{Response, connect};
use crate::server::{Saved, TestServer};

/// A secret that makes its holder an owner.
const OWNER: &str = "Bearer tbo_0123456789abcdefABCDEF";

/// Saves a paste of the owner that burns after one view.
fn save(server: &TestServer) -> Saved {
    let request = server.request("POST", "/?burn=1");
    Saved::of(&request.header("Authorization", OWNER).body("x").send())
}

/// What a client with this header is told.
#[track_caller]
fn told(server: &TestServer, path: &str, header: (&str, &str)) -> String {
    let answer = server
        .request("GET", path)
        .header(header.0, header.1)
        .send();
    assert_eq!(answer.status, 410, "{path}");
    String::from_utf8(answer.body).unwrap()
}

#[test]
fn the_owner_learns_when_a_paste_was_read_or_deleted_and_strangers_do_not() {
    let server = TestServer::start();
    let (read, deleted) = (save(&server), save(&server));
    // Given that one is read and another deleted, 90 minutes after the clock of the tests starts
    server.advance(Duration::from_secs(90 * 60));
    assert_eq!(server.request("POST", &read.path).send().text(), "x");
    let request = server.request("DELETE", &deleted.path);
    assert_eq!(request.header("X-Token", &deleted.token).send().status, 200);
    server.advance(Duration::from_secs(3600));
    for (saved, sentence) in [
        (
            &read,
            "This paste was fetched for the last time, by someone with its link, and deleted on 2026-01-01 01:30 UTC.",
        ),
        (&deleted, "This paste was deleted on 2026-01-01 01:30 UTC."),
    ] {
        // Then the token and the owner's secret tell when
        for header in [("X-Token", &*saved.token), ("Authorization", OWNER)] {
            for path in [saved.path.clone(), format!("{}/stats", saved.path)] {
                assert!(told(&server, &path, header).contains(sentence), "{path}");
            }
            let api = format!("/api/v1/pastes/{}/stats", saved.id);
            assert!(told(&server, &api, header).contains(sentence), "{api}");
        }
        // And nothing else does
        for header in [
            ("X-Token", "AAAAAAAAAAAAAAAAAAAAAA"),
            ("Authorization", "Bearer tbo_ABCDEFabcdef0123456789"),
            ("X-Other", "x"),
        ] {
            assert!(!told(&server, &saved.path, header).contains("UTC"));
        }
    }
}

#[test]
fn a_browser_learns_it_by_its_cookie_and_a_removal_by_the_operator_has_no_receipt() {
    let server = TestServer::with(&["--admin-token", crate::operate::ADMIN]);
    let (read, removed) = (save(&server), save(&server));
    server.request("POST", &read.path).send();
    let operator = format!("Bearer {}", crate::operate::ADMIN);
    let request = server.request("DELETE", &removed.path);
    assert_eq!(request.header("Authorization", operator).send().status, 200);
    let cookie = format!("token={}", read.token);
    let page = server
        .request("GET", &read.path)
        .header("Accept", "text/html");
    let page = page.header("Cookie", cookie).send();
    assert!(page.text().contains("on 2026-01-01 00:00 UTC"), "{page:?}");
    let told = told(&server, &removed.path, ("X-Token", &removed.token));
    assert!(!told.contains("UTC"));
}

#[test]
fn a_receipt_outlives_a_restart_wherever_the_tombstone_does() {
    let server = TestServer::start();
    let saved = save(&server);
    server.request("POST", &saved.path).send();
    let server = server.restart();
    let answer = server
        .request("GET", &saved.path)
        .header("X-Token", &saved.token)
        .send();
    match answer.status {
        410 => assert!(answer.sentence().contains("UTC"), "{answer:?}"),
        status => assert_eq!(status, 404),
    }
}

/// Waits with the token of a paste, until the server has noticed.
pub fn wait(server: &TestServer, saved: &Saved, options: &str) -> TcpStream {
    let path = format!("/api/v1/pastes/{}/stats?{options}", saved.id);
    let request = server.request("GET", &path).header("X-Token", &saved.token);
    let mut stream = connect(server.addr);
    stream.write_all(&request.bytes()).unwrap();
    server.until("waiting", |load| load.paused == 1);
    stream
}

#[test]
fn the_owner_can_wait_for_the_next_view_or_the_end_of_a_paste() {
    let server = TestServer::start();
    let (open, burning) = (server.save("x"), save(&server));
    assert_eq!(server.get(&open.path).status, 200);
    // A view, a last view, and none
    for (saved, method, status, told) in [
        (&open, "GET", 200, "\"reads\":2"),
        (&burning, "POST", 410, "2026-01-01 00:00 UTC"),
        (&open, "HEAD", 204, ""),
    ] {
        let mut waiting = wait(&server, saved, "wait=9m");
        assert_eq!(server.request(method, &saved.path).send().status, 200);
        server.advance(Duration::from_secs(5));
        if status == 204 {
            server.advance(Duration::from_secs(9 * 60 - 2));
        }
        let answer = Response::read(&mut waiting, false);
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(answer.text().contains(told), "{answer:?}");
        server.until("over", |load| load.paused == 0);
    }
    // A view since the last answer is told at once, and so is the end.
    for (saved, options, status) in [
        (&open, "wait=9m&reads=1", 200),
        (&burning, "wait=9m&reads=0", 410),
        (&open, "wait=10m1s", 400),
        (&open, "wait=11m", 400),
        (&open, "wait=never", 400),
        (&open, "wait=9m&reads=x", 400),
        (&open, "wiat=9m", 400),
    ] {
        let request = server.request("GET", &format!("{}/stats?{options}", saved.path));
        let answer = request.header("X-Token", &saved.token).send();
        assert_eq!(answer.status, status, "{options}: {answer:?}");
    }
    let stranger = server.get(&format!("{}/stats?wait=9m", open.path));
    assert_eq!(stranger.status, 401);
}
