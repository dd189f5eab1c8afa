//! The features of a text: hashes of its words, of its punctuation, and of neighbours.
//!
//! Invariants: the same text has the same features on every machine, since the table of weights was made from them.
//! Cost: one pass over the text, up to six features per word or sign, without allocation.

use memchr::{memchr, memmem, memrchr};

/// Bytes of the text that are read.
const READ: usize = 4096;

/// The first hash of FNV-1a, and the number that it multiplies by.
const SEED: u32 = 0x811c_9dc5;
const PRIME: u32 = 0x0100_0193;

/// The kinds of features. Each is mixed into its hashes, so that equal parts of different kinds differ.
#[derive(Clone, Copy)]
enum Kind {
    Token = 1,
    Pair = 2,
    Around = 3,
    Shape = 4,
    LineStart = 5,
    LineEnd = 6,
    Columns = 7,
}

/// A word, a number, or signs that stand together.
#[derive(Clone, Copy, Default)]
struct Token {
    /// The hash of its bytes.
    text: u32,
    /// The hash of its kind: words are equal if their letter case is alike, signs if they are the same.
    shape: u32,
}

/// Returns the features of the text that `known` gives a number, in order of their numbers, each with how often it
/// occurs.
pub(super) fn counted(text: &[u8], known: impl Fn(u32) -> Option<u32>) -> Vec<(u32, usize)> {
    let mut found = Vec::new();
    each(text, |feature| found.extend(known(feature)));
    found.sort_unstable();
    let same = found.chunk_by(|a, b| a == b);
    same.map(|same| (same[0], same.len())).collect()
}

/// Passes each feature of the text to `found`.
fn each(text: &[u8], mut found: impl FnMut(u32)) {
    let mut rest = &text[..text.len().min(READ)];
    let mut columns_before = (0, 0);
    while !rest.is_empty() {
        let line;
        (line, rest) = rest.split_at(memchr(b'\n', rest).map_or(rest.len(), |end| end + 1));
        let columns = (count(line, b','), count(line, b'\t'));
        if columns == columns_before && columns != (0, 0) {
            let (commas, tabs) = columns;
            found(mix(Kind::Columns, &[commas.min(3), tabs.min(3)]));
        }
        columns_before = columns;
        each_of_line(line, &mut found);
        rest = after_comment(line, rest);
    }
}

/// Returns the rest of the text from the last line of the comment that this line starts. The words of a comment are
/// those of people, not of a language.
fn after_comment<'t>(line: &[u8], rest: &'t [u8]) -> &'t [u8] {
    let end: &[u8] = match line.trim_ascii_start() {
        [b'/', b'*', ..] => b"*/",
        [b'<', b'!', b'-', b'-', ..] => b"-->",
        _ => return rest,
    };
    let is_open = memmem::find(line, end).is_none();
    match memmem::find(rest, end).filter(|_| is_open) {
        Some(end) => &rest[memrchr(b'\n', &rest[..end]).map_or(0, |line_end| line_end + 1)..],
        None => rest,
    }
}

/// Returns true if these signs and a space start a comment, a heading or an item. Words of people follow.
fn starts_prose(signs: &[u8]) -> bool {
    matches!(
        signs,
        b"//" | b"///" | b"//!" | b"#" | b"##" | b"--" | b";" | b";;" | b"*" | b"%" | b"%%" | b"'"
    )
}

fn each_of_line(line: &[u8], found: &mut impl FnMut(u32)) {
    let indented = u32::from(
        line.first()
            .is_some_and(|&byte| byte == b' ' || byte == b'\t'),
    );
    let (mut before, mut last) = (Token::default(), Token::default());
    let mut shapes = [0; 3];
    let mut number = 0;
    let mut is_comment = false;
    let mut rest = line.trim_ascii();
    while !rest.is_empty() {
        let (token, length) = next(rest);
        let (signs, after) = rest.split_at(length);
        let ends = number == 1 && is_comment;
        is_comment = number == 0 && starts_prose(signs) && after.starts_with(b" ");
        rest = after;
        let spaces = rest.len();
        rest = rest.trim_ascii_start();
        let spaced = u32::from(rest.len() != spaces);
        number += 1;
        found(mix(Kind::Token, &[token.text]));
        found(mix(Kind::Pair, &[last.text, token.text]));
        found(mix(Kind::Around, &[before.text, last.shape, token.text]));
        found(mix(
            Kind::Shape,
            &[shapes[0], shapes[1], shapes[2], token.shape],
        ));
        if number == 1 {
            found(mix(Kind::LineStart, &[indented, token.text]));
        } else if number == 2 {
            found(mix(Kind::LineStart, &[indented, last.text, token.shape]));
        }
        shapes = [
            shapes[1],
            shapes[2],
            token.shape.wrapping_mul(2).wrapping_add(spaced),
        ];
        (before, last) = (last, token);
        if ends {
            return;
        }
    }
    if number > 0 {
        found(mix(Kind::LineEnd, &[last.shape]));
        found(mix(Kind::LineEnd, &[before.shape, last.text]));
    }
}

/// Returns the first token of a text that starts with one, and its length.
fn next(text: &[u8]) -> (Token, usize) {
    let first = text[0];
    let length = |is: fn(&u8) -> bool| text.iter().position(|byte| !is(byte)).unwrap_or(text.len());
    if first.is_ascii_alphabetic() || first == b'_' {
        let length = length(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let word = &text[..length];
        let shape = match first {
            _ if word.iter().all(|byte| !byte.is_ascii_lowercase()) && length > 1 => 1,
            b'A'..=b'Z' => 2,
            _ if word.iter().any(u8::is_ascii_uppercase) => 3,
            _ if word.contains(&b'_') => 4,
            _ => 5,
        };
        return (
            Token {
                text: hash(word),
                shape,
            },
            length,
        );
    }
    if first.is_ascii_digit() {
        let length = length(|byte| byte.is_ascii_alphanumeric() || *byte == b'.' || *byte == b'_');
        return (Token { text: 6, shape: 6 }, length);
    }
    if !first.is_ascii() {
        return (Token { text: 7, shape: 7 }, length(|byte| !byte.is_ascii()));
    }
    // Signs that stand together: at most three, or one that repeats.
    let repeated = text.iter().take_while(|&&byte| byte == first).count();
    let signs = text
        .iter()
        .take(3)
        .take_while(|byte| byte.is_ascii_punctuation() && **byte != b'_');
    let length = repeated.max(signs.count()).max(1);
    let shape = hash(&text[..length.min(4)]);
    (Token { text: shape, shape }, length)
}

fn count(line: &[u8], wanted: u8) -> u32 {
    line.iter().map(|&byte| u32::from(byte == wanted)).sum()
}

fn hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(SEED, |hash, &byte| {
        (hash ^ u32::from(byte)).wrapping_mul(PRIME)
    })
}

/// Returns one hash of these hashes.
fn mix(kind: Kind, parts: &[u32]) -> u32 {
    let start = SEED ^ kind as u32;
    parts.iter().fold(start, |hash, &part| {
        let mixed = (hash ^ part).wrapping_mul(0x9e37_79b1);
        mixed ^ (mixed >> 15)
    })
}

/// Returns how much a feature counts that occurs this often.
pub(super) fn value(occurrences: usize) -> f32 {
    match occurrences {
        0 => 0.0,
        1 => 1.0,
        2..=3 => 1.5,
        4..=7 => 2.0,
        _ => 2.5,
    }
}

/// Returns the factor of all weights in a text with this many known features. A long text is not surer than it should
/// be.
pub(super) fn scale(known: usize) -> f32 {
    4.0 / (known.max(16) as f32).sqrt()
}

/// Makes likelihoods of the scores of all languages.
pub(super) fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    for score in &mut *scores {
        *score = (*score - most).exp();
    }
    let sum: f32 = scores.iter().sum();
    for score in scores {
        *score /= sum;
    }
}
