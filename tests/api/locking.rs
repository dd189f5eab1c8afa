//! Passwords: the responses with a right, a wrong and no password, and the stored form of a paste with a password.

use tidebin::paste::{KeyMemory, Password, StoredPaste, decrypt};
use tidebin::store::memory::cost_of;

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::server::{Saved, TestServer, block_on, id_of};

/// These strings occur nowhere else in a response.
const CONTENT: &str = "Qwv9-content";
const TITLE: &str = "Qwv9-title";
const RIGHT: &str = "Qwv9-password";

fn save(server: &TestServer, options: &str) -> Saved {
    let path = format!("/?title={TITLE}&{options}");
    let request = server.request("POST", &path).header("X-Password", RIGHT);
    let answer = request.body(CONTENT).send();
    assert_eq!(answer.status, 201, "{answer:?}");
    Saved::of(&answer)
}

fn with(server: &TestServer, method: &str, path: &str, password: impl AsRef<[u8]>) -> Response {
    let request = server.request(method, path);
    request.header("X-Password", password).send()
}

/// The request of the page's form.
fn form(server: &TestServer, path: &str, body: &str) -> Request {
    server.request("POST", path).form(body)
}

#[track_caller]
fn shows_nothing(answer: &Response) {
    let everything = format!("{answer:?} {}", String::from_utf8_lossy(&answer.body));
    assert!(!everything.contains("Qwv9"), "{everything}");
}

#[test]
fn the_right_password_opens_a_paste_however_it_is_sent() {
    let server = TestServer::start();
    let saved = save(&server, "");
    for path in [&saved.path, &saved.raw(), &saved.download()] {
        for answer in [
            with(&server, "GET", path, RIGHT),
            with(&server, "POST", path, RIGHT),
            form(&server, path, &format!("password={RIGHT}")).send(),
            server
                .request("POST", path)
                .parts(&[("password", RIGHT)])
                .send(),
            form(&server, path, &format!("password={RIGHT}"))
                .header("X-Password", "wrong")
                .send(),
        ] {
            assert_eq!((answer.status, answer.text()), (200, CONTENT), "{path}");
            assert_eq!(answer.header("cache-control"), Some("no-store"));
            assert_eq!(answer.header("etag"), None);
        }
    }
    let file = with(&server, "POST", &saved.download(), RIGHT);
    let disposition = file.header("content-disposition").unwrap();
    assert!(disposition.contains(TITLE), "{disposition}");
}

#[test]
fn a_missing_password_and_a_wrong_one_each_get_a_sentence_with_the_next_step() {
    let server = TestServer::start();
    let saved = save(&server, "");
    let missing = "This paste is password-protected. Send the password as in `curl -F 'password=<pw.txt' URL`, or as `X-Password`.";
    let wrong =
        "The password is wrong. Check it for typos, or ask the person who shared the paste.";
    for path in [&saved.path, &saved.raw(), &saved.download()] {
        for (answer, sentence) in [
            (server.get(path), missing),
            (server.request("POST", path).send(), missing),
            (form(&server, path, "password=").send(), missing),
            (with(&server, "GET", path, "wrong"), wrong),
            (with(&server, "POST", path, "wrong"), wrong),
            (with(&server, "POST", path, &RIGHT[1..]), wrong),
            (form(&server, path, "password=wrong").send(), wrong),
        ] {
            assert_eq!((answer.status, answer.sentence()), (401, sentence));
            assert_eq!(answer.header("www-authenticate"), Some("X-Password"));
            shows_nothing(&answer);
        }
        let head = with(&server, "HEAD", path, RIGHT);
        assert_eq!(head.status, 401);
        shows_nothing(&head);
        let json = server
            .request("POST", path)
            .header("Accept", "application/json");
        let json = json.header("X-Password", "wrong").send();
        let details: serde_json::Value = serde_json::from_slice(&json.body).unwrap();
        assert_eq!(
            (&details["status"], &details["detail"]),
            (&401.into(), &wrong.into())
        );
    }
}

#[test]
fn a_browser_gets_a_password_form_and_gets_it_again_after_a_wrong_password() {
    let server = TestServer::start();
    let saved = save(&server, "burn=1");
    let asked = server.browse(&saved.path);
    assert_eq!(asked.status, 401);
    let field = "<input id=\"password\" name=\"password\" type=\"password\" required";
    assert!(asked.text().contains(field) && asked.text().contains("View paste"));
    assert!(!asked.text().contains("role=\"alert\""));
    let typed = |password: &str| {
        let request = form(&server, &saved.path, &format!("password={password}"));
        request.header("Accept", "text/html").send()
    };
    let again = typed("wrong");
    assert_eq!(again.status, 401);
    assert!(again.text().contains(field) && again.text().contains("role=\"alert\""));
    for page in [&asked, &again] {
        assert_eq!(page.header("cache-control"), Some("no-store"));
        shows_nothing(page);
    }
    let page = typed(RIGHT);
    assert_eq!(
        (page.status, page.header("cache-control")),
        (200, Some("no-store"))
    );
    assert!(page.text().contains(CONTENT) && page.text().contains(TITLE));
    assert!(!page.text().contains(RIGHT));
    assert_eq!(typed(RIGHT).status, 410);
    server.until_all_have_ended();
}

#[test]
fn a_wrong_password_uses_up_no_read_and_a_get_reads_no_burning_paste() {
    let server = TestServer::start();
    let saved = save(&server, "burn=2");
    for _ in 0..2 {
        for password in ["wrong", "Qwv9-passwore", "x"] {
            assert_eq!(with(&server, "POST", &saved.path, password).status, 401);
        }
        assert_eq!(server.request("POST", &saved.raw()).send().status, 401);
        let look = with(&server, "GET", &saved.path, RIGHT);
        assert_eq!(
            (look.status, look.header("allow")),
            (405, Some("POST, DELETE"))
        );
        shows_nothing(&look);
        assert_eq!(with(&server, "POST", &saved.path, RIGHT).text(), CONTENT);
    }
    for password in ["wrong", RIGHT] {
        assert_eq!(with(&server, "POST", &saved.path, password).status, 410);
    }
}

#[test]
fn a_password_is_its_exact_bytes_except_for_a_line_end_in_a_field() {
    let server = TestServer::start();
    let save = |body: &str| {
        let answer = form(&server, "/", body).send();
        assert_eq!(answer.status, 200, "{answer:?}");
        Saved::of(&answer)
    };
    let saved = save("text=a&password=p%C3%A4ss%0D%0A");
    assert_eq!(with(&server, "POST", &saved.path, "päss").status, 200);
    for (read, status) in [
        ("password=p%C3%A4ss%0A", 200),
        ("password=p%C3%A4ss%0A%0A", 401),
        ("password=p%E4ss", 401),
    ] {
        let answer = form(&server, &saved.path, read).send();
        assert_eq!(answer.status, status, "{read}");
    }
    let bytes = save("text=a&password=%FF%00%0A");
    let read = |body| form(&server, &bytes.path, body).send().status;
    assert_eq!((read("password=%FF%00"), read("password=%FF")), (200, 401));
}

#[test]
fn impossible_options_are_refused_and_nothing_is_saved() {
    let server = TestServer::start();
    let long = "x".repeat(1025);
    let link = "url=https%3A%2F%2Fa.example%2F";
    for (query, body, start) in [
        ("password=", "text=a", "`password` is empty"),
        ("", "text=a&password=", "`password` is empty"),
        (
            "",
            &*format!("text=a&password={long}"),
            "`password` is too long",
        ),
        ("", &*format!("{link}&burn=1"), "A short link cannot burn"),
        ("password=p", link, "A short link cannot have a password"),
        (
            "",
            "text=a&password=p&password=p",
            "The option `password` is set more than once",
        ),
    ] {
        let answer = form(&server, &format!("/?{query}"), body).send();
        assert_eq!(answer.status, 400, "{query} {body}: {answer:?}");
        let sentence = answer.sentence();
        assert!(sentence.starts_with(start), "{query} {body}: {sentence}");
    }
    for wrong in ["", &long] {
        let put = server.request("PUT", "/a.txt").header("X-Password", wrong);
        assert_eq!(put.body("a").send().status, 400, "{}", wrong.len());
    }
    let put = server.request("PUT", "/").header("X-Password", &long[1..]);
    assert_eq!(put.body("a").send().status, 201);
    assert_eq!(server.store.occupancy().pastes, 1);
}

/// Returns the paste from the server's store. The server makes ids with this key.
fn kept(server: &TestServer, saved: &Saved) -> StoredPaste {
    let id = id_of(KEY, &saved.id);
    let now = server.clock.timestamp();
    block_on(server.store.peek(now, id)).unwrap()
}

const KEY: &str = "the key of the ids, of 32 characters";

#[test]
fn a_stored_paste_with_a_password_contains_no_readable_content_title_or_password() {
    let server = TestServer::with(&["--secret", KEY]);
    for options in ["", "burn=3"] {
        let saved = save(&server, options);
        let looks_and_reads = ["wrong", RIGHT, "wrong", RIGHT];
        for password in looks_and_reads {
            with(&server, "POST", &saved.path, password);
        }
        let kept = kept(&server, &saved);
        let sealed = kept.encrypted().unwrap().to_vec();
        for secret in [CONTENT, TITLE, RIGHT, "Qwv9"] {
            let secret = secret.as_bytes();
            assert!(!sealed.windows(secret.len()).any(|part| part == secret));
            assert!(!format!("{kept:?}").contains("Qwv9"));
        }
        let password = Password::new(RIGHT.as_bytes()).unwrap();
        let opened = decrypt(&password, &sealed, &mut KeyMemory::new().unwrap());
        let (content, title) = opened.unwrap();
        assert_eq!(content.bytes()[..], *CONTENT.as_bytes());
        assert_eq!(title.unwrap().as_str(), TITLE);
        // A title stored separately would cost extra bytes.
        let together = server.request("POST", &format!("/?{options}"));
        let together = together.header("X-Password", RIGHT);
        let untitled = together.body([CONTENT, TITLE].concat()).send();
        let untitled = self::kept(&server, &Saved::of(&untitled));
        assert_eq!(untitled.encrypted().unwrap().len(), sealed.len());
        assert_eq!(cost_of(&untitled), cost_of(&kept));
    }
}

#[test]
fn no_cache_may_store_a_page_that_a_password_opened() {
    let server = TestServer::start();
    let saved = save(&server, "");
    for request in [
        form(&server, &saved.path, &format!("password={RIGHT}")),
        server
            .request("GET", &saved.path)
            .header("X-Password", RIGHT),
    ] {
        for coding in ["identity", "gzip"] {
            let page = request.clone().header("Accept", "text/html");
            let page = page.header("Accept-Encoding", coding).send();
            assert_eq!(page.status, 200);
            assert_eq!(page.header("cache-control"), Some("no-store"));
            assert_eq!(server.pages.used_bytes(), 0);
        }
    }
    let asked = server.browse(&saved.path);
    assert_eq!(asked.status, 401);
    shows_nothing(&asked);
}

#[test]
fn no_get_of_a_password_protected_paste_shows_content() {
    let server = TestServer::start();
    for options in ["", "burn=1"] {
        let saved = save(&server, options);
        for path in crate::every_tier::burning::addresses(&saved) {
            for method in ["GET", "HEAD", "OPTIONS"] {
                for accept in ["*/*", "text/html", "application/json"] {
                    let look = server.request(method, &path).header("Accept", accept);
                    shows_nothing(&look.clone().header("If-None-Match", "*").send());
                    shows_nothing(&look.clone().header("Range", "bytes=0-3").send());
                    shows_nothing(&look.header("X-Token", &saved.token).send());
                }
            }
        }
        assert_eq!(with(&server, "POST", &saved.path, RIGHT).text(), CONTENT);
    }
}

#[test]
fn a_change_keeps_the_password_of_a_paste_or_is_refused() {
    let server = TestServer::start();
    let saved = save(&server, "");
    let put = |password: Option<&str>| {
        let request = server.request("PUT", &saved.path);
        let request = request.header("X-Token", &saved.token).body("changed");
        match password {
            Some(password) => request.header("X-Password", password).send(),
            None => request.send(),
        }
    };
    assert_eq!(put(None).status, 400);
    assert_eq!(with(&server, "POST", &saved.path, RIGHT).text(), CONTENT);
    let title = form(
        &server,
        &saved.path,
        &format!("title=a&token={}", saved.token),
    );
    assert_eq!(title.send().status, 400);
    assert_eq!(put(Some("other")).status, 200);
    assert_eq!(with(&server, "POST", &saved.path, RIGHT).status, 401);
    assert_eq!(with(&server, "GET", &saved.path, "other").text(), "changed");
    assert_eq!(server.get(&saved.path).status, 401);
}
