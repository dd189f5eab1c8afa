//! A hunk of a unified diff: how many lines its header promises, and the numbers of those lines.
//!
//! Invariants: a hunk takes at most as many lines as its header says. A line number is at most [`MAX_NUMBER`].

use std::ops::Range;

/// The largest line number that is shown. A header with a larger one is not a header.
const MAX_NUMBER: u32 = 9_999_999;

/// The meaning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A line outside of hunks that readers should see, such as that of a message.
    Text,
    /// A line that the name of its file stands for, such as `--- a/main.rs`. It is hidden.
    Header,
    /// The header of a hunk.
    Hunk,
    /// A line of both files.
    Context,
    /// A line of the old file.
    Removed,
    /// A line of the new file.
    Added,
}

/// The numbers of a line in the old and the new file.
pub(super) type Numbers = [Option<u32>; 2];

/// The rest of a hunk: the numbers of the lines that are left.
pub(super) struct Hunk {
    old: Range<u32>,
    new: Range<u32>,
    /// The kind of the last line, which a note about a missing line feed belongs to.
    last: Option<Kind>,
}

impl Hunk {
    /// Parses a header such as `@@ -1,7 +1,9 @@ fn main()`.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        Some(Self {
            old: numbers(old)?,
            new: numbers(new)?,
            last: None,
        })
    }

    /// Returns whether all lines that the header promises were taken.
    pub(super) fn is_complete(&self) -> bool {
        self.old.is_empty() && self.new.is_empty()
    }

    /// Takes the next line. Returns `None` if it is not a line of this hunk. The note about a missing line feed is one,
    /// without numbers.
    pub(super) fn take(&mut self, line: &str) -> Option<(Kind, Numbers)> {
        let (kind, numbers) = match line.bytes().next() {
            Some(b'\\') => (self.last?, [None; 2]),
            Some(b'-') => (Kind::Removed, [Some(self.old.next()?), None]),
            Some(b'+') => (Kind::Added, [None, Some(self.new.next()?)]),
            // Mail programs and editors remove the space of an empty line.
            Some(b' ') | None if !self.old.is_empty() && !self.new.is_empty() => {
                (Kind::Context, [self.old.next(), self.new.next()])
            }
            _ => return None,
        };
        self.last = Some(kind);
        Some((kind, numbers))
    }

    /// Returns the largest line number of the hunk.
    pub(super) fn last_number(&self) -> u32 {
        self.old.end.max(self.new.end)
    }
}

/// Parses the first line's number and the number of lines, as in `1,7`. A single number means one line.
fn numbers(text: &str) -> Option<Range<u32>> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text| Some(text).filter(is_number)?.parse::<u32>().ok();
    let (start, count) = (number(start)?, number(count)?);
    let end = start.checked_add(count)?;
    (end <= MAX_NUMBER).then_some(start..end)
}
