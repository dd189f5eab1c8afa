//! Short links: allowed and forbidden targets, and their pages.

use crate::client::Response;
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

fn shorten(server: &TestServer, fields: &[(&str, &str)]) -> Response {
    server.request("POST", "/").parts(fields).send()
}

fn link(server: &TestServer, target: &str) -> Saved {
    let answer = shorten(server, &[("url", target)]);
    assert_eq!(answer.status, 200, "{answer:?}");
    Saved::of(&answer)
}

#[test]
fn a_link_redirects_a_get_and_a_head_and_only_a_get_is_a_click() {
    let server = TestServer::start();
    let target = "https://example.org/a%20b?c=d&e#f";
    for name in ["url", "shorten"] {
        let saved = Saved::of(&shorten(&server, &[(name, target)]));
        for method in ["HEAD", "GET", "GET"] {
            let answer = server.request(method, &saved.path).send();
            assert_eq!(
                (answer.status, answer.header("location")),
                (302, Some(target))
            );
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
        let preview = server.get(&format!("{}+", saved.path));
        assert_eq!(preview.status, 200);
        assert!(preview.text().starts_with(&format!("{target}\n")));
        assert!(preview.text().contains("2 clicks"), "{preview:?}");
    }
}

#[test]
fn a_preview_follows_nothing_and_counts_nothing_for_any_client() {
    let server = TestServer::start();
    let saved = link(&server, "https://example.org/somewhere");
    let path = format!("{}+", saved.path);
    for _ in 0..3 {
        let page = server.browse(&path);
        assert_eq!((page.status, page.header("location")), (200, None));
        assert!(page.text().contains("https://example.org/somewhere"));
        assert!(page.text().contains("No clicks yet"));
    }
    let paste = server.save("no link");
    assert_eq!(server.get(&format!("{}+", paste.path)).status, 404);
    assert_eq!(server.get("/AAAAAAAAAAAA+").status, 404);
}

#[test]
fn the_bytes_of_a_link_are_its_target() {
    let server = TestServer::start();
    let saved = link(&server, "https://example.org/");
    for path in [saved.raw(), saved.download()] {
        let answer = server.get(&path);
        assert_eq!(
            (answer.status, answer.text()),
            (200, "https://example.org/")
        );
    }
    for path in ["/qr/", "/record/"] {
        assert_eq!(
            server.get(&format!("{path}{}", saved.id)).status,
            200,
            "{path}"
        );
    }
    // Viewing the target does not follow the link.
    let preview = server.get(&format!("{}+", saved.path));
    assert!(preview.text().contains("No clicks yet"), "{preview:?}");
}

#[test]
fn a_forbidden_target_of_a_link_is_a_clear_400_and_nothing_is_saved() {
    let server = TestServer::start();
    let own = format!("HTTP://{}/x", server.addr);
    for target in [
        "javascript:alert(1)",
        "//evil.example",
        "http://example.org@evil.example/",
        "http://example.org/\r\nSet-Cookie: a=b",
        &own,
    ] {
        let answer = shorten(&server, &[("url", target)]);
        assert_eq!(answer.status, 400, "{target}");
        assert!(answer.header("location").is_none());
        assert!(!answer.text().contains("evil"), "{answer:?}");
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn only_the_editor_of_this_site_gets_a_refused_url_back() {
    let server = TestServer::start();
    let refused = |site: &str, fields: &[(&str, &str)]| {
        let request = server.request("POST", "/").header("Accept", "text/html");
        let request = request.header("Sec-Fetch-Site", site).parts(fields);
        let answer = request.send();
        assert_eq!(answer.status, 400, "{answer:?}");
        answer.text().contains("value=\"ftp://a.example/\"")
    };
    let url = ("url", "ftp://a.example/");
    assert!(refused("same-origin", &[url]));
    assert!(!refused("cross-site", &[url]));
    assert!(!refused("same-origin", &[url, ("content", "text")]));
}

#[test]
fn a_link_cannot_target_this_server_under_any_of_its_known_names() {
    let server = TestServer::with(&["--base-url", "https://paste.example"]);
    let by_host = format!("http://{}/x", server.addr);
    for own in [
        "https://paste.example/x",
        "http://paste.example/",
        "https://PASTE.example./x",
        "https://paste.example:443/x",
        &by_host,
    ] {
        assert_eq!(shorten(&server, &[("url", own)]).status, 400, "{own}");
    }
    let elsewhere = shorten(&server, &[("url", "https://paste.example.org/")]);
    assert_eq!(elsewhere.status, 200);
}

#[test]
fn a_link_cannot_burn_or_have_a_password_or_a_text() {
    let server = TestServer::start();
    let url = ("url", "https://example.org/");
    for other in [("burn", "1"), ("password", "secret"), ("file", "text")] {
        assert_eq!(shorten(&server, &[url, other]).status, 400, "{other:?}");
    }
    for path in ["/?burn=1", "/?password=secret"] {
        let request = server.request("POST", path).parts(&[url]);
        assert_eq!(request.send().status, 400, "{path}");
    }
    assert_eq!(server.store.occupancy().pastes, 0);
    // An empty field of a browser form counts as missing.
    let request = server.request("POST", "/").header("Accept", "text/html");
    let fields = [url, ("burn", ""), ("password", ""), ("title", "a title")];
    let answer = request.parts(&fields).send();
    assert_eq!(answer.status, 303);
    // The redirect leads to the page of the paste, not to the target.
    let script = server
        .request("POST", "/")
        .header("Accept", "application/json");
    let told = script.parts(&[url]).send();
    assert!(
        told.header("location").unwrap().ends_with("+?saved"),
        "{told:?}"
    );
    let page = answer.header("location").unwrap();
    assert!(page.ends_with("+?saved"), "{page}");
    assert!(server.browse(page).text().contains("a title"));
}

#[test]
fn the_operator_can_have_links_previewed_or_refused() {
    let server = TestServer::with(&["--redirect", "preview"]);
    let saved = link(&server, "https://example.org/x");
    let page = server.browse(&saved.path);
    assert_eq!((page.status, page.header("location")), (200, None));
    assert!(page.text().contains("href=\"https://example.org/x\""));
    let text = server.get(&saved.path);
    assert_eq!((text.status, text.header("location")), (200, None));
    assert!(text.text().starts_with("https://example.org/x\n"));

    let server = TestServer::with(&["--redirect", "off"]);
    let answer = shorten(&server, &[("url", "https://example.org/x")]);
    assert_eq!(answer.status, 403);
    assert!(answer.sentence().contains("Short links are turned off"));
    assert_eq!(server.store.occupancy().pastes, 0);
    assert!(!server.browse("/").text().contains("Shorten"));
}
