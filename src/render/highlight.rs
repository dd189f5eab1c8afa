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
    /// An element without attributes, with this name.
    Bare(&'static str),
    /// A link. Its address is this scheme, and the text.
    Link(&'static str),
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

/// A colour as red, green and blue.
pub(super) type Rgb = [u8; 3];

/// The style in which a terminal shows a character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TerminalStyle {
    /// The text colour. `None` is that of the sheet.
    pub(super) foreground: Option<Rgb>,
    pub(super) background: Option<Rgb>,
    pub(super) bold: bool,
    pub(super) faint: bool,
    pub(super) italic: bool,
    pub(super) underlined: bool,
    pub(super) strikethrough: bool,
}

/// Writes the name of the CSS class.
impl fmt::Display for SyntaxClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char(char::from(*self as u8))
    }
}

/// Writes CSS class names, separated by spaces. No style may be inline, so each channel of a colour is a class: `ink
/// r255 g128 b0` is an orange text, and `ground R255 G128 B0` an orange background. Other attributes are words.
impl fmt::Display for TerminalStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        if let Some([red, green, blue]) = self.foreground {
            write!(f, "ink r{red} g{green} b{blue}")?;
            gap = " ";
        }
        if let Some([red, green, blue]) = self.background {
            write!(f, "{gap}ground R{red} G{green} B{blue}")?;
            gap = " ";
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
