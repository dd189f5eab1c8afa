//! Tests of ordinary documents: the HTML of each construct.

mod hostile;
mod plain_text;
mod properties;
mod raw_html;

use std::collections::HashSet;

use super::limits::{MAX_BYTES, MAX_GROWTH, SPARE_OUTPUT};
use super::*;
use crate::render::tests::Value::{OneOf, Where};
use crate::render::tests::{AllowList, DOCUMENT, FORMULA, Parsed};

/// Returns the HTML of a text after checking it.
fn html(text: &str) -> String {
    let document = markdown(text, TimeBudget::until(&|| false)).expect("within the limits");
    parsed(document.html());
    check_contents(&document);
    document.html().to_owned()
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
    let contents = Parsed::of(document.contents().unwrap_or_default(), &[LIST]);
    for link in contents.links() {
        let id = link.replacen('#', "id=\"", 1) + "\"";
        assert!(document.html().contains(&id), "{link}");
    }
}

/// Asserts the HTML of a text. Line feeds between elements are ignored.
#[track_caller]
fn becomes(text: &str, expected: &str) {
    assert_eq!(html(text).replace(">\n", ">"), expected);
}

#[test]
fn headings_start_below_the_page_title_and_have_anchors() {
    becomes(
        "# One *two*\n\n## One `two`\n\n[up](#one-two \"to the top\")",
        "<h2 id=\"h-one-two\">One <em>two</em>\
         <a class=\"anchor\" tabindex=\"-1\" aria-hidden=\"true\" href=\"#h-one-two\"></a></h2>\
         <h3 id=\"h-one-two-1\">One <code>two</code>\
         <a class=\"anchor\" tabindex=\"-1\" aria-hidden=\"true\" href=\"#h-one-two-1\"></a></h3>\
         <p><a href=\"#h-one-two\" title=\"to the top\">up</a></p>",
    );
    let deepest = html("##### five\n\n###### six");
    assert_eq!(deepest.matches("<h6").count(), 2);
}

#[test]
fn a_document_with_three_headings_has_contents() {
    let contents = |text: &str| {
        let document = markdown(text, TimeBudget::until(&|| false)).expect("within the limits");
        check_contents(&document);
        document.contents().map(str::to_owned)
    };
    assert_eq!(contents("# a\n\n## b"), None);
    assert_eq!(
        contents("# a\n\n> ## *b* `<c>`\n\n## a\n"),
        Some(
            "<ul>\n<li class=\"l1\"><a href=\"#h-a\">a</a></li>\n\
             <li class=\"l2\"><a href=\"#h-b-c\">b &#60;c&#62;</a></li>\n\
             <li class=\"l2\"><a href=\"#h-a-1\">a</a></li>\n</ul>"
                .to_owned()
        )
    );
    let many = contents(&"# سلام and some words\u{202e}\n".repeat(5_000)).expect("many headings");
    assert_eq!(many.matches("<li").count(), 100);
}

#[test]
fn front_matter_is_shown_as_code() {
    let html = html("---\ntitle: a\n---\n\nb");
    assert!(html.starts_with("<pre tabindex=\"0\"><code>") && html.ends_with("<p>b</p>\n"));
    assert_eq!(parsed(&html).text, "title: a\n\nb\n");
    assert_eq!(self::html("\u{feff}---\r\ntitle: a\r\n...\r\nb"), html);
}

#[test]
fn a_rule_between_sections_is_a_rule() {
    let html = html("# R\n\nIntro.\n\n---\n## One\n\nText *x*\n\n- a\n\n---\n## Two\n");
    for (part, count) in [
        ("<hr>", 2),
        ("<h2", 1),
        ("<h3", 2),
        ("<em>x</em>", 1),
        ("<li>a</li>", 1),
    ] {
        assert_eq!(html.matches(part).count(), count, "{part} in {html}");
    }
    becomes("a\n\n---\nb: c\n...", "<p>a</p><hr><p>b: c\n...</p>");
    becomes(
        "---\n\nIt is *a*.\n\n---\n",
        "<hr><p>It is <em>a</em>.</p><hr>",
    );
    becomes(
        "---\nIt is *a*.\n\n---\n",
        "<hr><p>It is <em>a</em>.</p><hr>",
    );
}

#[test]
fn footnotes_are_at_the_end_and_link_back_to_their_first_reference() {
    becomes(
        "a[^x] b[^1] c[^X]\n\n[^1]: one\n[^x]: *two*\n[^z]: unnamed",
        "<p>a<sup><a href=\"#n-1\" id=\"r-1\">1</a></sup> b<sup><a href=\"#n-2\" id=\"r-2\">2</a></sup> \
         c<sup><a href=\"#n-1\">1</a></sup></p>\
         <section class=\"notes\" aria-label=\"Footnotes\"><ol>\
         <li id=\"n-1\"><p><em>two</em></p><a href=\"#r-1\" aria-label=\"Back to the text\">↩</a></li>\
         <li id=\"n-2\"><p>one</p><a href=\"#r-2\" aria-label=\"Back to the text\">↩</a></li>\
         <li id=\"n-3\"><p>unnamed</p></li></ol></section>",
    );
}

#[test]
fn external_links_send_no_referrer() {
    const REL: &str = " rel=\"nofollow noopener noreferrer\"";
    for (text, expected) in [
        (
            "[a](https://b.example/?c&d \"e<\")",
            format!("<a href=\"https://b.example/?c&#38;d\"{REL} title=\"e&#60;\">a</a>"),
        ),
        (
            "<https://b.example> <a@b.example>",
            format!(
                "<a href=\"https://b.example\"{REL}>https://b.example</a> \
                 <a href=\"mailto:a@b.example\"{REL}>a@b.example</a>"
            ),
        ),
        (
            "(see http://b.example/c_d_e).",
            format!("(see <a href=\"http://b.example/c_d_e\"{REL}>http://b.example/c_d_e</a>)."),
        ),
        (
            "www.b.example or c@d.example.",
            format!(
                "<a href=\"http://www.b.example\"{REL}>www.b.example</a> or \
                 <a href=\"mailto:c@d.example\"{REL}>c@d.example</a>."
            ),
        ),
        ("[a](docs/b.md) [c](//d.example)", "a c".to_owned()),
        (
            "[see https://a.example][b]\n\n[b]: https://b.example",
            format!("<a href=\"https://b.example\"{REL}>see https://a.example</a>"),
        ),
    ] {
        becomes(text, &format!("<p>{expected}</p>"));
    }
}

#[test]
fn a_bare_url_is_a_link_up_to_its_end_whatever_markup_it_contains() {
    for url in [
        "https://github.com/psf/requests/blob/main/src/requests/__init__.py",
        "https://a.example/*b*/~c~/`d`/$e$",
        "www.a.example/_b_/*c*/d",
        "https://💩.example/_b_/c",
    ] {
        for text in [
            url.to_owned(),
            format!("*see {url}, or* {url}."),
            format!("|a|\n|-|\n| {url} |"),
            format!("- **{url}**"),
        ] {
            let document = html(&text);
            let shown = format!(">{url}</a>");
            let count = text.matches(url).count();
            assert_eq!(document.matches(&shown).count(), count, "{document}");
        }
    }
    assert!(html("https://a.example/?b&hl;").contains("/?b</a>&#38;hl;"));
}

#[test]
fn an_image_is_a_link_and_loads_nothing() {
    const REL: &str = " rel=\"nofollow noopener noreferrer\"";
    for (text, expected) in [
        (
            "![a *b* [c](https://d.example)](https://e.example/f.png \"g\")",
            format!("<a class=\"image\" href=\"https://e.example/f.png\"{REL}>a b c</a>"),
        ),
        (
            "[![build](https://a.example/b.svg)](https://c.example)",
            format!("<a href=\"https://c.example\"{REL}><span class=\"image\">build</span></a>"),
        ),
        (
            "![](data:image/png;base64,AAAA) ![logo](logo.png)",
            "<span class=\"image\">image</span> <span class=\"image\">logo</span>".to_owned(),
        ),
    ] {
        becomes(text, &format!("<p>{expected}</p>"));
    }
}

#[test]
fn formulas_are_mathml_and_unsupported_ones_are_their_source() {
    let block = |tex: &str| {
        format!(
            "<p><span class=\"math\" tabindex=\"0\" role=\"group\" aria-label=\"Formula\">\
             <math display=\"block\"><mi>{tex}</mi></math></span></p>"
        )
    };
    let inline = "<p><math display=\"inline\"><mi>x</mi></math> and \
                  <code class=\"tex\">$\\nosuch&#60;$</code> for $5 and $6</p>";
    becomes(
        "$x$ and $\\nosuch<$ for $5 and $6\n\n$$\ny\n$$\n\n```math\nz\n```",
        &[inline, &block("y"), &block("z")].concat(),
    );
}

#[test]
fn dollars_of_prices_and_variables_are_prose() {
    for text in [
        "It costs $5-$10.",
        "$100,000–$200,000",
        "$HOME/bin:$PATH",
        "${HOME}. Between US$5/US$10",
        "5$/month, 10$/year",
        "$$$",
        "a | $b",
    ] {
        assert_eq!(parsed(&html(text)).text.trim_end(), text);
    }
    becomes(
        "US$5 *or* `US$10` and $x$",
        "<p>US$5 <em>or</em> <code>US$10</code> and <math display=\"inline\"><mi>x</mi></math></p>",
    );
}

#[test]
fn a_formula_may_have_backticks_within_its_dollars() {
    assert_eq!(html("$`a_b*c`$ and $d*e$"), html("$a_b*c$ and $d*e$"));
}

#[test]
fn a_formula_in_a_link_takes_no_focus() {
    becomes(
        "[$$x$$](#a) $$x$$",
        "<p><a href=\"#h-a\"><span class=\"math\"><math display=\"block\"><mi>x</mi></math></span></a> \
         <span class=\"math\" tabindex=\"0\" role=\"group\" aria-label=\"Formula\">\
         <math display=\"block\"><mi>x</mi></math></span></p>",
    );
}

#[test]
fn an_outermost_block_beyond_ascii_finds_its_own_direction() {
    becomes(
        "a\n\n# سلام\n\n- سلام\n\n  é\n\n[^1]\n\n[^1]: سلام",
        "<p>a</p><h2 id=\"h-سلام\" dir=\"auto\">سلام\
         <a class=\"anchor\" tabindex=\"-1\" aria-hidden=\"true\" href=\"#h-سلام\"></a></h2>\
         <ul dir=\"auto\"><li><p>سلام</p><p>é</p></li></ul>\
         <p><sup><a href=\"#n-1\" id=\"r-1\">1</a></sup></p>\
         <section class=\"notes\" aria-label=\"Footnotes\"><ol><li id=\"n-1\" dir=\"auto\"><p>سلام</p>\
         <a href=\"#r-1\" aria-label=\"Back to the text\">↩</a></li></ol></section>",
    );
}

#[test]
fn unsafe_characters_are_visible_in_text_code_and_attributes() {
    becomes(
        "a\u{202e}b `c\u{1b}` [d](https://e.example \"f\u{202e}\")",
        "<p dir=\"auto\">a<i>[U+202E]</i>b <code>c␛</code> <a href=\"https://e.example\" \
         rel=\"nofollow noopener noreferrer\" title=\"f[U+202E]\">d</a></p>",
    );
}
