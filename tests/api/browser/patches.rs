//! Patches and comparisons: files that fold, numbers, both sides on wide screens, copying.

use serde_json::json;

use super::access::{axe, breaks_no_rule};
use super::{open_menu, toggle_wrap};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

const PATCH: &str = "Subject: x\r\n\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -9,4 +19,4 @@ fn main() {\n one\n\
    -let two = 2;\n+let two = 22;\n three\n سلام\nIndex: b\n--- b\n+++ b\n@@ -1 +1,2 @@\n-x\n\
    \\ No newline at end of file\n+x\n+y\n";

async fn open(visitor: &Visitor<'_>, width: u32) -> String {
    let request = visitor.server.request("PUT", "/x.patch").body(PATCH);
    let path = crate::server::Saved::of(&request.send()).path;
    visitor.take_a_phone(width);
    visitor.open(&path).await;
    visitor.element(".patch").await;
    path
}

/// Whether the added line 8 is beside the removed line 7.
const SIDE_BY_SIDE: &str = "(([a, b]) => a.top === b.top && a.right <= b.left + 1)\
    (['L7', 'L8'].map(id => document.getElementById(id).getBoundingClientRect()))";

#[test]
#[ignore = "needs chromium and chromedriver"]
fn replaced_lines_are_side_by_side_on_wide_screens_while_lines_wrap() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            for (width, is_beside) in [(390, false), (800, false), (1280, true), (1920, true)] {
                open(visitor, width).await;
                visitor.finds(SIDE_BY_SIDE, is_beside).await;
                let sticks_out = "document.documentElement.scrollWidth > innerWidth";
                visitor.finds(sticks_out, false).await;
                toggle_wrap(visitor).await;
                visitor.finds(SIDE_BY_SIDE, false).await;
                toggle_wrap(visitor).await;
            }
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn each_line_has_both_numbers_which_are_not_part_of_a_selection() {
    visit(Off, async |visitor| {
        open(visitor, 1280).await;
        let drawn = "(id => ['::before', '::after'].map(it => \
            getComputedStyle(document.querySelector(`#${id} a`), it).content))";
        for (line, numbers) in [("L6", ["\"9\"", "\"19\""]), ("L9", ["\"11\"", "\"21\""])] {
            visitor
                .finds(&format!("{drawn}('{line}')"), json!(numbers))
                .await;
        }
        visitor
            .evaluate("getSelection().selectAllChildren(document.querySelector('details pre'))")
            .await;
        let part = &PATCH[PATCH.find("---").unwrap()..PATCH.find("Index").unwrap()];
        visitor
            .finds("getSelection().toString().trim()", part.trim())
            .await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn copy_gives_the_whole_patch_even_of_folded_files() {
    visit(On, async |visitor| {
        open(visitor, 1280).await;
        visitor
            .evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
            .await;
        visitor.click("summary").await;
        visitor
            .finds("document.querySelector('details').open", false)
            .await;
        visitor.click("#copy").await;
        visitor.finds("window.copied", PATCH).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_click_on_a_number_marks_a_line_and_a_link_marks_several() {
    visit(On, async |visitor| {
        let path = open(visitor, 1280).await;
        let marked = "[...document.querySelectorAll('.marked')].map(line => line.id)";
        visitor.click("#L9 a").await;
        visitor.finds(marked, json!(["L9"])).await;
        visitor.finds("location.hash", "#L9").await;
        visitor.open(&format!("{path}#L6-L8")).await;
        visitor.finds(marked, json!(["L6", "L7", "L8"])).await;
    });
}

#[test]
#[ignore = "needs chromium, chromedriver and axe-core"]
fn no_patch_and_no_comparison_breaks_an_accessibility_rule() {
    let axe = axe();
    visit(On, async |visitor| {
        for width in [390, 1280] {
            let path = open(visitor, width).await;
            breaks_no_rule(visitor, &axe, "a patch").await;
            toggle_wrap(visitor).await;
            for state in ["summary", "#L6 a"] {
                if state == "#L6 a" {
                    visitor.click("summary").await;
                }
                visitor.click(state).await;
                breaks_no_rule(visitor, &axe, &format!("a patch, {state}")).await;
            }
            toggle_wrap(visitor).await;
            let other = visitor.server.save(PATCH.replace("two", "2")).path;
            visitor.open(&format!("/diff{path}{other}")).await;
            breaks_no_rule(visitor, &axe, "a comparison").await;
            visitor.open(&format!("/diff{path}{path}")).await;
            breaks_no_rule(visitor, &axe, "equal pastes").await;
        }
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_reader_compares_a_paste_with_another_one() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let axe = (scripts == On).then(axe);
            let (old, new) = (
                visitor.server.save("one\n").path,
                visitor.server.save("two\n").path,
            );
            visitor.open(&old).await;
            open_menu(visitor).await;
            visitor.follow("#menu a[href^='/diff']").await;
            if let Some(axe) = &axe {
                breaks_no_rule(visitor, axe, "the form").await;
            }
            visitor.type_into("#b", "not a link").await;
            visitor.follow(".gate button").await;
            visitor.element(".complaint").await;
            if let Some(axe) = &axe {
                breaks_no_rule(visitor, axe, "the form with a complaint").await;
            }
            visitor
                .evaluate("document.querySelector('#b').value = ''")
                .await;
            visitor
                .type_into("#b", &format!("http://localhost{new}.txt"))
                .await;
            visitor.follow(".gate button").await;
            visitor.is_at(&format!("/diff{old}{new}")).await;
            visitor.tells(".listing del", "-one").await;
            visitor.follow(".actions nav a").await;
            visitor.tells(".listing del", "-two").await;
        });
    }
}
