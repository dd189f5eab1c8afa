//! Paint: which parts of a text are shown in which colour, whoever found that out.
//!
//! What it must not know: languages, terminals, HTML. A class is a name that the style sheet gives a meaning.
//! Invariants: the spans of a text are in order, not empty, do not overlap, and begin and end between characters.

use std::fmt;
use std::ops::Range;

/// A part of a text, as bytes of it, and how it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) range: Range<usize>,
    pub(crate) paint: Paint,
}

/// How a part of a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// As a part of speech of a programming language.
    Token(Token),
    /// As a terminal would.
    Terminal(Style),
}

/// What a part of a source text is, as far as a reader cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    Comment,
    Keyword,
    Text,
    Number,
    Constant,
    Function,
    Type,
    Variable,
    Attribute,
    Tag,
    Operator,
    Heading,
    Emphasis,
    Strong,
    Link,
    Inserted,
    Deleted,
}

/// How a terminal shows a character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// One of the sixteen colours, none if it is the terminal's own.
    pub(crate) ink: Option<u8>,
    /// The same behind the character.
    pub(crate) ground: Option<u8>,
    pub(crate) bold: bool,
    pub(crate) faint: bool,
    pub(crate) italic: bool,
    pub(crate) underlined: bool,
    pub(crate) struck: bool,
}

/// The name of its class; for a terminal's style, all of its names.
impl fmt::Display for Paint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(token) => f.write_str(token.class()),
            Self::Terminal(style) => style.fmt(f),
        }
    }
}

impl Token {
    fn class(self) -> &'static str {
        match self {
            Self::Comment => "c",
            Self::Keyword => "k",
            Self::Text => "s",
            Self::Number => "n",
            Self::Constant => "l",
            Self::Function => "f",
            Self::Type => "t",
            Self::Variable => "v",
            Self::Attribute => "a",
            Self::Tag => "g",
            Self::Operator => "o",
            Self::Heading => "h",
            Self::Emphasis => "e",
            Self::Strong => "b",
            Self::Link => "u",
            Self::Inserted => "p",
            Self::Deleted => "m",
        }
    }
}

/// Names joined by spaces: `i0` to `i15` for the ink, `g0` to `g15` for the ground, and a word for the rest.
impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        let colours = [("i", self.ink), ("g", self.ground)];
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
            ("struck", self.struck),
        ];
        for (word, _) in words.into_iter().filter(|(_, is_so)| *is_so) {
            write!(f, "{gap}{word}")?;
            gap = " ";
        }
        Ok(())
    }
}
