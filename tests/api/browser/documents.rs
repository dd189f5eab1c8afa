//! Documents: contents beside and above them, copies of their code, and the source of one that was unlocked.

use serde_json::json;

use super::open_closed;
use crate::chromium::Scripts::{Off, On};
use crate::chromium::input::{CONTROL, ENTER};
use crate::chromium::{Visitor, visit};

/// The place of the contents: folded, open above the document, or open beside it.
const CONTENTS: &str = "((list, text) => !list.checkVisibility() ? 'folded' \
    : list.getBoundingClientRect().right <= text.getBoundingClientRect().left ? 'beside' \
    : list.getBoundingClientRect().bottom <= text.getBoundingClientRect().top ? 'above' : 'over')(\
    document.querySelector('.contents ul'), document.querySelector('.document'))";

fn take_a_screen(visitor: &Visitor, width: u32) {
    let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
    visitor.command("Emulation.setDeviceMetricsOverride", &size);
}

#[test]
#[ignore = "needs chromium"]
fn contents_are_folded_above_a_document_and_open_beside_it_on_a_wide_screen() {
    visit(Off, |visitor| {
        let saved = visitor.server.save(include_str!("document.md"));
        visitor.open(&format!("{}.md", saved.path));
        for width in [390, 800] {
            take_a_screen(visitor, width);
            visitor.finds(CONTENTS, "folded");
            let fits = "document.documentElement.scrollWidth <= innerWidth";
            visitor.finds(fits, true);
        }
        visitor.click(".contents summary");
        visitor.finds(CONTENTS, "above");
        visitor.click(".contents summary");
        for width in [1280, 1920] {
            take_a_screen(visitor, width);
            visitor.finds(CONTENTS, "beside");
            let margins = "(([page, text]) => Math.abs(text.left - page.left - page.right + text.right) < 2)(\
                    ['main', '.document'].map(css => document.querySelector(css).getBoundingClientRect()))";
            visitor.finds(margins, true);
        }
        // The driver takes the links for hidden, because the element around them is not open.
        let is_clickable = "(link => document.elementFromPoint(link.getBoundingClientRect().left + 4, \
                link.getBoundingClientRect().top + 4) === link)(document.querySelector('.contents .l2 a'))";
        visitor.finds(is_clickable, true);
        visitor.evaluate("document.querySelector('.contents .l2 a').focus()");
        visitor.press(ENTER);
        visitor.finds("document.querySelector(':target').tagName", "H3");
    });
}

#[test]
#[ignore = "needs chromium"]
fn each_code_block_is_copied_by_a_button_that_only_scripts_show() {
    let document = "```\necho a\necho b\n```\n\n    c\u{202e}d\n";
    visit(On, |visitor| {
        let path = visitor.server.save(document).path;
        visitor.open(&format!("{path}.md"));
        let labels =
            "[...document.querySelectorAll('.document .copy')].map(it => it.textContent).join()";
        visitor.finds(labels, "Copy,Copy as shown");
        visitor.click(".document .copy");
        visitor.finds(labels, "Copied,Copy as shown");
        visitor.open("/");
        visitor.type_into("#content", &format!("{CONTROL}v"));
        visitor.holds("#content", "echo a\necho b");
    });
    visit(Off, |visitor| {
        let path = visitor.server.save(document).path;
        visitor.open(&format!("{path}.md"));
        visitor.finds("document.querySelectorAll('pre').length", 2);
        visitor.finds("document.querySelectorAll('.copy').length", 0);
    });
}

#[test]
#[ignore = "needs chromium"]
fn an_unlocked_document_has_its_source_and_is_copied_and_downloaded_from_the_page() {
    let document = "# Plan\n\n*at once* <b>\n";
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", document);
        visitor.choose("#lang", "markdown");
        visitor.click("[value=password]");
        visitor.type_into("#password", "a password");
        visitor.click(".submit button");
        visitor.element(".gate");
        open_closed(visitor, "a password");
        visitor.tells(".document em", "at once");
        visitor.click("#source summary");
        visitor.shows("#source code", document);
        visitor.evaluate("URL.createObjectURL = blob => { window.saved = blob; return '#'; }");
        visitor.click("#download");
        assert_eq!(visitor.awaited("window.saved.text()"), document);
        visitor.click("#copy");
        visitor.until("document.querySelector('#copy').textContent === 'Copied'");
    });
}
