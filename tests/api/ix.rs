//! ix.io: numbered fields, and changes of pastes that exist.

use crate::client::Request;
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

fn form(server: &TestServer, body: &str) -> Request {
    server.request("POST", "/").form(body)
}

#[test]
fn a_numbered_content_is_saved_with_its_options_and_a_second_one_is_refused() {
    let server = TestServer::start();
    let answer = form(
        &server,
        "f:1=one&name:1=first&ext:1=rust&read:1=2&expires=1h",
    )
    .send();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("x-expires"), Some("1767229200000"));
    let text = answer.text();
    let (_, id) = text.trim_end().rsplit_once('/').unwrap();
    let read = server.request("POST", &format!("/{id}"));
    let answer = read.header("Accept", "text/html").send();
    let page = answer.text();
    for part in ["one", "first", "Rust", "1 view left"] {
        assert!(page.contains(part), "{part} in {page}");
    }
    let before = server.store.occupancy().pastes;
    for body in [
        "f:1=a&f:2=b",
        "f:1=a&f:2=",
        "file=a&f:1=b&expires=1h",
        "f:1=a&rm=AAAAAAAAAAAA",
    ] {
        let answer = form(&server, body).send();
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        assert!(
            answer.text().contains("more than one content"),
            "{body}: {}",
            answer.text()
        );
        assert_eq!(server.store.occupancy().pastes, before, "{body}");
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
