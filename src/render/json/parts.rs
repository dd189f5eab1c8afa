//! The parts of a JSON text, exactly as they are written.
//!
//! Invariants: no number and no string is decoded, so none is rounded or changed. Without white space between them, the
//! parts are the text, if it is valid. In another text, reading ends too.
//! Cost: one pass over the text.

use memchr::memchr2;

/// A value, or a bracket, with the name and the comma beside it on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part<'t> {
    /// The name of the member, in its quotes. A colon follows it.
    pub(super) key: Option<&'t str>,
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    /// The bytes from the start of `text` to the end of the whole text.
    pub(super) left: usize,
    /// Whether a comma follows.
    pub(super) has_comma: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A string, a number or a word.
    Scalar,
    Open,
    Close,
}

/// Reads the parts of a text, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Parts<'t> {
    /// The text that was not read yet.
    pub(super) rest: &'t str,
}

impl<'t> Parts<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { rest: text }
    }

    fn token(&mut self) -> Option<&'t str> {
        self.skip_space();
        let is_end = |byte: &u8| b" \n\r\t,:\"{}[]".contains(byte);
        let bytes = self.rest.as_bytes();
        let length = match bytes.first()? {
            b'"' => length_of_string(bytes),
            b'{' | b'}' | b'[' | b']' => 1,
            _ => {
                let end = bytes.iter().skip(1).position(is_end);
                end.map_or(bytes.len(), |after| 1 + after)
            }
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(token)
    }

    /// Takes this sign if it is next.
    fn takes(&mut self, sign: char) -> bool {
        self.skip_space();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n', '\r', '\t']);
    }
}

impl<'t> Iterator for Parts<'t> {
    type Item = Part<'t>;

    fn next(&mut self) -> Option<Part<'t>> {
        let mut text = self.token()?;
        let mut key = None;
        if text.starts_with('"') && self.takes(':') {
            key = Some(text);
            text = self.token()?;
        }
        let kind = match text {
            "{" | "[" => Kind::Open,
            "}" | "]" => Kind::Close,
            _ => Kind::Scalar,
        };
        Some(Part {
            key,
            kind,
            text,
            left: self.rest.len() + text.len(),
            has_comma: kind != Kind::Open && self.takes(','),
        })
    }
}

/// Returns the length of the string at the start, with its quotes.
fn length_of_string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        // The character after a backslash may be a quote.
        at += 2;
    }
    bytes.len()
}
