//! Patches and comparisons: files that fold, numbers, both sides beside each other, copying.

use serde_json::json;

use super::open_menu;
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

pub(super) const PATCH: &str = "Subject: x\r\n\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -9,4 +19,4 @@ fn main() {\n one\n\
    -let two = 2;\n+let two = 22;\n three\n سلام\nIndex: b\n--- b\n+++ b\n@@ -1 +1,2 @@\n-x\n\
    \\ No newline at end of file\n+x\n+y\n";

fn open(visitor: &Visitor, width: u32) -> String {
    let request = visitor.server.request("PUT", "/x.patch").body(PATCH);
    let path = crate::server::Saved::of(&request.send()).path;
    visitor.be_wide(width, 640);
    visitor.open(&path);
    visitor.element(".patch");
    path
}

/// Whether the added line 8 is beside the removed line 7.
const SIDE_BY_SIDE: &str = "(([a, b]) => a.top === b.top && a.right <= b.left + 1)\
    (['L7', 'L8'].map(id => document.getElementById(id).getBoundingClientRect()))";

#[test]
#[ignore = "needs chromium"]
fn both_sides_are_beside_each_other_if_the_reader_asks_and_the_screen_is_wide() {
    visit(Off, |visitor| {
        for (width, has_room) in [(390, false), (800, false), (1280, true), (1920, true)] {
            open(visitor, width);
            visitor.finds(SIDE_BY_SIDE, false);
            visitor.follow("a[href='?view=split']");
            visitor.finds(SIDE_BY_SIDE, has_room);
            let twins =
                "[...document.querySelectorAll('[inert]')].some(it => it.checkVisibility())";
            visitor.finds(twins, has_room);
            visitor.finds("document.documentElement.scrollWidth > innerWidth", false);
            visitor.follow("a[href='?']");
            visitor.finds(SIDE_BY_SIDE, false);
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn each_line_has_both_numbers_which_are_not_part_of_a_selection() {
    visit(Off, |visitor| {
        open(visitor, 1280);
        let drawn = "(id => ['::before', '::after'].map(it => \
            getComputedStyle(document.querySelector(`#${id}`), it).content))";
        for (line, numbers) in [("L6", ["9", "19"]), ("L9", ["11", "21"])] {
            let numbers = numbers.map(|number| format!("\"{number}\" / \"\""));
            visitor.finds(&format!("{drawn}('{line}')"), json!(numbers));
        }
        visitor.evaluate("getSelection().selectAllChildren(document.querySelector('details pre'))");
        let part = &PATCH[PATCH.find("@@").unwrap()..PATCH.find("Index").unwrap()];
        visitor.finds("getSelection().toString().trim()", part.trim());
    });
}

#[test]
#[ignore = "needs chromium"]
fn copy_gives_the_whole_patch_even_of_folded_files() {
    visit(On, |visitor| {
        let path = open(visitor, 1280);
        visitor.open(&format!("{path}?view=split"));
        visitor
            .evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
        visitor.click("summary");
        visitor.finds("document.querySelector('details').open", false);
        visitor.click("#copy");
        visitor.finds("window.copied", PATCH);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_click_on_a_number_marks_a_line_and_a_link_marks_several() {
    visit(On, |visitor| {
        let path = open(visitor, 1280);
        let marked = "[...document.querySelectorAll('.marked')].map(line => line.id)";
        visitor.click_number("#L9");
        visitor.finds(marked, json!(["L9"]));
        visitor.finds("location.hash", "#L9");
        visitor.open(&format!("{path}#L6-L8"));
        visitor.finds(marked, json!(["L6", "L7", "L8"]));
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_reader_compares_a_paste_with_another_one() {
    visit(On, |visitor| {
        let (old, new) = (
            visitor.server.save("one\n").path,
            visitor.server.save("two\n").path,
        );
        visitor.open(&old);
        open_menu(visitor);
        visitor.follow("#menu a[href^='/diff']");

        visitor.type_into("#b", "not a link");
        visitor.follow(".gate button");
        visitor.element(".complaint");

        visitor.evaluate("document.querySelector('#b').value = ''");
        visitor.type_into("#b", &format!("http://localhost{new}.txt"));
        visitor.follow(".gate button");
        visitor.is_at(&format!("/diff{old}{new}"));
        visitor.tells(".listing del", "-one");
        visitor.follow(".actions nav a[href^='/diff?a='][href*='&b=']");
        visitor.tells(".listing del", "-two");
    });
}
