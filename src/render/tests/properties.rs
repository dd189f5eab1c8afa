//! What holds of every listing, whatever is listed, and of every formula. Documents have their properties beside them.

use super::super::*;
use super::{FORMULA, LISTING, Parsed};
use proptest::prelude::*;

use crate::render::listing::listing;
use crate::render::math::{Place, math};
use crate::render::odd::shown;
use crate::render::paint::{Paint, Span, Style, Token};
use crate::render::terminal::terminal;

/// The text of a listing: odd characters shown, but for a CR that ends a line, which is left out.
fn listed(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix('\n') {
        Some(line) => shown(line.strip_suffix('\r').unwrap_or(line)).into_owned() + "\n",
        None => shown(line).into_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Parts of a text: how many characters are passed over before each, how many are in it, and how it is shown.
fn spans(text: &str, parts: &[(usize, usize, bool)]) -> Vec<Span> {
    let starts = text.char_indices().map(|(at, _)| at);
    let ends: Vec<usize> = starts.chain([text.len()]).collect();
    let printed = Style {
        ink: Some(1),
        bold: true,
        ..Style::default()
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
            paint: match is_printed {
                true => Paint::Terminal(printed),
                false => Paint::Token(Token::Keyword),
            },
        });
        at = end;
    }
    spans
}

/// What is sent to a terminal, in pieces, and whether each is printed.
fn sent() -> impl Strategy<Value = Vec<(String, bool)>> {
    let printed = "[a-z <>&\"'é𝄞\t\n\r\u{7f}\u{202e}]{1,4}|&#60;|<i>";
    let hidden = prop_oneof![
        // Colours and faces.
        "\u{1b}\\[[0-9;:]{0,9}m",
        "\u{1b}\\[(1|31|48;5;[0-9]{1,3}|38;2;[0-9]{1,3};[0-9]{1,3};[0-9]{1,3}|7|0)m",
        // Movements, and what a terminal is told beside them.
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

/// What a terminal makes of it: the sequences are gone, and of a line there is what came after the last CR that
/// something came after.
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

/// A formula, and its letters and digits in the order in which they are read.
fn formula() -> impl Strategy<Value = (String, String)> {
    let leaf = "[a-z0-9]".prop_map(|letter| (letter.clone(), letter));
    leaf.prop_recursive(4, 24, 2, |inner| {
        let pair = (inner.clone(), inner.clone()).prop_flat_map(|((a, first), (b, second))| {
            let tex = prop_oneof![
                Just(format!("{a} {b}")),
                Just(format!(r"\frac{{{a}}}{{{b}}}")),
                Just(format!("{{{a}}}_{{{b}}}")),
                Just(format!("{{{a}}}^{{{b}}}")),
            ];
            (tex, Just(first + &second))
        });
        prop_oneof![
            pair,
            inner
                .clone()
                .prop_map(|(tex, text)| (format!(r"\sqrt{{{tex}}}"), text)),
            inner.prop_map(|(tex, text)| (format!(r"\left({tex}\right)"), text)),
        ]
    })
}

proptest! {
    #[test]
    fn a_listing_in_any_colours_is_its_text(
        text in "([<>&\"'#;a\0\r\n\t\u{7f}\u{202e}\u{2028}\u{fdd0}\u{1ffff}“é𝄞]|\r\n|&#60;|<i>|\\PC){1,60}",
        parts in prop::collection::vec((0..5_usize, 1..9_usize, any::<bool>()), 0..12),
    ) {
        let html = listing(&text, &spans(&text, &parts));
        prop_assert_eq!(Parsed::of(&html, &[LISTING]).text, listed(&text));
    }

    #[test]
    fn the_output_of_a_terminal_is_what_it_prints(pieces in sent()) {
        let bytes: String = pieces.iter().map(|(piece, _)| piece.as_str()).collect();
        let (text, spans) = terminal(&bytes, TimeBudget::until(&|| false)).expect("in time");
        let parsed = Parsed::of(&listing(&text, &spans), &[LISTING]);
        prop_assert_eq!(parsed.text, listed(&printed(&pieces)));
    }

    #[test]
    fn broken_sequences_of_a_terminal_bring_no_markup(
        bytes in "([a<>&\"\r\n\t\u{8}\u{9b}\u{202e}]|\u{1b}[\\[\\]P_(]?|[0-9;:?]{1,3}|m|\u{7}|<b>){0,60}",
    ) {
        let (text, spans) = terminal(&bytes, TimeBudget::until(&|| false)).expect("in time");
        prop_assert_eq!(Parsed::of(&listing(&text, &spans), &[LISTING]).text, listed(&text));
    }

    #[test]
    fn a_formula_keeps_its_letters_and_digits_in_order((tex, letters) in formula()) {
        let html = math(&tex, Place::Inline).expect("a formula");
        let text = Parsed::of(&html, &[FORMULA]).text;
        let kept: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        prop_assert_eq!(kept, letters);
    }

    #[test]
    fn no_formula_brings_markup_of_its_own(
        tex in r"(\\(operatorname|mathop|text|left|right|frac|bar|sqrt|begin|end|hspace|color|mathrm|not|limits|over|tag|cr)|[{}_^&<>'\[\]|\\]|\\textcolor\{red\}\{x\}|\{(array|aligned|matrix|c\|c|red|1em)\}|<(/mi|script|img src=x)>|[ax1\u{202e}é]){0,24}",
        place in prop_oneof![Just(Place::Inline), Just(Place::Block)],
    ) {
        if let Some(html) = math(&tex, place) {
            Parsed::of(&html, &[FORMULA]);
        }
    }
}
