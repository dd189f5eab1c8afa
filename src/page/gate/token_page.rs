//! The page that asks for a paste's token before an action that only the paste's owner may perform.

use askama::Template;

/// The values that the page shows, and the path that receives the token.
#[derive(Clone, Copy, Template)]
#[template(path = "token.html", config = "src/page/askama.toml")]
pub(crate) struct TokenPage<'a> {
    /// The path before every link: empty, or such as `/paste`.
    pub(crate) base_path: &'a str,
    /// The URL path to which the form posts its field `token`.
    pub(crate) action: &'a str,
    /// The heading, of two or three words.
    pub(crate) heading: &'a str,
    /// One sentence that asks for the token.
    pub(crate) sentence: &'a str,
    /// One sentence that says what was wrong with the last token. `None` for the first attempt.
    pub(crate) complaint: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::to_html;

    const PAGE: TokenPage<'_> = TokenPage {
        base_path: "",
        action: "/0123456789AB/stats",
        heading: "Owner only",
        sentence: "Enter the token you got when you saved this paste.",
        complaint: None,
    };

    #[test]
    fn a_form_asks_for_the_token_and_posts_it_to_the_action() {
        let html = to_html(&PAGE);
        for part in [
            "<h1>Owner only</h1>",
            "<p>Enter the token you got when you saved this paste.</p>",
            "<form method=\"post\" action=\"/0123456789AB/stats\">",
            "name=\"token\" type=\"text\" required",
            "<meta name=\"robots\" content=\"noindex, nofollow\">",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(!html.contains("role=\"alert\"") && !html.contains("aria-invalid"));
    }

    #[test]
    fn a_wrong_token_is_announced_and_marks_the_field() {
        let html = to_html(&TokenPage {
            complaint: Some("This is not its token."),
            ..PAGE
        });
        assert!(html.contains("role=\"alert\">This is not its token.</p>"));
        assert!(html.contains("aria-invalid=\"true\" aria-describedby=\"complaint\""));
    }
}
