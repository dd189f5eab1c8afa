//! The `Content-Disposition` of a part, which names its field and its file, and the `; name=value` parameters of a
//! header.
//!
//! Invariants:
//! - Parsing parameters never fails. Malformed input gets its most likely meaning: an unquoted value extends to the
//!   next `;`, as clients send boundaries with `=`, `:` and `/` unquoted. A quoted value without a closing quote
//!   extends to the end.
//! - A field name is not empty.
//! - Invalid UTF-8 in a name is replaced, because it is not worth an error.
//! - A file name may be any text. It is only displayed, never opened.
//!
//! Cost: one scan for each parameter, and one copy of each value before it.
//! The header types of actix are not used. Its `ContentDisposition` rejects a file name that is not UTF-8, and removes
//! the backslashes from `C:\notes\a.txt`. Its media type rejects a boundary that is not a `token`.

use percent_encoding::percent_decode;

/// The name of a part, and the name of its file, maybe empty; `None` if the part is not a file.
pub(super) type Names = (String, Option<String>);

/// Parses the `Content-Disposition` of a part. Returns `None` if it names no field.
/// `filename*` overrides `filename`, because it has the exact name (RFC 6266, section 4.3).
pub(super) fn names(header: &[u8]) -> Option<Names> {
    let text = |name| parameter(header, name).map(|value| quoted_text(&value));
    let exact = parameter(header, "filename*").and_then(|value| extended_text(&value));
    let name = text("name").filter(|name| !name.is_empty())?;
    Some((name, exact.or_else(|| text("filename"))))
}

/// The decoded text of a value.
/// Browsers and newer versions of curl escape a quote as `%22` and a line break as `%0D` and `%0A`. Older versions of
/// curl escape a quote as `\"`. No other percent sign is an escape (HTML, "multipart/form-data encoding algorithm").
fn quoted_text(value: &[u8]) -> String {
    String::from_utf8_lossy(value)
        .replace("%22", "\"")
        .replace("%0D", "\r")
        .replace("%0A", "\n")
}

/// The decoded text of a value such as `UTF-8'en'na%C3%AFve` (RFC 8187). Returns `None` for a character set other than
/// UTF-8 and ISO-8859-1.
fn extended_text(value: &[u8]) -> Option<String> {
    let mut pieces = value.splitn(3, |byte| *byte == b'\'');
    let (charset, _language, text) = (pieces.next()?, pieces.next()?, pieces.next()?);
    let decoded = percent_decode(text);
    if charset.eq_ignore_ascii_case(b"utf-8") {
        Some(decoded.decode_utf8_lossy().into_owned())
    } else if charset.eq_ignore_ascii_case(b"iso-8859-1") {
        // ISO-8859-1 is the first 256 characters of Unicode.
        Some(decoded.map(char::from).collect())
    } else {
        None
    }
}

/// The value of the parameter with this name, ignoring case.
pub(in crate::http::request) fn parameter(header: &[u8], name: &str) -> Option<Vec<u8>> {
    let (_, mut rest) = split_at(header, b";");
    loop {
        let mut bytes = rest.iter();
        let start = bytes.position(|byte| *byte != b';' && !byte.is_ascii_whitespace())?;
        let (found, behind) = split_at(&rest[start..], b"=;");
        let behind = behind
            .strip_prefix(b"=")
            .map_or(behind, <[u8]>::trim_ascii_start);
        let value;
        (value, rest) = match behind.strip_prefix(b"\"") {
            Some(quoted) => unquoted(quoted),
            None => {
                let (value, rest) = split_at(behind, b";");
                (value.trim_ascii().to_vec(), rest)
            }
        };
        if found.trim_ascii().eq_ignore_ascii_case(name.as_bytes()) {
            return Some(value);
        }
    }
}

/// The text before the closing quote, and the bytes behind it. A backslash escapes only `"` and itself, because clients
/// send Windows paths unescaped.
fn unquoted(mut rest: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut value = Vec::new();
    loop {
        match rest {
            [] => return (value, rest),
            [b'"', behind @ ..] => return (value, behind),
            [b'\\', byte @ (b'"' | b'\\'), behind @ ..] | [byte, behind @ ..] => {
                value.push(*byte);
                rest = behind;
            }
        }
    }
}

/// Splits before the first of these bytes.
fn split_at<'a>(bytes: &'a [u8], stops: &[u8]) -> (&'a [u8], &'a [u8]) {
    let end = bytes.iter().position(|byte| stops.contains(byte));
    bytes.split_at(end.unwrap_or(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_each_client_writes_them() {
        for (header, name, file_name, who) in [
            (
                &br#"form-data; name="sprunge""#[..],
                "sprunge",
                None,
                "curl",
            ),
            (br#"form-data; name="f:1""#, "f:1", None, "curl"),
            (
                br#"form-data; name="file"; filename="-""#,
                "file",
                Some("-"),
                "curl, from a pipe",
            ),
            (
                br#"form-data; name="file"; filename="a\"b\\c""#,
                "file",
                Some(r#"a"b\c"#),
                "curl before 7.81",
            ),
            (
                br#"form-data; name="file"; filename="a%22b\c%25""#,
                "file",
                Some(r#"a"b\c%25"#),
                "curl, browsers",
            ),
            (
                "form-data; name=\"file\"; filename=\"文件;.txt\"".as_bytes(),
                "file",
                Some("文件;.txt"),
                "browsers",
            ),
            (
                br#"form-data; name="file"; filename="""#,
                "file",
                Some(""),
                "browsers, no file chosen",
            ),
            (
                br#"form-data; name="file"; filename="C:\new\a.txt""#,
                "file",
                Some(r"C:\new\a.txt"),
                "old browsers",
            ),
            (
                b"form-data; name=\"file\"; filename=\"caf\xe9\"",
                "file",
                Some("caf\u{fffd}"),
                "a Latin-1 shell",
            ),
            (
                b"form-data; name=file; filename=a b.txt",
                "file",
                Some("a b.txt"),
                "hand-written",
            ),
            (br#"FORM-DATA;NAME="file""#, "file", None, "any case"),
            (
                b"form-data; name=\"file\"; filename*=utf-8''na%C3%AFve.txt",
                "file",
                Some("naïve.txt"),
                "python",
            ),
            (
                b"form-data; name=\"file\"; filename=\"x\"; filename*=UTF-8'en'a%20b",
                "file",
                Some("a b"),
                "both",
            ),
            (
                b"form-data; name=\"file\"; filename*=iso-8859-1''caf%E9",
                "file",
                Some("café"),
                "Latin-1",
            ),
            (
                b"form-data; name=\"file\"; filename=\"x\"; filename*=koi8-r''%E9",
                "file",
                Some("x"),
                "another set",
            ),
            (
                b"form-data; filename=\"name=x\"; name=\"file\"",
                "file",
                Some("name=x"),
                "the other order",
            ),
        ] {
            let expected = (name.to_owned(), file_name.map(str::to_owned));
            assert_eq!(names(header), Some(expected), "{who}");
        }
    }

    #[test]
    fn a_part_without_a_name_has_no_disposition() {
        for header in [
            "",
            "form-data",
            "form-data; name",
            "form-data; name=\"\"",
            "form-data; filename=\"a\"",
        ] {
            assert_eq!(names(header.as_bytes()), None, "{header}");
        }
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
            (r#"a/b; x="a\"\\\b"; y=2"#, &[("x", r#"a"\\b"#), ("y", "2")]),
            (r"a/b; x=a\b", &[("x", r"a\b")]),
            ("a/b; x=\"open; y=2", &[("x", "open; y=2")]),
            ("a/b; x; y=2", &[("x", ""), ("y", "2")]),
            ("a/b; x=; y=\"\"", &[("x", ""), ("y", "")]),
            (
                "a/b; x=\"1\"stray; y=2",
                &[("x", "1"), ("stray", ""), ("y", "2")],
            ),
        ] {
            for (name, value) in expected {
                let read = parameter(header.as_bytes(), name);
                assert_eq!(read.as_deref(), Some(value.as_bytes()), "{header}");
            }
            assert_eq!(parameter(header.as_bytes(), "z"), None, "{header}");
        }
    }

    #[test]
    fn the_backslashes_of_a_path_are_preserved() {
        let header = br#"form-data; filename="C:\notes\a \"b\".txt""#;
        let path = parameter(header, "FileName");
        assert_eq!(path.as_deref(), Some(&br#"C:\notes\a "b".txt"#[..]));
    }

    proptest::proptest! {
        #[test]
        fn parsing_ends_for_any_bytes(header in "[a;=\"\\\\ é]{0,40}") {
            let _ = parameter(header.as_bytes(), "b");
        }
    }
}
