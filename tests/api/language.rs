//! The language of a paste: named by the client or by a file name, or detected when the paste is shown.

use tidebin::paste::Language;

use crate::client::Response;
use crate::forms::Forms;
use crate::server::{Saved, TestServer, block_on, id_of};

const KEY: &str = "the key of the ids, of 32 characters";
const PASSWORD: &str = "a password";
const SCRIPT: &str = "#!/usr/bin/env python3\nprint(1)\n";

fn save(server: &TestServer, path: &str, content: &str) -> Saved {
    Saved::of(&server.request("PUT", path).body(content).send())
}

/// Returns the language that the store has of the paste.
fn stored(server: &TestServer, saved: &Saved) -> Option<Language> {
    let id = id_of(KEY, &saved.id);
    let stored = server.store.peek(server.clock.timestamp(), id);
    block_on(stored).unwrap().named_language()
}

/// Opens a paste that burns or has a password.
fn open(server: &TestServer, path: &str, accept: &str) -> Response {
    let request = server.request("POST", path).header("Accept", accept);
    request.header("X-Password", PASSWORD).send()
}

/// Changes the content of a paste as the editor does, with this start of the form's only part.
fn change(server: &TestServer, saved: &Saved, part: &str, content: &str) {
    let request = server.request("POST", &format!("{}/edit", saved.path));
    let request = request.header("Content-Type", "multipart/form-data; boundary=b");
    let body =
        format!("--b\r\nContent-Disposition: form-data; name={part}\r\n\r\n{content}\r\n--b--\r\n");
    let answer = request.header("X-Token", &saved.token).body(body).send();
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn a_save_stores_a_language_only_if_the_client_or_a_file_name_names_one() {
    let server = TestServer::with(&["--secret", KEY]);
    for (path, expected) in [
        ("/", None),
        ("/notes", None),
        ("/?burn=1", None),
        ("/?password=x", None),
        ("/?lang=text", Some("text")),
        ("/main.rs", Some("rust")),
        ("/crash.txt", None),
        ("/?title=Error+in+main.c", None),
        ("/main.rs?password=x", Some("rust")),
    ] {
        let saved = save(&server, path, SCRIPT);
        let language = stored(&server, &saved).map(Language::name);
        assert_eq!(language, expected, "{path}");
    }
}

#[test]
fn an_unknown_language_is_refused_and_the_nearest_one_named() {
    // Given a client that mistypes a language in any of the ways to name one
    let server = TestServer::start();
    let sentence = "`lang` is not a known language: did you mean `python`? Send a name such as `rust`, a file ending \
         such as `rs`, or no `lang`";
    let [by_query, by_header, by_form] = [
        server.request("PUT", "/?lang=pyhton").body(SCRIPT),
        (server.request("PUT", "/").header("X-Lang", "pyhton")).body(SCRIPT),
        server.request("POST", "/").form("file=x&language=pyhton"),
    ]
    .map(|request| request.send());

    // Then it is told so, and nothing is saved
    for refused in [by_query, by_header, by_form] {
        assert!(refused.status == 400 && refused.text().starts_with(sentence));
    }
    let numbered = server.request("POST", "/").form("file=x&lang=klingon1");
    assert_eq!(numbered.send().status, 400);
    assert_eq!(server.store.occupancy().pastes, 0);

    // But the endings and numbers that clients of other pastebins send are ignored
    for foreign in ["file=x&ext=klingon", "file=x&lang=7", "file=x&lang=-1"] {
        let saved = server.request("POST", "/").form(foreign).send();
        assert_eq!(saved.status, 200, "{foreign}");
    }
}

#[test]
fn an_unknown_charset_is_refused_and_the_known_ones_named() {
    let server = TestServer::start();
    let [by_query, by_header, by_form] = [
        server.request("PUT", "/?charset=klingon").body(b"\x94"),
        (server.request("PUT", "/").header("X-Charset", "klingon")).body(b"\x94"),
        server.request("POST", "/").form("file=%94&charset=klingon"),
    ]
    .map(|request| request.send());
    for refused in [by_query, by_header, by_form] {
        let sentence = "`charset` is not a known one. Send `IBM866`, `ISO-8859-2`,";
        let text = refused.text();
        assert!(
            refused.status == 400 && text.starts_with(sentence),
            "{text}"
        );
        assert!(
            text.contains("`IBM850`, `IBM437`, or no `charset`"),
            "{text}"
        );
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn a_new_title_brings_the_language_of_its_ending_unless_one_is_named() {
    let server = TestServer::with(&["--secret", KEY]);
    let named = |path: &str, body: &str, content_type: &str, method: &str| {
        let saved = save(&server, "/", "x = 1");
        let request = server.request(method, &path.replace("ID", &saved.id));
        let request = request.header("X-Token", &saved.token);
        let answer = request.header("Content-Type", content_type).body(body);
        assert_eq!(answer.send().status, 200, "{body}");
        stored(&server, &saved).map(Language::name)
    };
    let json = |body| named("/api/v1/pastes/ID", body, "application/json", "PATCH");
    let form = |body| named("/ID", body, "application/x-www-form-urlencoded", "POST");
    assert_eq!(json("{\"title\":\"main.rs\"}"), Some("rust"));
    assert_eq!(
        json("{\"title\":\"main.rs\",\"language\":\"go\"}"),
        Some("go")
    );
    assert_eq!(json("{\"title\":\"notes\"}"), None);
    assert_eq!(form("title=main.rs"), Some("rust"));
    assert_eq!(form("title=main.rs&lang=go"), Some("go"));
    // And a language that a person named stays
    let saved = save(&server, "/?lang=go", "x = 1");
    for title in ["main.rs", "notes", "a.py"] {
        let change = server
            .request("POST", &saved.path)
            .header("X-Token", &saved.token);
        assert_eq!(change.form(format!("title={title}")).send().status, 200);
        assert_eq!(stored(&server, &saved).map(Language::name), Some("go"));
    }
    // While one of a title follows the next title
    let saved = save(&server, "/main.rs", "x = 1");
    for (title, expected) in [
        ("a.py", Some("python")),
        ("notes", None),
        ("b.go", Some("go")),
    ] {
        let change = server
            .request("POST", &saved.path)
            .header("X-Token", &saved.token);
        assert_eq!(change.form(format!("title={title}")).send().status, 200);
        assert_eq!(stored(&server, &saved).map(Language::name), expected);
    }
}

#[test]
fn a_detected_language_is_the_same_on_the_page_in_json_the_editor_and_a_file_name() {
    let server = TestServer::start();
    let saved = save(&server, "/", SCRIPT);
    let page = server.browse(&saved.path);
    assert!(page.text().contains("</span>Python</a>"));
    let record: serde_json::Value =
        serde_json::from_slice(&server.get(&format!("/record/{}", saved.id)).body).unwrap();
    assert_eq!(record["lang"], "python");
    let editor = server.browse(&format!("/?from={}", saved.id));
    assert!(editor.text().contains("<option value=\"python\" selected>"));
    let file = server.get(&saved.download());
    let disposition = file.header("content-disposition").expect("a file");
    assert!(disposition.ends_with(".py\""), "{disposition}");
    // Another reader asks for another language, and the next reader for none.
    let page = server.browse(&format!("{}.rb", saved.path));
    assert!(page.text().contains("</span>Ruby</a>"));
    let page = server.browse(&saved.path);
    assert!(page.text().contains("</span>Python</a>"));
}

#[test]
fn the_language_of_what_burns_or_has_a_password_is_detected_when_it_is_opened() {
    let server = TestServer::start();
    for options in [
        "burn=2",
        "password=a+password",
        "burn=2&password=a+password",
    ] {
        let saved = save(&server, &format!("/?{options}"), SCRIPT);
        let page = open(&server, &saved.path, "text/html");
        assert!(page.text().contains("<span>Python</span>"), "{options}");
        let file = open(&server, &saved.download(), "*/*");
        assert_eq!(file.text(), SCRIPT, "{options}");
        let name = file.header("content-disposition").unwrap();
        assert!(name.ends_with(".py\""), "{options}: {name}");
    }
}

#[test]
fn a_text_file_is_shown_as_what_its_content_is() {
    let server = TestServer::start();
    for (path, content, kind) in [
        ("/crash.txt", "{\"frames\": [1, 2]}", "JSON"),
        ("/build.log", "\u{1b}[32mPASS", "Terminal output"),
        ("/build.log", "nothing happened", "Log"),
        ("/notes.txt", "nothing happened", "Plain text"),
    ] {
        let saved = save(&server, path, content);
        let page = server.browse(&saved.path);
        let shown = format!("<span class=\"unseen\">Language: </span>{kind}</a>");
        assert!(page.text().contains(&shown), "{path}: {}", page.text());
    }
}

#[test]
fn detected_terminal_output_is_shown_rendered_and_as_its_source() {
    let server = TestServer::start();
    let saved = save(&server, "/", "\u{1b}[32mok\u{1b}[0m\n");
    for (query, link) in [
        ("", "?view=source"),
        ("?view=other", "?view=source"),
        ("?view=source", "?"),
    ] {
        let page = server.browse(&format!("{}{query}", saved.path));
        assert!(page.text().contains("</span>Terminal output</a>"));
        let link = format!("<a href=\"{link}\"");
        assert!(page.text().contains(&link), "{query}");
    }
}

#[test]
fn after_a_change_a_language_that_was_not_named_is_that_of_the_new_content() {
    let server = TestServer::start();
    for (path, part, content, expected) in [
        ("/", "content", "{\"a\": 1}", "JSON"),
        ("/", "content", "just words", "Plain text"),
        ("/main.rs", "content", "{\"a\": 1}", "Rust"),
        ("/?lang=text", "content", "{\"a\": 1}", "Plain text"),
        (
            "/",
            "file; filename=build.log",
            "\u{1b}[32mok\u{1b}[0m",
            "Terminal output",
        ),
    ] {
        let saved = save(&server, path, SCRIPT);
        change(&server, &saved, part, content);
        let page = server.browse(&saved.path);
        let language = format!("</span>{expected}</a>");
        assert!(page.text().contains(&language), "{path} {part}");
    }
}
