//! The page cache: a page is rendered once, and leaves the cache with its paste.

use std::time::Duration;

use crate::client::{Response, until};
use crate::coding::decoded;
use crate::every_tier::counts::stats;
use crate::server::{Saved, TestServer};

fn read(server: &TestServer, saved: &Saved, coding: &str) -> Response {
    let request = server.request("GET", &saved.path);
    let request = request.header("Accept", "text/html");
    request.header("Accept-Encoding", coding).send()
}

/// Requests the page as a browser does that has the page with this tag.
fn revalidated(
    server: &TestServer,
    saved: &Saved,
    method: &str,
    coding: &str,
    tag: &str,
) -> Response {
    let request = server.request(method, &saved.path);
    let request = request.header("Accept", "text/html");
    let request = request.header("Accept-Encoding", coding);
    request.header("If-None-Match", tag).send()
}

fn tag(page: &Response) -> String {
    page.header("etag").expect("a tag").to_owned()
}

/// Requests the page of this paste. Returns the bytes that the cache charges for it.
fn show(server: &TestServer, saved: &Saved) -> usize {
    let before = server.pages.used_bytes();
    assert_eq!(server.browse(&saved.path).status, 200);
    server.pages.used_bytes() - before
}

#[test]
fn a_page_is_made_once_and_is_the_same_for_all_readers_at_all_times() {
    for coding in ["identity", "gzip"] {
        let server = TestServer::start();
        let saved = server.save("fn main() {}\n".repeat(50));
        let first = read(&server, &saved, coding);
        let html = String::from_utf8(decoded(&first)).unwrap();
        for changing in ["view<", "views<", " ago", "just now", "Expires in"] {
            assert!(!html.contains(changing), "{changing}");
        }
        assert!(html.contains("Saved <time datetime=\"20") && html.contains(" UTC</time>"));
        let charged = server.pages.used_bytes();
        assert!(charged > first.body.len() && charged < first.body.len() + 768);
        server.advance(Duration::from_secs(180));
        let second = read(&server, &saved, coding);
        assert_eq!((&second.body, tag(&second)), (&first.body, tag(&first)));
        assert_eq!(server.pages.used_bytes(), charged);
    }
}

#[test]
fn the_page_of_a_deleted_expired_or_evicted_paste_leaves_the_cache() {
    let server = TestServer::with(&["--max-store-size", "4MiB"]);
    // The page of a deleted paste is removed at once.
    let deleted = server.save("deleted");
    assert!(show(&server, &deleted) > 0);
    let delete = server.request("DELETE", &deleted.path);
    assert_eq!(delete.header("X-Token", &deleted.token).send().status, 200);
    assert_eq!(server.pages.used_bytes(), 0);
    // The page of an expired paste is removed by the next save.
    let gone = Saved::of(&server.request("POST", "/?expires=10m").body("gone").send());
    assert!(show(&server, &gone) > 0);
    server.advance(Duration::from_secs(600));
    assert_eq!(server.browse(&gone.path).status, 410);
    // The page of an evicted paste is removed at once.
    let evicted = server.save("evicted");
    assert!(show(&server, &evicted) > 0);
    server.fill(1 << 20);
    assert_eq!(server.browse(&evicted.path).status, 410);
    assert_eq!(server.pages.used_bytes(), 0);
}

#[test]
fn a_page_has_its_own_etag_in_each_coding() {
    let server = TestServer::start();
    let saved = server.save("fn main() {}\n".repeat(50));
    let tags = ["identity", "gzip"].map(|coding| tag(&read(&server, &saved, coding)));
    assert_ne!(tags[0], tags[1]);
    assert_ne!(server.get(&saved.path).header("etag"), Some(&*tags[0]));
    for (coding, own) in ["identity", "gzip"].into_iter().zip(&tags) {
        for known in &tags {
            for method in ["GET", "HEAD"] {
                let answer = revalidated(&server, &saved, method, coding, known);
                let expected = if known == own { 304 } else { 200 };
                assert_eq!(answer.status, expected, "{method} {coding}");
                assert_eq!(answer.header("etag"), Some(&**own));
                assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
                assert_eq!(answer.header("vary"), Some("Accept, Accept-Encoding"));
                // A browser replaces the policy that it stored with the page.
                let policy = answer.header("content-security-policy");
                assert!(policy.is_some_and(|policy| policy.contains("script-src 'self'")));
            }
        }
    }
}

#[test]
fn a_304_of_a_page_is_no_view_and_any_other_answer_is_one() {
    for cache in ["0", "1MiB"] {
        let server = TestServer::with(&["--max-page-cache", cache]);
        let saved = server.save("x");
        let known = tag(&read(&server, &saved, "gzip"));
        for (tag, status, reads) in [(&*known, 304, 1), ("\"other\"", 200, 2), ("*", 304, 2)] {
            let answer = revalidated(&server, &saved, "GET", "gzip", tag);
            assert_eq!(
                (answer.status, answer.body.is_empty()),
                (status, status == 304)
            );
            assert_eq!(stats(&server, &saved.id, &saved.token)["reads"], reads);
        }
    }
}

#[test]
fn every_change_that_a_page_shows_gives_it_another_etag() {
    let server = TestServer::start();
    let saved = server.save("fn main() {}");
    let mut tags = vec![tag(&read(&server, &saved, "gzip"))];
    for (query, body) in [
        ("", "fn other() {}"),
        ("?title=other", "fn other() {}"),
        ("?lang=rust", "fn other() {}"),
    ] {
        let path = saved.path.clone() + query;
        let change = server.request("PUT", &path).body(body);
        assert_eq!(change.header("X-Token", &saved.token).send().status, 200);
        tags.push(tag(&read(&server, &saved, "gzip")));
    }
    let extend = server.request("POST", &saved.path).body("expires=2d");
    let extend = extend.header("Content-Type", "application/x-www-form-urlencoded");
    assert_eq!(extend.header("X-Token", &saved.token).send().status, 200);
    let latest = tag(&read(&server, &saved, "gzip"));
    assert!(!tags.contains(&latest));
    for old in &tags {
        assert_eq!(tags.iter().filter(|tag| *tag == old).count(), 1);
        assert_eq!(revalidated(&server, &saved, "GET", "gzip", old).status, 200);
    }
}

#[test]
fn the_owner_gets_a_page_that_is_neither_cached_nor_revalidated() {
    let server = TestServer::start();
    let saved = server.save("x");
    let known = tag(&read(&server, &saved, "gzip"));
    let charged = server.pages.used_bytes();
    let request = server.request("GET", &saved.path);
    let request = request.header("Cookie", format!("token={}", saved.token));
    let request = request.header("Accept", "text/html");
    for request in [request.clone(), request.header("If-None-Match", &known)] {
        let page = request.send();
        assert_eq!((page.status, page.header("etag")), (200, None));
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert!(page.text().contains("/stats\">1 view<"));
    }
    assert_eq!(server.pages.used_bytes(), charged);
    // No other reader gets the owner's page.
    assert!(!server.browse(&saved.path).text().contains(">Stats<"));
}

#[test]
fn the_page_of_a_protected_paste_is_not_cached_and_has_no_etag() {
    let server = TestServer::start();
    for options in ["burn=2", "password=x"] {
        let saved = Saved::of(
            &server
                .request("POST", &format!("/?{options}"))
                .body("x")
                .send(),
        );
        let request = server
            .request("POST", &saved.path)
            .header("X-Password", "x");
        let page = request.header("Accept", "text/html").send();
        assert!(page.text().contains("id=\"L1\""), "{options}");
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.header("etag"), None);
    }
    assert_eq!(server.pages.used_bytes(), 0);
}

#[test]
fn a_plain_page_is_not_stored_before_a_second_attempt_was_no_better() {
    let server = TestServer::start();
    let slow = "| a `b` *c* [d](e) | **f** ~~g~~ |\n".repeat(20_000);
    let saved = Saved::of(
        &server
            .request("PUT", "/a.md?lang=markdown")
            .body(slow)
            .send(),
    );
    let request = server.request("GET", &format!("{}?view=source", saved.path));
    let request = request.header("Accept", "text/html");
    let [first, second, third] = [(); 3].map(|()| request.send());
    let note = "Shown without syntax highlighting: it took too long.";
    for page in [&first, &second, &third] {
        assert!(page.text().contains(note));
    }
    assert_eq!(first.header("etag"), None);
    assert_eq!(first.header("cache-control"), Some("no-store"));
    assert_eq!(second.header("cache-control"), Some("private, no-cache"));
    assert_eq!((tag(&third), third.body), (tag(&second), second.body));
}

#[test]
fn readers_under_different_names_of_the_server_get_their_own_addresses() {
    let server = TestServer::start();
    let saved = server.save("x");
    let read = |host: &str| {
        let request = server.request("GET", &saved.path).header("Host", host);
        request.header("Accept", "text/html").send()
    };
    let pages = ["one.example", "other.example", "one.example"].map(read);
    for (page, host) in pages.iter().zip(["one", "other", "one"]) {
        let url = format!("\"http://{host}.example{}\"", saved.path);
        assert_eq!(page.text().matches(&url).count(), 2);
        // Once more in print
        assert_eq!(page.text().matches(".example/").count(), 3);
    }
    assert!(tag(&pages[0]) == tag(&pages[2]) && tag(&pages[0]) != tag(&pages[1]));
}

#[test]
fn the_page_of_a_deleted_paste_is_gone_also_for_a_reader_who_has_it() {
    let server = TestServer::start();
    let saved = server.save("x");
    let known = tag(&read(&server, &saved, "gzip"));
    let delete = server.request("DELETE", &saved.path);
    assert_eq!(delete.header("X-Token", &saved.token).send().status, 200);
    assert_eq!(server.pages.used_bytes(), 0);
    assert_eq!(read(&server, &saved, "gzip").status, 410);
    assert_eq!(
        revalidated(&server, &saved, "GET", "gzip", &known).status,
        410
    );
}

#[test]
fn head_and_the_bytes_render_nothing() {
    let server = TestServer::start();
    let saved = server.save("bytes");
    server.get(&saved.path);
    server.get(&saved.raw());
    assert_eq!(server.pages.used_bytes(), 0);
}

#[test]
fn only_pages_that_need_rendering_wait_while_every_core_renders() {
    let server = TestServer::start();
    let (kept, fresh) = (server.save("kept"), server.save("fresh"));
    assert!(show(&server, &kept) > 0);
    let cores = server.take_all(&server.overload.renders);
    for path in ["/", "/help", "/healthz", &kept.path, &fresh.raw()] {
        assert_eq!(server.browse(path).status, 200, "{path}");
    }
    let copy = format!("/?from={}", fresh.id);
    let request = server.request("GET", &copy).header("Accept", "text/html");
    assert_eq!(server.patiently(&request).status, 503);
    drop(cores);
    assert_eq!(server.browse(&copy).status, 200);
    server.until_all_have_ended();
}

#[test]
fn a_page_without_a_turn_is_plain_and_the_next_request_gets_the_usual_one() {
    // Given a page and lines of a page that is not cached, and another page that is
    let server = TestServer::start();
    let (fresh, kept) = (server.save("fn main() {}\n<b>"), server.save("kept"));
    let known = tag(&server.browse(&format!("{}.txt", kept.path)));
    let charged = server.pages.used_bytes();
    let request = |path: &str| server.request("GET", path).header("Accept", "text/html");
    let plain = [
        &format!("{}.rs", fresh.path),
        &format!("{}.rs?lines=1", fresh.path),
    ]
    .map(|it| request(it));
    let lines_of_kept =
        request(&format!("{}.txt?lines=1", kept.path)).header("If-None-Match", known);
    // When every core renders
    let cores = server.take_all(&server.overload.renders);
    for request in &plain {
        let page = server.patiently(request);
        // Then the text is shown as it is
        assert_eq!(page.status, 200, "{page:?}");
        assert!(
            page.text().contains("fn main() {}\n&#60;b&#62;"),
            "{}",
            page.text()
        );
        assert!(page.text().contains("because the server is busy"));
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.header("etag"), None);
    }
    // And no lines are marked on the page that is cached
    let page = server.patiently(&lines_of_kept);
    assert!(page.text().contains("id=\"L1\"") && !page.text().contains("marked"));
    assert_eq!((page.status, page.header("etag")), (200, None));
    // And nothing of it stays
    assert_eq!(server.pages.used_bytes(), charged);
    drop(cores);
    for (request, is_marked) in plain.iter().zip([false, true]) {
        let page = request.send();
        assert!(page.text().contains("class=\"k\"") && page.header("etag").is_some());
        assert_eq!(page.text().contains("class=\"marked\""), is_marked);
    }
    server.until_all_have_ended();
}

#[test]
fn no_client_is_refused_when_many_request_an_unrendered_page_at_once() {
    let server = TestServer::start();
    let saved = server.save("fn main() {}\n".repeat(30));
    let request = server
        .request("GET", &format!("{}.rs", saved.path))
        .header("Accept", "text/html");
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..64).map(|_| scope.spawn(|| request.send())).collect();
        // A render may take longer than a request waits by the clock, which stands still meanwhile.
        until(|| {
            if server.overload.load().rendering == 0 {
                server.advance(Duration::from_millis(10));
            }
            readers.iter().all(|reader| reader.is_finished())
        });
        for reader in readers {
            assert_eq!(reader.join().unwrap().status, 200);
        }
    });
    server.until_all_have_ended();
}
