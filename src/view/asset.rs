//! Assets: the files that pages ask for, kept in the program.
//!
//! What it must not know: under which paths they are served, though the pages name them: `/assets/style.css`,
//! `/assets/page.js` and `/favicon.ico`.

/// A file as it is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    /// Its media type, as a header says it.
    pub content_type: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
}

/// The mark of the house: two waves, in one colour that reads on light and dark.
pub const FAVICON: Asset = Asset {
    content_type: "image/svg+xml",
    bytes: include_bytes!("assets/favicon.svg"),
};

static STYLE: Asset = Asset {
    content_type: "text/css; charset=utf-8",
    bytes: include_bytes!("assets/style.css"),
};

static SCRIPT: Asset = Asset {
    content_type: "text/javascript; charset=utf-8",
    bytes: include_bytes!("assets/page.js"),
};

/// The asset of this name, if there is one.
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    match name {
        "style.css" => Some(&STYLE),
        "page.js" => Some(&SCRIPT),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assets_that_pages_name_exist_and_ask_no_other_host() {
        for asset in [
            asset("style.css").expect("the style sheet"),
            asset("page.js").expect("the script"),
        ] {
            let text = std::str::from_utf8(asset.bytes).expect("assets are text");
            for outside in ["http", "//cdn", "@import", "url("] {
                assert!(!text.contains(outside), "{outside}");
            }
        }
        assert_eq!(asset("../mod.rs"), None);
        assert_eq!(asset(""), None);
    }
}
