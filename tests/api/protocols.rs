//! Other pastebins that share `POST /` and `/ID`: 0x0.st, paste.rs, w4/bin, rustypaste, sprunge and those that
//! pastebinit knows.

use crate::forms::Forms;
use crate::server::{Saved, TestServer};

const NOW: u64 = 1_767_225_600_000;

#[test]
fn an_expiry_in_milliseconds_since_1970_is_honoured_at_save_and_change() {
    let server = TestServer::start();
    let at = (NOW + 90_000).to_string();
    let fields = [("file@", "x"), ("secret", ""), ("expires", at.as_str())];
    let answer = server.request("POST", "/").parts(&fields).send();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("x-expires"), Some(at.as_str()));
    let saved = Saved::of(&answer);
    let manage = |fields: &[(&str, &str)]| {
        let path = format!("{}.txt", saved.path);
        server.request("POST", &path).parts(fields).send()
    };
    let later = (NOW + 3_600_000).to_string();
    let changed = manage(&[("token", &saved.token), ("expires", &later)]);
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(changed.header("x-expires"), Some(later.as_str()));
    for (expires, word) in [
        ("24", "`24h`"),
        ("1650460320000", "past"),
        ("99999999999999", "1 year"),
    ] {
        let refused = manage(&[("token", &saved.token), ("expires", expires)]);
        assert_eq!(refused.status, 400, "{expires}");
        assert!(refused.text().contains(word), "{refused:?}");
        let fields = [("file@", "x"), ("expires", expires)];
        let refused = server.request("POST", "/").parts(&fields).send();
        assert_eq!(refused.status, 400, "{expires}");
        assert!(refused.text().contains(word), "{refused:?}");
    }
    assert_eq!(manage(&[("delete", "")]).status, 401);
    assert_eq!(manage(&[("token", "wrong"), ("delete", "")]).status, 403);
    let deleted = manage(&[("token", &saved.token), ("delete", "")]);
    assert_eq!(deleted.status, 200);
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn a_second_segment_names_a_language_or_a_file_of_the_reader() {
    let server = TestServer::start();
    let saved = server.save("a text\n");
    for rest in ["/", "/rs", ".rs/main.rs", ".txt/any-file-name", "/nonsense"] {
        let path = format!("{}{rest}", saved.path);
        assert_eq!(server.get(&path).body, b"a text\n", "{path}");
        let page = server.browse(&path);
        let is_rust = rest.contains("/rs") || rest.starts_with(".rs");
        assert_eq!(page.text().contains("Rust"), is_rust, "{path}");
    }
    assert_eq!(server.get(&format!("{}/a/b", saved.path)).status, 404);
    let burning = server.request("POST", "/").form("c=secret&burn=1").send();
    let path = format!("{}/rs", Saved::of(&burning).path);
    assert_eq!(server.get(&path).status, 405);
    assert_eq!(server.request("POST", &path).send().body, b"secret");
}

#[test]
fn rustypastes_fields_and_headers_are_honoured() {
    let server = TestServer::start();
    let file = server.request("POST", "/").parts(&[("file@", "x")]);
    let answer = file
        .header("expire", "10min")
        .header("filename", "main.py")
        .header("Authorization", "anything")
        .send();
    assert_eq!(answer.header("x-expires"), Some("1767226200000"));
    let saved = Saved::of(&answer);
    let page = server.browse(&saved.path);
    assert!(page.text().contains("main.py") && page.text().contains("Python"));

    let file = server.get(&format!("{}?download=true", saved.path));
    let disposition = file.header("content-disposition").unwrap();
    assert!(disposition.contains("attachment") && disposition.contains("main.py"));
    assert_eq!(
        server
            .get(&format!("{}?download=false", saved.path))
            .header("content-disposition"),
        None
    );

    let delete = |token: &str| {
        let request = server.request("DELETE", &format!("{}.py", saved.path));
        request.header("Authorization", token).send().status
    };
    assert_eq!(delete("wrong"), 403);
    assert_eq!(delete(&saved.token), 200);
    let version = server.get("/version");
    assert_eq!(version.text().trim_end(), env!("CARGO_PKG_VERSION"));
    assert_eq!(server.get("/list").status, 404);
}

#[test]
fn a_oneshot_is_shown_once() {
    let server = TestServer::start();
    let answer = server
        .request("POST", "/")
        .parts(&[("oneshot@", "secret")])
        .send();
    let saved = Saved::of(&answer);
    assert_eq!(server.get(&saved.path).status, 405);
    assert_eq!(server.request("POST", &saved.path).send().body, b"secret");
    assert_eq!(server.get(&saved.path).status, 410);
}

#[test]
fn what_this_server_does_not_do_is_refused_with_the_way_to_say_it() {
    let server = TestServer::start();
    for (name, word) in [
        ("oneshot_url", "`url`"),
        ("remote", "`file`"),
        ("protected@", "`password`"),
    ] {
        let answer = server
            .request("POST", "/")
            .parts(&[(name, "https://a.example/")])
            .send();
        assert_eq!(answer.status, 400, "{name}");
        assert!(answer.text().contains(word), "{answer:?}");
    }
    let both = [("oneshot", "x"), ("burn", "3")];
    assert_eq!(server.request("POST", "/").parts(&both).send().status, 400);
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn pinnwands_form_is_redirected_and_expires_as_it_says() {
    let server = TestServer::start();
    for expiry in ["1day", "1 day"] {
        let body = format!(
            "code=fn+main()+%7B%7D&lexer=rust&expiry={}",
            expiry.replace(' ', "+")
        );
        let answer = server.request("POST", "/").form(&body).send();
        assert_eq!(answer.status, 303, "{answer:?}");
        let expires = (NOW + 86_400_000).to_string();
        assert_eq!(answer.header("x-expires"), Some(&*expires));
    }
    for body in ["code=a&expiry=soon", "code=a&expiry=1day&expires=1d"] {
        assert_eq!(server.request("POST", "/").form(body).send().status, 400);
    }
}

#[test]
fn the_form_of_a_website_is_redirected_with_an_absolute_address() {
    let server = TestServer::start();
    for (body, expiry) in [
        ("val=a%0Ab", 604_800),
        ("poster=me&content=a%0Ab&syntax=text", 604_800),
        ("poster=me&content=a%0Ab&syntax=text&expiration=day", 86_400),
        ("poster=me&content=a%0Ab&syntax=text&expiration=", 604_800),
        (
            "poster=me&code=a%0Ab&lang=-1&remember=0&expire=3600&private=1",
            3600,
        ),
        ("title=t&description=&code=a%0Ab&lang=text&parent=", 604_800),
        ("submit=Paste%21&language=text&code=a%0Ab", 604_800),
    ] {
        let answer = server.request("POST", "/").form(body).send();
        assert_eq!(answer.status, 303, "{body}: {answer:?}");
        let expires = (NOW + expiry * 1000).to_string();
        assert_eq!(answer.header("x-expires"), Some(&*expires), "{body}");
        let saved = Saved::of(&answer);
        assert_eq!(answer.header("location"), Some(&*saved.url));
        assert_eq!(server.get(&saved.path).body, b"a\nb", "{body}");
    }
    for (body, word) in [
        ("poster=me&content=a&expiration=soon", "`expires`"),
        ("poster=me&code=a&expire=-1", "never"),
        ("poster=me&code=a&expire=99999999", "1 year"),
    ] {
        let answer = server.request("POST", "/").form(body).send();
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.text().contains(word), "{answer:?}");
    }
    // A multipart form of the same fields is that of a program.
    let fields = [("poster", "me"), ("code", "a")];
    assert_eq!(
        server.request("POST", "/").parts(&fields).send().status,
        200
    );
    assert_eq!(
        server
            .request("POST", "/")
            .form("sprunge=a&lang=text")
            .send()
            .status,
        200
    );
}

#[test]
fn a_form_with_a_restriction_is_honoured_or_refused_but_never_published() {
    let server = TestServer::start();
    let answer = server
        .request("POST", "/")
        .form("text=secret&burn-after-reading=on")
        .send();
    let saved = Saved::of(&answer);
    assert_eq!(server.get(&saved.path).status, 405);
    let burning = server.request("PUT", "/notes.txt");
    let saved = Saved::of(&burning.header("Max-Downloads", "1").body("x").send());
    assert_eq!(server.get(&saved.path).status, 405);
    let before = server.store.occupancy();
    for body in [
        "content=secret&expires=onetime&format=url",
        "content=secret&expires=1h&format=url",
        "content=secret&expiry=1h&expires=1h",
        "content=secret&burn-after-reading=maybe",
        "content=secret&burn-after-reading=",
        "content=secret&oneshot=",
        "content=secret&protected=",
        "content=secret&max_views=1",
        "content=secret&expiry_days=1",
    ] {
        let answer = server.request("POST", "/").form(body).send();
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
    }
    for (name, value) in [
        ("Max-Downloads", "0"),
        ("Max-Downloads", "101"),
        ("X-Read-Once", "1"),
        ("Password", "x"),
    ] {
        let request = server.request("POST", "/").header(name, value);
        let answer = request.body("secret").send();
        assert_eq!(answer.status, 400, "{name}: {answer:?}");
    }
    assert_eq!(server.store.occupancy(), before);
}

#[test]
fn bad_forms_are_refused_in_plain_text_and_nothing_is_kept() {
    let server = TestServer::with(&["--max-paste-size", "64KiB"]);
    let fields = |count: usize| "f:1=&".repeat(count) + "lang=c";
    let large = "%20".repeat((64 << 10) + 1);
    for (body, status) in [
        ("f:1=".to_owned(), 400),
        ("f:1=a&f:2=".to_owned(), 400),
        (format!("f:1={large}"), 413),
        (format!("code={large}&poster="), 413),
        ("f:1=a&expires=soon".to_owned(), 400),
        ("f:1=a&ext:1=c&ext:1=d".to_owned(), 400),
        ("code=a&expire=1&expires=1h".to_owned(), 400),
        ("rm=".to_owned(), 400),
        ("rm=%ff".to_owned(), 404),
        ("f:1=a&id:1=%00".to_owned(), 404),
        ("text=a&token=x".to_owned(), 400),
    ] {
        let answer = server.request("POST", "/").form(&body).send();
        let start = &body[..body.len().min(40)];
        assert_eq!(answer.status, status, "{start}: {answer:?}");
        answer.sentence();
    }
    let tenth = server
        .request("POST", "/")
        .parts(&[("f:1", "a"), ("f:10", "b")])
        .send();
    assert_eq!(tenth.status, 400);
    assert!(tenth.sentence().contains("`f:10`"), "{tenth:?}");
    // Fields without content make no paste, however many they are.
    let many = server
        .request("POST", "/")
        .parts(&vec![("ext:1", ""); 2000])
        .send();
    assert_eq!((many.status, many.sentence().is_empty()), (400, false));
    assert_eq!(
        server
            .request("POST", "/")
            .form(fields(100_000))
            .send()
            .status,
        413
    );
    for method in ["PATCH", "DELETE", "OPTIONS"] {
        assert_eq!(server.request(method, "/").send().status, 405, "{method}");
    }
    assert_eq!(server.store.occupancy().pastes, 0);
    // An unknown language is plain text, and invalid UTF-8 is content like any other.
    let unknown = server
        .request("POST", "/")
        .form("ext:1=klingon&f:1=%ff%fe")
        .send();
    assert_eq!(unknown.status, 200, "{unknown:?}");
}
