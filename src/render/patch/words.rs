//! The words of a changed line that differ from its other version.
//!
//! Cost: it grows with the square of the line, up to 0.3 ms. So longer lines are not compared.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Maximum bytes of a line whose words are compared.
const MAX_BYTES: usize = 256;

/// Returns the parts of both versions that the other one does not have. They are empty if the versions have too little
/// in common, so that marking the differences would not help.
pub(super) fn changed_words(old: &str, new: &str) -> [Vec<Range<usize>>; 2] {
    let (lines, mut marks) = ([old, new], [Vec::new(), Vec::new()]);
    if lines.iter().any(|line| line.len() > MAX_BYTES) {
        return marks;
    }
    let words = lines.map(words);
    let (mut at, mut shared) = ([0; 2], 0);
    for op in capture_diff_slices(Algorithm::Myers, &words[0], &words[1]) {
        for (side, range) in [op.old_range(), op.new_range()].into_iter().enumerate() {
            let end = at[side]
                + words[side][range]
                    .iter()
                    .map(|word| word.len())
                    .sum::<usize>();
            let part = at[side]..end;
            at[side] = end;
            if op.tag() == DiffTag::Equal {
                shared += lines[side][part].trim().len();
            } else if !part.is_empty() {
                mark(lines[side], part, &mut marks[side]);
            }
        }
    }
    let longer = old.trim().len().max(new.trim().len());
    if shared * 3 < longer * 2 {
        return Default::default();
    }
    marks
}

/// Marks a part. It is joined with the last one if only blanks are between them.
fn mark(line: &str, part: Range<usize>, marks: &mut Vec<Range<usize>>) {
    match marks.last_mut() {
        Some(last) if line[last.end..part.start].trim().is_empty() => last.end = part.end,
        _ => marks.push(part),
    }
}

/// Divides a line into words and single other characters.
fn words(line: &str) -> Vec<&[u8]> {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let bytes = line.as_bytes();
    bytes
        .chunk_by(|one, other| is_of_word(one) && is_of_word(other))
        .collect()
}
