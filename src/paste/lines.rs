//! Ranges of lines, such as `10-20`, `10-` or `10`. Lines are numbered from one, and both ends are included.
//!
//! Invariants: the first line is at least 1, and the last is not before the first. A line ends with LF, which is part
//! of the line. Bytes after the last LF are one more line.
//! Cost: finding a range reads the bytes once, up to the end of the range.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::Range;

/// A range of lines. Lines are numbered from one, and both ends are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    first: NonZeroUsize,
    /// The largest number means the last line of the content.
    last: NonZeroUsize,
}

impl LineRange {
    /// Returns the range that this text names, or `None` if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let first = line_number(first)?;
        let last = match last {
            "" => NonZeroUsize::MAX,
            last => line_number(last)?,
        };
        (first <= last).then_some(Self { first, last })
    }

    /// Returns the number of the first line. Numbers start at one.
    pub fn first(self) -> usize {
        self.first.get()
    }

    /// Returns the number of the last line. The content may have fewer lines.
    pub fn last(self) -> usize {
        self.last.get()
    }

    /// Returns the range of bytes of these lines. Returns `None` if the content does not have the first line. If it
    /// does not have the last line, the range ends at the end of the content.
    pub fn find_in(self, bytes: &[u8]) -> Option<Range<usize>> {
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        self.between(lines.scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        }))
    }

    /// Returns the range of bytes of these lines in a text whose characters have two bytes each.
    pub(super) fn find_in_wide(self, bytes: &[u8], line_feed: [u8; 2]) -> Option<Range<usize>> {
        let ends = bytes.chunks(2).zip((2..).step_by(2));
        let ends = ends.filter_map(|(unit, end)| (unit == line_feed).then_some(end));
        let rest = (!bytes.ends_with(&line_feed)).then_some(bytes.len());
        self.between(ends.chain(rest))
    }

    /// Returns the range from the first line to the last one. `ends` are the ends of all lines.
    fn between(self, mut ends: impl Iterator<Item = usize>) -> Option<Range<usize>> {
        let start = match self.first.get() - 1 {
            0 => 0,
            before => ends.nth(before - 1)?,
        };
        let first_end = ends.next()?;
        let further = self.last.get() - self.first.get();
        let end = ends.take(further).last().unwrap_or(first_end);
        Some(start..end)
    }
}

/// Writes the range as in a request: `10-20`.
impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            NonZeroUsize::MAX => write!(f, "{}-", self.first),
            last => write!(f, "{}-{last}", self.first),
        }
    }
}

/// Parses the number of a line. Only digits are allowed, since `parse` would also accept `+1`.
fn line_number(text: &str) -> Option<NonZeroUsize> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines<'a>(range: &str, text: &'a str) -> Option<&'a str> {
        let range = LineRange::parse(range).expect("a range");
        range.find_in(text.as_bytes()).map(|found| &text[found])
    }

    #[test]
    fn a_range_gives_its_lines_with_their_line_ends() {
        assert_eq!(lines("1", "a\nb\nc"), Some("a\n"));
        assert_eq!(lines("2-3", "a\nb\nc"), Some("b\nc"));
        assert_eq!(lines("3", "a\nb\nc"), Some("c"));
        assert_eq!(lines("2-99", "a\nb\nc"), Some("b\nc"));
        assert_eq!(lines("2-", "a\nb\nc"), Some("b\nc"));
        assert_eq!(lines("2", "a\r\n\r\nb"), Some("\r\n"));
    }

    #[test]
    fn a_first_line_past_the_end_is_not_found() {
        assert_eq!(lines("4", "a\nb\nc"), None);
        assert_eq!(lines("2", "a\n"), None);
    }

    #[test]
    fn a_text_that_is_not_a_range_is_refused() {
        for text in [
            "",
            "0",
            "0-3",
            "3-2",
            "-3",
            "-",
            "a",
            "1-2-3",
            "+1",
            " 1",
            "1,2",
            "99999999999999999999999",
        ] {
            assert_eq!(LineRange::parse(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_range_agrees_with_collecting_all_lines(text in "[ab\n]{0,40}", first in 1usize..12, more in 0usize..12) {
            let all: Vec<&str> = text.split_inclusive('\n').collect();
            let expected = (first <= all.len()).then(|| all[first - 1..all.len().min(first + more)].concat());
            prop_assert_eq!(lines(&format!("{first}-{}", first + more), &text).map(str::to_owned), expected);
        }
    }
}
