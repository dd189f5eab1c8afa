//! Compares two texts line by line.
//!
//! Invariants: the result is a unified diff as `diff -u` writes it, which `patch` turns into the new text again. A line
//! ends with LF, and only there. If time runs out, the rest is compared coarsely: the diff is right, but longer.
//! Cost: the time given, and some milliseconds for each MiB. In memory, 150 bytes per line.

use std::time::Duration;

use similar::udiff::UnifiedHunkHeader;
use similar::{ChangeTag, TextDiff};

use crate::paste::Encoding;

/// The lines around a change that are shown.
const CONTEXT: usize = 3;

/// One of the two texts.
#[derive(Debug, Clone, Copy)]
pub struct ComparedText<'a> {
    /// Its name, without a line feed.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

impl ComparedText<'_> {
    /// Maximum size of a text that is compared.
    pub const MAX_BYTES: usize = 4 * 1024 * 1024;
    /// Maximum number of lines of a text that is compared.
    pub const MAX_LINES: usize = 100_000;

    /// Returns whether a text in this encoding is small enough. Decoded, a byte becomes at most three.
    pub fn is_comparable(bytes: &[u8], encoding: Encoding) -> bool {
        let longest = match encoding {
            Encoding::Utf8 => Self::MAX_BYTES,
            Encoding::Other(_) => Self::MAX_BYTES / 3,
        };
        let lines = || bytes.split_inclusive(|byte| *byte == b'\n').count();
        bytes.len() <= longest && lines() <= Self::MAX_LINES
    }
}

/// Returns the differences as a unified diff. It is empty if the texts are equal. After `time`, it may be longer than
/// necessary.
pub fn unified_diff(old: ComparedText<'_>, new: ComparedText<'_>, time: Duration) -> String {
    if old.text == new.text {
        return String::new();
    }
    let lines = [old, new].map(|one| one.text.split_inclusive('\n').collect::<Vec<&str>>());
    let diff = TextDiff::configure()
        .timeout(time)
        .diff_slices(&lines[0], &lines[1]);
    let mut out = format!("--- {}\n+++ {}\n", old.name, new.name);
    for hunk in diff.grouped_ops(CONTEXT) {
        out += &format!("{}\n", UnifiedHunkHeader::new(&hunk));
        for change in hunk.iter().flat_map(|op| diff.iter_changes(op)) {
            out.push(match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            });
            out.push_str(change.value());
            if !change.value().ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// Returns how many lines were added and removed. After `time`, both may be more than necessary.
pub(crate) fn changed_lines(old: &str, new: &str, time: Duration) -> (usize, usize) {
    let [old, new] = [old, new].map(|text| ComparedText { name: "", text });
    let diff = unified_diff(old, new, time);
    let lines = || diff.split('\n').skip(2);
    let count = |mark| lines().filter(|line| line.starts_with(mark)).count();
    (count('+'), count('-'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::paste::CharsetLabel;

    fn diff(old: &str, new: &str, time: Duration) -> String {
        let [old, new] =
            [("old", old), ("new", new)].map(|(name, text)| ComparedText { name, text });
        unified_diff(old, new, time)
    }

    /// Applies a diff to the old text, as `patch` does.
    fn patched(old: &str, diff: &str) -> String {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut taken, mut new, mut last) = (0, String::new(), "");
        for line in diff.split_inclusive('\n').skip(2) {
            let (sign, text) = line.split_at(1);
            match sign {
                "@" => {
                    let (_, range) = line.split_once("-").expect("a header");
                    let range = range.split(' ').next().expect("a range");
                    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                    let start: usize = start.parse().expect("a number");
                    // An empty range names the line before it.
                    let start = start - usize::from(count != "0");
                    new.extend(old[taken..start].iter().copied());
                    taken = start;
                }
                "\\" if last == "-" => {}
                "\\" => assert_eq!(new.pop(), Some('\n')),
                "+" => new.push_str(text),
                _ => {
                    assert_eq!(
                        old[taken].trim_end_matches('\n'),
                        text.trim_end_matches('\n')
                    );
                    taken += 1;
                    if sign == " " {
                        new.push_str(text);
                    }
                }
            }
            last = sign;
        }
        new.extend(old[taken..].iter().copied());
        new
    }

    #[test]
    fn a_diff_has_three_lines_around_each_change() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let expected = "--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        let new = old.replace('5', "five");
        assert_eq!(diff(old, &new, Duration::MAX), expected);
        assert_eq!(diff(old, old, Duration::MAX), "");
    }

    #[test]
    fn a_last_line_without_a_line_feed_is_noted() {
        let expected = "--- old\n+++ new\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n";
        assert_eq!(diff("a", "a\n", Duration::MAX), expected);
        let expected =
            "--- old\n+++ new\n@@ -1 +1 @@\n-a\r\n\\ No newline at end of file\n+a\r\r\n";
        assert_eq!(diff("a\r", "a\r\r\n", Duration::MAX), expected);
    }

    #[test]
    fn a_text_is_comparable_up_to_its_limits() {
        let is_comparable =
            |text: &str, encoding| ComparedText::is_comparable(text.as_bytes(), encoding);
        let lines = "\n".repeat(ComparedText::MAX_LINES);
        assert!(is_comparable(&lines, Encoding::Utf8));
        assert!(!is_comparable(&(lines + "x"), Encoding::Utf8));
        let bytes = "x".repeat(ComparedText::MAX_BYTES);
        assert!(
            is_comparable(&bytes, Encoding::Utf8)
                && !is_comparable(&bytes, Encoding::Other(CharsetLabel::NONE))
        );
        assert!(!is_comparable(&(bytes + "x"), Encoding::Utf8));
    }

    proptest! {
        #[test]
        fn a_diff_turns_the_old_text_into_the_new_one(
            old in "([abc]\r?\n){0,12}[a\r]{0,2}",
            new in "([abc]\r?\n){0,12}[a\r]{0,2}",
            has_time: bool,
        ) {
            let time = if has_time { Duration::MAX } else { Duration::ZERO };
            let diff = diff(&old, &new, time);
            prop_assert_eq!(patched_or_equal(&old, &diff), new);
        }
    }

    fn patched_or_equal(old: &str, diff: &str) -> String {
        match diff.is_empty() {
            true => old.to_owned(),
            false => patched(old, diff),
        }
    }
}
