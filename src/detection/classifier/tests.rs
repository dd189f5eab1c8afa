//! Short texts that were written for this test, so the table does not know them.

use super::*;

/// Texts by language, which the first line of each names.
const TEXTS: &str = include_str!("tests/code.txt");

#[test]
fn of_texts_written_by_hand_nearly_all_are_right_and_none_is_wrong() {
    let (mut count, mut right) = (0, 0);
    for text in TEXTS.split("\n=== ") {
        let (expected, text) = text.split_once('\n').unwrap();
        let found = classify(text.as_bytes());
        count += 1;
        right += usize::from(found == Some(expected));
        let is_right_or_plain = found.is_none_or(|found| found == expected);
        assert!(is_right_or_plain, "{expected} is not {found:?}:\n{text}");
    }
    assert!(count >= 30, "{count}");
    assert!(right * 100 >= count * 90, "{right} of {count}");
}

#[test]
fn prose_lists_and_output_stay_plain() {
    for text in include_str!("tests/plain.txt").split("=====\n") {
        assert_eq!(classify(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn a_text_of_a_few_words_is_too_short_to_tell() {
    for text in ["", "\n\n\n", "let x = 1;"] {
        assert_eq!(classify(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn any_bytes_are_classified_without_a_panic() {
    for unit in [
        "\u{fffd}", "\0", "/*\n", "<!--", "\t,\t,", "\r", "aé_0.", "((((", "'",
    ] {
        let _ = classify(unit.repeat(5000).as_bytes());
    }
}
