//! The API of dpaste.com, version 2: its options, its response, and its errors.

use std::time::Duration;

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn post(server: &TestServer, body: &str) -> Response {
    server.request("POST", "/api/v2/").form(body).send()
}

#[test]
fn a_form_is_saved_and_answered_with_its_url_and_its_date_of_expiry() {
    let server = TestServer::with(&["--base-url", "https://paste.example.org"]);
    let answer = post(
        &server,
        "poster=me&title=tit&content=a%0D%0Ab&syntax=python&expiry_days=30",
    );
    assert_eq!(answer.status, 201);
    let saved = Saved::of(&answer);
    assert_eq!(saved.url, format!("https://paste.example.org/{}", saved.id));
    assert_eq!(answer.header("location"), Some(saved.url.as_str()));
    // 30 days after the test clock's start
    let expires = Some("Sat, 31 Jan 2026 00:00:00 GMT");
    assert_eq!(answer.header("expires"), expires);
    assert_eq!(server.get(&format!("/{}.txt", saved.id)).text(), "a\nb");
    let page = server.browse(&saved.path);
    assert!(page.text().contains("tit") && page.text().contains("Python"));
    server.advance(DAY * 30);
    assert_eq!(server.get(&saved.path).status, 410);
}

#[test]
fn both_urls_and_both_encodings_save_with_the_default_expiry() {
    let server = TestServer::with(&["--default-expiry", "never", "--max-expiry", "never"]);
    for path in ["/api/", "/api/v2/"] {
        let request = || server.request("POST", path);
        for request in [
            request().parts(&[("content", "a\r\nb"), ("syntax", ""), ("expiry_days", "")]),
            request().form("content=a%0D%0Ab&syntax=no-such-language"),
        ] {
            let answer = request.send();
            assert_eq!(answer.status, 201, "{answer:?}");
            assert_eq!(answer.header("expires"), None);
        }
    }
    let read = |form: Request| server.get(&Saved::of(&form.send()).path).text().to_owned();
    let file = server
        .request("POST", "/api/")
        .parts(&[("content", "a\r\nb")]);
    assert_eq!(read(file), "a\r\nb");
}

#[test]
fn a_refused_form_gets_one_sentence_and_is_not_kept() {
    let server = TestServer::with(&["--max-paste-size", "1KiB", "--max-expiry", "30d"]);
    let escaped = format!("content={}", "%0A".repeat(1025));
    let many = "title=t&".repeat(100_000);
    for (body, status) in [
        ("", 400),
        ("content=", 400),
        ("title=t", 400),
        ("content=a\nb", 400),
        ("{\"content\":\"a\"}", 400),
        ("content=a&content=b", 400),
        ("content=a&burn=1", 400),
        ("content=a&%FF=b", 400),
        ("content=a&expires=1d", 400),
        ("content=a&expiry_days=0", 400),
        ("content=a&expiry_days=31", 400),
        ("content=a&expiry_days=%FF", 400),
        (&escaped, 413),
        (&many, 413),
    ] {
        let answer = post(&server, body);
        assert_eq!(answer.status, status, "{body:.40}: {answer:?}");
        answer.sentence();
    }
    let request = |method, path: &str| server.request(method, path).form("content=a");
    for (request, status) in [
        (request("POST", "/api/v2/?burn=1"), 400),
        (request("POST", "/api/v2/").header("X-Burn", "1"), 400),
        (request("POST", "/api/v2/").header("X-Password", "x"), 400),
        (request("PUT", "/api/v2/"), 405),
        (
            request("GET", "/api/v2/").header("Accept", "text/html"),
            405,
        ),
    ] {
        let answer = request.send();
        assert_eq!(answer.status, status, "{answer:?}");
        answer.sentence();
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn the_fields_of_dpaste_org_get_the_response_of_dpaste_org() {
    let server = TestServer::with(&[
        "--base-url",
        "https://paste.example.org",
        "--max-expiry",
        "never",
    ]);
    let post = |body: &str| server.request("POST", "/api/").form(body).send();
    let id = |url: &str| {
        url.strip_prefix("https://paste.example.org/")
            .map(str::to_owned)
    };
    for (body, start, end) in [
        ("content=a&lexer=python&format=default", "\"", "\""),
        ("content=a&lexer=_text&format=url&expires=3600", "", "\n"),
        (
            "content=a&format=json&expires=never&filename=main.py",
            "{\"url\":\"",
            "\"}",
        ),
    ] {
        let answer = post(body);
        assert_eq!(answer.status, 200, "{answer:?}");
        let url = answer
            .text()
            .strip_prefix(start)
            .and_then(|url| url.strip_suffix(end));
        let id = url.and_then(id).unwrap_or_else(|| panic!("{answer:?}"));
        assert_eq!(server.get(&format!("/{id}")).text(), "a");
        let is_python = server.browse(&format!("/{id}")).text().contains("Python");
        assert_eq!(is_python, body.contains("py"), "{body}");
    }
    for body in [
        "content=a&format=xml",
        "content=a&expires=onetime",
        "content=a&expires=1d",
        "content=a&expires=0",
        "content=a&lexer=python&syntax=python",
        "lexer=python",
    ] {
        let answer = post(body);
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        answer.sentence();
    }
}
