//! What a reader asks a page for in its address, marked lines or a level of a log, is shown on the cached page.

use crate::client::Response;
use crate::coding::decoded;
use crate::server::TestServer;

fn tag(page: &Response) -> String {
    page.header("etag").expect("a tag").to_owned()
}

#[test]
fn lines_are_marked_on_the_cached_page_without_another_render() {
    for (coding, other) in [("gzip", "identity"), ("identity", "gzip")] {
        let server = TestServer::start();
        let saved = server.save("fn main() {}\n".repeat(200));
        let request = |query: &str, coding: &str| {
            let request = server.request("GET", &format!("{}.rs{query}", saved.path));
            let request = request.header("Accept", "text/html");
            request.header("Accept-Encoding", coding)
        };
        // When readers ask for many lines, and for the page
        let mut tags: Vec<String> = Vec::new();
        for lines in 1..20 {
            let page = request(&format!("?lines={lines}-{}", lines + 1), coding).send();
            let html = String::from_utf8(decoded(&page)).unwrap();
            assert_eq!(html.matches("class=\"marked\"").count(), 2);
            tags.push(tag(&page));
        }
        let whole = request("", coding).send();
        assert!(
            !String::from_utf8(decoded(&whole))
                .unwrap()
                .contains("marked")
        );
        tags.push(tag(&whole));
        // Then the page was rendered once, and one page is cached
        assert_eq!(server.renders(), 1, "{coding}");
        assert!(server.pages.used_bytes() < whole.body.len() + 1024);
        // And each has its own tag
        tags.sort();
        tags.dedup();
        assert_eq!(tags.len(), 20);
        let lines = request("?lines=3-4", coding);
        let known = tag(&lines.send());
        assert_eq!(lines.header("If-None-Match", known).send().status, 304);
        let page = request("?lines=3-4", other).send();
        let html = String::from_utf8(decoded(&page)).unwrap();
        assert!(html.contains("<span id=\"L3\" class=\"marked\""));
    }
}

#[test]
fn a_log_is_narrowed_on_the_cached_page_without_another_render() {
    let server = TestServer::start();
    let saved = server.save("12:00:00 ERROR a\n12:00:01 WARN b\n12:00:02 WARN c\n".repeat(300));
    let request = |query: &str| {
        let request = server.request("GET", &format!("{}.log{query}", saved.path));
        request.header("Accept", "text/html").send()
    };
    // Given the page with the numbers of its events
    let whole = request("");
    for (level, label) in [("error", "300 errors"), ("warning", "600 warnings")] {
        let chip = format!("href=\"?level={level}\">{label}</a>");
        assert!(whole.text().contains(&chip), "{chip}");
        // When a reader asks for a level, then the style sheet hides all others
        let page = request(&format!("?level={level}&lines=2"));
        let class = format!("<pre class=\"listing log {level} ");
        assert!(page.text().contains(&class), "{class}");
        assert!(page.text().contains("<span id=\"L2\" class=\"marked\""));
        assert_eq!(page.text().matches("aria-current").count(), 1);
        assert_ne!(tag(&page), tag(&whole));
    }
    // And what is no level is ignored
    for query in ["?level=", "?level=fatal", "?level=%22%3E", "?level"] {
        assert_eq!(request(query).body, whole.body, "{query}");
    }
    assert_eq!(request("?level=%").status, 400);
    // And the page was rendered once, and one page is cached
    assert_eq!(server.renders(), 1);
    assert!(server.pages.used_bytes() < whole.body.len() + 1024);
}
