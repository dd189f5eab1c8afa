//! The page with the form that reports a paste to the operator. It exists as plain text for terminals too.

use askama::Template;

/// The paste to report.
#[derive(Clone, Copy, Template)]
#[template(path = "report.html", config = "src/page/askama.toml")]
pub(crate) struct ReportPage<'a> {
    /// The path before every link: empty, or such as `/paste`.
    pub(crate) base_path: &'a str,
    /// The paste's id.
    pub(crate) id: &'a str,
    /// The paste's absolute URL.
    pub(crate) url: &'a str,
    /// The operator's address, as a URI.
    pub(crate) contact: &'a str,
    /// The maximum number of characters of a report.
    pub(crate) max_chars: usize,
}

impl ReportPage<'_> {
    /// Returns the operator's address as people write it.
    fn address(&self) -> &str {
        self.contact.strip_prefix("mailto:").unwrap_or(self.contact)
    }
}

/// Returns how to report the paste from a terminal.
pub(crate) fn report_text(page: &ReportPage<'_>) -> String {
    format!(
        "Report this paste to the operator, in up to {} characters:\n\
         curl -F 'reason=…' {}/report\n\
         Or write to {}\n",
        page.max_chars,
        page.url,
        page.address()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::to_html;

    #[test]
    fn a_report_is_a_form_with_a_reason_and_names_the_operators_address() {
        let page = ReportPage {
            base_path: "",
            id: "0123456789AB",
            url: "https://bin.example/0123456789AB",
            contact: "mailto:abuse@bin.example",
            max_chars: 300,
        };
        let html = to_html(&page);
        for part in [
            "<form method=\"post\" action=\"/0123456789AB/report\">",
            "name=\"reason\" rows=\"4\" maxlength=\"300\" required",
            "<a href=\"mailto:abuse@bin.example\">abuse@bin.example</a>",
            "<meta name=\"robots\" content=\"noindex, nofollow\">",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        let text = report_text(&page);
        assert!(text.contains("curl -F 'reason=…' https://bin.example/0123456789AB/report\n"));
        assert!(text.ends_with("Or write to abuse@bin.example\n"));
    }
}
