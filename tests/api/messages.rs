//! Messages in a browser: what happened, and a button for the next step that works without scripts.

use std::time::Duration;

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

const TRY_AGAIN: &str = "<a class=\"button\" href=\"\">Try again</a>";
const NEW_PASTE: &str = "<a class=\"button\" href=\"/\">New paste</a>";
const GO_BACK: &str = "<a class=\"button\" href=\"\">Go back</a>";

fn browser(server: &TestServer, method: &str, path: &str) -> Request {
    server
        .request(method, path)
        .header("Accept", "text/html,*/*;q=0.8")
}

/// A form of a page other than the editor.
fn form(server: &TestServer, path: &str, body: &str) -> Response {
    let request = browser(server, "POST", path);
    request.form(body).send()
}

/// The form of the editor with this text.
fn editor(server: &TestServer, path: &str, text: &str) -> Response {
    browser(server, "POST", path)
        .parts(&[("content", text)])
        .send()
}

/// A change of the paste with the form of the editor, by a browser that has its token.
fn change(server: &TestServer, saved: &Saved, fields: &[(&str, &str)]) -> Response {
    let request = browser(server, "POST", &format!("{}/edit", saved.path));
    request.header("X-Token", &saved.token).parts(fields).send()
}

/// Asserts that the page is an editor that posts to this path, with this text and this sentence.
#[track_caller]
fn gives_back(answer: &Response, status: u16, action: &str, text: &str, sentence: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    for part in [
        &format!("method=\"post\" action=\"{action}\" enctype=\"multipart/form-data\""),
        &format!(">\n{text}</textarea>"),
        sentence,
    ] {
        assert!(answer.text().contains(part), "no {part} in {answer:?}");
    }
}

#[track_caller]
fn offers(answer: &Response, status: u16, step: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert!(answer.text().contains(step), "no {step} in {answer:?}");
    let buttons = answer.text().matches("class=\"button\"").count();
    let is_link = step.contains("class=\"button\"");
    assert_eq!(buttons, usize::from(is_link), "{answer:?}");
}

#[test]
fn a_rate_limited_page_says_when_to_try_again_and_has_a_button_for_it() {
    let server = TestServer::with(&["--limit-read", "rate 1/1m burst 1"]);
    assert_eq!(server.browse("/").status, 200);
    for path in ["/", "/help", "/AAAAAAAAAAAA?lines=1"] {
        let limited = server.browse(path);
        offers(&limited, 429, TRY_AGAIN);
        assert!(
            limited
                .text()
                .contains("at once, then one a minute. Try again in 60 s."),
            "{limited:?}"
        );
    }
}

#[test]
fn a_rate_limited_text_can_be_sent_again_by_a_reload() {
    let server = TestServer::with(&["--limit-save", "rate 1/1m burst 1"]);
    let first = editor(&server, "/", "the first");
    assert_eq!(first.status, 303);
    let limited = editor(&server, "/", "the second");
    offers(
        &limited,
        429,
        "Nothing is lost: reload this page to send it again, or go back to change it.",
    );
    let path = format!("{}/edit", Saved::of(&first).path);
    let limited = editor(&server, &path, "a change");
    offers(
        &limited,
        429,
        "Nothing is lost: reload this page to send it again.",
    );
}

#[test]
fn a_rate_limited_password_form_has_a_button_that_shows_the_form_again() {
    let server = TestServer::with(&["--limit-password", "rate 1/1m burst 1"]);
    let locked = server.request("POST", "/").header("X-Password", "right");
    let locked = Saved::of(&locked.body("x").send());
    assert_eq!(form(&server, &locked.path, "password=wrong").status, 401);
    for path in [&locked.path, &locked.download()] {
        offers(&form(&server, path, "password=right"), 429, TRY_AGAIN);
        // The link of the button.
        let again = server.browse(path);
        assert!(again.text().contains("name=\"password\""), "{again:?}");
    }
}

#[test]
fn a_page_of_an_overloaded_server_has_a_button_that_tries_again() {
    let server = TestServer::start();
    let saved = server.save("x");
    let cores = server.take_all(&server.overload.renders);
    let request = browser(&server, "GET", &format!("/?from={}", saved.id));
    offers(&server.patiently(&request), 503, TRY_AGAIN);
    drop(cores);
    server.until_all_have_ended();
}

#[test]
fn a_page_does_not_give_advice_for_a_terminal() {
    let server = TestServer::start();
    let saved = server.save("x");
    let empty = editor(&server, "/", "");
    offers(
        &empty,
        400,
        "<p>The text is empty. Write something first.</p>",
    );
    let wrong = form(&server, &saved.path, "delete=1&token=wrong");
    offers(&wrong, 403, GO_BACK);
    let sentence = "<p>This token does not belong to this paste. Check it and try again.</p>";
    assert!(wrong.text().contains(sentence), "{wrong:?}");
    let unknown = editor(&server, "/?burm=1", "x");
    let text = unknown.text();
    assert!(text.contains("<code>burm</code>"), "{text}");
}

#[test]
fn a_page_without_a_paste_offers_a_new_one() {
    let server = TestServer::start();
    let saved = server.save("x");
    offers(&server.browse("/AAAAAAAAAAAA"), 404, NEW_PASTE);
    let delete = form(
        &server,
        &saved.path,
        &format!("delete=1&token={}", saved.token),
    );
    offers(&delete, 200, NEW_PASTE);
    offers(&server.browse(&saved.path), 410, NEW_PASTE);
}

#[test]
fn a_range_beyond_the_last_line_offers_the_whole_paste() {
    let server = TestServer::start();
    let saved = server.save("x");
    let page = server.browse(&format!("{}?lines=2", saved.path));
    offers(
        &page,
        404,
        "<a class=\"button\" href=\"?\">Show the whole paste</a>",
    );
}

#[test]
fn an_error_about_the_view_of_a_paste_offers_the_paste() {
    let server = TestServer::start();
    let saved = server.save("x");
    let page = server.browse(&format!("{}?lines=abc", saved.path));
    offers(
        &page,
        400,
        "<a class=\"button\" href=\"?\">Show the whole paste</a>",
    );
    let open = format!(
        "<a class=\"button\" href=\"{}\">Open the paste</a>",
        saved.path
    );
    let page = server.browse(&format!("{}+", saved.path));
    offers(&page, 404, &open);
    assert_eq!(server.browse(&saved.path).status, 200);
}

#[test]
fn a_rate_limited_view_of_a_paste_that_burns_is_not_used_up() {
    let server = TestServer::with(&["--limit-read", "rate 1/1m burst 2"]);
    let request = server.request("POST", "/").header("X-Burn", "1");
    let saved = Saved::of(&request.body("shown once").send());
    let view = "<button type=\"submit\">View paste</button>";
    for _ in 0..2 {
        let page = server.browse(&saved.path);
        assert!(page.text().contains(view), "{page:?}");
    }
    offers(&form(&server, &saved.path, ""), 429, TRY_AGAIN);
    server.advance(Duration::from_secs(120));
    // The link of the button.
    let again = server.browse(&saved.path);
    assert!(again.text().contains(view), "{again:?}");
    assert!(!again.text().contains("shown once"), "{again:?}");
    let shown = form(&server, &saved.path, "");
    assert_eq!(shown.status, 200, "{shown:?}");
    assert!(shown.text().contains("shown once"), "{shown:?}");
}

#[test]
fn a_change_that_came_too_late_gives_its_text_back_for_a_new_paste() {
    let server = TestServer::start();
    let fields = [
        ("content", "a <b>\r\nc"),
        ("title", "\"its title"),
        ("lang", "rust"),
    ];
    let gone = server.save("x");
    let delete = format!("delete=1&token={}", gone.token);
    assert_eq!(form(&server, &gone.path, &delete).status, 200);
    let missing = Saved {
        path: "/AAAAAAAAAAAA".to_owned(),
        ..gone.clone()
    };
    let foreign = Saved {
        token: "wrong".to_owned(),
        ..server.save("stored")
    };
    for (paste, status, sentence) in [
        (&gone, 410, "This paste no longer exists."),
        (&missing, 404, "This paste no longer exists."),
        (
            &foreign,
            403,
            "This browser does not have the token of this paste.",
        ),
    ] {
        let answer = change(&server, paste, &fields);
        gives_back(&answer, status, "/", "a &#60;b&#62;\nc", sentence);
        for part in [
            "value=\"&#34;its title\"",
            "<option value=\"rust\" data-ending=\"rs\" selected>",
        ] {
            assert!(answer.text().contains(part), "no {part} in {answer:?}");
        }
        assert!(!answer.text().contains("stored"), "{answer:?}");
    }
    // Other clients get the error alone, and so does a form without a text.
    let request = server.request("POST", &format!("{}/edit", gone.path));
    let plain = request.parts(&fields).send();
    assert_eq!((plain.status, plain.text().lines().count()), (410, 1));
    offers(&change(&server, &gone, &[("title", "t")]), 410, NEW_PASTE);
    // A form on another site does not make this server show its text.
    let request = browser(&server, "POST", &format!("{}/edit", gone.path));
    let cross = request
        .header("Sec-Fetch-Site", "cross-site")
        .parts(&fields)
        .send();
    offers(&cross, 410, NEW_PASTE);
}

#[test]
fn a_rejected_change_shows_the_editor_with_its_text_and_the_reason() {
    let server = TestServer::with(&["--max-paste-size", "1KiB"]);
    let locked = server.request("POST", "/").header("X-Password", "right");
    let locked = Saved::of(&locked.body("secret").send());
    let long = "x".repeat(1025);
    let fields = [("content", "new text"), ("password", &*long)];
    let answer = change(&server, &locked, &fields);
    let path = format!("{}/edit", locked.path);
    gives_back(&answer, 400, &path, "new text", "Password is too long.");
    assert!(
        answer
            .text()
            .contains("name=\"password\" type=\"password\" required")
    );
    let open = server.save("stored");
    let path = format!("{}/edit", open.path);
    let answer = change(&server, &open, &[("content", &long)]);
    gives_back(&answer, 413, &path, &long, "larger than the limit of 1 KiB");
    assert_eq!(server.get(&open.path).text(), "stored");
    // The server does not read a body that is much larger.
    let answer = change(&server, &open, &[("content", &"x".repeat(70_000))]);
    offers(
        &answer,
        413,
        "Go back in your browser to change it. Your browser may show the stored text instead of yours.",
    );
}
