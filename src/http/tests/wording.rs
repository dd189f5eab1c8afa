//! The rules for sentences.
//!
//! A sentence starts with a capital letter or with code, and has at most [`MAX_WORDS`] words. Code in backticks counts
//! as one word. A text has at most two sentences and ends with a full stop.

/// The longest sentence, in words.
const MAX_WORDS: usize = 25;

/// Words that a reader has to translate first.
const UNPLAIN: [&str; 11] = [
    "whoever",
    "nobody",
    "somebody",
    "anybody",
    "anew",
    "begun",
    "goes out",
    "under way",
    "let be",
    "is gone",
    "had come",
];

/// The faults of a text.
pub(super) fn violations(text: &str) -> Vec<String> {
    let mut found = unplain(text);
    let mut complain = |rule: &str| found.push(format!("{rule}: {text}"));
    if !text.ends_with('.') || text.contains('\n') {
        complain("not one line with a full stop");
    }
    let plain = without_code(text);
    let sentences = sentences(&plain);
    if sentences.len() > 2 {
        complain("more than two sentences");
    }
    for sentence in sentences {
        // The name of a flag or of a file is written as it is.
        let starts_well = |c: char| c.is_uppercase() || matches!(c, '`' | '-' | '.');
        if !sentence.starts_with(starts_well) {
            complain("a sentence without a capital letter");
        }
        if sentence.split_whitespace().count() > MAX_WORDS {
            complain("a sentence that is too long");
        }
    }
    found
}

/// The unplain words of a text.
pub(super) fn unplain(text: &str) -> Vec<String> {
    let letters = |c: char| if c.is_alphabetic() { c } else { ' ' };
    let spaced: String = text.to_lowercase().chars().map(letters).collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let words = format!(" {} ", words.join(" "));
    UNPLAIN
        .into_iter()
        .filter(|unplain| words.contains(&format!(" {unplain} ")))
        .map(|unplain| format!("`{unplain}`: {text}"))
        .collect()
}

/// The text with each piece of code replaced by one word.
fn without_code(text: &str) -> String {
    let pieces = text.split('`').enumerate();
    pieces
        .map(|(index, piece)| if index % 2 == 0 { piece } else { "`code`" })
        .collect()
}

/// Splits after a full stop or a question mark with a space behind it.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find(". ").into_iter().chain(rest.find("? ")).min() {
        let (sentence, after) = rest.split_at(end + 1);
        found.push(sentence);
        rest = after.trim_start();
    }
    found.push(rest);
    found
}

#[test]
fn a_text_that_breaks_a_rule_is_found() {
    let long = "A ".repeat(MAX_WORDS) + "b.";
    for (text, expected) in [
        ("The paste has expired. Use `a. b. c`.", 0),
        ("`expires` is zero. Did you mean `1d`?", 1),
        ("No full stop", 1),
        ("no capital letter.", 1),
        ("One. Two. Three.", 1),
        ("This paste\u{a0}is gone, whoever saved it.", 2),
        ("Let's see: letbe, begun-again.", 1),
        (&long, 1),
    ] {
        assert_eq!(violations(text).len(), expected, "{text}");
    }
}
