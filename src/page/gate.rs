//! The pages that ask for a secret before they let a client go on: the token of a paste, or a key.

use askama::Template;

use crate::page::site::Site;

/// The page that asks for a key, or tells whose key the browser has.
#[derive(Clone, Copy, Template)]
#[template(path = "login.html", config = "src/page/askama.toml")]
pub(crate) struct LoginPage<'a> {
    /// The path before every link to this server.
    pub(crate) site: &'a Site,
    /// The path that the browser comes back to.
    pub(crate) to: &'a str,
    /// The name of the key that the browser has. Then the page has a button to log out.
    pub(crate) holder: Option<&'a str>,
    /// One or two sentences that say why a key is needed. `None` for a browser that asked for the page itself.
    pub(crate) sentence: Option<&'a str>,
    /// One or two sentences that say what was wrong with the last key.
    pub(crate) complaint: Option<&'a str>,
}

/// The page that asks for a paste's token before an action that only the paste's owner may perform.
#[derive(Clone, Copy, Template)]
#[template(path = "token.html", config = "src/page/askama.toml")]
pub(crate) struct TokenPage<'a> {
    pub(crate) site: &'a Site,
    /// The URL path to which the form posts its field `token`.
    pub(crate) action: &'a str,
    /// One sentence that says what was wrong with the last token. `None` for the first attempt.
    pub(crate) complaint: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::site::NAMELESS;
    use crate::page::to_html;

    const LOGIN: LoginPage<'_> = LoginPage {
        site: &NAMELESS,
        to: "/abc?lines=1",
        holder: None,
        sentence: None,
        complaint: None,
    };

    #[test]
    fn a_form_asks_for_the_key_and_remembers_the_path() {
        let html = to_html(&LOGIN);
        assert!(html.contains("<input type=\"hidden\" name=\"to\" value=\"/abc?lines=1\">"));
        assert!(html.contains("name=\"key\" type=\"password\" required"));
        assert!(!html.contains("role=\"alert\"") && !html.contains("name=\"logout\""));
    }

    #[test]
    fn a_wrong_key_is_announced_and_marks_the_field() {
        let complaint = Some("The key is wrong.");
        let html = to_html(&LoginPage { complaint, ..LOGIN });
        assert!(html.contains("role=\"alert\">The key is wrong.</p>"));
        assert!(html.contains("aria-invalid=\"true\" aria-describedby=\"complaint\""));
    }

    #[test]
    fn a_browser_that_has_a_key_can_log_out() {
        let holder = Some("alice");
        let html = to_html(&LoginPage { holder, ..LOGIN });
        assert!(html.contains("the key of alice.") && html.contains("name=\"logout\""));
        assert!(!html.contains("name=\"key\""));
    }

    const TOKEN: TokenPage<'_> = TokenPage {
        site: &NAMELESS,
        action: "/0123456789AB/stats",
        complaint: None,
    };

    #[test]
    fn a_form_asks_for_the_token_and_posts_it_to_the_action() {
        let html = to_html(&TOKEN);
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
            ..TOKEN
        });
        assert!(html.contains("role=\"alert\">This is not its token.</p>"));
        assert!(html.contains("aria-invalid=\"true\" aria-describedby=\"complaint\""));
    }
}
