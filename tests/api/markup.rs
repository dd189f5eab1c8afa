//! Markup: whether a page is valid HTML, and every reference by id has its target.

use std::collections::HashSet;

use html5ever::tendril::TendrilSink;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

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

/// Parses the page, and asserts that every reference by id has its target.
pub fn check(path: &str, html: &str) {
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
