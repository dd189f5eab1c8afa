//! Markup: every page is valid HTML, and every reference by id has its target.

use std::collections::HashSet;

use html5ever::tendril::TendrilSink;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use crate::client::Response;
use crate::server::{Saved, TestServer};

/// Every element of a page, as its name and attributes.
fn elements(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let options = ParseOpts {
        tokenizer: TokenizerOpts {
            exact_errors: true,
            ..TokenizerOpts::default()
        },
        ..ParseOpts::default()
    };
    let page = parse_document(RcDom::default(), options).one(html);
    let errors = page.errors.borrow();
    assert!(errors.is_empty(), "{errors:?} in {html}");
    let mut found = Vec::new();
    collect(&page.document, &mut found);
    found
}

fn collect(node: &Handle, found: &mut Vec<(String, Vec<(String, String)>)>) {
    if let NodeData::Element { name, attrs, .. } = &node.data {
        let attributes = attrs.borrow();
        let attributes = attributes.iter().map(|attribute| {
            (
                attribute.name.local.to_string(),
                attribute.value.to_string(),
            )
        });
        found.push((name.local.to_string(), attributes.collect()));
    }
    for child in node.children.borrow().iter() {
        collect(child, found);
    }
}

/// Pages of every kind, also with hostile text.
fn pages(server: &TestServer) -> Vec<String> {
    let hostile = "</textarea></title><script>'\"&amp;&lt;\u{202e}سلام\0\n\n<!--";
    let put = |name: &str, body: &[u8]| {
        let request = server.request("PUT", &format!("/{name}")).body(body);
        Saved::of(&request.send())
    };
    let text = put("%3C%2Ftitle%3E%22%27%26.rs", hostile.as_bytes());
    // A text area cannot contain characters that HTML forbids.
    let copied = put("copied", hostile.replace('\0', "").as_bytes());
    let long = put("long", "x\n".repeat(20_001).as_bytes());
    let binary = put("binary", b"\xff<b>");
    let document = include_str!("browser/document.md");
    let document = put("document", [document, hostile].concat().as_bytes());
    vec![
        "/".to_owned(),
        "/help".to_owned(),
        "/nothing".to_owned(),
        format!("/?from={}", copied.id),
        format!("{}?lines=1-2", text.path),
        format!("{}?lines=20001", long.path),
        format!("{}.md", document.path),
        format!("{}.md?view=source", document.path),
        format!("{}.ansi", text.path),
        format!("{}/language", text.path),
        text.path,
        long.path,
        binary.path,
    ]
}

/// Parses the page, and asserts that every reference by id has its target.
fn check(path: &str, html: &str) {
    let elements = elements(html);
    let mut ids = HashSet::new();
    for (_, attributes) in &elements {
        for (_, id) in attributes.iter().filter(|(name, _)| name == "id") {
            assert!(ids.insert(id.as_str()), "{path}: two elements are {id}");
        }
    }
    for (element, attributes) in &elements {
        for (name, value) in attributes {
            let names = [
                "for",
                "aria-labelledby",
                "aria-describedby",
                "popovertarget",
            ];
            if names.contains(&name.as_str()) {
                for id in value.split(' ') {
                    assert!(
                        ids.contains(id),
                        "{path}: {element} names {id}, which is not there"
                    );
                }
            }
            assert!(
                !name.starts_with("on") && name != "style",
                "{path}: {element} {name}"
            );
        }
    }
}

#[test]
fn every_page_is_html_without_an_error() {
    let server = TestServer::start();
    for path in pages(&server) {
        check(&path, server.browse(&path).text());
    }
}

/// A browser's request with this token and this password, if they are given.
fn page(server: &TestServer, method: &str, path: &str, token: &str, password: &str) -> Response {
    let form = match password {
        "" => String::new(),
        password => format!("password={password}"),
    };
    let mut request = server
        .request(method, path)
        .header("Accept", "text/html")
        .header("Cookie", format!("token={token}"));
    if method == "POST" {
        request = request
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(form);
    }
    request.send()
}

#[test]
fn every_page_of_a_protected_paste_is_html_without_an_error() {
    let server = TestServer::start();
    // Only the title has this invisible character. In the text, it would turn the last read into a file.
    let hostile = "</textarea></title><script>'\"&amp;&lt;<!--";
    let title = format!("{hostile}\u{202e}");
    for (burn, password) in [("1", ""), ("", "p"), ("3", "p")] {
        let mut request = server
            .request("POST", "/")
            .header("X-Title", &title)
            .body(hostile);
        for (name, value) in [("X-Burn", burn), ("X-Password", password)] {
            if !value.is_empty() {
                request = request.header(name, value);
            }
        }
        let saved = Saved::of(&request.send());
        for (method, token, typed) in [
            ("GET", "", ""),
            ("GET", &*saved.token, ""),
            ("POST", "", "wrong"),
            ("POST", &saved.token, password),
        ] {
            if password.is_empty() && typed == "wrong" {
                continue;
            }
            let answer = page(&server, method, &saved.path, token, typed);
            let is_open = method == "POST" && typed == password;
            let has_text = answer.text().contains("class=\"listing");
            assert_eq!(has_text, is_open, "{method} {burn} {password} {typed}");
            check(&saved.path, answer.text());
        }
    }
}

#[test]
fn every_page_for_an_owner_is_html_without_an_error() {
    let server = TestServer::start();
    let hostile = "</textarea></title><script>'\"&amp;&lt;\u{202e}<!--";
    let save = |name: &str, value: &str| {
        let request = server.request("POST", "/").header("X-Title", hostile);
        Saved::of(&request.header(name, value).body(hostile).send())
    };
    let target = "url=https://example.org/%2522%253Cscript%253E?%26amp;#%22";
    let link = server
        .request("POST", "/")
        .header("Content-Type", "application/x-www-form-urlencoded");
    let link = Saved::of(&link.body(target).send());
    let (open, locked) = (save("X-Lang", hostile), save("X-Password", "p"));
    for (saved, ending, status) in [
        (&link, "+", 200),
        (&link, "/stats", 200),
        (&link, "/edit", 400),
        (&open, "/stats", 200),
        (&open, "/edit", 200),
        (&locked, "/stats", 200),
        (&locked, "/edit", 200),
    ] {
        let path = format!("{}{ending}", saved.path);
        let answer = page(&server, "GET", &path, &saved.token, "");
        assert_eq!(answer.status, status, "{path}");
        check(&path, answer.text());
        // A browser without the token is asked for it. After a wrong token, the page also shows an error.
        for token in ["", "wrong"] {
            check(&path, page(&server, "GET", &path, token, "").text());
        }
    }
}
