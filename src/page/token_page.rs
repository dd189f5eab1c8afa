//! The page that asks for the token of a paste, to go on with what only its saver may do.
//!
//! What it must not know: what is gone on with. The words come in ready.

use std::fmt;

use askama::Template;

/// What to ask, and where the answer goes.
#[derive(Clone, Copy)]
pub struct TokenPage<'a> {
    /// The path that the form posts its field `token` to.
    pub action: &'a str,
    /// In two or three words.
    pub heading: &'a str,
    /// In one sentence, what the token is needed for.
    pub sentence: &'a str,
    /// What was wrong with the one before, in a sentence.
    pub complaint: Option<&'a str>,
}

/// The action holds an id, so it never reaches a log.
impl fmt::Debug for TokenPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenPage(secret)")
    }
}

#[derive(Template)]
#[template(path = "token.html", config = "src/page/askama.toml")]
struct TokenTemplate<'a> {
    page: &'a TokenPage<'a>,
}

/// The page as HTML.
#[must_use]
pub fn ask_token(page: &TokenPage<'_>) -> String {
    crate::page::write(&TokenTemplate { page }, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: TokenPage<'_> = TokenPage {
        action: "/0123456789AB/stats",
        heading: "Counts",
        sentence: "Only who saved a paste sees how often it is read.",
        complaint: None,
    };

    #[test]
    fn a_form_asks_for_the_token_and_posts_it_where_it_is_wanted() {
        let html = ask_token(&PAGE);
        for part in [
            "<h1>Counts</h1>",
            "<p>Only who saved a paste sees how often it is read.</p>",
            "<form method=\"post\" action=\"/0123456789AB/stats\">",
            "name=\"token\" type=\"text\" required",
            "<meta name=\"robots\" content=\"noindex, nofollow\">",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(!html.contains("role=\"alert\"") && !html.contains("aria-invalid"));
    }

    #[test]
    fn a_wrong_token_is_told_at_once_and_marks_the_field() {
        let html = ask_token(&TokenPage {
            complaint: Some("This is not its token."),
            ..PAGE
        });
        assert!(html.contains("role=\"alert\">This is not its token.</p>"));
        assert!(html.contains("aria-invalid=\"true\" aria-describedby=\"complaint\""));
    }
}
