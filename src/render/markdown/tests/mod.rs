//! Tests of ordinary documents: the HTML of each construct.

mod hostile;
mod plain_text;
mod properties;
mod raw_html;

use std::collections::HashSet;

use super::escapes::parser;
use super::limits::{MAX_BYTES, MAX_GROWTH, SPARE_OUTPUT};
use super::*;
use crate::render::tests::Value::{OneOf, Where};
use crate::render::tests::{AllowList, DOCUMENT, FORMULA, Parsed};

/// Returns the HTML of a text after checking it.
fn html(text: &str) -> String {
    let document = markdown(text, None, TimeBudget::until(&|| false)).expect("within the limits");
    parsed(&document.html);
    check_contents(&document);
    document.html
}

/// Parses a document as a browser does. In addition to the checks for every renderer, this checks three facts: blocks
/// are only in blocks, ids are unique, and external links send no referrer.
#[track_caller]
fn parsed(html: &str) -> Parsed {
    const BLOCKS: &str = "h2 h3 h4 h5 h6 p blockquote div pre ul ol li table hr section details";
    const AROUND: &str = "blockquote div ul ol li section table tbody thead tr td th details";
    let is_in = |names: &str, name: &str| names.split(' ').any(|known| known == name);
    let parsed = Parsed::of(html, &[DOCUMENT, FORMULA]);
    let mut ids = HashSet::new();
    for element in &parsed.elements {
        let is_well_placed = element.within.iter().all(|around| is_in(AROUND, around));
        let is_block = is_in(BLOCKS, &element.name);
        assert!(is_well_placed || !is_block, "{element:?}");
        let is_summary = element.name == "summary";
        let is_in_details = element
            .within
            .last()
            .is_some_and(|around| around == "details");
        assert!(!is_summary || is_in_details, "{element:?}");
        let id = element.attribute("id");
        assert!(id.is_none_or(|id| ids.insert(id)), "twice: {element:?}");
        let is_external = element
            .attribute("href")
            .is_some_and(|address| !address.starts_with('#'));
        assert_eq!(is_external, element.attribute("rel").is_some());
    }
    parsed
}

/// Asserts that the table of contents has well-formed links to headings of the document.
#[track_caller]
fn check_contents(document: &Document) {
    const LIST: &AllowList = &[
        ("ul", &[]),
        ("li", &[("class", OneOf("l1|l2|l3"))]),
        ("a", &[("href", Where(|_| true)), ("dir", OneOf("auto"))]),
        ("i", &[]),
    ];
    let contents = Parsed::of(document.contents.as_deref().unwrap_or_default(), &[LIST]);
    for link in contents.links() {
        let id = link.replacen('#', "id=\"", 1) + "\"";
        assert!(document.html.contains(&id), "{link}");
    }
}

/// Asserts the HTML of a text.
#[track_caller]
fn becomes(text: &str, expected: &str) {
    assert_eq!(html(text), expected, "{text}");
}

#[test]
fn a_document_with_three_headings_has_contents() {
    let contents = |text: &str| {
        let document =
            markdown(text, None, TimeBudget::until(&|| false)).expect("within the limits");
        check_contents(&document);
        document.contents
    };
    assert_eq!(contents("# a\n\n## b"), None);
    assert_eq!(
        contents("# a\n\n> ## *b* `<c>`\n\n## a\n"),
        Some(
            "<ul><li class=\"l1\"><a href=\"#h-a\">a</a></li>\
             <li class=\"l2\"><a href=\"#h-b-c\">b &#60;c&#62;</a></li>\
             <li class=\"l2\"><a href=\"#h-a-1\">a</a></li></ul>"
                .to_owned()
        )
    );
    let many = contents(&"# سلام and some words\u{202e}\n".repeat(5_000)).expect("many headings");
    assert_eq!(many.matches("<li").count(), 100);
}

#[test]
fn a_formula_may_have_backticks_within_its_dollars() {
    assert_eq!(html("$`a_b*c`$ and $d*e$"), html("$a_b*c$ and $d*e$"));
}
