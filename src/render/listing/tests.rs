//! Tests of listings, as HTML and as the text that a browser shows.

use proptest::prelude::*;

use super::*;
use crate::render::highlight::{Highlight, SyntaxClass, TerminalStyle};
use crate::render::tests::{LISTING, Parsed, listed};

fn html(text: &str) -> String {
    listing(text, &[])
}

/// Returns the text that a browser shows for this HTML.
fn text_of(html: &str) -> String {
    Parsed::of(html, &[LISTING]).text
}

/// Returns the block of these lines.
fn block(lines: &[String]) -> String {
    format!("<span class=\"block\">{}</span>", lines.concat())
}

/// Returns the spans of a text. Each part has the number of characters before it, the number of its own characters, and
/// a flag for a terminal style.
fn spans(text: &str, parts: &[(usize, usize, bool)]) -> Vec<Span> {
    let starts = text.char_indices().map(|(at, _)| at);
    let ends: Vec<usize> = starts.chain([text.len()]).collect();
    let printed = TerminalStyle {
        foreground: Some([9, 8, 7]),
        bold: true,
        ..TerminalStyle::default()
    };
    let mut at = 0;
    let mut spans = Vec::new();
    for (gap, length, is_printed) in parts {
        let (start, end) = (at + gap, at + gap + length);
        let (Some(from), Some(to)) = (ends.get(start), ends.get(end)) else {
            break;
        };
        spans.push(Span {
            range: *from..*to,
            highlight: match is_printed {
                true => Highlight::Terminal(printed),
                false => Highlight::Syntax(SyntaxClass::Keyword),
            },
        });
        at = end;
    }
    spans
}

#[test]
fn a_cr_at_the_end_of_a_line_is_left_out() {
    assert_eq!(text_of(&html("a\r\nb\r\r\n\r")), "a\nb\n");
}

#[test]
fn a_line_that_restarts_shows_its_last_state_and_folds_those_before_it() {
    let line =
        |number, inside: &str| format!("<span id=\"L{number}\" data-n={number}>{inside}\n</span>");
    for (text, expected) in [
        (
            "1 %\r 2 %\r3 %\r100 %",
            "<details><summary>3 earlier states</summary>1 %\n 2 %\n3 %</details>100 %",
        ),
        // So few are no progress, and may be code.
        (
            "<b>\r\r     \rdone\r\r",
            "<details open><summary>1 earlier state</summary>&#60;b&#62;</details>done",
        ),
        // What is only blank hides nothing.
        ("\r   \rdone", "done"),
        ("done\r", "done"),
        ("\r\r", ""),
    ] {
        let html = html(&format!("{text}\nlast\n"));
        assert_eq!(
            html,
            block(&[line(1, expected), line(2, "last")]),
            "{text:?}"
        );
    }
}

#[test]
fn the_line_feed_of_a_single_line_is_outside_of_it() {
    assert!(html("secret\n").ends_with("secret</span><span hidden>\n</span></span>"));
    assert!(html("secret").ends_with("secret</span></span>"));
    for text in ["a\nb\n", "\n\n"] {
        assert!(!html(text).contains("hidden><"), "{text:?}");
    }
}

#[test]
fn a_text_of_an_old_mac_shows_all_its_lines() {
    let html = html("one\rtwo\rthree\rfour\r");
    assert!(
        html.ends_with(
            "<details open><summary>3 earlier states</summary>one\ntwo\nthree</details>four</span></span>"
        ),
        "{html}"
    );
}

#[test]
fn every_hundred_lines_are_a_block() {
    for (lines, blocks) in [(0, 0), (1, 1), (100, 1), (101, 2), (250, 3)] {
        let html = html(&"\n".repeat(lines));
        assert_eq!(html.matches("<span class=\"block\">").count(), blocks);
    }
    let html = html(&"a\n".repeat(101));
    assert!(html.contains("a\n</span></span><span class=\"block\"><span id=\"L101\" data-n=101>a"));
}

#[test]
fn the_last_state_of_a_line_keeps_its_colours() {
    let text = "a\nwait\rdone\n";
    let span = Span {
        range: 4..9,
        highlight: Highlight::Syntax(SyntaxClass::Keyword),
    };
    let html = listing(text, &[span]);
    assert!(
        html.ends_with("wait</details><span class=\"k\">do</span>ne\n</span></span>"),
        "{html}"
    );
}

#[test]
fn only_lines_beyond_ascii_find_their_own_direction() {
    let html = html("سلام\nhello\n");
    assert_eq!(html.matches("dir=\"auto\"").count(), 1);
    assert!(html.contains("<span id=\"L1\" data-n=1 dir=\"auto\">"));
}

#[test]
fn a_span_over_several_lines_is_closed_and_opened_again() {
    let span = |range| Span {
        range,
        highlight: Highlight::Syntax(SyntaxClass::Keyword),
    };
    let spans = [span(0..1), span(1..6), span(7..10)];
    let html = listing("ab\r\nc<d\n\ne", &spans);
    let line =
        |number: usize, text: &str| format!("<span id=\"L{number}\" data-n={number}>{text}</span>");
    let expected = [
        line(1, "<span class=\"k\">a</span><span class=\"k\">b</span>\n"),
        line(2, "<span class=\"k\">c&#60;</span>d\n"),
        line(3, "\n"),
        line(4, "<span class=\"k\">e</span>"),
    ];
    assert_eq!(html, block(&expected));
}

proptest! {
    #[test]
    fn a_listing_with_any_spans_is_its_text(
        text in "([<>&\"'#;a\0\r\n\t\u{7f}\u{202e}\u{2028}\u{fdd0}\u{1ffff}“é𝄞]|\r\n|&#60;|<i>|\\PC){1,60}",
        parts in prop::collection::vec((0..5_usize, 1..9_usize, any::<bool>()), 0..12),
    ) {
        let html = listing(&text, &spans(&text, &parts));
        prop_assert_eq!(Parsed::of(&html, &[LISTING]).text, listed(&text));
    }
}
