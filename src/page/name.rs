//! What a paste is called, and its name as a file.
//!
//! Invariants: a paste is called by its title, or, if it is open, by what its text says. A file name is one segment that
//! the usual file systems take. It has no marks of direction, no dot at its start, and an ending.
//! Cost: the language of a paste is detected.

use std::borrow::Cow;

use crate::detection::{Name, detect, language_of};
use crate::paste::{Access, Archive, Paste};
use crate::render::{name_of_text, visible, without_bom};

/// The bytes that are decoded of a text that is not UTF-8. Its first lines name it.
const DECODED: usize = 8 * 1024;

/// Maximum bytes of a file name before its ending. File systems take 255.
const MAX_BYTES: usize = 200;

/// The names that Windows keeps for devices, whatever their ending is.
const DEVICES: &str = "CON PRN AUX NUL COM1 COM2 COM3 COM4 COM5 COM6 COM7 COM8 COM9 \
    LPT1 LPT2 LPT3 LPT4 LPT5 LPT6 LPT7 LPT8 LPT9";

/// Returns the name of a paste: its title, or what its text says.
pub(crate) fn name_of(paste: &Paste) -> Option<String> {
    name_and_ending(paste).0
}

/// Returns what a page says of a paste without a name: how it is protected.
pub(crate) fn instead_of_name(access: Access, is_encrypted: bool) -> &'static str {
    match access {
        _ if is_encrypted => "Encrypted paste",
        Access::Locked(_) => "Password protected",
        Access::Burn(_) => "Burns after reading",
        Access::Open | Access::Link => "Untitled",
    }
}

/// Returns the name of a paste as a file: its name or its id, with the ending of its kind. A title may have an ending.
pub(crate) fn file_name(paste: &Paste, id: &str) -> String {
    let (name, ending) = name_and_ending(paste);
    let name = name
        .map(|name| segment(&name))
        .filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| id.to_owned());
    let own = name.rsplit_once('.').filter(|_| paste.title().is_some());
    match own.is_some_and(|(_, ending)| !ending.contains(' ')) {
        true => name,
        false => format!("{name}.{ending}"),
    }
}

/// Returns the name of a paste, and the ending of files of its kind.
fn name_and_ending(paste: &Paste) -> (Option<String>, &'static str) {
    let title = paste.title().map(|title| title.as_str().to_owned());
    if let Some(archive) = paste.archive() {
        let called = || name_of_archive(paste, &archive.ok()?).map(|name| name.text);
        return (title.or_else(called), "tar");
    }
    let (text, language) = match (
        paste.text(),
        paste.content().charset(),
        paste.content().image(),
    ) {
        (Some(text), ..) => (Cow::Borrowed(without_bom(text)), language_of(paste)),
        (None, Some(charset), _) => {
            let text = charset.decode(paste.bytes(), DECODED, || true).text;
            let detected = || detect(text.as_bytes(), title.as_deref());
            let language = paste.named_language().unwrap_or_else(detected);
            (Cow::Owned(text), language)
        }
        (None, None, image) => return (title, image.map_or("bin", |it| it.format.extension())),
    };
    let said = || name_of_text(paste, &text, language).map(|name| name.text);
    (title.or_else(said), language.extension())
}

/// Returns what an open archive without a title is called.
pub(super) fn name_of_archive(paste: &Paste, archive: &Archive<'_>) -> Option<Name> {
    let is_named = paste.title().is_none() && paste.access() == Access::Open;
    is_named.then(|| Name {
        text: visible(&archive.name()).into_owned(),
        is_heading: false,
    })
}

/// Returns a name without what means something to a file system or changes the direction of what follows.
pub(crate) fn segment(name: &str) -> String {
    let is_mark = |c: &char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_special = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let safe = |c: char| if is_special(c) { '_' } else { c };
    let name: String = name.chars().filter(|c| !is_mark(c)).map(safe).collect();
    let name = name.trim_start_matches(['.', ' ']);
    let start = &name[..name.floor_char_boundary(MAX_BYTES)];
    let name = start.trim_end_matches(['.', ' ', '…']);
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let is_device = DEVICES
        .split(' ')
        .any(|device| device.eq_ignore_ascii_case(stem));
    [if is_device { "_" } else { "" }, name].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::{
        Archive, Content, Draft, Expiry, ReadsLeft, Revision, StoredPaste, Timestamp, Title, Token,
    };

    fn paste(title: &str, content: &[u8], access: Access) -> Paste {
        let draft = Draft {
            slug: None,
            content: Content::new(content, 9999).expect("not empty"),
            title: Title::new(title),
            language: None,
            expiry: Expiry::Never,
        };
        let token = Token::from_random([0; 16]).hash();
        let (revision, now) = (Revision::default(), Timestamp::default());
        StoredPaste::new(draft, access, revision, now, token).into_paste()
    }

    fn named(title: &str, content: &str) -> String {
        file_name(&paste(title, content.as_bytes(), Access::Open), "Abc")
    }

    #[test]
    fn a_file_without_a_title_is_called_like_its_page_with_the_ending_of_its_kind() {
        for (content, expected) in [
            (
                "# Tide tables\n\n## Low\n\n```sh\nls\n```\n",
                "Tide tables.md",
            ),
            (
                "2026-11-27 18:00:01 ERROR down\n2026-11-27 18:00:02 INFO up\n",
                "Log, 27 Nov 18_00.log",
            ),
            (
                "#!/usr/bin/env python3\nimport os\n\n\ndef main():\n    pass\n",
                "def main.py",
            ),
            ("Release 1.2 is out\n", "Release 1.2 is out.txt"),
            ("!!!\n", "Abc.txt"),
        ] {
            assert_eq!(named("", content), expected);
        }
        let wide: Vec<u8> = "Low water\r\nat nine\r\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let wide = paste("", &wide, Access::Open);
        assert_eq!(file_name(&wide, "Abc"), "Low water.txt");
        let long = named("", &"long word ".repeat(400));
        assert!(long.chars().count() <= 80 + ".txt".len(), "{long}");
    }

    #[test]
    fn a_title_keeps_its_ending_or_gets_that_of_its_kind() {
        for (title, expected) in [
            ("main.rs", "main.rs"),
            ("notes", "notes.txt"),
            ("Version 1.2 of it", "Version 1.2 of it.txt"),
            ("🎉", "🎉.txt"),
            ("\u{202b}تقرير\u{202c}\u{200f}.pdf", "تقرير.pdf"),
        ] {
            assert_eq!(named(title, "words"), expected);
        }
    }

    #[test]
    fn several_files_are_called_by_the_first_of_them() {
        let mut archive = Archive::default();
        for name in ["src/a.c", "b.h", "c.h"] {
            let content = (&b"int i;\n"[..]).into();
            archive.add(name.into(), content).expect("another name");
        }
        let files = |title, access| paste(title, &archive.to_bytes(), access);
        for (title, access, name, file_name) in [
            (
                "",
                Access::Open,
                Some("src/a.c and 2 more"),
                "src_a.c and 2 more.tar",
            ),
            ("Tides", Access::Open, Some("Tides"), "Tides.tar"),
            ("", Access::Locked(None), None, "Abc.tar"),
        ] {
            let files = files(title, access);
            assert_eq!(name_of(&files).as_deref(), name);
            assert_eq!(super::file_name(&files, "Abc"), file_name);
        }
    }

    #[test]
    fn no_file_system_takes_a_part_of_a_name_for_something_else() {
        for (title, expected) in [
            ("../../.bashrc", "_.._.bashrc"),
            (r"C:\a\b.txt", "C__a_b.txt"),
            ("what? *now*", "what_ _now_.txt"),
            ("...", "Abc.txt"),
            ("ends in dots...", "ends in dots.txt"),
            ("nul", "_nul.txt"),
            ("Com1.tar.gz", "_Com1.tar.gz"),
            ("console.log", "console.log"),
        ] {
            assert_eq!(named(title, "words"), expected, "{title}");
        }
        let longest = named(&"🎉".repeat(255), "words");
        assert_eq!(longest, "🎉".repeat(50) + ".txt");
    }

    #[test]
    fn only_an_open_paste_is_called_by_its_text() {
        let burn = Access::Burn(ReadsLeft::ONE);
        for (access, instead) in [
            (burn, "Burns after reading"),
            (Access::Locked(None), "Password protected"),
            (Access::Locked(Some(ReadsLeft::ONE)), "Password protected"),
        ] {
            let untitled = paste("", b"a plan", access);
            assert_eq!(name_of(&untitled), None);
            assert_eq!(file_name(&untitled, "Abc"), "Abc.txt");
            assert_eq!(instead_of_name(access, false), instead);
            let titled = paste("Tides", b"a plan", access);
            assert_eq!(name_of(&titled).as_deref(), Some("Tides"));
        }
        let adata = r#"[["MDEyMzQ1Njc4OWFiY2RlZg==","MDEyMzQ1Njc=",100000,256,128,"aes","gcm","zlib"],"plaintext",0,0]"#;
        let message = format!(r#"{{"v":2,"adata":{adata},"ct":"MDEyMzQ1Njc4OWFiY2RlZg=="}}"#);
        let encrypted = paste("", message.as_bytes(), Access::Open);
        assert_eq!(name_of(&encrypted), None);
        assert_eq!(instead_of_name(Access::Open, true), "Encrypted paste");
    }
}
