//! ix.io: several pastes in one form, with numbered fields, and changes of pastes that exist.

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

fn form(server: &TestServer, body: &str) -> Request {
    server.request("POST", "/").form(body)
}

/// The paths in the lines of a response, with their tokens.
fn saved(answer: &Response) -> Vec<(String, String)> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let text = answer.text();
    let paths = text.lines().map(|line| {
        let (_, id) = line.rsplit_once('/').unwrap();
        format!("/{id}")
    });
    let tokens = answer.headers("x-token").map(str::to_owned);
    assert_eq!(answer.headers("x-token").count(), text.lines().count());
    paths.zip(tokens).collect()
}

#[test]
fn each_numbered_content_becomes_a_paste_with_its_own_options_and_line() {
    let server = TestServer::start();
    let answer = form(
        &server,
        "f:1=one&name:1=first&f:2=two&ext:2=rust&f:3=three&read:3=1&expires=1h",
    );
    let answer = answer.send();
    assert_eq!(answer.header("x-expires"), Some("1767229200000"));
    let pastes = saved(&answer);
    assert_eq!(pastes.len(), 3);
    assert!(server.browse(&pastes[0].0).text().contains("first"));
    assert!(server.browse(&pastes[1].0).text().contains("Rust"));
    assert_eq!(server.get(&pastes[2].0).status, 405);
    let read = server.request("POST", &pastes[2].0).send();
    assert_eq!(read.body, b"three");
    assert_eq!(server.get(&pastes[2].0).status, 410);
    // Each token is that of the paste in the same line.
    for (path, token) in &pastes[..2] {
        let delete = server.request("DELETE", path).header("X-Token", token);
        assert_eq!(delete.send().status, 200);
    }
}

#[test]
fn a_form_whose_second_paste_is_refused_saves_none() {
    let server = TestServer::with(&["--limit-save", "rate 1/1h burst 2"]);
    let first = form(&server, "f:1=a&f:2=b&f:3=c").send();
    assert_eq!(first.status, 429, "{first:?}");
    assert!(first.header("retry-after").is_some());
    assert_eq!(server.store.occupancy().pastes, 0);
    for (body, word) in [
        ("f:1=a&f:2=b&expires=24", "`expires`"),
        ("f:1=a&name:2=b&f:2=", "`f:2`"),
        ("f:1=a&f:2=b&read:2=0", "`burn`"),
        ("file=a&f:1=b&expires=1h", "more than one content"),
        ("f:1=a&f:2=b&rm=AAAAAAAAAAAA", "more than one content"),
    ] {
        let server = TestServer::start();
        let answer = form(&server, body).send();
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        assert!(answer.text().contains(word), "{body}: {}", answer.text());
        assert_eq!(server.store.occupancy().pastes, 0, "{body}");
    }
}

#[test]
fn every_paste_is_charged_before_any_password_becomes_a_key() {
    // Given a server that allows two saves, and whose cores are all busy
    let server = TestServer::with(&["--limit-save", "rate 1/1h burst 2"]);
    let cores = server.take_all(&server.overload.renders);
    // When a form saves three pastes with a password
    let refused = form(&server, "f:1=a&f:2=b&f:3=c&password=x").send();
    // Then it is refused because of its number, and has waited for no core
    assert_eq!(refused.status, 429, "{refused:?}");
    drop(cores);
    // And the form was charged as one save: one is left
    assert_eq!(form(&server, "f:1=a").send().status, 200);
    assert_eq!(form(&server, "f:1=a").send().status, 429);
    // And the quota is charged for the bytes of both pastes of a form, and for no more
    let server = TestServer::with(&["--limit-save", "quota 30B/1d"]);
    let two = form(&server, "f:1=12345678&f:2=12345678").send();
    assert_eq!(saved(&two).len(), 2);
    for (size, status) in [(15, 429), (14, 201)] {
        let rest = server.request("POST", "/").body(vec![b'x'; size]);
        assert_eq!(rest.send().status, status);
    }
}

#[test]
fn a_paste_is_replaced_or_deleted_only_with_its_token() {
    let server = TestServer::start();
    let Saved {
        path,
        id,
        token,
        url,
    } = server.save("old");
    let replace = |end: &str| form(&server, &format!("f:1=new&id:1={id}{end}"));
    for (request, status) in [
        (replace(""), 401),
        (replace("&token=wrong"), 403),
        (form(&server, &format!("rm={id}")), 401),
        (form(&server, &format!("rm={id}&token=wrong")), 403),
    ] {
        let answer = request.send();
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(answer.text().contains("X-Token"), "{answer:?}");
        assert_eq!(server.get(&path).body, b"old");
    }
    let replaced = replace(&format!("&token={token}")).send();
    assert_eq!((replaced.status, replaced.text().trim_end()), (200, &*url));
    assert_eq!(server.get(&path).body, b"new");
    let again = replace("").header("X-Token", &token).send();
    assert_eq!(again.status, 200, "{again:?}");
    let deleted = form(&server, &format!("rm={id}&token={token}")).send();
    assert_eq!(deleted.status, 200, "{deleted:?}");
    assert_eq!(server.get(&path).status, 410);
    assert_eq!(server.store.occupancy().pastes, 0);
}
