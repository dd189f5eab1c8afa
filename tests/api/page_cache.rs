//! The page cache: a page is rendered once, and leaves the cache with its paste.

use std::time::Duration;

use crate::coding::decoded;
use crate::server::{Saved, TestServer};
use crate::slow::patiently;

/// Requests the page of this paste. Returns the bytes that the cache charges for it.
fn show(server: &TestServer, saved: &Saved) -> usize {
    let before = server.pages.used_bytes();
    assert_eq!(server.browse(&saved.path).status, 200);
    server.pages.used_bytes() - before
}

#[test]
fn a_page_is_rendered_once_and_cached_without_its_changing_parts() {
    let server = TestServer::start();
    let saved = server.save("once");
    let first = server.browse(&saved.path);
    assert!(first.text().contains("Saved just now") && first.text().contains(">1 view<"));
    let charged = server.pages.used_bytes();
    assert!(charged > 0);
    server.advance(Duration::from_secs(180));
    let second = server.browse(&saved.path);
    assert!(second.text().contains("Saved 3 minutes ago"));
    assert!(second.text().contains(">2 views<"));
    assert_eq!(server.pages.used_bytes(), charged);
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
    for _ in 0..5 {
        server.save(vec![b'x'; 1 << 20]);
    }
    assert_eq!(server.browse(&evicted.path).status, 410);
    assert_eq!(server.pages.used_bytes(), 0);
}

#[test]
fn a_cache_of_zero_bytes_renders_each_page_again() {
    let server = TestServer::with(&["--max-page-cache", "0"]);
    let saved = server.save("anew");
    assert_eq!(show(&server, &saved), 0);
    assert!(server.browse(&saved.path).text().contains("anew"));
}

#[test]
fn a_page_is_compressed_once_and_cached_without_its_changing_parts() {
    for coding in ["br", "gzip"] {
        let server = TestServer::start();
        let saved = server.save("fn main() {}\n".repeat(50));
        let read = |host: &str| {
            let request = server.request("GET", &saved.path).header("Host", host);
            let request = request.header("Accept", "text/html");
            let answer = request.header("Accept-Encoding", coding).send();
            assert_eq!(answer.header("content-encoding"), Some(coding));
            String::from_utf8(decoded(&answer)).unwrap()
        };
        let plain = show(&server, &saved);
        let first = read("one.example");
        assert!(first.contains("Saved just now") && first.contains(">2 views<"));
        assert_eq!(first.matches("\"http://one.example/").count(), 2);
        let charged = server.pages.used_bytes();
        assert!(charged > plain && charged < 2 * plain);
        server.advance(Duration::from_secs(180));
        let second = read("other.example");
        assert!(second.contains("Saved 3 minutes ago") && second.contains(">3 views<"));
        assert_eq!(second.matches("\"http://other.example/").count(), 2);
        assert!(!second.contains("one.example"));
        assert_eq!(server.pages.used_bytes(), charged);
        let delete = server.request("DELETE", &saved.path);
        assert_eq!(delete.header("X-Token", &saved.token).send().status, 200);
        assert_eq!(server.pages.used_bytes(), 0);
    }
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
    let renders = server.overload.render_permits();
    let cores: Vec<_> = std::iter::from_fn(|| renders.try_acquire().ok()).collect();
    for path in ["/", "/help", "/healthz", &kept.path, &fresh.raw()] {
        assert_eq!(server.browse(path).status, 200, "{path}");
    }
    let copy = format!("/?from={}", fresh.id);
    for path in [&fresh.path, &copy] {
        let request = server.request("GET", path).header("Accept", "text/html");
        assert_eq!(patiently(&server, &request).status, 503, "{path}");
    }
    drop(cores);
    for path in [&fresh.path, &copy] {
        assert_eq!(server.browse(path).status, 200, "{path}");
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
        while !readers.iter().all(|reader| reader.is_finished()) {
            server.advance(Duration::from_millis(10));
            assert_eq!(server.get("/healthz").status, 200);
        }
        for reader in readers {
            assert_eq!(reader.join().unwrap().status, 200);
        }
    });
    server.until_all_have_ended();
}
