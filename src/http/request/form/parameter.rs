//! Parameters: the `; name=value` pairs behind a header's value, as in `Content-Type` and `Content-Disposition`.
//!
//! What it must not know: which header it is, and what its parameters mean.
//! Invariants: reading never fails. What no client should send is read as what it most likely means: an unquoted value
//! goes on to the next `;`, whatever it holds (boundaries hold `=`, `:` and `/` unquoted), and a quote that is never
//! closed goes on to the end.
//! Cost: one scan, no copy; a value is copied when its escapes are taken off.
//! Why not the header types of actix: its `ContentDisposition` refuses a file name that is not UTF-8, and takes the
//! backslashes out of `C:\notes\a.txt`; its mime type refuses boundaries outside `token`.

/// The parameters of a header, in the order sent.
pub(super) struct Parameters<'a> {
    rest: &'a [u8],
}

/// One of them.
#[derive(Clone, Copy)]
pub(super) struct Parameter<'a> {
    name: &'a [u8],
    /// As it was sent, between the quotes if it had any.
    raw: &'a [u8],
    is_quoted: bool,
}

impl<'a> Parameters<'a> {
    /// The parameters of this header's value; what comes before the first `;` is not one.
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
    /// Whether it has this name, in any case.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }

    /// The value where every quoted character may be escaped with a backslash (RFC 9110, 5.6.4).
    pub(super) fn value(&self) -> Vec<u8> {
        self.unescaped(|_| true)
    }

    /// The value where a backslash escapes only `"` and itself. Clients send the name of a file on Windows with the
    /// backslashes it has.
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

/// What is before the first of these bytes, and what is from it on.
fn split_at<'a>(bytes: &'a [u8], stops: &[u8]) -> (&'a [u8], &'a [u8]) {
    let end = bytes.iter().position(|byte| stops.contains(byte));
    bytes.split_at(end.unwrap_or(bytes.len()))
}

/// What is before the closing quote, and what is behind it.
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
    fn parameters_are_read_quoted_unquoted_and_odd() {
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
    fn the_backslashes_of_a_path_stay() {
        let header = br#"form-data; filename="C:\notes\a \"b\".txt""#;
        let parameter = Parameters::of(header).next().unwrap();
        assert!(parameter.is("FileName"));
        assert_eq!(parameter.file_value(), br#"C:\notes\a "b".txt"#);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_an_end(header in "[a;=\"\\\\ é]{0,40}") {
            prop_assert!(Parameters::of(header.as_bytes()).count() <= header.len());
        }
    }
}
