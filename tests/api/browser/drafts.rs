//! Drafts: unsaved text comes back, and none of it is lost without a message.

use serde_json::{Value, json};

use crate::chromium::Scripts::On;
use crate::chromium::{Visitor, visit};
use crate::folder::Folder;

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_draft_is_stored_until_it_is_saved() {
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.type_into("#content", "not yet\n").await;
        visitor.type_into("#title", "a title").await;
        visitor.choose("#expires", "1h").await;
        visitor.open("/help").await;
        visitor.open("/").await;
        visitor.holds("#content", "not yet\n").await;
        visitor.holds("#title", "a title").await;
        visitor.holds("#expires", "1h").await;
        visitor.tells("#notice", "Draft restored.").await;
        visitor.click(".submit button").await;
        visitor.element(".listing").await;
        visitor.open("/").await;
        visitor.holds("#content", "").await;

        visitor.type_into("#content", "never").await;
        visitor.open("/").await;
        visitor.click("#notice button").await;
        visitor.open("/").await;
        visitor.holds("#content", "").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_copy_of_a_paste_has_a_draft_of_its_own_until_it_is_saved() {
    visit(On, async |visitor| {
        let saved = visitor.server.save("original\n");
        let copy = format!("/?from={}", saved.id);
        visitor.open("/").await;
        visitor.type_into("#content", "draft").await;
        visitor.open(&copy).await;
        visitor.holds("#content", "original\n").await;
        visitor.type_into("#content", "changed").await;
        visitor.open("/").await;
        visitor.holds("#content", "draft").await;
        visitor.open(&copy).await;
        visitor.holds("#content", "changedoriginal\n").await;
        visitor.click(".submit button").await;
        visitor.element(".listing").await;
        visitor.open(&copy).await;
        visitor.holds("#content", "original\n").await;
        visitor.open("/").await;
        visitor.holds("#content", "draft").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_text_typed_next_to_a_file_is_still_a_draft_after_the_file_is_saved() {
    let folder = Folder::new("files");
    folder.write("noise.bin", b"\xff\xfe\0\x01");
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.type_into("#content", "typed").await;
        let path = folder.path().join("noise.bin");
        visitor.type_into("#file", path.to_str().unwrap()).await;
        visitor
            .until("document.querySelector('#content').disabled")
            .await;
        visitor.click(".submit button").await;
        visitor.element(".hex").await;
        visitor.open("/").await;
        visitor.holds("#content", "typed").await;
    });
}

/// Types this into the tab and leaves the page.
async fn leave_typed(visitor: &Visitor<'_>, text: &str) {
    visitor.type_into("#content", text).await;
    visitor.open("/help").await;
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn two_tabs_never_write_over_the_draft_of_each_other() {
    visit(On, async |visitor| {
        let one = visitor.client.window().await.unwrap();
        let two = visitor.client.new_window(true).await.unwrap().handle;
        for tab in [&one, &two] {
            visitor.client.switch_to_window(tab.clone()).await.unwrap();
            visitor.open("/").await;
        }
        leave_typed(visitor, "two").await;
        visitor.client.switch_to_window(one).await.unwrap();
        leave_typed(visitor, "one").await;
        // The drafts come back one after the other.
        for text in ["one", "two", ""] {
            visitor.open("/").await;
            visitor.holds("#content", text).await;
            if !text.is_empty() {
                visitor.click("#notice button").await;
            }
        }
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_draft_that_the_browser_has_no_room_for_is_reported_and_no_older_one_is_left() {
    /// Fills the storage of the browser, so that it has no room for this many characters.
    const FILL: &str = "(() => { try { for (let n = 0; ; n += 1) localStorage[`f${n}`] = 'x'.repeat(9999); } \
                        catch { return true; } })()";
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.type_into("#content", "old").await;
        visitor.until("localStorage.draft !== undefined").await;
        visitor.evaluate(FILL).await;
        visitor
            .evaluate("document.querySelector('#content').value = 'x'.repeat(12000)")
            .await;
        visitor.type_into("#title", "!").await;
        visitor
            .until("document.querySelector('#kept').textContent.includes('no space')")
            .await;
        visitor.finds("localStorage.draft", Value::Null).await;
        visitor.evaluate("localStorage.clear()").await;
        visitor.type_into("#title", "!").await;
        visitor
            .until("document.querySelector('#kept').textContent === ''")
            .await;
        visitor.open("/").await;
        visitor.holds("#title", "!!").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_draft_contains_no_password() {
    const KEPT: &str = "JSON.stringify([{...localStorage}, {...sessionStorage}])";
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.type_into("#content", "a draft").await;
        visitor.choose("#burn", "3").await;
        visitor.type_into("#password", "dead reckoning").await;
        visitor.type_into("#title", "the last").await;
        visitor.until(&format!("{KEPT}.includes('the last')")).await;
        let kept = visitor.evaluate(KEPT).await;
        assert!(!kept.to_string().contains("reckoning"), "{kept}");
        visitor.open("/help").await;
        let kept = visitor.evaluate(KEPT).await;
        assert!(!kept.to_string().contains("reckoning"), "{kept}");
        visitor.open("/").await;
        visitor.holds("#content", "a draft").await;
        visitor.holds("#burn", "3").await;
        visitor.holds("#password", "").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_change_has_a_draft_of_its_own_until_it_is_saved() {
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.type_into("#content", "original").await;
        visitor.click(".submit button").await;
        visitor.element(".listing").await;
        let path = visitor.path().await;
        let edit = format!("{path}/edit");
        visitor.open("/").await;
        leave_typed(visitor, "new").await;
        visitor.open(&edit).await;
        visitor.holds("#content", "original").await;
        leave_typed(visitor, "changed ").await;
        visitor.open("/").await;
        visitor.holds("#content", "new").await;
        visitor.open(&edit).await;
        visitor.holds("#content", "changed original").await;
        visitor.click(".submit button").await;
        visitor.shows(".listing code", "changed original").await;
        visitor.is_at(&path).await;
        visitor
            .finds(
                "Object.keys(localStorage).filter(name => name.startsWith('draft'))",
                json!(["draft"]),
            )
            .await;
    });
}
