//! What programs accept, and what they get: a page, JSON or plain text.

use std::collections::HashSet;

use crate::server::{Saved, TestServer};

const FIREFOX: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const CHROMIUM: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,\
     image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";

const PAGE: &str = "text/html; charset=utf-8";
const JSON: &str = "application/problem+json";
const TEXT: &str = "text/plain; charset=utf-8";

/// Programs, the `Accept` that each sends, and the type of an error that it gets. It gets a page of a paste only if
/// errors are pages too.
const PROGRAMS: [(&str, Option<&str>, &str); 33] = [
    ("Firefox", Some(FIREFOX), PAGE),
    ("Chromium", Some(CHROMIUM), PAGE),
    ("Safari", Some(FIREFOX), PAGE),
    (
        "Firefox 66 to 131",
        Some("text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"),
        PAGE,
    ),
    (
        "Safari 4, Android 2",
        Some(
            "application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5",
        ),
        PAGE,
    ),
    (
        "Lynx",
        Some("text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01"),
        PAGE,
    ),
    ("w3m", Some("text/html, text/*;q=0.5, image/*"), PAGE),
    (
        "Java",
        Some("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"),
        PAGE,
    ),
    ("Codex", Some(CHROMIUM), PAGE),
    ("ChatGPT-User", Some(CHROMIUM), PAGE),
    (
        "OpenCode, for HTML",
        Some(
            "text/html;q=1.0, application/xhtml+xml;q=0.9, text/plain;q=0.8, text/markdown;q=0.7, */*;q=0.1",
        ),
        PAGE,
    ),
    ("Claude Code", Some("text/markdown, text/html, */*"), TEXT),
    (
        "Cursor",
        Some(
            "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.8,application/xml;q=0.7,image/webp;q=0.6,*/*;q=0.5",
        ),
        TEXT,
    ),
    (
        "OpenCode, for Markdown",
        Some(
            "text/markdown;q=1.0, text/x-markdown;q=0.9, text/plain;q=0.8, text/html;q=0.7, */*;q=0.1",
        ),
        TEXT,
    ),
    (
        "OpenCode, for text",
        Some("text/plain;q=1.0, text/markdown;q=0.9, text/html;q=0.8, */*;q=0.1"),
        TEXT,
    ),
    ("Gemini CLI", Some("*/*"), TEXT),
    ("curl", Some("*/*"), TEXT),
    ("Wget", Some("*/*"), TEXT),
    ("Wget 2", Some("text/html,*/*"), PAGE),
    ("HTTPie", Some("*/*"), TEXT),
    ("requests", Some("*/*"), TEXT),
    ("httpx", Some("*/*"), TEXT),
    ("fetch of a browser and of Node", Some("*/*"), TEXT),
    ("urllib", None, TEXT),
    ("Go", None, TEXT),
    ("reqwest", Some("*/*"), TEXT),
    ("PowerShell 5", None, TEXT),
    (
        "HTTPie with JSON",
        Some("application/json, */*;q=0.5"),
        JSON,
    ),
    (
        "axios, Angular",
        Some("application/json, text/plain, */*"),
        JSON,
    ),
    (
        "jQuery",
        Some("application/json, text/javascript, */*; q=0.01"),
        JSON,
    ),
    ("ShareX", Some("application/json"), JSON),
    (
        "a client of RFC 9457",
        Some("application/problem+json, application/json;q=0.9"),
        JSON,
    ),
    (
        "LWP with pictures",
        Some("image/*, text/plain;q=0.3, text/html;q=0.2"),
        TEXT,
    ),
];

#[test]
fn every_program_gets_the_format_that_it_prefers() {
    let server = TestServer::start();
    let saved = server.save("# A text\n");
    let programs: HashSet<_> = PROGRAMS.iter().map(|(program, ..)| program).collect();
    assert_eq!(programs.len(), PROGRAMS.len());
    for (program, accept, expected) in PROGRAMS {
        let get = |path: &str| {
            let request = server.request("GET", path);
            match accept {
                Some(accept) => request.header("Accept", accept).send(),
                None => request.send(),
            }
        };
        let missing = get("/AAAAAAAAAAAA");
        assert_eq!(missing.header("content-type"), Some(expected), "{program}");
        for path in [&*saved.path, "/help", "/"] {
            let is_page = get(path).header("content-type") == Some(PAGE);
            assert_eq!(is_page, expected == PAGE, "{program}: {path}");
        }
        let read = get(&saved.path);
        assert!(read.body == b"# A text\n" || expected == PAGE, "{program}");
        assert_eq!(read.header("vary").map(|it| &it[..6]), Some("Accept"));
    }
}

#[test]
fn a_long_list_of_ranges_is_read_to_its_end() {
    let server = TestServer::start();
    let saved = server.save("x");
    let ranges = "a/b;q=1,".repeat(900);
    let accept = format!("text/html;q=0.5,{ranges}text/markdown;q=0.501");
    let read = server.request("GET", &saved.path).header("Accept", accept);
    assert_eq!(read.send().body, b"x");
}

#[test]
fn a_page_names_its_plain_form_and_a_program_reads_what_the_server_can_do() {
    let server = TestServer::with(&["--base-url", "https://paste.example.org"]);
    let (open, burning) = (server.save("x"), server.request("POST", "/?burn=1"));
    let burning = Saved::of(&burning.body("x").send());
    let alternate = |path: &str| {
        let page = server.browse(path);
        let (_, rest) = page
            .text()
            .split_once("<link rel=\"alternate\" type=\"text/plain\" href=\"")?;
        rest.split('"').next().map(str::to_owned)
    };
    let raw = format!("/raw/{}", open.id);
    assert_eq!(alternate(&open.path).as_deref(), Some(&*raw));
    assert_eq!(server.get(&raw).body, b"x");
    assert_eq!(alternate(&burning.path), None);
    for path in ["/", "/help"] {
        assert_eq!(alternate(path).as_deref(), Some("/llms.txt"));
    }
    let (told, help) = (server.browse("/llms.txt"), server.get("/help"));
    assert_eq!(told.header("content-type"), Some(TEXT));
    let more = told.text().strip_prefix(help.text());
    let more = more.expect("the text of the help comes first");
    assert_eq!(more.trim().lines().count(), 3, "{more}");
    assert!(more.contains("https://paste.example.org/api/openapi.json"));
}
