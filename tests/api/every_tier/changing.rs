//! Changes: the owner replaces the content, the title and the expiry under the same address.

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

fn put(server: &TestServer, saved: &Saved, body: &str) -> Request {
    let request = server.request("PUT", &saved.path);
    request.header("X-Token", &saved.token).body(body)
}

fn post(server: &TestServer, saved: &Saved, form: &str) -> Response {
    let request = server.request("POST", &saved.path);
    request.form(format!("token={}&{form}", saved.token)).send()
}

/// Sends the editor's form with the text `z` and no title.
fn edit_untitled(server: &TestServer, saved: &Saved) -> Response {
    let request = server.request("POST", &format!("{}/edit", saved.path));
    let request = request.header("X-Token", &saved.token);
    request.parts(&[("content", "z"), ("title", "")]).send()
}

fn saved_with(server: &TestServer, query: &str, body: &str) -> Saved {
    Saved::of(&server.request("POST", query).body(body).send())
}

#[test]
fn the_token_replaces_the_content_under_the_same_address() {
    let server = TestServer::start();
    let saved = saved_with(&server, "/?title=a+title&lang=rust", "fn old() {}");
    let etag = server.get(&saved.path).header("etag").unwrap().to_owned();
    let seen = server.browse(&saved.path);
    assert!(seen.text().contains(">old<"));
    // The new content has the same length and is saved in the same millisecond.
    let answer = put(&server, &saved, "fn new() {}").send();
    assert_eq!(
        (answer.status, answer.text()),
        (200, format!("{}\n", saved.url).as_str())
    );
    assert!(answer.header("x-expires").is_some() && answer.header("x-token").is_none());
    let request = server.request("GET", &saved.path);
    let read = request.header("If-None-Match", &etag).send();
    assert_eq!((read.status, read.text()), (200, "fn new() {}"));
    let page = server.browse(&saved.path);
    assert!(page.text().contains("new") && !page.text().contains(">old<"));
    // Options that the change does not name keep their values.
    assert!(page.text().contains("a title") && page.text().contains("</span>Rust</a>"));
}

#[test]
fn a_page_tells_a_content_that_replaced_another_from_one_first_saved() {
    let server = TestServer::start();
    let saved = server.save("x");
    let tells = |word: &str| {
        let time = format!("<span>{word} <time datetime=\"2026-01-01T00:00:00Z\"");
        assert!(server.browse(&saved.path).text().contains(&time), "{word}");
    };
    tells("Saved");
    assert_eq!(post(&server, &saved, "expires=2h").status, 200);
    tells("Saved");
    assert_eq!(put(&server, &saved, "y").send().status, 200);
    tells("Edited");
    assert_eq!(post(&server, &saved, "title=a+title").status, 200);
    tells("Edited");
}

#[test]
fn a_put_without_a_token_saves_under_any_name() {
    let server = TestServer::start();
    let saved = server.save("x");
    let answer = server.request("PUT", &saved.path).body("y").send();
    assert_eq!(answer.status, 201);
    assert_ne!(Saved::of(&answer).id, saved.id);
    assert_eq!(server.get(&saved.path).text(), "x");
    assert_eq!(server.request("PUT", "/c++").body("y").send().status, 201);
}

#[test]
fn a_form_changes_title_language_and_expiry_and_nothing_else() {
    let server = TestServer::start();
    let saved = server.save("x");
    let changed = post(&server, &saved, "title=new+title&lang=py&expires=2h");
    assert_eq!(changed.status, 200);
    let page = server.browse(&saved.path);
    assert!(page.text().contains("</span>Python</a>"));
    assert!(page.text().contains("new title") && page.text().contains(">2026-01-01 02:00:00 UTC<"));
    for (form, status) in [
        ("expires=5", 400),
        ("expires=99w", 400),
        ("content=y", 400),
        ("title=y&password=secret", 400),
        ("expires=+", 400),
    ] {
        assert_eq!(post(&server, &saved, form).status, status, "{form}");
    }
    let request = server.request("POST", &saved.path);
    assert_eq!(request.clone().form("title=y").send().status, 401);
    let wrong = request.body("title=y&token=wrong").send();
    assert_eq!(wrong.status, 403);
    assert!(server.browse(&saved.path).text().contains("new title"));
    assert_eq!(server.get(&saved.path).text(), "x");
}

#[test]
fn an_empty_title_removes_the_title() {
    let server = TestServer::start();
    let saved = saved_with(&server, "/?title=a+secret+name.rs", "x");
    let titled = || server.browse(&saved.path).text().contains("a secret name");
    assert_eq!(put(&server, &saved, "y").send().status, 200);
    assert!(titled());
    assert_eq!(post(&server, &saved, "title=").status, 200);
    assert!(!titled());
    assert_eq!(post(&server, &saved, "title=a+secret+name").status, 200);
    assert!(titled());
    assert_eq!(edit_untitled(&server, &saved).status, 200);
    assert!(!titled());
    assert_eq!(server.get(&saved.path).text(), "z");
    // The editor does not show the content of a protected paste, so an empty field keeps it.
    let burning = saved_with(&server, "/?title=a+secret+name&burn=2", "x");
    assert_eq!(edit_untitled(&server, &burning).status, 200);
    let read = server
        .request("POST", &burning.path)
        .header("Accept", "text/html");
    assert!(read.send().text().contains("a secret name"));
}

#[test]
fn options_outside_of_a_form_that_no_form_changes_are_refused() {
    let server = TestServer::start();
    let saved = server.save("x");
    let request = |path: &str| {
        let request = server.request("POST", path);
        request.form(format!("title=y&token={}", saved.token))
    };
    for name in ["X-Expires", "X-Title", "X-Lang", "X-Burn", "X-Password"] {
        let answer = request(&saved.path).header(name, "1").send();
        assert_eq!(answer.status, 400, "{name}");
    }
    for query in ["expires=1h", "burn=1", "password=secret"] {
        let answer = request(&format!("{}?{query}", saved.path)).send();
        assert_eq!(answer.status, 400, "{query}");
    }
    assert!(
        !server
            .browse(&saved.path)
            .text()
            .contains("<h1 class=\"title\">y")
    );
    assert_eq!(request(&saved.path).send().status, 200);
}

#[test]
fn a_change_whose_if_match_names_other_bytes_is_412() {
    let server = TestServer::start();
    let saved = server.save("x");
    let old = server.get(&saved.path).header("etag").unwrap().to_owned();
    let put_if = |tag: &str| put(&server, &saved, "y").header("If-Match", tag).send();
    assert_eq!(put_if("\"other\"").status, 412);
    assert_eq!(put_if(&format!("W/{old}")).status, 412);
    assert_eq!(put_if(&format!("\"other\", {old}")).status, 200);
    assert_eq!(put_if(&old).status, 412);
    let request = |method| {
        let request = server.request(method, &saved.path);
        let request = request.header("X-Token", &saved.token);
        request.header("If-Match", &old)
    };
    let form = request("POST");
    assert_eq!(form.form("title=late").send().status, 412);
    assert_eq!(request("DELETE").send().status, 412);
    assert_eq!(server.get(&saved.path).text(), "y");
    assert_eq!(put_if("*").status, 200);
    let locked = saved_with(&server, "/?password=secret", "x");
    let blind = put(&server, &locked, "y").header("X-Password", "secret");
    assert_eq!(blind.header("If-Match", &old).send().status, 412);
}

#[test]
fn a_change_cannot_alter_the_access_to_a_paste() {
    let server = TestServer::start();
    let open = server.save("x");
    let burning = saved_with(&server, "/?burn=2", "x");
    let locked = saved_with(&server, "/?password=secret", "x");
    for (saved, name, value, status) in [
        (&open, "X-Burn", "1", 400),
        (&open, "X-Password", "secret", 400),
        (&burning, "X-Burn", "1", 400),
        (&burning, "X-Password", "secret", 400),
        (&locked, "X-Burn", "1", 400),
        (&locked, "X-Odd", "1", 400),
        (&locked, "X-Password", "other", 200),
        (&burning, "X-Odd", "1", 200),
    ] {
        let answer = put(&server, saved, "y").header(name, value).send();
        assert_eq!(answer.status, status, "{name}: {value}");
    }
    assert_eq!(server.get(&open.path).text(), "x");
    assert_eq!(server.get(&burning.path).status, 405);
    assert_eq!(server.request("POST", &burning.path).send().text(), "y");
    let read = |password: &str| {
        let request = server.request("GET", &locked.path);
        request.header("X-Password", password).send()
    };
    assert_eq!(read("secret").status, 401);
    assert_eq!(read("other").text(), "y");
    assert_eq!(post(&server, &locked, "title=t").status, 400);
    assert_eq!(post(&server, &locked, "expires=1h").status, 200);
}

#[test]
fn the_target_of_a_link_cannot_change_but_its_expiry_can() {
    let server = TestServer::start();
    let request = server.request("POST", "/");
    let saved = Saved::of(&request.form("url=https%3A%2F%2Fexample.org%2F").send());
    assert_eq!(
        put(&server, &saved, "https://other.example/").send().status,
        400
    );
    assert_eq!(post(&server, &saved, "expires=1h").status, 200);
    let led = server.get(&saved.path);
    assert_eq!(led.header("location"), Some("https://example.org/"));
}

#[test]
fn the_editor_of_a_paste_is_for_its_owner_and_shows_only_open_content() {
    let server = TestServer::start();
    let edit = |saved: &Saved| {
        let request = server.request("GET", &format!("{}/edit", saved.path));
        let request = request.header("Accept", "text/html");
        request
            .header("Cookie", format!("token={}", saved.token))
            .send()
    };
    let open = server.save("some <text>");
    let page = edit(&open);
    assert_eq!(
        (page.status, page.header("cache-control")),
        (200, Some("no-store"))
    );
    assert!(page.text().contains("some &#60;text&#62;"));
    assert_eq!(server.browse(&format!("{}/edit", open.path)).status, 401);
    for query in ["/?burn=1", "/?password=secret"] {
        let page = edit(&saved_with(&server, query, "some <text>"));
        assert_eq!(page.status, 200);
        assert!(!page.text().contains("some &#60;text&#62;"));
    }
    assert_eq!(edit(&server.save(b"\xff")).status, 400);

    let request = server.request("POST", &format!("{}/edit", open.path));
    let request = request.header("Accept", "text/html");
    let request = request.parts(&[("content", "new\r\ntext"), ("password", "")]);
    assert_eq!(request.send().status, 401);
    let cookie = format!("token={}", open.token);
    let cross = request.clone().header("Cookie", &cookie);
    let cross = cross.header("Sec-Fetch-Site", "cross-site").send();
    assert_eq!(cross.status, 401);
    let saved = request.header("Cookie", cookie).send();
    let page = format!("{}?changed=2-1", open.path);
    assert_eq!(
        (saved.status, saved.header("location")),
        (303, Some(&*page))
    );
    assert_eq!(server.get(&open.path).text(), "new\ntext");
}

#[test]
fn line_ends_stay_if_a_browser_sends_the_text_back_and_change_for_a_program() {
    let server = TestServer::start();
    for (accept, expected) in [("text/html", "a\r\nb\n"), ("*/*", "a\nb\n")] {
        let saved = server.save("a\r\nb\n");
        let request = server.request("POST", &format!("{}/edit", saved.path));
        let request = request
            .header("X-Token", &saved.token)
            .header("Accept", accept);
        let changed = request
            .parts(&[("content", "a\nb\n"), ("title", "t")])
            .send();
        assert!(changed.status < 400, "{changed:?}");
        assert_eq!(server.get(&saved.path).text(), expected, "{accept}");
    }
}

#[test]
fn a_change_that_is_too_large_or_empty_changes_nothing() {
    let server = TestServer::with(&["--max-paste-size", "1KiB"]);
    let saved = server.save("x");
    assert_eq!(put(&server, &saved, &"y".repeat(1025)).send().status, 413);
    assert_eq!(put(&server, &saved, "").send().status, 400);
    assert_eq!(server.get(&saved.path).text(), "x");
    assert_eq!(put(&server, &saved, &"y".repeat(1024)).send().status, 200);
}

#[test]
fn a_post_that_requests_more_than_a_read_reads_nothing() {
    let server = TestServer::start();
    let saved = saved_with(&server, "/?burn=1", "x");
    let urlencoded = |path: &str, body: &str| {
        let request = server.request("POST", path);
        request.form(body)
    };
    for form in ["expires=", "token=", "burm=1", "text"] {
        let answer = urlencoded(&saved.path, form).send();
        assert_eq!(answer.status, 400, "{form}");
    }
    assert_eq!(urlencoded(&saved.path, "title=").send().status, 401);
    for query in ["delete=1", "expires=2d", "title=x", "burn=1"] {
        let path = format!("{}?{query}", saved.path);
        assert_eq!(server.request("POST", &path).send().status, 400, "{query}");
    }
    for name in ["X-Token", "X-Expires", "X-Title", "X-Lang", "X-Burn"] {
        let request = server.request("POST", &saved.path).header(name, "1");
        assert_eq!(request.send().status, 400, "{name}");
    }
    assert_eq!(server.request("POST", &saved.path).send().text(), "x");
}

#[test]
fn a_later_expiry_extends_the_cookie_too() {
    let server = TestServer::start();
    let saved = saved_with(&server, "/?expires=1h", "x");
    let request = server.request("POST", &saved.path);
    let request = request.header("Cookie", format!("token={}", saved.token));
    let changed = request
        .header("Accept", "text/html")
        .form("expires=2d")
        .send();
    assert_eq!(changed.status, 303);
    let cookie = changed.header("set-cookie").unwrap();
    assert!(cookie.contains("Max-Age=172800"), "{cookie}");
}

#[test]
fn a_charset_that_the_client_names_is_kept_until_the_content_changes() {
    let server = TestServer::start();
    let text = b"\xd0\xd2\xc9\xd7\xc5\xd4";
    let saving = server.request("POST", "/");
    let saving = saving.header("Content-Type", "text/plain; charset=KOI8-R");
    let saved = Saved::of(&saving.body(text).send());
    let charset = || {
        let raw = server.get(&saved.raw());
        assert_eq!(raw.body, text);
        raw.header("content-type").unwrap_or_default().to_owned()
    };
    assert_eq!(charset(), "text/plain; charset=KOI8-R");
    let page = server.browse(&saved.path);
    assert!(page.text().contains("привет"), "{page:?}");
    let changing = server.request("PUT", &saved.path);
    let changing = changing.header("Content-Type", "text/plain; charset=\"cp866\"");
    let changing = changing.header("X-Token", &saved.token);
    assert_eq!(changing.body(text).send().status, 200);
    assert_eq!(charset(), "text/plain; charset=IBM866");
    // The option of tidebin goes before the label of the body, which is ignored if it is unknown.
    let changing = server.request("PUT", &format!("{}?charset=cp850", saved.path));
    let changing = changing.header("Content-Type", "text/plain; charset=klingon");
    let changing = changing.header("X-Token", &saved.token);
    assert_eq!(changing.body(text).send().status, 200);
    assert_eq!(charset(), "text/plain; charset=IBM850");
    // A password keeps it too.
    let locking = server.request("POST", "/").header("X-Password", "p");
    let locking = locking.header("Content-Type", "text/plain; charset=koi8-r");
    let locked = Saved::of(&locking.body(text).send());
    let opening = server.request("POST", &locked.path);
    let opened = opening.header("X-Password", "p").send();
    let media_type = opened.header("content-type");
    assert_eq!(
        (&*opened.body, media_type),
        (&text[..], Some("text/plain; charset=KOI8-R"))
    );
}
