//! Tests that compare terminal output with a simple reference implementation of a terminal.

use proptest::prelude::*;

use super::*;
use crate::render::listing::listing;
use crate::render::tests::{LISTING, Parsed, listed};

fn shown(bytes: &str) -> (String, Vec<(String, String)>) {
    let (text, spans) = terminal(bytes, TimeBudget::until(&|| false)).expect("in time");
    let part = |span: &Span| match span.highlight {
        Highlight::Terminal(style) => (text[span.range.clone()].to_owned(), style.to_string()),
        other => panic!("{other:?} in terminal output"),
    };
    let parts = spans.iter().map(part).collect();
    (text, parts)
}

fn parts(bytes: &str) -> Vec<(String, String)> {
    shown(bytes).1
}

fn part(text: &str, classes: &str) -> (String, String) {
    (text.to_owned(), classes.to_owned())
}

/// Generates pieces of output, each with a flag that is true if a terminal prints it.
fn output() -> impl Strategy<Value = Vec<(String, bool)>> {
    let printed = "[a-z <>&\"'é𝄞\t\n\r\u{7f}\u{202e}]{1,4}|&#60;|<i>";
    let hidden = prop_oneof![
        // Colours and styles.
        "\u{1b}\\[[0-9;:]{0,9}m",
        "\u{1b}\\[(1|31|48;5;[0-9]{1,3}|38;2;[0-9]{1,3};[0-9]{1,3};[0-9]{1,3}|7|0)m",
        // Movements and modes.
        "\u{1b}\\[[?>]?[0-9;]{0,6}[A-HJKSTfhln]",
        "\u{1b}(c|=|>|M|7|8|\\([0B])",
        // Links, titles and strings of other kinds.
        "\u{1b}\\](8;;https://[a-z.<>]{0,9}|0;[a-z<>]{0,5})(\u{7}|\u{1b}\\\\)",
        "\u{1b}[P_^X][a-z<>]{0,5}\u{1b}\\\\",
        // Controls.
        "[\0\u{7}\u{b}\u{c}\u{85}\u{9b}]",
    ];
    let piece = prop_oneof![
        printed.prop_map(|piece| (piece, true)),
        hidden.prop_map(|piece| (piece, false)),
    ];
    prop::collection::vec(piece, 0..30)
}

/// Returns the text of a listing without the states that are folded.
fn listed_text(text: &str, spans: &[Span]) -> String {
    let html = listing(text, spans);
    let parts = html.split("<details");
    let last = parts.map(|part| part.split_once("</details>").map_or(part, |(_, rest)| rest));
    Parsed::of(&last.collect::<String>(), &[LISTING]).text
}

/// Returns the text that a terminal prints: the part of each line after the last CR that has text after it.
fn printed(pieces: &[(String, bool)]) -> String {
    let kept = pieces.iter().filter(|(_, is_printed)| *is_printed);
    let text: String = kept.map(|(piece, _)| piece.as_str()).collect();
    let last_state = |line: &str| {
        let mut states = line.rsplit('\r');
        let state = states.find(|state| !state.is_empty());
        state.unwrap_or_default().to_owned()
    };
    let lines: Vec<String> = text.split('\n').map(last_state).collect();
    lines.join("\n")
}

#[test]
fn reversed_text_swaps_its_colours_or_those_of_the_page() {
    let (sheet, ink) = ("ink r23 g27 b31", "ground R217 G228 B230");
    assert_eq!(parts("\u{1b}[7mx"), [part("x", &format!("{sheet} {ink}"))]);
    let red_ground = format!("{sheet} ground R222 G95 B95");
    assert_eq!(parts("\u{1b}[7;31mx"), [part("x", &red_ground)]);
    let (green, red) = ("r40 g190 b125", "r222 g95 b95");
    assert_eq!(
        parts("\u{1b}[7;31;42mx\u{1b}[27my"),
        [
            part("x", &format!("ink {green} ground R222 G95 B95")),
            part("y", &format!("ink {red} ground R40 G190 B125"))
        ]
    );
}

#[test]
fn indexed_and_true_colours_are_as_they_were_asked_for() {
    assert_eq!(parts("\u{1b}[38;5;196mx"), [part("x", "ink r255 g0 b0")]);
    assert_eq!(parts("\u{1b}[38;5;3mx"), parts("\u{1b}[33mx"));
    assert_eq!(parts("\u{1b}[38;5;11mx"), parts("\u{1b}[93mx"));
    assert_eq!(
        parts("\u{1b}[48;2;0;0;120mx"),
        [part("x", "ground R0 G0 B120")]
    );
    assert_eq!(
        parts("\u{1b}[38:2::250:999:7mx"),
        [part("x", "ink r250 g255 b7")]
    );
    assert_eq!(
        parts("\u{1b}[38;5;244mx"),
        [part("x", "ink r128 g128 b128")]
    );
    // A colour that is incomplete or unknown is ignored. Later parameters still count.
    let cut_short = "\u{1b}[38;5mx\u{1b}[38;9;1my\u{1b}[38;2;1mz";
    assert_eq!(parts(cut_short), [part("yz", "bold")]);
}

#[test]
fn only_output_with_nothing_but_colours_is_printed_unchanged() {
    for (bytes, is_printed_as_it_is) in [
        ("a\u{1b}[1;31mb\u{1b}[0m c\r\n\td\n", true),
        ("\u{1b}[m\u{1b}[38:5:1mé", true),
        ("10 %\r100 %\n", true),
        ("10 %\r\r\n", true),
        ("10 %\u{1b}[K\r100 %\n", false),
        ("a\u{1b}[2Kb", false),
        ("a\u{8}b", false),
        ("a\u{1b}_hidden\u{1b}\\b", false),
        ("a\u{1b}]0;hidden\nlines\u{7}b", false),
        ("a\u{1b}[31", false),
        ("a\u{7}", false),
    ] {
        let is_same = shown(bytes).0 == without_colours(bytes);
        assert_eq!(is_same, is_printed_as_it_is, "{bytes:?}");
    }
}

#[test]
fn the_budget_is_checked() {
    assert_eq!(terminal("a", TimeBudget::until(&|| true)), Err(OutOfTime));
}

proptest! {
    #[test]
    fn spans_are_in_order_and_within_the_text(
        bytes in "(a|é|\u{1b}\\[[0-9;:]{0,8}m|\u{1b}\\[1m|\u{1b}\\[32m|\r|\n|\u{8}|\u{1b}|\t|\u{9b}|\u{0}){0,60}"
    ) {
        let (text, spans) = terminal(&bytes, TimeBudget::until(&|| false)).expect("in time");
        let mut end = 0;
        for span in spans {
            prop_assert!(end <= span.range.start && span.range.start < span.range.end);
            prop_assert!(text.get(span.range.clone()).is_some());
            end = span.range.end;
        }
    }

    #[test]
    fn a_listing_of_output_is_what_a_terminal_prints(pieces in output()) {
        let bytes: String = pieces.iter().map(|(piece, _)| piece.as_str()).collect();
        let (text, spans) = terminal(&bytes, TimeBudget::until(&|| false)).expect("in time");
        prop_assert_eq!(listed_text(&text, &spans), listed(&printed(&pieces)));
    }

    #[test]
    fn broken_escape_sequences_add_no_markup(
        bytes in "([a<>&\"\r\n\t\u{8}\u{9b}\u{202e}]|\u{1b}[\\[\\]P_(]?|[0-9;:?]{1,3}|m|\u{7}|<b>){0,60}",
    ) {
        let (text, spans) = terminal(&bytes, TimeBudget::until(&|| false)).expect("in time");
        let html = listing(&text, &spans);
        prop_assert_eq!(Parsed::of(&html, &[LISTING]).text, listed(&text));
    }
}
