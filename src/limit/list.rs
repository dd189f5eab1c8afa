//! Lists of an operator: entries parted by commas and line breaks, and where in the text a misread one stands.
//!
//! What it must not know: what an entry means, and where the text comes from.
//! Invariants: what follows a `#` in a line is a remark; an empty entry is none, so that a list may end in a comma;
//! positions count characters from 1.

use std::fmt;

/// Part of a text that means something, with no blank around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListEntry<'a> {
    pub(super) text: &'a str,
    whole: &'a str,
}

/// What is wrong in a list, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListParseError<P> {
    /// The line, if the list has several.
    pub line: Option<usize>,
    /// The character in the line.
    pub column: usize,
    /// What is wrong.
    pub problem: P,
}

/// The entries of a list, in order.
pub(super) fn entries(list: &str) -> impl Iterator<Item = ListEntry<'_>> {
    list.lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| line.split(','))
        .map(move |text| ListEntry {
            text: text.trim(),
            whole: list,
        })
        .filter(|entry| !entry.text.is_empty())
}

impl<'a> ListEntry<'a> {
    /// The first word and what follows it, which may be nothing.
    pub(super) fn split_word(self) -> (Self, Self) {
        let end = self
            .text
            .find(char::is_whitespace)
            .unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        (self.part(word), self.part(rest.trim_start()))
    }

    /// This entry is misread, where it begins.
    pub(super) fn error<P>(self, problem: P) -> ListParseError<P> {
        // Both are of the same text, so the difference of their places is the entry's place in it.
        let at = self.text.as_ptr().addr() - self.whole.as_ptr().addr();
        let before = &self.whole[..at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        ListParseError {
            line: self.whole.contains('\n').then_some(line),
            column: before[line_start..].chars().count() + 1,
            problem,
        }
    }

    fn part(self, text: &'a str) -> Self {
        Self { text, ..self }
    }
}

/// To be read after the list: `is error at line 3, column 14: …`.
impl<P: fmt::Display> fmt::Display for ListParseError<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is misread at ")?;
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        write!(f, "column {}: {}", self.column, self.problem)
    }
}

impl<P: fmt::Debug + fmt::Display> std::error::Error for ListParseError<P> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_parted_by_commas_and_line_breaks_and_remarks_are_none() {
        let list = "a b, c,\r\n# d, e\n\n\tf # g, h\n,,i ,";
        let texts: Vec<&str> = entries(list).map(|entry| entry.text).collect();
        assert_eq!(texts, ["a b", "c", "f", "i"]);
        assert_eq!(entries(" , #").count(), 0);
    }

    #[test]
    fn a_misread_entry_says_where_it_is() {
        for (list, nth, place) in [
            ("a", 0, "is misread at column 1: x"),
            ("a,  b", 1, "is misread at column 5: x"),
            ("é, b", 1, "is misread at column 4: x"),
            ("a\n", 0, "is misread at line 1, column 1: x"),
            ("a\r\n# é\n b, c", 2, "is misread at line 3, column 5: x"),
        ] {
            let entry = entries(list).nth(nth).unwrap();
            assert_eq!(entry.error("x").to_string(), place, "{list:?}");
        }
    }

    #[test]
    fn a_word_and_what_follows_it_have_places_of_their_own() {
        let entry = entries("x, word  and rest").nth(1).unwrap();
        let (word, rest) = entry.split_word();
        assert_eq!((word.text, word.error(()).column), ("word", 4));
        assert_eq!((rest.text, rest.error(()).column), ("and rest", 10));
        let (_, nothing) = word.split_word();
        assert_eq!((nothing.text, nothing.error(()).column), ("", 8));
    }
}
