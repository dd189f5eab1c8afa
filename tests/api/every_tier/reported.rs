//! The operator's page tells of each reported paste which content it has, unless the paste is closed.

use super::counts::stats;
use crate::client::Request;
use crate::forms::Forms;
use crate::operate::{ADMIN, as_operator};
use crate::server::{Saved, TestServer};

#[test]
fn the_operator_sees_what_is_reported_without_a_view_unless_it_is_closed() {
    // Given reports about pastes of each kind
    let server = TestServer::with(&["--contact", "abuse@bin.example", "--admin-token", ADMIN]);
    let save = |request: Request| Saved::of(&request.send());
    let post = |path: &str| server.request("POST", path);
    let open = save(post("/").body("{\"a\":\n\"\u{202e}<b>\"}"));
    let burning = save(post("/?burn=1").body("a secret"));
    let locked = save(post("/").form("content=a+secret&password=p"));
    let link = save(post("/").form("url=https%3A%2F%2Fevil.example%2F"));
    for saved in [&open, &burning, &locked, &link] {
        let report = post(&format!("{}/report", saved.path)).form("reason=spam");
        assert_eq!(report.send().status, 200);
    }
    // When the operator looks at them
    let page = server.request("GET", "/operate");
    let page = as_operator(page.header("Accept", "text/html")).send();
    // Then the content of the closed ones stays closed
    for part in [
        "<span>JSON</span> <span>15 bytes</span> <span>No views yet</span> <span>Saved <time",
        "<bdi>{&#34;a&#34;: &#34;[U+202E]&#60;b&#62;&#34;}</bdi>",
        "<span>Link</span>",
        "<bdi>https://evil.example/</bdi>",
        "<span>Burns after reading</span> <span>Saved <time",
        "<span>Protected</span> <span>Saved <time",
    ] {
        assert!(page.text().contains(part), "{part} in {}", page.text());
    }
    assert!(!page.text().contains("a secret"));
    // And the one whose content is not known cannot be blocked: three of four can, and any by its address.
    assert_eq!(page.text().matches("name=\"block\"").count(), 3 + 1);
    // And nothing was viewed
    for saved in [&open, &burning, &locked, &link] {
        assert_eq!(stats(&server, &saved.id, &saved.token)["reads"], 0);
    }
    assert_eq!(post(&burning.path).send().text(), "a secret");
}
