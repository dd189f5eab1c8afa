//! The page of a paste that is not shown to whoever has its address: it is locked, or each read of it counts.
//!
//! What it must not know: the paste. Nothing of it can reach the page, for nothing of it comes in.
//! Invariants: nothing is read by opening the page: programs that open links do not press its button.

use std::fmt;
use std::time::Duration;

use askama::Template;

use crate::date::Utc;
use crate::paste::{Access, ReadsLeft};
use crate::render::humanize;

/// What may be told of a paste that is closed.
#[derive(Clone, Copy)]
pub struct ProtectedPage<'a> {
    /// The last part of the address that was opened: its id, with an ending or without. The form posts there.
    pub segment: &'a str,
    /// Its id.
    pub id: &'a str,
    /// Its absolute address.
    pub url: &'a str,
    /// How it may be had.
    pub access: Access,
    /// How soon it goes out; none if it does not.
    pub expires_in: Option<Duration>,
    /// When it goes out, in milliseconds since 1970.
    pub expires_at: Option<u64>,
    /// Whether the reader has its token already.
    pub may_delete: bool,
    /// Why it was not opened when it was asked for, in a sentence.
    pub complaint: Option<&'a str>,
}

/// Whoever has an id may use up its reads, so neither reaches a log.
impl fmt::Debug for ProtectedPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProtectedPage(secret)")
    }
}

#[derive(Template)]
#[template(path = "protected.html", config = "src/page/askama.toml")]
struct ProtectedTemplate<'a> {
    page: &'a ProtectedPage<'a>,
    is_locked: bool,
    burns: bool,
    sentence: String,
    goes_out: String,
    goes_out_at: Option<Utc>,
}

/// The page as HTML.
#[must_use]
pub fn protected(page: &ProtectedPage<'_>) -> String {
    let template = ProtectedTemplate {
        page,
        is_locked: matches!(page.access, Access::Locked(_)),
        burns: page.access.reads_left().is_some(),
        sentence: sentence(page.access),
        goes_out: humanize::going_out(page.expires_in),
        goes_out_at: page.expires_at.map(Utc::from_epoch_millis),
    };
    crate::page::write(&template, 0)
}

fn sentence(access: Access) -> String {
    match access {
        // Nothing is closed about these two; who asks for them so may open them here all the same.
        Access::Open | Access::Link => "This paste can be read.".to_owned(),
        Access::Burn(left) => format!("This paste {}", reads("Reading", left)),
        Access::Locked(None) => "This paste is locked: it needs its password.".to_owned(),
        Access::Locked(Some(left)) => format!(
            "This paste is locked: it needs its password. It {}",
            reads("Unlocking", left)
        ),
    }
}

/// How often it can be read, and what doing so here does to that.
fn reads(doing: &str, left: ReadsLeft) -> String {
    match left.get() {
        1 => format!(
            "can be read once. {doing} it here uses that up as soon as the answer begins, and then it is gone for everybody."
        ),
        left => {
            let times = humanize::more_times(left.into());
            format!(
                "can be read {times}. {doing} it here is one of them as soon as the answer begins."
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(access: Access) -> ProtectedPage<'static> {
        ProtectedPage {
            segment: "0123456789AB.rs",
            id: "0123456789AB",
            url: "https://bin.example/0123456789AB",
            access,
            expires_in: Some(Duration::from_secs(604_620)),
            expires_at: Some(951_782_400_000),
            may_delete: false,
            complaint: None,
        }
    }

    fn left(reads: u8) -> ReadsLeft {
        ReadsLeft::new(reads).expect("1 to 100")
    }

    #[test]
    fn it_says_in_plain_words_how_the_paste_may_be_had() {
        for (access, words) in [
            (
                Access::Burn(left(1)),
                "<p>This paste can be read once. Reading it here uses that up as soon as the answer \
                 begins, and then it is gone for everybody.</p>",
            ),
            (
                Access::Burn(left(3)),
                "<p>This paste can be read 3 more times. Reading it here is one of them as soon as the answer begins.</p>",
            ),
            (
                Access::Locked(None),
                "<p>This paste is locked: it needs its password.</p>",
            ),
            (
                Access::Locked(Some(left(1))),
                "<p>This paste is locked: it needs its password. It can be read once. Unlocking it here uses that up \
                 as soon as the answer begins, and then it is gone for everybody.</p>",
            ),
        ] {
            let html = protected(&page(access));
            assert!(html.contains(words), "{words} in {html}");
        }
    }

    #[test]
    fn a_form_asks_for_the_password_only_of_what_is_locked() {
        let (burning, locked) = (
            protected(&page(Access::Burn(left(1)))),
            protected(&page(Access::Locked(None))),
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
        assert!(locked.contains("<button type=\"submit\">Unlock</button>"));
        assert!(burning.contains("<button type=\"submit\">Read it</button>"));
    }

    #[test]
    fn where_a_read_counts_a_note_that_a_script_shows_leads_back_to_the_page() {
        let has_note = |access| {
            let note = "<p id=\"asked\" class=\"note\" role=\"status\" hidden>";
            protected(&page(access)).contains(note)
        };
        assert!(has_note(Access::Burn(left(2))) && has_note(Access::Locked(Some(left(1)))));
        assert!(!has_note(Access::Locked(None)));
    }

    #[test]
    fn other_sites_and_search_engines_are_told_that_it_is_a_paste_and_nothing_else() {
        let html = protected(&page(Access::Burn(left(1))));
        assert!(html.contains("<meta name=\"robots\" content=\"noindex, nofollow\">"));
        assert!(html.contains("<title>A paste · tidebin</title>"));
        assert!(html.contains("<meta property=\"og:title\" content=\"A paste\">"));
        assert_eq!(html.matches("property=\"og:").count(), 2);
    }

    #[test]
    fn a_refusal_is_told_at_once_and_marks_the_field() {
        let html = protected(&ProtectedPage {
            complaint: Some("This is not its password."),
            ..page(Access::Locked(None))
        });
        assert!(html.contains("role=\"alert\">This is not its password.</p>"));
        assert!(html.contains("aria-invalid=\"true\" aria-describedby=\"complaint\""));
        let html = protected(&page(Access::Locked(None)));
        assert!(!html.contains("role=\"alert\"") && !html.contains("aria-invalid"));
    }

    #[test]
    fn only_who_has_the_token_can_delete_it_here_and_see_its_counts() {
        let html = |may_delete| {
            protected(&ProtectedPage {
                may_delete,
                ..page(Access::Locked(None))
            })
        };
        for words in [
            "<input type=\"hidden\" name=\"delete\" value=\"1\">",
            "href=\"/0123456789AB/stats\"",
        ] {
            assert!(html(true).contains(words) && !html(false).contains(words));
        }
    }
}
