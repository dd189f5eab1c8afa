//! The route of a request: the pattern that its path matches, and the one variable part.
//!
//! Cost: comparing one byte with each pattern, and a few strings.

use crate::account::Right;
use crate::paste::{IdCodec, Slug};

/// The charge of a request against the rate limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// No charge: the response has the same bytes for every client.
    Free,
    Read,
    Save,
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Everyone, even on a private server: the response is the same for all of them, or lets a client in.
    Anyone,
    /// Clients that may read.
    Readers,
    /// Clients that may save.
    Savers,
    /// Clients that may read, or that may operate, as the operator may remove any paste.
    Removers,
    /// The operator. The handler checks this, because it charges everyone else.
    Operators,
}

impl Audience {
    /// The right that a client needs.
    pub(crate) fn right(self) -> Option<Right> {
        match self {
            Self::Anyone | Self::Operators => None,
            Self::Readers | Self::Removers => Some(Right::Read),
            Self::Savers => Some(Right::Save),
        }
    }
}

/// A matched route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Route<'a> {
    /// The pattern, as it is logged. It contains no client input.
    pub(crate) pattern: &'static str,
    /// The part of the path that replaces the braces; empty if the pattern has none.
    pub(crate) param: &'a str,
}

impl Route<'_> {
    /// A path that matches no pattern.
    pub(crate) const UNKNOWN: Self = Self {
        pattern: "-",
        param: "",
    };
}

/// A path with at most one part that varies, such as `/{id}/edit`. It is parsed at compile time. In `/{id}/*` the part
/// includes a second segment, which may be empty, and in `/raw/{id}/**` all segments behind the id. `/{id}/*/**` has
/// at least three segments. In `/diff/{id}/{id}` it is both segments, with the slash between
/// them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pattern {
    /// The pattern as it is written.
    pub(crate) text: &'static str,
    /// The text before the braces and the text after them.
    around: Option<(&'static str, &'static str)>,
    /// The byte after the first slash, by which most patterns are told apart. `None` if the pattern has none, or the
    /// variable part there.
    initial: Option<u8>,
}

impl Pattern {
    pub(crate) const fn new(text: &'static str) -> Self {
        let bytes = text.as_bytes();
        let mut open = 0;
        while open < bytes.len() && bytes[open] != b'{' {
            open += 1;
        }
        if open == bytes.len() {
            let initial = if text.len() > 1 { Some(bytes[1]) } else { None };
            return Self {
                text,
                around: None,
                initial,
            };
        }
        let mut close = open;
        while bytes[close] != b'}' {
            close += 1;
        }
        let (before, _) = text.split_at(open);
        let (_, after) = text.split_at(close + 1);
        Self {
            text,
            around: Some((before, after)),
            initial: if open > 1 { Some(bytes[1]) } else { None },
        }
    }

    /// Returns false if no path with this byte after its first slash matches.
    pub(crate) fn may_match(self, initial: Option<u8>) -> bool {
        self.initial.is_none() || self.initial == initial
    }

    /// Returns a path that matches, with this text in place of the braces.
    #[cfg(test)]
    pub(crate) fn example(self, param: &str) -> String {
        match self.around {
            None => self.text.to_owned(),
            Some((before, after)) => [before, param, after].concat(),
        }
    }

    /// Returns whether the path is this one. Both must be equal, except that braces stand for a part of one segment.
    pub(crate) fn matches(self, path: &str) -> bool {
        let Some((before, after)) = self.around else {
            return self.text == path;
        };
        path.strip_prefix(before).is_some_and(|rest| match after {
            "/{id}" => is_two_ids(rest),
            "/*" => behind_id(rest).is_some_and(|behind| !behind.contains('/')),
            "/*/**" => behind_id(rest).is_some_and(|behind| behind.contains('/')),
            "/**" => behind_id(rest).is_some(),
            after => rest.strip_suffix(after).is_some_and(|param| {
                !param.as_bytes().contains(&b'/') && (!param.is_empty() || after == "+")
            }),
        })
    }

    /// Returns the route of a path that matches.
    pub(crate) fn route(self, path: &str) -> Route<'_> {
        let param = self.around.and_then(|(before, after)| match after {
            "/{id}" | "/*" | "/*/**" | "/**" => path.strip_prefix(before),
            after => path.strip_prefix(before)?.strip_suffix(after),
        });
        Route {
            pattern: self.text,
            param: param.unwrap_or_default(),
        }
    }
}

/// Returns whether both segments may be addresses of pastes.
fn is_two_ids(path: &str) -> bool {
    let segments = path.split_once('/');
    segments.is_some_and(|(first, second)| {
        !first.is_empty() && !second.is_empty() && !second.contains('/')
    })
}

/// Returns what follows the first segment, if that may be an id or a slug.
fn behind_id(path: &str) -> Option<&str> {
    let (first, behind) = path.split_once('/')?;
    let (id, _) = first.split_once('.').unwrap_or((first, ""));
    (id.len() == IdCodec::LENGTH || Slug::parse(id).is_ok()).then_some(behind)
}
