//! A hunk of a unified diff: how many lines its header promises, and the numbers of those lines.
//!
//! Invariants: a hunk takes at most as many lines as its header says. A line number is at most [`MAX_NUMBER`].

use crate::render::unsafe_char::without_cr;

/// The largest line number that is shown. A header with a larger one is not a header.
const MAX_NUMBER: u32 = 9_999_999;

/// The meaning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A line outside of files, such as that of a message.
    Text,
    /// A line of a file outside of hunks, such as `--- a/main.rs`.
    Header,
    /// The header of a hunk.
    Hunk,
    /// A line of both files, with its numbers.
    Context { old: u32, new: u32 },
    /// A line of the old file. The note about a missing line feed has no number.
    Removed(Option<u32>),
    /// A line of the new file. The note about a missing line feed has no number.
    Added(Option<u32>),
}

/// The rest of a hunk.
pub(super) struct Hunk {
    old: Side,
    new: Side,
    /// The kind of the last line, which a note about a missing line feed belongs to.
    last: Option<Kind>,
}

/// The next line of one file, and how many lines are left.
struct Side {
    next: u32,
    left: u32,
}

impl Hunk {
    /// Parses a header such as `@@ -1,7 +1,9 @@ fn main()`.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        Some(Self {
            old: Side::parse(old)?,
            new: Side::parse(new)?,
            last: None,
        })
    }

    /// Returns whether all lines that the header promises were taken.
    pub(super) fn is_complete(&self) -> bool {
        self.old.left == 0 && self.new.left == 0
    }

    /// Takes the next line. Returns `None` if it is not a line of this hunk.
    pub(super) fn take(&mut self, line: &str) -> Option<Kind> {
        let kind = match without_cr(line).bytes().next() {
            Some(b'\\') => return self.last.map(Kind::without_number),
            Some(b'-') => Kind::Removed(Some(self.old.take()?)),
            Some(b'+') => Kind::Added(Some(self.new.take()?)),
            // Mail programs and editors remove the space of an empty line.
            Some(b' ') | None if self.old.left > 0 && self.new.left > 0 => Kind::Context {
                old: self.old.take()?,
                new: self.new.take()?,
            },
            _ => return None,
        };
        self.last = Some(kind);
        Some(kind)
    }

    /// Returns the largest line number of the hunk.
    pub(super) fn last_number(&self) -> u32 {
        let end = |side: &Side| side.next + side.left;
        end(&self.old).max(end(&self.new))
    }
}

impl Side {
    /// Parses the first line's number and the number of lines, as in `1,7`. A single number means one line.
    fn parse(text: &str) -> Option<Self> {
        let (next, left) = text.split_once(',').unwrap_or((text, "1"));
        let (next, left) = (number(next)?, number(left)?);
        (next + left <= MAX_NUMBER).then_some(Self { next, left })
    }

    fn take(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        self.next += 1;
        Some(self.next - 1)
    }
}

impl Kind {
    fn without_number(self) -> Self {
        match self {
            Self::Removed(_) => Self::Removed(None),
            Self::Added(_) => Self::Added(None),
            Self::Context { .. } | Self::Text | Self::Header | Self::Hunk => Self::Header,
        }
    }

    /// Returns whether the line is in one of the files only.
    pub(super) fn is_change(self) -> bool {
        matches!(self, Self::Removed(_) | Self::Added(_))
    }
}

fn number(text: &str) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| text.parse().ok())??;
    (number <= MAX_NUMBER).then_some(number)
}
