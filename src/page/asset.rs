//! Assets: the files that pages ask for, kept in the program.
//!
//! What it must not know: under which path they are served, though the pages name it: `/assets/`, and `/favicon.ico`.
//! Invariants: a name tells the bytes: it holds a part of their hash, so whoever has an asset has it for ever, and an
//! update of the program is seen at once.

use std::fmt::Write;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// A file as it is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// Its name, which is of these bytes alone: `style.0a1b2c3d4e5f.css`.
    pub name: String,
    /// Its media type, as a header says it.
    pub content_type: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
}

/// The mark of the house: two waves, in one colour that reads on light and dark.
pub static FAVICON: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("assets/favicon.svg");
    Asset::new("favicon", "svg", "image/svg+xml", bytes)
});

/// The style sheet of all pages.
pub static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("assets/style.css");
    Asset::new("style", "css", "text/css; charset=utf-8", bytes)
});

/// The script of all pages: one request for what is several subjects. Its comments stay here: no browser reads them, and
/// coded they are a seventh of it.
pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    static CODE: LazyLock<String> = LazyLock::new(|| {
        without_comments(concat!(
            include_str!("assets/theme.js"),
            include_str!("assets/reading.js"),
            include_str!("assets/editor.js"),
        ))
    });
    Asset::new(
        "page",
        "js",
        "text/javascript; charset=utf-8",
        CODE.as_bytes(),
    )
});

/// A script without the lines that are a comment and nothing else.
fn without_comments(script: &str) -> String {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    script.split_inclusive('\n').filter(is_code).collect()
}

/// All of them.
#[must_use]
pub fn assets() -> [&'static Asset; 3] {
    [&STYLE, &SCRIPT, &FAVICON]
}

/// The asset of this name, if there is one.
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    assets().into_iter().find(|asset| asset.name == name)
}

impl Asset {
    fn new(stem: &str, ending: &str, content_type: &'static str, bytes: &'static [u8]) -> Self {
        let mut name = format!("{stem}.");
        for byte in Sha256::digest(bytes).iter().take(6) {
            // A string takes everything.
            let _ = write!(name, "{byte:02x}");
        }
        Self {
            name: format!("{name}.{ending}"),
            content_type,
            bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pages_name_asks_no_other_host() {
        for asset in [&*STYLE, &*SCRIPT] {
            let text = std::str::from_utf8(asset.bytes).expect("assets are text");
            for outside in ["http", "//cdn", "@import", "url("] {
                assert!(!text.contains(outside), "{outside}");
            }
        }
    }

    #[test]
    fn a_script_is_served_without_its_comments() {
        let script = "// why\nlet a = 1; // what\n\n  // how\n  call(\"//a\");";
        let served = "let a = 1; // what\n\n  call(\"//a\");";
        assert_eq!(without_comments(script), served);
    }

    #[test]
    fn an_asset_is_found_by_its_name_alone() {
        for known in assets() {
            assert_eq!(asset(&known.name), Some(known));
        }
        for unknown in ["", "style.css", "../asset.rs"] {
            assert_eq!(asset(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn a_name_is_of_its_bytes_alone() {
        let name = |bytes| Asset::new("a", "css", "text/css", bytes).name;
        assert_eq!(name(b"abc"), "a.ba7816bf8f01.css");
        assert_ne!(name(b"abd"), name(b"abc"));
    }
}
