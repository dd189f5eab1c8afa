//! The list of languages in which a paste can be shown.
//!
//! A choice leads a reader to the paste's URL with the language's ending. For the owner it changes the paste. A script
//! shows the list above the paste's page, and narrows it to the typed text.
//! Invariants: the list is a page of its own, so that a paste's page does not carry 240 languages.

use askama::Template;

use crate::page::site::Site;
use crate::paste::Language;

/// The paste whose language is chosen.
#[derive(Clone, Copy, Template)]
#[template(path = "language.html", config = "src/page/askama.toml")]
pub(crate) struct LanguagePage<'a> {
    pub(crate) site: &'a Site,
    /// The paste's id.
    pub(crate) id: &'a str,
    /// The name, or the id if the paste has none.
    pub(crate) name: &'a str,
    /// The language that was named; `None` if it is detected.
    pub(crate) named: Option<Language>,
    /// Whether the visitor owns the paste, so that the choice is kept.
    pub(crate) is_owner: bool,
}

/// Returns all languages in two lists with their headings.
fn groups() -> [(&'static str, Vec<Language>); 2] {
    [
        ("Common", Language::common().collect()),
        ("All others", Language::others().collect()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::site::site;
    use crate::page::to_html;

    fn html(is_owner: bool, named: Option<Language>) -> String {
        to_html(&LanguagePage {
            site: site("/bin"),
            id: "0123456789AB",
            name: "a <title>",
            named,
            is_owner,
        })
    }

    #[test]
    fn a_reader_is_led_to_the_ending_and_the_owner_changes_the_paste() {
        let (reader, owner) = (html(false, None), html(true, None));
        assert!(reader.contains("<a href=\"/bin/0123456789AB.rs\">Rust</a>"));
        assert!(!reader.contains("<form"));
        assert!(owner.contains("<form method=\"post\" action=\"/bin/0123456789AB\">"));
        assert!(
            owner.contains("<button name=\"lang\" value=\"rust\" data-ending=\"rs\">Rust</button>")
        );
        let count = Language::all().count();
        // A reader can also go back.
        assert_eq!(reader.matches("<li><a ").count(), count + 1);
        assert_eq!(owner.matches("<li><button ").count(), count);
    }

    #[test]
    fn the_page_leads_back_and_marks_the_language_that_was_named() {
        let back = "<a href=\"/bin/0123456789AB\"><bdi>a &#60;title&#62;</bdi></a>";
        let marked = |label| format!(" aria-current=\"true\">{label}<");
        let rust = Language::from_name("rust");
        for (is_owner, named, label) in [
            (true, rust, "Rust"),
            (false, rust, "Rust, as saved"),
            (false, None, "As detected"),
        ] {
            let html = html(is_owner, named);
            assert!(html.contains(back), "{html}");
            assert!(html.contains(&marked(label)), "{label}");
            assert_eq!(html.matches("aria-current").count(), 1, "{label}");
        }
    }
}
