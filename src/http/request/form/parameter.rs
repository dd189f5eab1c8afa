//! The `; name=value` parameters of a header such as `Content-Type` or `Content-Disposition`.
//!
//! Invariants: parsing never fails. Malformed input gets its most likely meaning:
//! - An unquoted value extends to the next `;`. Clients send boundaries with `=`, `:` and `/` unquoted.
//! - A quoted value without a closing quote extends to the end.
//!
//! Cost: one scan without a copy. A value is copied when its escapes are removed.
//! The header types of actix are not used. Its `ContentDisposition` rejects a file name that is not UTF-8, and removes
//! the backslashes from `C:\notes\a.txt`. Its media type rejects a boundary that is not a `token`.

/// An iterator over the parameters of a header, in the order sent.
pub(super) struct Parameters<'a> {
    rest: &'a [u8],
}

#[derive(Clone, Copy)]
pub(super) struct Parameter<'a> {
    name: &'a [u8],
    /// The value as sent, without its quotes.
    raw: &'a [u8],
    is_quoted: bool,
}

impl<'a> Parameters<'a> {
    /// The parameters in this header value. They start after the first `;`.
    pub(super) fn of(header: &'a [u8]) -> Self {
        let (_, rest) = split_at(header, b";");
        Self { rest }
    }
}

impl<'a> Iterator for Parameters<'a> {
    type Item = Parameter<'a>;

    fn next(&mut self) -> Option<Parameter<'a>> {
        let start = self
            .rest
            .iter()
            .position(|byte| *byte != b';' && !byte.is_ascii_whitespace())?;
        let (name, rest) = split_at(&self.rest[start..], b"=;");
        let rest = match rest.strip_prefix(b"=") {
            Some(value) => value.trim_ascii_start(),
            None => rest,
        };
        let is_quoted = rest.starts_with(b"\"");
        let raw;
        (raw, self.rest) = if is_quoted {
            split_quoted(&rest[1..])
        } else {
            split_at(rest, b";")
        };
        Some(Parameter {
            name: name.trim_ascii(),
            raw: if is_quoted { raw } else { raw.trim_ascii() },
            is_quoted,
        })
    }
}

impl Parameter<'_> {
    /// Returns whether the parameter has this name, ignoring case.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }

    /// The value. In a quoted one a backslash escapes any character (RFC 9110, section 5.6.4).
    pub(super) fn value(&self) -> Vec<u8> {
        self.unescaped(|_| true)
    }

    /// The value of a file name. A backslash escapes only `"` and itself, because clients send Windows paths unescaped.
    pub(super) fn file_value(&self) -> Vec<u8> {
        self.unescaped(|byte| matches!(byte, b'"' | b'\\'))
    }

    fn unescaped(&self, is_escapable: impl Fn(u8) -> bool) -> Vec<u8> {
        let mut value = Vec::with_capacity(self.raw.len());
        let mut rest = self.raw.iter().copied().peekable();
        while let Some(byte) = rest.next() {
            let escaped = match byte {
                b'\\' if self.is_quoted => rest.next_if(|next| is_escapable(*next)),
                _ => None,
            };
            value.push(escaped.unwrap_or(byte));
        }
        value
    }
}

/// Splits before the first of these bytes.
fn split_at<'a>(bytes: &'a [u8], stops: &[u8]) -> (&'a [u8], &'a [u8]) {
    let end = bytes.iter().position(|byte| stops.contains(byte));
    bytes.split_at(end.unwrap_or(bytes.len()))
}

/// Splits at the closing quote, which neither part includes.
fn split_quoted(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut is_escaped = false;
    let end = bytes.iter().position(|byte| {
        let closes = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        closes
    });
    match end {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(header: &str) -> Vec<(String, String)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Parameters::of(header.as_bytes())
            .map(|parameter| (text(parameter.name), text(&parameter.value())))
            .collect()
    }

    #[test]
    fn quoted_unquoted_and_malformed_parameters_are_parsed() {
        for (header, expected) in [
            ("a/b", &[][..]),
            ("a/b;", &[]),
            ("a/b ; x=1", &[("x", "1")][..]),
            ("a/b;x=1;y=2 ", &[("x", "1"), ("y", "2")]),
            ("a/b;; x = \" 1;2 \" ; y=2", &[("x", " 1;2 "), ("y", "2")]),
            (
                "a/b; x=a=b'(+:/,?c; y=2",
                &[("x", "a=b'(+:/,?c"), ("y", "2")],
            ),
            (r#"a/b; x="a\"\\\b"; y=2"#, &[("x", r#"a"\b"#), ("y", "2")]),
            (r"a/b; x=a\b", &[("x", r"a\b")]),
            ("a/b; x=\"open; y=2", &[("x", "open; y=2")]),
            ("a/b; x; y=2", &[("x", ""), ("y", "2")]),
            ("a/b; x=; y=\"\"", &[("x", ""), ("y", "")]),
            (
                "a/b; x=\"1\"stray; y=2",
                &[("x", "1"), ("stray", ""), ("y", "2")],
            ),
        ] {
            let expected: Vec<_> = expected
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            assert_eq!(read(header), expected, "{header}");
        }
    }

    #[test]
    fn the_backslashes_of_a_path_are_preserved() {
        let header = br#"form-data; filename="C:\notes\a \"b\".txt""#;
        let parameter = Parameters::of(header).next().unwrap();
        assert!(parameter.is("FileName"));
        assert_eq!(parameter.file_value(), br#"C:\notes\a "b".txt"#);
    }

    proptest! {
        #[test]
        fn parsing_ends_for_any_bytes(header in "[a;=\"\\\\ é]{0,40}") {
            prop_assert!(Parameters::of(header.as_bytes()).count() <= header.len());
        }
    }
}
