//! Options of other pastebins that tidebin does not support: a form or a header that asks for one is rejected, so no
//! secret is published. Any other body is stored byte for byte.

use crate::client::Request;
use crate::forms::{Forms, multipart, urlencoded};
use crate::server::{Saved, TestServer};

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
fn a_form_with_an_unknown_field_is_400_that_names_it_and_how_to_save_the_bytes() {
    let server = TestServer::start();
    let post = || server.request("POST", "/");
    for (name, request) in [
        (
            "pass",
            json(&server, "POST", "/", r#"{"content":"s","pass":"x"}"#),
        ),
        (
            "views",
            json(&server, "POST", "/", r#"{"views":1,"text":"s"}"#),
        ),
        (
            "self_destruct",
            json(&server, "POST", "/", r#"{"code":"s","self_destruct":true}"#),
        ),
        (
            "burn_after_raed",
            post().form("text=hello&burn_after_raed=1"),
        ),
        ("days", post().form("days=1&content=s")),
    ] {
        refused(
            &server,
            &request,
            &[&format!("`{name}`"), "`curl -T - URL`"],
        );
    }
    refused(&server, &post().form("text=a&code=b"), &["`curl -T - URL`"]);
    refused(
        &server,
        &post().form("text=a&expires=soon"),
        &["`curl -T - URL`"],
    );
    refused(
        &server,
        &post().parts(&[("file", "s"), ("days", "1")]),
        &["`days`"],
    );
    for label in [
        "Application/JSON; charset=utf-8",
        "application/vnd.paste+json",
    ] {
        let request = post()
            .header("Content-Type", label)
            .body(r#"{"data":"s","days":1}"#);
        refused(&server, &request, &["`days`"]);
    }
}

#[test]
fn any_other_body_is_stored_byte_for_byte_whatever_it_says() {
    let server = TestServer::start();
    let locked = r#"{"content":"secret","password":"x","burn_after_reading":true}"#;
    let private_bin = r#"{"v":2,"adata":[[],"plaintext",0,1],"ct":"eA==","meta":{}}"#;
    let form = "application/x-www-form-urlencoded";
    for (label, body) in [
        (form, "access_token=abc&token_type=bearer&expires_in=3600"),
        (form, "text=two lines\npassword=x"),
        (form, locked),
        (form, private_bin),
        ("text/plain", locked),
        ("text/plain", "text=a&burn=1"),
        ("application/json", private_bin),
        ("application/json", r#"{"password":"x","burn":1}"#),
        ("application/json", r#"[{"text":"a","password":"x"}]"#),
    ] {
        for (method, path) in [("POST", "/"), ("PUT", "/"), ("PUT", "/a.txt")] {
            let request = server.request(method, path).header("Content-Type", label);
            let answer = request.body(body).send();
            assert_eq!(answer.status, 201, "{method} {body}: {answer:?}");
            assert_eq!(server.get(&Saved::of(&answer).raw()).text(), body);
        }
    }
    for (method, path) in [("POST", "/"), ("PUT", "/a.json")] {
        let saved = Saved::of(&server.request(method, path).body(locked).send());
        assert_eq!(server.get(&saved.raw()).text(), locked);
    }
    for (form, content) in [
        ("text=hello", "hello"),
        ("text=two words&lang=c", "two words"),
    ] {
        let saved = Saved::of(&server.request("POST", "/").form(form).send());
        assert_eq!(server.get(&saved.raw()).text(), content);
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
            put(path)
                .header("Content-Type", "application/json")
                .body(r#"{"text":"a","burn":1}"#),
        ] {
            refused(&server, &request, &["PUT", "POST", "curl -T"]);
        }
    }
    let file = urlencoded(put("/a.txt"), "user=a&lang=c").send();
    assert_eq!(file.status, 201);
    assert_eq!(server.get(&own.raw()).text(), "mine");
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
fn an_unknown_header_that_asks_for_less_is_400_in_every_protocol_that_saves() {
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
        for name in [
            "X-Read-Once",
            "X-Passphrase",
            "Password",
            "X-TTL",
            "Linx-Expiry",
            "Linx-Access-Key",
            "X-Valid-For",
        ] {
            let save = save.clone();
            let answer = save.body(body).header(name, "1").send();
            assert_eq!(answer.status, 400, "{path}: {answer:?}");
            let name = format!("`{}`", name.to_ascii_lowercase());
            let is_told = path != "/" || answer.sentence().contains(&name);
            assert!(is_told, "{name}: {answer:?}");
            assert_eq!(server.store.occupancy(), before, "{path}");
        }
        for name in [
            "X-Thread-Id",
            "X-Passenger-Connect-Password",
            "X-Stainless-Read-Timeout",
            "X-Origin-Secret",
            "TTL",
            "X-Bunr",
        ] {
            let answer = save.clone().body(body).header(name, "1").send();
            assert!(answer.status < 300, "{path} {name}: {answer:?}");
        }
    }
}

#[test]
fn a_record_or_a_paste_of_wastebin_with_an_unheard_or_empty_password_is_refused() {
    let server = TestServer::start();
    for member in [
        r#""burn_after_reading":true"#,
        r#""Password":"x""#,
        r#""burn":0"#,
        r#""version":"1.0""#,
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
