//! Assets: the files that pages load. They are compiled into the program.
//!
//! Pages load them from URLs below `/assets/`. Browsers also ask for `/favicon.ico`.
//! Invariants: an asset's name contains a part of the hash of its bytes. So a browser's cached asset never becomes
//! stale, and a new version of the program takes effect at once.

use std::fmt::Write;
use std::sync::{LazyLock, OnceLock};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::page::coding::Coding;

/// A file that the server sends.
#[derive(Debug)]
pub struct Asset {
    /// The file's name, which contains a hash of the bytes: `style.0a1b2c3d4e5f.css`.
    pub name: String,
    /// The value of the header `Content-Type`.
    pub content_type: &'static str,
    /// The file's content.
    pub bytes: &'static [u8],
    /// The bytes in every content coding that was requested.
    coded: [OnceLock<(Coding, Bytes)>; 2],
}

/// The icon: two waves in one colour, which is legible on a light and on a dark background.
pub(crate) static FAVICON: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("assets/favicon.svg");
    Asset::new("favicon", "svg", "image/svg+xml", bytes)
});

/// The style sheet of all pages, without its comments.
pub static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::style("style", include_str!("assets/style.css")));

/// The style sheet that pages of pastes have in addition.
pub(crate) static CARD_STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::style("card", include_str!("assets/card.css")));

/// The style sheet that the editor has in addition.
pub(crate) static EDITOR_STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::style("editor", include_str!("assets/editor.css")));

/// The style sheet that pages of documents have in addition.
pub(crate) static DOCUMENT_STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::style("document", include_str!("assets/document.css")));

/// The style sheet that pages of patches and comparisons have in addition.
pub(crate) static PATCH_STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::style("patch", include_str!("assets/patch.css")));

/// The style sheet that pages of tables and of JSON have in addition.
pub(crate) static DATA_STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::style("data", include_str!("assets/data.css")));

/// The script that pages of tables have in addition.
pub(crate) static TABLE_SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::script("table", include_str!("assets/table.js")));

/// The style sheet that pages of logs have in addition.
pub(crate) static LOG_STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::style("log", include_str!("assets/log.css")));

/// The style sheet that pages of terminal output have in addition. It has a class for each value of each channel of a
/// colour.
pub(crate) static TERMINAL_STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let mut css = include_str!("assets/terminal.css").to_owned();
    for channel in ["r", "g", "b", "R", "G", "B"] {
        css.extend((0..=255).map(|value| format!(".{channel}{value}{{--{channel}:{value}}}")));
    }
    Asset::style("terminal", &css)
});

/// The style sheet that the list of an owner's pastes has in addition.
pub(crate) static MINE_STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::style("mine", include_str!("assets/mine.css")));

/// The style sheet that counts, and the page of the operator, have in addition.
pub(crate) static OPERATE_STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::style("operate", include_str!("assets/operate.css")));

/// The script that pages of logs have in addition.
pub(crate) static LOG_SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::script("log", include_str!("assets/log.js")));

/// The script of all pages except the editor.
pub(crate) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let code = concat!(
        include_str!("assets/theme.js"),
        include_str!("assets/reading.js"),
    );
    Asset::script("page", code)
});

/// The script of the editor. Scripts join several files, so that a page has one. A reader of a paste does not wait for
/// the editor's, which is as large as the other.
pub(crate) static EDITOR: LazyLock<Asset> = LazyLock::new(|| {
    let code = concat!(
        include_str!("assets/theme.js"),
        include_str!("assets/languages.js"),
        include_str!("assets/recent.js"),
        include_str!("assets/fields.js"),
        include_str!("assets/editor.js"),
    );
    Asset::script("editor", code)
});

/// The script of the page Mine, for the list of the server and for that of the browser, and of a link that deletes.
pub(crate) static MINE: LazyLock<Asset> = LazyLock::new(|| {
    let code = concat!(
        include_str!("assets/theme.js"),
        include_str!("assets/reading.js"),
        include_str!("assets/recent.js"),
        include_str!("assets/mine.js"),
    );
    Asset::script("mine", code)
});

/// The module that searches the list of languages. The page of the list names it.
pub(crate) static LANGUAGES: LazyLock<Asset> = LazyLock::new(|| {
    let code = concat!(
        include_str!("assets/languages.js"),
        "narrows(find(\"#languages\"));\n"
    );
    Asset::script("languages", code)
});

/// The module that marks lines. A page loads it once a line is marked.
pub(crate) static LINES: LazyLock<Asset> =
    LazyLock::new(|| Asset::script("lines", include_str!("assets/lines.js")));

/// The module for a change of a paste. Its editor and the page after it load it.
pub(crate) static CHANGE: LazyLock<Asset> =
    LazyLock::new(|| Asset::script("change", include_str!("assets/change.js")));

/// The module with which the editor edits several files. It loads it with the second one.
pub(crate) static FILES: LazyLock<Asset> =
    LazyLock::new(|| Asset::script("files", include_str!("assets/files.js")));

/// The module with which the editor looks for secrets before a save. It loads it once there is a text.
pub(crate) static SECRETS: LazyLock<Asset> = LazyLock::new(|| {
    let code = concat!(
        include_str!("assets/secrets/rules.js"),
        include_str!("assets/secrets/scan.js"),
        include_str!("assets/secrets/warning.js"),
    );
    Asset::script("secrets", code)
});

/// The module that encrypts in the editor, and decrypts on the page of an encrypted paste.
pub(crate) static SEALED: LazyLock<Asset> = LazyLock::new(|| {
    let code = concat!(
        include_str!("assets/sealed/message.js"),
        include_str!("assets/sealed/page.js"),
    );
    Asset::script("sealed", code)
});

/// The module that makes QR codes. The page of an encrypted paste loads it once its code is opened.
pub(crate) static QR_SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::script("qr", include_str!("assets/qr.js")));

/// The module that asks, answers and shows the answer.
pub(crate) static ASK: LazyLock<Asset> =
    LazyLock::new(|| Asset::script("ask", include_str!("assets/ask.js")));

/// Removes the lines that contain only a comment, which would be a seventh of a compressed script, and the indentation.
fn without_comments(code: &str, comment: &str) -> String {
    let lines = code.split_inclusive('\n').map(str::trim_start);
    lines.filter(|line| !line.starts_with(comment)).collect()
}

fn assets() -> [&'static Asset; 24] {
    [
        &STYLE,
        &CARD_STYLE,
        &EDITOR_STYLE,
        &DOCUMENT_STYLE,
        &PATCH_STYLE,
        &DATA_STYLE,
        &LOG_STYLE,
        &TERMINAL_STYLE,
        &MINE_STYLE,
        &OPERATE_STYLE,
        &LOG_SCRIPT,
        &SCRIPT,
        &LINES,
        &LANGUAGES,
        &TABLE_SCRIPT,
        &EDITOR,
        &CHANGE,
        &FILES,
        &MINE,
        &SECRETS,
        &SEALED,
        &QR_SCRIPT,
        &ASK,
        &FAVICON,
    ]
}

/// Returns the asset with this name, or `None` if there is none.
pub(crate) fn asset(name: &str) -> Option<&'static Asset> {
    assets().into_iter().find(|asset| asset.name == name)
}

impl Asset {
    /// Returns the bytes in this coding. The first request for it compresses them at the highest quality.
    pub(crate) fn coded(&self, coding: Coding) -> (Coding, Bytes) {
        let at = match coding {
            Coding::Brotli => 0,
            Coding::Gzip => 1,
            Coding::Identity => return (coding, Bytes::from_static(self.bytes)),
        };
        self.coded[at]
            .get_or_init(|| coding.encode_asset(self.bytes))
            .clone()
    }

    fn style(stem: &str, rules: &str) -> Self {
        let rules = without_comments(rules, "/*").leak();
        Self::new(stem, "css", "text/css; charset=utf-8", rules.as_bytes())
    }

    fn script(stem: &str, code: &str) -> Self {
        let code = without_comments(code, "//").leak();
        Self::new(
            stem,
            "js",
            "text/javascript; charset=utf-8",
            code.as_bytes(),
        )
    }

    fn new(stem: &str, extension: &str, content_type: &'static str, bytes: &'static [u8]) -> Self {
        let mut name = format!("{stem}.");
        for byte in Sha256::digest(bytes).iter().take(6) {
            write!(name, "{byte:02x}").expect("a string takes everything");
        }
        Self {
            name: format!("{name}.{extension}"),
            content_type,
            bytes,
            coded: Default::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assets_load_nothing_from_other_hosts() {
        for asset in assets() {
            // The icon names the namespace of SVG, and the rules name URLs with passwords.
            if [&FAVICON.name, &SECRETS.name].contains(&&asset.name) {
                continue;
            }
            let text = std::str::from_utf8(asset.bytes).expect("assets are text");
            for outside in ["http", "//cdn", "@import", "url("] {
                assert!(!text.contains(outside), "{outside}");
            }
        }
    }

    #[test]
    fn a_script_is_served_without_its_comments_and_indentation() {
        let script = "// why\nlet a = 1; // what\n\n  // how\n  call(\"//a\");";
        let served = "let a = 1; // what\ncall(\"//a\");";
        assert_eq!(without_comments(script, "//"), served);
    }

    #[test]
    fn an_asset_is_found_by_its_full_name() {
        for known in assets() {
            assert!(asset(&known.name).is_some_and(|it| std::ptr::eq(it, known)));
        }
        for unknown in ["", "style.css", "../asset.rs"] {
            assert!(asset(unknown).is_none(), "{unknown:?}");
        }
    }

    #[test]
    fn a_name_depends_on_the_bytes() {
        let name = |bytes| Asset::new("a", "css", "text/css", bytes).name;
        assert_eq!(name(b"abc"), "a.ba7816bf8f01.css");
        assert_ne!(name(b"abd"), name(b"abc"));
    }
}
