//! The page that asks for a paste's token before an action that only the paste's owner may perform.

use std::fmt;

use askama::Template;

use crate::page::template;

/// The values that the page shows, and the path that receives the token.
#[derive(Clone, Copy)]
pub struct TokenPage<'a> {
    /// The path before every link: empty, or such as `/paste`.
    pub base_path: &'a str,
    /// The URL path to which the form posts its field `token`.
    pub action: &'a str,
    /// The heading, of two or three words.
    pub heading: &'a str,
    /// One sentence that asks for the token.
    pub sentence: &'a str,
    /// One sentence that says what was wrong with the last token. `None` for the first attempt.
    pub complaint: Option<&'a str>,
}

/// Omits the action, because it contains an id, which must not be logged.
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

/// Returns the page as HTML.
#[must_use]
pub fn ask_token(page: &TokenPage<'_>) -> String {
    template::write(&TokenTemplate { page }, 0)
}
