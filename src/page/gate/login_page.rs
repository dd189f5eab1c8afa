//! The page that asks for a key, or tells whose key the browser has.

use askama::Template;

/// The values that the page shows.
#[derive(Clone, Copy, Template)]
#[template(path = "login.html", config = "src/page/askama.toml")]
pub(crate) struct LoginPage<'a> {
    /// The path before every link to this server.
    pub(crate) base_path: &'a str,
    /// The path that the browser comes back to.
    pub(crate) to: &'a str,
    /// The name of the key that the browser has. Then the page has a button to log out.
    pub(crate) holder: Option<&'a str>,
    /// One or two sentences that say why a key is needed. `None` for a browser that asked for the page itself.
    pub(crate) sentence: Option<&'a str>,
    /// One or two sentences that say what was wrong with the last key.
    pub(crate) complaint: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::to_html;

    const PAGE: LoginPage<'_> = LoginPage {
        base_path: "",
        to: "/abc?lines=1",
        holder: None,
        sentence: None,
        complaint: None,
    };

    #[test]
    fn a_form_asks_for_the_key_and_remembers_the_path() {
        let html = to_html(&PAGE);
        assert!(html.contains("<input type=\"hidden\" name=\"to\" value=\"/abc?lines=1\">"));
        assert!(html.contains("name=\"key\" type=\"password\" required"));
        assert!(!html.contains("role=\"alert\"") && !html.contains("name=\"logout\""));
    }

    #[test]
    fn a_wrong_key_is_announced_and_marks_the_field() {
        let complaint = Some("The key is wrong.");
        let html = to_html(&LoginPage { complaint, ..PAGE });
        assert!(html.contains("role=\"alert\">The key is wrong.</p>"));
        assert!(html.contains("aria-invalid=\"true\" aria-describedby=\"complaint\""));
    }

    #[test]
    fn a_browser_that_has_a_key_can_log_out() {
        let holder = Some("alice");
        let html = to_html(&LoginPage { holder, ..PAGE });
        assert!(html.contains("the key of alice.") && html.contains("name=\"logout\""));
        assert!(!html.contains("name=\"key\""));
    }
}
