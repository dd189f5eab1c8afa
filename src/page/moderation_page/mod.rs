//! The pages of reports and of the operator, and `security.txt` (RFC 9116), which says how to reach the operator.

mod holders;
mod operate;
mod operator_view;

use askama::Template;

pub(crate) use holders::{Held, HoldersPage};
pub(crate) use operate::{Act, OperatePage};
pub use operator_view::ByEvent;
pub(crate) use operator_view::{
    BlockedContent, NetworkReport, Preview, ReportedPaste, ServerStatus,
};

use crate::date::Utc;
use crate::page::site::Site;
use crate::page::template::Page;

/// The page with the form that reports a paste to the operator.
#[derive(Clone, Copy, Template)]
#[template(path = "report.html", config = "src/page/askama.toml")]
pub(crate) struct ReportPage<'a> {
    pub(crate) site: &'a Site,
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

impl Page for ReportPage<'_> {
    /// Returns how to report the paste from a terminal.
    fn text(&self) -> String {
        format!(
            "Report this paste to the operator, in up to {} characters:\n\
             curl -F 'reason=…' {}/report\n\
             Or write to {}\n",
            self.max_chars,
            self.url,
            self.address()
        )
    }
}

/// How long `security.txt` is valid: half a year. RFC 9116 recommends less than a year.
const VALID_MILLIS: u64 = 182 * 86_400_000;

/// Returns `security.txt`. `contact` is a URI, and `now` is in milliseconds since 1970.
pub(crate) fn security_txt(contact: &str, base_url: &str, now: u64) -> String {
    let expires = Utc::from_epoch_millis(now.saturating_add(VALID_MILLIS));
    format!(
        "Contact: {contact}\n\
         Expires: {expires}\n\
         Preferred-Languages: en\n\
         Canonical: {base_url}/.well-known/security.txt\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::site::site;
    use crate::page::to_html;

    #[test]
    fn a_report_is_a_form_with_a_reason_and_names_the_operators_address() {
        let page = ReportPage {
            site: site(""),
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
        let text = page.text();
        assert!(text.contains("curl -F 'reason=…' https://bin.example/0123456789AB/report\n"));
        assert!(text.ends_with("Or write to abuse@bin.example\n"));
    }

    #[test]
    fn the_file_has_a_contact_and_expires_half_a_year_from_now() {
        assert_eq!(
            security_txt("mailto:a@b.example", "https://b.example", 0),
            "Contact: mailto:a@b.example\n\
             Expires: 1970-07-02T00:00:00Z\n\
             Preferred-Languages: en\n\
             Canonical: https://b.example/.well-known/security.txt\n"
        );
    }
}
