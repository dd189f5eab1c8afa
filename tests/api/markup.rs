//! Markup: every page is HTML without an error, and what names an element names one that is there.

use std::collections::HashSet;

use html5ever::tendril::TendrilSink;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

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

/// Pages of every kind, on hostile text too.
fn pages(server: &TestServer) -> Vec<String> {
    let hostile = "</textarea></title><script>'\"&amp;&lt;\u{202e}سلام\0\n\n<!--";
    let put = |name: &str, body: &[u8]| {
        let request = server.request("PUT", &format!("/{name}")).body(body);
        Saved::of(&request.send())
    };
    let text = put("%3C%2Ftitle%3E%22%27%26.rs", hostile.as_bytes());
    // A text area cannot hold what HTML cannot hold.
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
        text.path,
        long.path,
        binary.path,
    ]
}

#[test]
fn every_page_is_html_without_an_error() {
    let server = TestServer::start();
    for path in pages(&server) {
        let html = server.browse(&path);
        let elements = elements(html.text());
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
}
