//! Tests of the pages that compare pastes.

use super::*;
use crate::page::site::site;
use crate::page::to_html;
use crate::paste::Language;
use crate::render::TimeBudget;

const DIFF: &str = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n";

fn html(diff: &str, name: &str, is_coarse: bool) -> String {
    super::diff(&DiffPage {
        site: site("/base"),
        old: DiffSide {
            path: "0123456789AB",
            name,
        },
        new: DiffSide {
            path: "BA9876543210",
            name: "b",
        },
        files: "",
        rendered: &Rendered::of_diff(diff, Language::PLAIN, false, TimeBudget::until(&|| false)),
        is_equal: diff.is_empty(),
        is_coarse,
    })
}

#[test]
fn a_comparison_shows_its_lines_and_leads_to_both_pastes() {
    let html = html(DIFF, "a", false);
    for part in [
        "<a href=\"/base/0123456789AB\"><bdi>a</bdi></a>",
        "<a href=\"/base/BA9876543210\"><bdi>b</bdi></a>",
        "href=\"/base/diff?a=/BA9876543210&amp;b=/0123456789AB\"",
        "href=\"/base/diff?a=/0123456789AB\"",
        "<div class=\"patch w1\">",
        "<del id=\"L4\"",
        &crate::page::PATCH_STYLE.name,
        "<meta name=\"robots\" content=\"noindex, nofollow\">",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(!html.contains("class=\"note\""));
}

#[test]
fn a_comparison_says_if_the_contents_are_equal_or_its_time_was_too_short() {
    let equal = html("", "a", false);
    assert!(equal.contains("are equal.") && !equal.contains("id=\"copy\""));
    assert!(html(DIFF, "a", true).contains("took too long"));
}

#[test]
fn the_form_keeps_what_was_entered_and_says_if_it_is_wrong() {
    let page = |old, new, is_wrong| {
        to_html(&ComparePage {
            site: site("/base"),
            old,
            new,
            is_wrong,
            base_url: "",
        })
    };
    let html = page("abc\"", "", false);
    assert!(html.contains("<form method=\"get\" action=\"/base/diff\">"));
    assert!(html.contains("value=\"abc&#34;\"") && !html.contains("role=\"alert\""));
    assert!(page("a b", "c", true).contains("role=\"alert\""));
}
