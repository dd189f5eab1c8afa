//! File names of downloads (RFC 6266): an ASCII `filename` for all clients, and the full name in `filename*`.
//!
//! Invariants: the header is printable ASCII for every name.

use actix_web::http::header::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that `filename*` does not escape: `attr-char` of RFC 8187.
const ATTR_CHAR: AsciiSet = NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// Content-Disposition of a download of this name.
pub(crate) fn attachment(name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    let header = if plain == name {
        format!("attachment; filename=\"{plain}\"")
    } else {
        format!(
            "attachment; filename=\"{plain}\"; filename*=UTF-8''{}",
            utf8_percent_encode(name, &ATTR_CHAR)
        )
    };
    HeaderValue::from_maybe_shared(header).unwrap_or(HeaderValue::from_static("attachment"))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_graphic() && c != '%' || c == ' '
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::file_name;
    use crate::paste::{
        Access, Content, Draft, Expiry, Language, Revision, StoredPaste, Timestamp, Title, Token,
    };

    fn header(title: &str, content: &[u8], language: &str) -> String {
        let draft = Draft {
            slug: None,
            content: Content::new(content, 99).unwrap(),
            title: Title::new(title),
            language: Language::from_name(language),
            expiry: Expiry::Never,
        };
        let paste = StoredPaste::new(
            draft,
            Access::Open,
            Revision::default(),
            Timestamp::default(),
            Token::from_random([0; 16]).hash(),
        );
        attachment(&file_name(&paste.into_paste(), "Abc"))
            .to_str()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn a_download_is_named_after_its_title_or_else_its_content() {
        for (title, content, language, expected) in [
            ("", &b"!"[..], "text", r#"attachment; filename="Abc.txt""#),
            (
                "",
                b"low water",
                "text",
                r#"attachment; filename="low water.txt""#,
            ),
            (
                "",
                b"fn go() {}",
                "rust",
                r#"attachment; filename="fn go.rs""#,
            ),
            ("", b"\xff\0", "text", r#"attachment; filename="Abc.bin""#),
            ("main.rs", b"x", "rust", r#"attachment; filename="main.rs""#),
            (".env", b"x", "ini", r#"attachment; filename="env.ini""#),
            (
                "a\r\nb.txt",
                b"x",
                "text",
                r#"attachment; filename="a  b.txt""#,
            ),
            (
                r#"q"\.txt"#,
                b"x",
                "text",
                r#"attachment; filename="q__.txt""#,
            ),
            (
                "5%.txt",
                b"x",
                "text",
                r#"attachment; filename="5_.txt"; filename*=UTF-8''5%25.txt"#,
            ),
            (
                "é.txt",
                b"x",
                "text",
                r#"attachment; filename="_.txt"; filename*=UTF-8''%C3%A9.txt"#,
            ),
        ] {
            assert_eq!(header(title, content, language), expected, "{title:?}");
        }
    }
}
