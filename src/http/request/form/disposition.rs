//! The disposition of a part: the name of its field, and of its file if it is one.
//!
//! What it must not know: which names mean something, and what a file name is used for.
//! Invariants: a name is not empty; text that is not UTF-8 is replaced where it is not, for a name is not worth a
//! refusal. A file name may be any text: it is only ever shown, never opened.
//! Cost: one copy of each.

use percent_encoding::percent_decode;

use super::parameter::{Parameter, Parameters};

/// What a part's `Content-Disposition` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Disposition {
    /// The field's name.
    pub(super) name: String,
    /// The file's name, maybe empty; none if the part is no file.
    pub(super) file_name: Option<String>,
}

impl Disposition {
    /// The disposition in this header's value, if it names a field. `filename*` goes before `filename`, since who
    /// sends both has the exact name in it (RFC 6266, 4.3).
    pub(super) fn of(header: &[u8]) -> Option<Self> {
        let find = |name| Parameters::of(header).find(|parameter| parameter.is(name));
        let name = find("name").map(|parameter| quoted_text(&parameter))?;
        let file_name = find("filename*")
            .and_then(|parameter| extended_text(&parameter))
            .or_else(|| find("filename").map(|parameter| quoted_text(&parameter)));
        (!name.is_empty()).then_some(Self { name, file_name })
    }
}

/// The text of a quoted value. Browsers and newer curls escape a quote as `%22` and a line break as `%0D` and `%0A`,
/// older curls a quote as `\"`; no other percent sign is an escape (HTML, "multipart/form-data encoding algorithm").
fn quoted_text(parameter: &Parameter<'_>) -> String {
    String::from_utf8_lossy(&parameter.file_value())
        .replace("%22", "\"")
        .replace("%0D", "\r")
        .replace("%0A", "\n")
}

/// The text of a value like `UTF-8'en'na%C3%AFve` (RFC 8187), in one of the two character sets it ever came in.
fn extended_text(parameter: &Parameter<'_>) -> Option<String> {
    let value = parameter.value();
    let mut pieces = value.splitn(3, |byte| *byte == b'\'');
    let (charset, _language, text) = (pieces.next()?, pieces.next()?, pieces.next()?);
    let decoded = percent_decode(text);
    if charset.eq_ignore_ascii_case(b"utf-8") {
        Some(decoded.decode_utf8_lossy().into_owned())
    } else if charset.eq_ignore_ascii_case(b"iso-8859-1") {
        // The first 256 characters of Unicode are that set.
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
