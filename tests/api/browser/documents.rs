//! Documents: contents beside and above them, copies of their code, and the source of one that was unlocked.

use serde_json::json;

use super::{open_closed, open_menu};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

/// The place of the contents: folded, open above the document, or open beside it.
const CONTENTS: &str = "((list, text) => !list.checkVisibility() ? 'folded' \
    : list.getBoundingClientRect().right <= text.getBoundingClientRect().left ? 'beside' \
    : list.getBoundingClientRect().bottom <= text.getBoundingClientRect().top ? 'above' : 'over')(\
    document.querySelector('.contents ul'), document.querySelector('.document'))";

fn take_a_screen(visitor: &Visitor<'_>, width: u32) {
    let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
    visitor.tell("Emulation.setDeviceMetricsOverride", &size);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn contents_are_folded_above_a_document_and_open_beside_it_on_a_wide_screen() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let saved = visitor.server.save(include_str!("document.md"));
            visitor.open(&format!("{}.md", saved.path)).await;
            for width in [390, 800] {
                take_a_screen(visitor, width);
                visitor.finds(CONTENTS, "folded").await;
                let fits = "document.documentElement.scrollWidth <= innerWidth";
                visitor.finds(fits, true).await;
            }
            visitor.click(".contents summary").await;
            visitor.finds(CONTENTS, "above").await;
            visitor.click(".contents summary").await;
            for width in [1280, 1920] {
                take_a_screen(visitor, width);
                visitor.finds(CONTENTS, "beside").await;
                let margins = "(([page, text]) => Math.abs(text.left - page.left - page.right + text.right) < 2)(\
                    ['main', '.document'].map(css => document.querySelector(css).getBoundingClientRect()))";
                visitor.finds(margins, true).await;
            }
            // The driver takes the links for hidden, because the element around them is not open.
            let is_clickable = "(link => document.elementFromPoint(link.getBoundingClientRect().left + 4, \
                link.getBoundingClientRect().top + 4) === link)(document.querySelector('.contents .l2 a'))";
            visitor.finds(is_clickable, true).await;
            visitor
                .evaluate("document.querySelector('.contents .l2 a').focus()")
                .await;
            visitor.press("\u{e007}").await;
            visitor
                .finds("document.querySelector(':target').tagName", "H3")
                .await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn each_code_block_is_copied_by_a_button_that_only_scripts_show() {
    let document = "```\necho a\necho b\n```\n\n    c\u{202e}d\n";
    visit(On, async |visitor| {
        let path = visitor.server.save(document).path;
        visitor.open(&format!("{path}.md")).await;
        let labels =
            "[...document.querySelectorAll('.document .copy')].map(it => it.textContent).join()";
        visitor.finds(labels, "Copy,Copy as shown").await;
        visitor.click(".document .copy").await;
        visitor.finds(labels, "Copied,Copy as shown").await;
        visitor.open("/").await;
        visitor.type_into("#content", "\u{e009}v").await;
        visitor.holds("#content", "echo a\necho b").await;
    });
    visit(Off, async |visitor| {
        let path = visitor.server.save(document).path;
        visitor.open(&format!("{path}.md")).await;
        visitor
            .finds("document.querySelectorAll('pre').length", 2)
            .await;
        visitor
            .finds("document.querySelectorAll('.copy').length", 0)
            .await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn an_unlocked_document_has_its_source_and_is_copied_and_downloaded_from_the_page() {
    let document = "# Plan\n\n*at once* <b>\n";
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            visitor.open("/").await;
            visitor.type_into("#content", document).await;
            visitor.choose("#lang", "markdown").await;
            visitor.type_into("#password", "a password").await;
            visitor.click(".submit button").await;
            visitor.element(".gate").await;
            open_closed(visitor, "a password").await;
            visitor.tells(".document em", "at once").await;
            visitor.click("#source summary").await;
            visitor.shows("#source code", document).await;
            if scripts == Off {
                return;
            }
            visitor
                .evaluate("URL.createObjectURL = blob => { window.saved = blob; return '#'; }")
                .await;
            open_menu(visitor).await;
            visitor.click("#download").await;
            visitor.press("\u{e00c}").await;
            assert_eq!(visitor.awaited("window.saved.text()").await, document);
            visitor.click("#copy").await;
            visitor
                .until("document.querySelector('#copy').textContent === 'Copied'")
                .await;
        });
    }
}
