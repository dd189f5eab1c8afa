//! Highlighting: the styles of the parts of a text. A style stands for CSS classes of the style sheet.
//!
//! Invariants: the spans of a text are ordered and not empty, and do not overlap. Each starts and ends between two
//! characters.

use std::fmt::{self, Write};
use std::ops::Range;

/// A part of a text that has one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// The range of the part in bytes of the text.
    pub(super) range: Range<usize>,
    pub(super) highlight: Highlight,
}

/// The style of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Highlight {
    Syntax(SyntaxClass),
    Terminal(TerminalStyle),
}

/// The meaning of a part of source code. Each variant states the name of its CSS class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum SyntaxClass {
    Comment = b'c',
    Keyword = b'k',
    Text = b's',
    Number = b'n',
    Constant = b'l',
    Function = b'f',
    Type = b't',
    Variable = b'v',
    Attribute = b'a',
    Tag = b'g',
    Operator = b'o',
    Heading = b'h',
    Emphasis = b'e',
    Strong = b'b',
    Link = b'u',
    Inserted = b'p',
    Deleted = b'm',
}

/// The style in which a terminal shows a character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TerminalStyle {
    /// The text colour: one of the sixteen terminal colours, or one of the page's two. `None` is the default colour.
    pub(super) foreground: Option<u8>,
    pub(super) background: Option<u8>,
    pub(super) bold: bool,
    pub(super) faint: bool,
    pub(super) italic: bool,
    pub(super) underlined: bool,
    pub(super) strikethrough: bool,
}

/// Writes the names of the CSS classes, separated by spaces.
impl fmt::Display for Highlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(class) => f.write_char(char::from(*class as u8)),
            Self::Terminal(style) => style.fmt(f),
        }
    }
}

/// Writes CSS class names, separated by spaces. `i0` to `i17` are text colours, and `g0` to `g17` are background
/// colours. Other attributes are words.
impl fmt::Display for TerminalStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        let colours = [("i", self.foreground), ("g", self.background)];
        for (name, colour) in colours {
            if let Some(colour) = colour {
                write!(f, "{gap}{name}{colour}")?;
                gap = " ";
            }
        }
        let words = [
            ("bold", self.bold),
            ("faint", self.faint),
            ("italic", self.italic),
            ("under", self.underlined),
            ("struck", self.strikethrough),
        ];
        for (word, _) in words.into_iter().filter(|(_, is_set)| *is_set) {
            write!(f, "{gap}{word}")?;
            gap = " ";
        }
        Ok(())
    }
}
