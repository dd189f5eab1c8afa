//! The page of a protected paste. A GET request does not show such a paste, because it has a password or a limited
//! number of reads.
//!
//! Invariants: this module does not get the content, so the page cannot reveal it. Opening the page does not use up a
//! read. The reader must press a button, which programs that preview links do not do.

use askama::Template;

use crate::date::Utc;
use crate::page::humanize;
use crate::page::name::instead_of_name;
use crate::page::paste_facts::PasteHead;
use crate::page::site::Site;
use crate::paste::{Access, ReadsLeft};

/// The facts about a protected paste that the page may show.
#[derive(Clone, Copy, Template)]
#[template(path = "protected.html", config = "src/page/askama.toml")]
pub(crate) struct ProtectedPage<'a> {
    pub(crate) site: &'a Site,
    /// The last segment of the requested path: the id, with or without an extension. The form is posted to this path.
    pub(crate) segment: &'a str,
    pub(crate) head: PasteHead<'a>,
    /// The paste's access.
    pub(crate) access: Access,
    /// When the paste expires. `None` means that it never expires.
    pub(crate) expires_at: Option<Utc>,
    /// A sentence that says why the last attempt to open the paste failed.
    pub(crate) complaint: Option<&'a str>,
}

impl ProtectedPage<'_> {
    fn is_locked(&self) -> bool {
        matches!(self.access, Access::Locked(_))
    }

    /// Returns whether a view of the author, who has just saved the paste, would be one of those that are counted.
    fn is_left_to_others(&self) -> bool {
        self.head.saved.is_some() && self.access.reads_left().is_some()
    }

    fn sentence(&self) -> String {
        match self.access {
            // Pastes with these two kinds of access are not protected. A client may still ask for this page.
            Access::Open | Access::Link => "This paste is not protected.".to_owned(),
            Access::Burn(left) => views(left),
            Access::Locked(None) => "Enter the password to view this paste.".to_owned(),
            Access::Locked(Some(left)) => "Enter the password. ".to_owned() + &views(left),
        }
    }
}

/// Returns what to know next about a paste that was just saved.
pub(super) fn after_save(access: Access) -> &'static str {
    match access.reads_left() {
        Some(ReadsLeft::ONE) => "The next view deletes it.",
        Some(_) => "Each view uses up one.",
        None => "The link is ready to copy.",
    }
}

/// Returns a sentence that says how often the paste can be viewed, and that opening it here counts as a view.
pub(super) fn views(left: ReadsLeft) -> String {
    match left.get() {
        1 => "You can view this once. After that it is deleted.".to_owned(),
        left => format!(
            "This paste has {}. Viewing it uses one.",
            humanize::views_left(left)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::site::site;
    use crate::page::to_html;

    fn page(access: Access) -> ProtectedPage<'static> {
        ProtectedPage {
            site: site(""),
            segment: "0123456789AB.rs",
            head: PasteHead {
                id: "0123456789AB",
                url: "https://bin.example/0123456789AB",
                may_delete: false,
                saved: None,
            },
            access,
            expires_at: Some(Utc::from_epoch_millis(951_782_400_000)),
            complaint: None,
        }
    }

    fn left(reads: u8) -> ReadsLeft {
        ReadsLeft::new(reads).expect("1 to 100")
    }

    #[test]
    fn it_says_in_plain_words_how_the_paste_can_be_viewed() {
        for (access, words) in [
            (
                Access::Burn(left(1)),
                "<p>You can view this once. After that it is deleted.</p>",
            ),
            (
                Access::Burn(left(3)),
                "<p>This paste has 3 views left. Viewing it uses one.</p>",
            ),
            (
                Access::Locked(None),
                "<p>Enter the password to view this paste.</p>",
            ),
            (
                Access::Locked(Some(left(1))),
                "<p>Enter the password. You can view this once. After that it is deleted.</p>",
            ),
        ] {
            let html = to_html(&page(access));
            assert!(html.contains(words), "{words} in {html}");
        }
    }

    #[test]
    fn only_the_form_of_an_encrypted_paste_asks_for_the_password() {
        let (burning, locked) = (
            to_html(&page(Access::Burn(left(1)))),
            to_html(&page(Access::Locked(None))),
        );
        for html in [&burning, &locked] {
            assert!(html.contains("<form method=\"post\" action=\"/0123456789AB.rs\">"));
            assert!(html.contains(
                "<button type=\"submit\" class=\"quiet\" formaction=\"/dl/0123456789AB\">Download</button>"
            ));
        }
        let field =
            "name=\"password\" type=\"password\" required maxlength=\"1024\" autocomplete=\"off\"";
        assert!(locked.contains(field) && !burning.contains("name=\"password\""));
        for html in [&burning, &locked] {
            assert!(html.contains("<button type=\"submit\">View paste</button>"));
        }
    }

    #[test]
    fn where_views_count_a_note_for_the_script_leads_back_to_the_page() {
        let has_note = |access| {
            let note = "<p id=\"asked\" class=\"note\" role=\"status\" hidden>";
            to_html(&page(access)).contains(note)
        };
        assert!(has_note(Access::Burn(left(2))) && has_note(Access::Locked(Some(left(1)))));
        assert!(!has_note(Access::Locked(None)));
    }

    #[test]
    fn previews_and_search_engines_learn_nothing_of_the_content() {
        let html = to_html(&page(Access::Burn(left(1))));
        assert!(html.contains("<meta name=\"robots\" content=\"noindex, nofollow\">"));
        assert!(html.contains("<title>Burns after reading · tidebin</title>"));
        assert!(html.contains("<meta property=\"og:title\" content=\"A paste\">"));
        assert_eq!(html.matches("property=\"og:").count(), 2);
    }

    #[test]
    fn a_refusal_is_announced_and_marks_the_field() {
        let html = to_html(&ProtectedPage {
            complaint: Some("This is not its password."),
            ..page(Access::Locked(None))
        });
        assert!(html.contains("role=\"alert\">This is not its password.</p>"));
        assert!(html.contains("aria-invalid=\"true\" aria-describedby=\"complaint\""));
        let html = to_html(&page(Access::Locked(None)));
        assert!(!html.contains("role=\"alert\"") && !html.contains("aria-invalid"));
    }

    #[test]
    fn only_the_owner_can_delete_it_here_and_is_led_to_its_stats() {
        let html = |may_delete| {
            let mut page = page(Access::Locked(None));
            page.head.may_delete = may_delete;
            to_html(&page)
        };
        for words in [
            "<input type=\"hidden\" name=\"delete\" value=\"1\">",
            "href=\"/0123456789AB/stats\">Views</a>",
        ] {
            assert!(html(true).contains(words) && !html(false).contains(words));
        }
    }
}
