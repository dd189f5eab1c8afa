//! Options of other pastebins that tidebin does not support: they are rejected, so no secret is published.

use crate::client::Request;
use crate::forms::{multipart, urlencoded};
use crate::server::{Saved, TestServer};

/// A body that another pastebin would protect with a password and burn.
const LOCKED: &str = r#"{"content":"secret","password":"x","burn_after_reading":true}"#;

fn json(server: &TestServer, method: &str, path: &str, body: &str) -> Request {
    server
        .request(method, path)
        .header("Content-Type", "application/json")
        .body(body)
}

#[track_caller]
fn refused(server: &TestServer, request: &Request, words: &[&str]) {
    let before = server.store.occupancy();
    let answer = request.send();
    assert_eq!(answer.status, 400, "{answer:?}");
    // A program that posts JSON gets the errors of wastebin.
    let sentence = match answer.header("content-type") {
        Some("application/json") => answer.text(),
        _ => answer.sentence(),
    };
    for word in words {
        assert!(sentence.contains(word), "no {word} in {sentence:?}");
    }
    assert_eq!(server.store.occupancy(), before, "something was kept");
}

#[test]
fn json_that_asks_for_a_password_or_to_burn_is_400_and_not_published() {
    let server = TestServer::start();
    let words = ["JSON", "X-Password", "X-Burn", "text/plain"];
    let own = server.save("mine");
    for (method, path) in [("POST", "/"), ("PUT", "/"), ("PUT", "/a.json")] {
        for body in [LOCKED, r#"{"Burn":1}"#, r#"{"passphrase":"x"}"#] {
            refused(&server, &json(&server, method, path, body), &words);
        }
    }
    for label in [
        "Application/JSON; charset=utf-8",
        "application/vnd.paste+json",
    ] {
        let request = server.request("POST", "/").header("Content-Type", label);
        refused(&server, &request.body(LOCKED), &words);
    }
    let change = json(&server, "PUT", &own.path, LOCKED).header("X-Token", &own.token);
    refused(&server, &change, &words);
    assert_eq!(server.get(&own.raw()).text(), "mine");
}

#[test]
fn json_with_an_expiry_beside_its_text_is_400_and_not_kept_for_longer() {
    let server = TestServer::start();
    let words = ["JSON", "expiry", "X-Expires", "/api/v1/pastes"];
    for body in [
        r#"{"content":"s","expires":"1h"}"#,
        r#"{"text":"s","max_views":1,"further":1}"#,
    ] {
        refused(&server, &json(&server, "POST", "/", body), &words);
        let document = json(&server, "POST", "/documents", body).send();
        assert_eq!(document.status, 400, "{body}: {document:?}");
    }
    let record = r#"{"title":"","lang":"","content":"s","expiration":6000,"expires":60}"#;
    assert_eq!(json(&server, "POST", "/record", record).send().status, 400);
    assert_eq!(server.store.occupancy().pastes, 0);
    let header = json(&server, "POST", "/", r#"{"content":"s","expires":"1h"}"#);
    assert_eq!(header.header("X-Expires", "1h").send().status, 201);
}

#[test]
fn a_paste_in_json_without_its_label_is_400_if_it_asks_for_protection() {
    let server = TestServer::start();
    let form = "application/x-www-form-urlencoded";
    let words = ["JSON", "application/json", "/api/v1/pastes"];
    let post = |label: Option<&str>, body: &str| {
        let request = server.request("POST", "/").body(body);
        match label {
            Some(label) => request.header("Content-Type", label),
            None => request,
        }
    };
    for body in [r#"{"text":"s","burn":1}"#, r#"{"text":"s","expires":60}"#] {
        for label in [None, Some(form)] {
            refused(&server, &post(label, body), &words);
        }
        let document = server.request("POST", "/documents").body(body).send();
        assert_eq!(document.status, 400, "{body}: {document:?}");
        let text = Saved::of(&post(Some("text/plain"), body).send());
        assert_eq!(server.get(&text.raw()).text(), body);
    }
    for body in [r#"{"text":"s"}"#, r#"{"text":"s","burn":1,"version":3}"#] {
        let saved = Saved::of(&post(Some(form), body).send());
        assert_eq!(server.get(&saved.raw()).text(), body);
    }
}

#[test]
fn a_form_that_is_sent_with_put_is_400_and_not_stored_as_text() {
    let server = TestServer::start();
    let own = server.save("mine");
    let put = |path: &str| match path == own.path {
        true => server.request("PUT", path).header("X-Token", &own.token),
        false => server.request("PUT", path),
    };
    let fields = [("file", "secret"), ("burn", "1")];
    for path in ["/", "/a.txt", &own.path] {
        for request in [
            multipart(put(path), &fields),
            urlencoded(put(path), "file=secret&burn=1"),
        ] {
            refused(&server, &request, &["PUT", "POST", "curl -T"]);
        }
    }
    let file = urlencoded(put("/a.txt"), "user=a&lang=c").send();
    assert_eq!(file.status, 201);
    assert_eq!(server.get(&own.raw()).text(), "mine");
}

#[test]
fn a_paste_of_private_bin_is_400_and_not_stored_as_text() {
    let server = TestServer::start();
    let body = r#"{"v":2,"adata":[[],"plaintext",0,1],"ct":"eA==","meta":{"expire":"1day"}}"#;
    for label in ["application/json", "application/x-www-form-urlencoded"] {
        let request = server.request("POST", "/").header("Content-Type", label);
        refused(&server, &request.body(body), &["PrivateBin", "text/plain"]);
    }
    let unlabelled = server.request("POST", "/").body(body);
    refused(&server, &unlabelled, &["PrivateBin"]);
}

#[test]
fn a_body_whose_content_type_is_unclear_is_400_and_not_stored_as_text() {
    let server = TestServer::start();
    let form = [("file", "secret"), ("burn", "1")];
    let twice = multipart(server.request("POST", "/"), &form);
    refused(
        &server,
        &twice.header("Content-Type", "text/plain"),
        &["Content-Type", "once"],
    );
    let typed = |label: &[u8]| {
        let request = server.request("POST", "/").header("Content-Type", label);
        request.body("secret")
    };
    refused(
        &server,
        &typed(b"multipart/form-data; boundary=\xff"),
        &["ASCII"],
    );
    for label in ["multipart/mixed; boundary=b", "Multipart/Related"] {
        refused(&server, &typed(label.as_bytes()), &["multipart/form-data"]);
    }
}

#[test]
fn json_whose_options_are_repeated_in_headers_is_saved() {
    let server = TestServer::start();
    let half = json(&server, "POST", "/", LOCKED).header("X-Burn", "1");
    refused(&server, &half, &["X-Password"]);
    let saved = Saved::of(&half.header("X-Password", "x").send());
    let read = server
        .request("POST", &saved.path)
        .header("X-Password", "x");
    assert_eq!(read.send().text(), LOCKED);
}

#[test]
fn other_json_and_json_without_a_label_are_saved_byte_for_byte() {
    let server = TestServer::start();
    let body = r#"{"password":"","burn_after_reading":false}"#;
    let saved = Saved::of(&json(&server, "POST", "/", body).send());
    assert_eq!(server.get(&saved.raw()).text(), body);
    let plain = server
        .request("POST", "/")
        .header("Content-Type", "text/plain");
    for request in [plain, server.request("PUT", "/a.json")] {
        let saved = Saved::of(&request.body(LOCKED).send());
        assert_eq!(server.get(&saved.raw()).text(), LOCKED);
    }
}

/// Headers that set the expiry: those of other pastebins and our own.
const LIFETIMES: [&str; 6] = [
    "X-Expires",
    "Expire",
    "Expires",
    "X-Expire",
    "Expiry",
    "Max-Days",
];

/// The body that `/record` saves, without further options.
const RECORD: &str = r#"{"title":"","lang":"","content":"x","expiration":60}"#;

/// Saves a paste. Returns the expiry from the response.
fn expiry_of(request: &Request) -> u64 {
    let answer = request.send();
    assert!(answer.status < 300, "{answer:?}");
    answer.header("x-expires").unwrap().parse().unwrap()
}

#[test]
fn an_expiry_in_the_header_of_another_pastebin_is_used() {
    let server = TestServer::start();
    let in_an_hour = expiry_of(&server.request("POST", "/?expires=1h").body("x"));
    for name in LIFETIMES {
        let own = server.save("x");
        for request in [
            server.request("POST", "/"),
            server.request("PUT", "/a.txt"),
            server
                .request("PUT", &own.path)
                .header("X-Token", &own.token),
        ] {
            let request = request.header(name, "1h").body("y");
            assert_eq!(expiry_of(&request), in_an_hour, "{name}");
        }
    }
}

#[test]
fn a_malformed_expiry_is_400_in_any_header() {
    let server = TestServer::start();
    let own = server.save("mine");
    let words = ["`expires`", "`7d`"];
    for name in LIFETIMES {
        for value in ["10months", "1month", "7", "Thu, 01 Dec 1994 16:00:00 GMT"] {
            let request = server.request("POST", "/").header(name, value);
            refused(&server, &request.body("x"), &words);
        }
        let change = server
            .request("PUT", &own.path)
            .header("X-Token", &own.token);
        refused(&server, &change.header(name, "10months").body("x"), &words);
        let read = server.request("POST", &own.path).header(name, "1h");
        assert_eq!(read.send().status, 400);
        let record = server.request("POST", "/record").header(name, "1h");
        assert_eq!(record.body(RECORD).send().status, 400);
    }
    assert_eq!(server.get(&own.raw()).text(), "mine");
}

#[test]
fn expiries_in_two_headers_are_400_if_they_differ() {
    let server = TestServer::start();
    let with = |other: &str| {
        let request = server.request("POST", "/").header("X-Expires", "1h");
        request.header("Expire", other).body("x")
    };
    refused(&server, &with("2h"), &["`expires`", "once"]);
    assert_eq!(with("1h").send().status, 201);
}

#[test]
fn a_mistyped_header_is_400_in_every_protocol_that_saves() {
    let server = TestServer::start();
    let form = "application/x-www-form-urlencoded";
    let record = r#"{"title":"","lang":"","content":"secret","expiration":600}"#;
    for (path, label, body) in [
        ("/", "text/plain", "secret"),
        ("/documents", "text/plain", "secret"),
        ("/api/v2/", form, "content=secret"),
        (
            "/api/api_post.php",
            form,
            "api_option=paste&api_paste_code=secret",
        ),
        ("/record", "application/json", record),
    ] {
        let before = server.store.occupancy();
        let save = server.request("POST", path).header("Content-Type", label);
        for (name, meant) in [("X-Bunr", "X-Burn"), ("Password", "X-Password")] {
            let save = save.clone();
            let answer = save.body(body).header(name, "1").send();
            assert_eq!(answer.status, 400, "{path}: {answer:?}");
            let is_told = path != "/" || answer.sentence().contains(meant);
            assert!(is_told, "{name}: {answer:?}");
            assert_eq!(server.store.occupancy(), before, "{path}");
        }
    }
}

#[test]
fn a_record_or_a_paste_of_wastebin_with_an_unheard_or_empty_password_is_refused() {
    let server = TestServer::start();
    for member in [
        r#""burn_after_reading":true"#,
        r#""Password":"x""#,
        r#""oneshot":1"#,
    ] {
        let record = r#"{"title":"","lang":"","content":"secret","expiration":600,"#;
        let before = server.store.occupancy();
        let answer = json(&server, "POST", "/record", &format!("{record}{member}}}")).send();
        assert_eq!(answer.status, 400, "{member}: {answer:?}");
        assert_eq!(server.store.occupancy(), before, "{member}");
    }
    for accept in ["*/*", "text/html"] {
        let save = json(&server, "POST", "/", r#"{"text":"secret","password":""}"#);
        refused(&server, &save.header("Accept", accept), &["password"]);
    }
}
