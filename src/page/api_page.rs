//! The page of the API, as HTML and as plain text for terminals.

use askama::Template;

use crate::page::site::Site;
use crate::page::template::{Page, write_text};

/// The facts about this server that the page states.
#[derive(Debug, Clone, Copy, Template)]
#[template(path = "api.html", config = "src/page/askama.toml")]
pub(crate) struct ApiPage<'a> {
    pub(crate) site: &'a Site,
    /// The server's URL without a slash at the end.
    pub(crate) base_url: &'a str,
    /// Whether saving needs a key.
    pub(crate) needs_key: bool,
    /// The types of problems, by status.
    pub(crate) problems: &'a [Problem],
}

/// A type of problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problem {
    /// Its name, which is the anchor on the page.
    pub(crate) name: &'static str,
    /// The status of its responses.
    pub(crate) status: u16,
    /// What happened, and what a program can do.
    pub(crate) meaning: &'static str,
}

/// The page as plain text. Askama, the template engine, escapes nothing in a `.txt` template.
#[derive(Template)]
#[template(
    path = "api.txt",
    config = "src/page/askama.toml",
    whitespace = "preserve"
)]
struct ApiText<'a> {
    page: &'a ApiPage<'a>,
}

impl Page for ApiPage<'_> {
    /// Returns the page as plain text.
    fn text(&self) -> String {
        write_text(&ApiText { page: self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::site::NAMELESS;
    use crate::page::to_html;

    const PAGE: ApiPage<'_> = ApiPage {
        site: &NAMELESS,
        base_url: "https://bin.example",
        needs_key: true,
        problems: &[Problem {
            name: "too-large",
            status: 413,
            meaning: "The content is too large.",
        }],
    };

    #[test]
    fn both_forms_name_every_request_and_every_problem() {
        for text in [to_html(&PAGE), PAGE.text()] {
            for words in [
                "https://bin.example/api/v1/pastes",
                "-X PATCH",
                "-X DELETE",
                "/stats",
                "/read",
                "X-Token",
                "content_base64",
                "https://bin.example/api/openapi.json",
                "too-large",
                "413",
                "The content is too large.",
            ] {
                assert!(text.contains(words), "{words} in {text}");
            }
        }
        assert!(to_html(&PAGE).contains("id=\"too-large\""));
    }

    #[test]
    fn the_text_fits_a_terminal() {
        let text = PAGE.text();
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{line}");
            assert_eq!(line.trim_end(), line);
        }
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
    }

    #[test]
    fn a_hostile_url_is_escaped_on_the_page() {
        let hostile = ApiPage {
            base_url: "https://x/\"><script>",
            ..PAGE
        };
        assert!(!to_html(&hostile).contains("><script>"));
    }
}
