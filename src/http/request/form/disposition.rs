//! The `Content-Disposition` of a part: the name of its field and of its file.
//!
//! Invariants:
//! - A field name is not empty.
//! - Invalid UTF-8 in a name is replaced, because it is not worth an error.
//! - A file name may be any text. It is only displayed, never opened.
//!
//! Cost: one copy of each name.

use percent_encoding::percent_decode;

use super::parameter::{Parameter, Parameters};

/// The parsed `Content-Disposition` of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Disposition {
    pub(super) name: String,
    /// The name of the file, maybe empty; `None` if the part is not a file.
    pub(super) file_name: Option<String>,
}

impl Disposition {
    /// Parses the value of this header. Returns `None` if it names no field.
    /// `filename*` overrides `filename`, because it has the exact name (RFC 6266, section 4.3).
    pub(super) fn of(header: &[u8]) -> Option<Self> {
        let find = |name| Parameters::of(header).find(|parameter| parameter.is(name));
        let name = find("name").map(|parameter| quoted_text(&parameter))?;
        let file_name = find("filename*")
            .and_then(|parameter| extended_text(&parameter))
            .or_else(|| find("filename").map(|parameter| quoted_text(&parameter)));
        (!name.is_empty()).then_some(Self { name, file_name })
    }
}

/// The decoded text of a quoted value.
/// Browsers and newer versions of curl escape a quote as `%22` and a line break as `%0D` and `%0A`. Older versions of
/// curl escape a quote as `\"`. No other percent sign is an escape (HTML, "multipart/form-data encoding algorithm").
fn quoted_text(parameter: &Parameter<'_>) -> String {
    String::from_utf8_lossy(&parameter.file_value())
        .replace("%22", "\"")
        .replace("%0D", "\r")
        .replace("%0A", "\n")
}

/// The decoded text of a value such as `UTF-8'en'na%C3%AFve` (RFC 8187). Returns `None` for a character set other than
/// UTF-8 and ISO-8859-1.
fn extended_text(parameter: &Parameter<'_>) -> Option<String> {
    let value = parameter.value();
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
            let expected = Disposition {
                name: name.to_owned(),
                file_name: file_name.map(str::to_owned),
            };
            assert_eq!(Disposition::of(header), Some(expected), "{who}");
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
            assert_eq!(Disposition::of(header.as_bytes()), None, "{header}");
        }
    }
}
