//! Outlines: by what an owner recognises a paste in a list.
//!
//! Invariants: nothing is derived from what burns, has a password or is encrypted, nor from a line that may be a secret.
//! Cost: that of the detection and of the name, which look at the first 4 KiB of a text.

use std::borrow::Cow;

use super::name::{first_line, name_of};
use super::{INSPECTED, detect};
use crate::paste::{Access, Archive, Encoding, Outline, Paste, StoredPaste, Title};

/// The most characters of a name and of a line.
const MOST: usize = 80;

/// Returns the outline of a paste, or `None` if nothing may be derived from its content.
pub fn outline_of(stored: StoredPaste) -> Option<Outline> {
    if stored.is_sealed() {
        return None;
    }
    let paste = stored.open().ok()?;
    if let Some(Ok(archive)) = paste.archive() {
        return Some(outline_of_files(&archive, paste.title().is_some()));
    }
    let Some(text) = start_of(&paste) else {
        return Some(Outline {
            language: None,
            name: None,
            line: None,
        });
    };
    let title = paste.title().map(Title::as_str);
    let source = match paste.encoding() {
        Encoding::Utf8 => paste.bytes(),
        Encoding::Other(_) => text.as_bytes(),
    };
    let named = paste.named_language();
    let language = named.unwrap_or_else(|| detect(source, title));
    let name = name_of(&text, language).map(|name| name.text);
    let name = name.or_else(|| match paste.access() {
        Access::Link => Some(text.split_inclusive('/').take(3).collect()),
        Access::Open | Access::Burn(_) | Access::Locked(_) => None,
    });
    let name = name.filter(|_| title.is_none());
    let says_more = |line: &String| name.as_ref().is_none_or(|name| !line.contains(&**name));
    let line = first_line(&text).filter(says_more);
    Some(Outline {
        language: Some(language),
        name: name.and_then(|text| shortened(&text)),
        line: line.and_then(|text| shortened(&text)),
    })
}

/// Returns the outline of several files: all names, unless there is one that is the name.
fn outline_of_files(archive: &Archive<'_>, has_title: bool) -> Outline {
    let is_said = !has_title && archive.files().len() == 1;
    Outline {
        language: None,
        name: shortened(&archive.name()).filter(|_| !has_title),
        line: shortened(&archive.names()).filter(|_| !is_said),
    }
}

/// Returns the start of the text that the content is.
fn start_of(paste: &Paste) -> Option<Cow<'_, str>> {
    // So much more than is inspected that it is known to be cut.
    let start = &paste.bytes()[..paste.bytes().len().min(2 * INSPECTED)];
    match paste.encoding() {
        Encoding::Utf8 => start.utf8_chunks().next().map(|it| it.valid().into()),
        Encoding::Other(_) => {
            let charset = paste.content().charset()?;
            Some(charset.decode(start, usize::MAX, || true).text.into())
        }
    }
}

fn shortened(text: &str) -> Option<Title> {
    match text.char_indices().nth(MOST) {
        Some(_) => Title::new(&(text.chars().take(MOST - 1).collect::<String>() + "…")),
        None => Title::new(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::{Content, Draft, Expiry, LinkTarget, ReadsLeft, Revision, TokenHash};

    fn paste(content: &[u8], title: Option<&str>, access: Access) -> StoredPaste {
        let draft = Draft {
            content: Content::new(content, content.len()).expect("not empty"),
            title: title.and_then(Title::new),
            language: None,
            expiry: Expiry::Never,
            slug: None,
        };
        let token = TokenHash::of("");
        StoredPaste::new(
            draft,
            access,
            Revision::default(),
            Default::default(),
            token,
        )
    }

    fn archive(names: &[&'static str]) -> Vec<u8> {
        let mut archive = Archive::default();
        for name in names {
            let content = (&b"int i;\n"[..]).into();
            archive.add((*name).into(), content).expect("another name");
        }
        archive.to_bytes()
    }

    /// Returns the language, the name and the line.
    fn outline(content: &[u8], title: Option<&str>, access: Access) -> Option<[String; 3]> {
        let outline = outline_of(paste(content, title, access))?;
        let text = |title: &Option<Title>| title.as_ref().map_or("", Title::as_str).to_owned();
        let language = outline.language.map_or("", |it| it.name()).to_owned();
        Some([language, text(&outline.name), text(&outline.line)])
    }

    #[test]
    fn an_outline_has_the_kind_the_name_and_a_first_line_that_says_more() {
        let code = b"import time\n\nclass TokenBucket:\n    def __init__(self):\n        pass\n";
        let long = "wörd ".repeat(3000);
        let cut = "wörd ".repeat(16);
        let cut = format!("{}…", cut.trim_end());
        for (content, title, expected) in [
            (
                &code[..],
                None,
                ["python", "class TokenBucket", "import time"],
            ),
            (&code[..], Some("bucket.py"), ["python", "", "import time"]),
            (
                b"# Notes\n\nSome *words* and a [link](https://example.org).\n\n- one\n- two\n",
                None,
                ["markdown", "Notes", ""],
            ),
            (b"\n\n  some words\n", None, ["text", "some words", ""]),
            (long.as_bytes(), None, ["text", &cut, ""]),
            (
                b"caf\xe9 au lait, s'il vous pla\xeet\n",
                None,
                ["text", "café au lait, s'il vous plaît", ""],
            ),
            (b"\x89PNG\r\n\x1a\n\0\0\0\0", None, ["", "", ""]),
            (&archive(&["a.c"]), None, ["", "a.c", ""]),
            (&archive(&["a.c"]), Some("Mine"), ["", "", "a.c"]),
            (
                &archive(&["a.c", "b.h", "src/c.c"]),
                None,
                ["", "a.c and 2 more", "a.c, b.h, src/c.c"],
            ),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(outline(content, title, Access::Open), Some(expected));
        }
    }

    #[test]
    fn a_short_link_is_outlined_by_its_target_or_its_origin_if_the_rest_may_be_a_secret() {
        for (target, title, name, line) in [
            ("https://example.org/a", None, "https://example.org/a", ""),
            (
                "https://example.org/a",
                Some("A"),
                "",
                "https://example.org/a",
            ),
            (
                "https://example.org/?token=abc",
                None,
                "https://example.org/",
                "",
            ),
            ("https://example.org/?token=abc", Some("A"), "", ""),
        ] {
            let normal = LinkTarget::parse(target).unwrap();
            let found = outline(normal.as_str().as_bytes(), title, Access::Link).unwrap();
            assert_eq!([&*found[1], &*found[2]], [name, line], "{target}");
        }
    }

    #[test]
    fn nothing_is_derived_from_what_may_be_a_secret_or_is_not_for_every_reader() {
        let secret = b"password=hunter2\nnothing else is here\n";
        let found = outline(secret, None, Access::Open).unwrap();
        assert_eq!(
            found,
            ["text", "nothing else is here", ""].map(str::to_owned)
        );
        let found = outline(b"-----BEGIN PRIVATE KEY-----\nMIIE\n", None, Access::Open);
        assert_eq!(
            found.map(|[_, name, line]| name + &line),
            Some(String::new())
        );
        let sealed = br#"{"v":2,"adata":[["AAAAAAAAAAAAAAAAAAAAAA==","AAAAAAAAAAA=",100000,256,128,"aes","gcm","zlib"],"plaintext",0,0],"ct":"AAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#;
        assert!(paste(sealed, None, Access::Open).is_sealed());
        for (content, access) in [
            (&sealed[..], Access::Open),
            (b"words", Access::Burn(ReadsLeft::ONE)),
            (b"words", Access::Locked(None)),
        ] {
            assert_eq!(outline(content, None, access), None);
        }
    }
}
