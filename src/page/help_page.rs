//! The help page. It exists as HTML and as plain text for terminals.

use askama::Template;

use crate::page::site::Site;
use crate::page::template::{Page, write_text};
use crate::paste::{Expiry, PasteLimits};

/// The facts about this server that the help states.
#[derive(Debug, Clone, Copy, Template)]
#[template(path = "help.html", config = "src/page/askama.toml")]
pub(crate) struct HelpPage<'a> {
    pub(crate) site: &'a Site,
    /// The server's URL without a slash at the end.
    pub(crate) base_url: &'a str,
    /// The limits for pastes.
    pub(crate) limits: PasteLimits,
    /// Whether saving needs a key.
    pub(crate) needs_key: bool,
    /// Whether some clients may choose the addresses of their pastes.
    pub(crate) slugs: bool,
}

/// The help as plain text. Askama, the template engine, escapes nothing in a `.txt` template.
#[derive(Template)]
#[template(
    path = "help.txt",
    config = "src/page/askama.toml",
    whitespace = "preserve"
)]
struct HelpText<'a> {
    page: &'a HelpPage<'a>,
}

/// Returns the lifetime in words. `None` means that pastes need not expire.
fn finite(expiry: Expiry) -> Option<String> {
    expiry.seconds().map(|_| expiry.in_words())
}

impl Page for HelpPage<'_> {
    /// Returns the help as plain text. It fits on one page of a terminal.
    fn text(&self) -> String {
        write_text(&HelpText { page: self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::site::{Redirect, limits, site};
    use crate::page::to_html;

    fn page(default: &str, longest: &str) -> HelpPage<'static> {
        HelpPage {
            site: site(""),
            base_url: "https://bin.example",
            limits: limits(default, longest),
            needs_key: true,
            slugs: true,
        }
    }

    #[test]
    fn the_text_fits_one_page_of_a_terminal() {
        for page in [page("7d", "30d"), page("never", "never")] {
            let text = HelpPage {
                base_url: "https://paste.example.org:8443",
                ..page
            }
            .text();
            assert!(text.lines().count() <= 40, "{text}");
            assert!(
                text.lines().all(|line| line.chars().count() <= 80),
                "{text}"
            );
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
            assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
        }
    }

    #[test]
    fn both_forms_name_every_way_in_and_out() {
        for help in [to_html(&page("7d", "30d")), page("7d", "30d").text()] {
            for words in [
                "curl --data-binary @-",
                "curl -T notes.txt",
                "expires=2h",
                "/raw/ID",
                "/dl/ID",
                "/ID.rs",
                "?lines=10-20",
                "-F burn=1 ",
                "curl -X POST https://bin.example/ID",
                "pw.txt' https://bin.example/ID",
                "-F url=https://example.org/long",
                "/ID+",
                "curl -T new.txt -H",
                "-F expires=2d",
                "/ID/stats",
                "curl -X DELETE -H",
                "X-Token",
                "https://bin.example",
                "1 MiB",
                "7 days",
                "30 days",
            ] {
                assert!(help.contains(words), "{words} in {help}");
            }
        }
    }

    #[test]
    fn links_and_slugs_are_named_only_where_they_are_allowed() {
        let named = [to_html(&page("7d", "30d")), page("7d", "30d").text()];
        assert!(named.iter().all(|help| help.contains("slug")));
        let site = Site {
            redirect: Redirect::Off,
            ..Site::default()
        };
        let page = HelpPage {
            site: &site,
            slugs: false,
            ..page("7d", "30d")
        };
        for help in [to_html(&page), page.text()] {
            for word in ["url=", "ID+", "slug"] {
                assert!(!help.contains(word), "{help}");
            }
        }
    }

    #[test]
    fn a_password_comes_from_a_file_and_not_from_the_command_line() {
        for (help, option) in [
            (page("7d", "30d").text(), "-F 'password=<pw.txt' "),
            (to_html(&page("7d", "30d")), "-F 'password=&#60;pw.txt' "),
        ] {
            // One command saves, the other one reads.
            assert_eq!(help.matches(option).count(), 2, "{help}");
        }
    }

    #[test]
    fn never_is_named_only_where_it_is_allowed() {
        for (page, allowed) in [(page("7d", "30d"), false), (page("7d", "never"), true)] {
            assert_eq!(page.text().contains("never"), allowed);
            assert_eq!(to_html(&page).contains("never"), allowed);
        }
        assert!(
            page("never", "never")
                .text()
                .contains("stays until it is deleted")
        );
        assert!(to_html(&page("never", "never")).contains("stays until it is deleted"));
    }
}
