//! A stop and a start on the same data directory: a client notices nothing of it, except that its connection closes.

use crate::client::{Request, Response};
use crate::every_tier::counts::stats;
use crate::server::{Saved, TestServer, Tier};

fn server() -> TestServer {
    TestServer::of(Tier::Disk, &["--base-url", "https://paste.example"])
}

fn save(server: &TestServer, path: &str, content: &str) -> Saved {
    let answer = server.request("POST", path).body(content).send();
    assert_eq!(answer.status, 201, "{answer:?}");
    Saved::of(&answer)
}

fn read(server: &TestServer, saved: &Saved) -> Response {
    server.request("POST", &saved.path).send()
}

fn with_password(server: &TestServer, saved: &Saved) -> Response {
    let read = server.request("POST", &saved.path);
    read.header("X-Password", "right").send()
}

/// All that a client sees of a paste without using up a read.
fn seen(server: &TestServer, saved: &Saved) -> Vec<(u16, String, String)> {
    let page = |path: &str| {
        let request = server.request("GET", path);
        request.header("Accept", "text/html,*/*;q=0.8")
    };
    let requests = [
        page(&saved.path),
        server.request("GET", &saved.path),
        server.request("GET", &saved.raw()),
        server.request("GET", &saved.download()),
    ];
    let show = |request: Request| {
        let answer = request.send();
        let tag = answer.header("etag").or(answer.header("location"));
        let tag = tag.unwrap_or_default().to_owned();
        (answer.status, tag, answer.text().to_owned())
    };
    requests.map(show).into()
}

#[test]
fn a_paste_of_every_kind_is_the_same_after_a_restart() {
    // Given a paste of each kind, some of them read
    let mut server = server();
    let form = |body: &str| {
        let request = server.request("POST", "/").body(body);
        request.header("Content-Type", "application/x-www-form-urlencoded")
    };
    let link = form("url=https%3A%2F%2Fexample.org%2Fa").send();
    let kinds = [
        save(
            &server,
            "/?title=a+title&lang=rust&expires=1d",
            "let x = 1;",
        ),
        save(&server, "/", "no title\n"),
        save(&server, "/", "edited"),
        save(&server, "/?burn=2", "twice"),
        save(&server, "/?password=right", "locked"),
        save(&server, "/?password=right&burn=2", "locked and twice"),
        Saved::of(&link),
    ];
    let edited = server.request("PUT", &kinds[2].path).body("and saved");
    let edited = edited.header("X-Token", &kinds[2].token).send();
    assert_eq!(edited.status, 200);
    assert_eq!(read(&server, &kinds[3]).text(), "twice");
    assert_eq!(with_password(&server, &kinds[4]).text(), "locked");
    assert_eq!(with_password(&server, &kinds[5]).text(), "locked and twice");
    let before = kinds.each_ref().map(|saved| seen(&server, saved));
    let counted = |server: &TestServer| {
        let count = |saved: &Saved| stats(server, &saved.id, &saved.token);
        kinds.each_ref().map(count)
    };
    let counts = counted(&server);
    // When the server starts again
    server = server.restart();
    // Then all counts and answers are the same
    assert_eq!(counted(&server), counts);
    for (saved, before) in kinds.iter().zip(before) {
        assert_eq!(seen(&server, saved), before);
    }
    // And exactly the reads that were left are left
    assert_eq!(read(&server, &kinds[3]).text(), "twice");
    assert_eq!(read(&server, &kinds[3]).status, 410);
    assert_eq!(with_password(&server, &kinds[4]).text(), "locked");
    assert_eq!(with_password(&server, &kinds[5]).text(), "locked and twice");
    assert_eq!(with_password(&server, &kinds[5]).status, 410);
}

#[test]
fn a_page_that_was_open_and_a_token_go_on_working_after_a_restart() {
    // Given a browser with the page of its paste, and another client with a token
    let mut server = server();
    let (shown, kept) = (save(&server, "/", "shown"), save(&server, "/", "kept"));
    let tag = server
        .browse(&shown.path)
        .header("etag")
        .unwrap()
        .to_owned();
    // When the server starts again
    server = server.restart();
    // Then the page is still the present one, and its buttons work
    let again = server.request("GET", &shown.path);
    let again = again.header("Accept", "text/html,*/*;q=0.8");
    assert_eq!(again.header("If-None-Match", tag).send().status, 304);
    let delete = server.request("POST", &shown.path);
    let delete = delete.header("Content-Type", "application/x-www-form-urlencoded");
    let cookie = format!("token={}", shown.token);
    let delete = delete.header("Cookie", cookie).body("delete=1").send();
    assert_eq!(delete.status, 200, "{delete:?}");
    // And the token changes the paste
    let change = server.request("PUT", &kept.path).body("changed");
    assert_eq!(change.header("X-Token", &kept.token).send().status, 200);
    server = server.restart();
    assert_eq!(server.get(&kept.raw()).text(), "changed");
    assert_eq!(server.get(&shown.path).status, 410);
}

#[test]
fn the_operator_deletes_a_paste_that_is_damaged_on_disk() {
    // Given a paste whose content was overwritten by something else
    let mut server = TestServer::of(Tier::Disk, &["--admin-token", "correct-horse-battery"]);
    let saved = save(&server, "/", "damaged");
    let database = rusqlite::Connection::open(server.database()).unwrap();
    let overwrite = "UPDATE body SET content = zeroblob(length(content))";
    assert_eq!(database.execute(overwrite, []), Ok(1));
    drop(database);
    server = server.restart();
    // When the operator deletes it
    let delete = server.request("DELETE", &saved.path);
    let delete = delete.header("Authorization", "Bearer correct-horse-battery");
    assert_eq!(delete.send().status, 200);
    // Then it is gone, and readers are told by whom
    let gone = server.get(&saved.path);
    assert_eq!(gone.status, 410);
    assert!(gone.sentence().contains("operator"), "{gone:?}");
}

#[test]
fn a_paste_on_disk_is_not_loaded_while_too_many_loaded_ones_wait_to_be_sent() {
    // Given a paste in memory and one on disk, and requests that have all turns to load
    let server = server();
    let on_disk = save(&server, "/", "on disk");
    let server = server.restart();
    let in_memory = save(&server, "/", "in memory");
    let held = server.take_all(&server.overload.loads);
    assert_eq!(
        held.len(),
        32,
        "as many of 1 MiB as the budget of 32 MiB has room for"
    );
    // When a client reads both
    assert_eq!(server.get(&in_memory.path).text(), "in memory");
    let read = server.request("GET", &on_disk.path);
    // Then the one on disk is refused, until another request has ended
    assert_eq!(server.patiently(&read).status, 503);
    drop(held);
    assert_eq!(server.get(&on_disk.path).text(), "on disk");
}
