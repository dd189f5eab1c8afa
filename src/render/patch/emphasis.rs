//! The words of a changed line that differ from its other version.
//!
//! Cost: one pass over the equal characters at both ends.

use std::ops::Range;

/// Returns the part of a line that differs from its other version. The first character of both is the sign. Returns
/// `None` if they have too little in common, so that marking the difference would not help.
pub(super) fn differing(line: &str, other: &str) -> Option<Range<usize>> {
    let (line, other) = (line.get(1..)?, other.get(1..)?);
    let start = equal(line.chars(), other.chars());
    let rests = [&line[start..], &other[start..]];
    let end = equal(rests[0].chars().rev(), rests[1].chars().rev());
    let differ = rests.map(|rest| &rest[..rest.len() - end]);
    // A word is marked as a whole.
    let (mut before, mut after) = (&line[..start], &line[line.len() - end..]);
    if differ.iter().any(|part| part.starts_with(is_of_word)) {
        before = before.trim_end_matches(is_of_word);
    }
    if differ.iter().any(|part| part.ends_with(is_of_word)) {
        after = after.trim_start_matches(is_of_word);
    }
    let shared = before.trim_start().len() + after.len();
    let range = 1 + before.len()..1 + line.len() - after.len();
    (shared * 3 >= line.len().max(other.len()) && !range.is_empty()).then_some(range)
}

/// Returns the bytes of the equal characters at the start of both.
fn equal(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    let same = one.zip(other).take_while(|(one, other)| one == other);
    same.map(|(c, _)| c.len_utf8()).sum()
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
