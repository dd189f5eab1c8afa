//! Drafts: unsaved text comes back, and none of it is lost without a message.

use serde_json::{Value, json};

use crate::chromium::Scripts::On;
use crate::chromium::{Visitor, visit};
use crate::folder::Folder;

#[test]
#[ignore = "needs chromium"]
fn a_draft_is_stored_until_it_is_saved() {
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "not yet\n");
        visitor.type_into("#title", "a title");
        visitor.choose("#expires", "1h");
        visitor.open("/help");
        visitor.open("/");
        visitor.holds("#content", "not yet\n");
        visitor.holds("#title", "a title");
        visitor.holds("#expires", "1h");
        visitor.tells("#notice", "Draft restored.");
        visitor.click(".submit button");
        visitor.element(".listing");
        visitor.open("/");
        visitor.holds("#content", "");

        visitor.type_into("#content", "never");
        visitor.open("/");
        visitor.click("#notice button");
        visitor.open("/");
        visitor.holds("#content", "");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_draft_comes_back_without_the_options_that_a_link_sets() {
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "not yet\n");
        visitor.type_into("#title", "a title");
        visitor.choose("#expires", "1d");
        visitor.open("/?expires=1h&burn=2");
        visitor.holds("#content", "not yet\n");
        visitor.holds("#title", "a title");
        visitor.holds("#expires", "1h");
        visitor.holds("#burn", "2");
        visitor.click(".submit button");
        visitor.element(".listing, .message, .saved");
        assert_eq!(visitor.server.store.occupancy().pastes, 1);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_copy_of_a_paste_has_a_draft_of_its_own_until_it_is_saved() {
    visit(On, |visitor| {
        let saved = visitor.server.save("original\n");
        let copy = format!("/?from={}", saved.id);
        visitor.open("/");
        visitor.type_into("#content", "draft");
        visitor.open(&copy);
        visitor.holds("#content", "original\n");
        visitor.type_into("#content", "changed");
        visitor.open("/");
        visitor.holds("#content", "draft");
        visitor.open(&copy);
        visitor.holds("#content", "original\nchanged");
        visitor.click(".submit button");
        visitor.element(".listing");
        visitor.open(&copy);
        visitor.holds("#content", "original\n");
        visitor.open("/");
        visitor.holds("#content", "draft");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_text_typed_next_to_a_file_is_still_a_draft_after_the_file_is_saved() {
    let folder = Folder::new("files");
    folder.write("noise.bin", b"\x7fELF\xff\0\x01");
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "typed");
        let path = folder.path().join("noise.bin");
        visitor.choose_file("#file", &path);
        visitor.until("document.querySelector('#content').disabled");
        visitor.click(".submit button");
        visitor.element(".hex");
        visitor.open("/");
        visitor.holds("#content", "typed");
    });
}

/// Types this into the tab and leaves the page.
fn leave_typed(visitor: &Visitor, text: &str) {
    visitor.type_into("#content", text);
    visitor.open("/help");
}

#[test]
#[ignore = "needs chromium"]
fn two_tabs_never_write_over_the_draft_of_each_other() {
    visit(On, |visitor| {
        let one = visitor.session().front().to_owned();
        let two = visitor.session().open_tab();
        for tab in [&one, &two] {
            visitor.session().switch_to(tab);
            visitor.open("/");
        }
        leave_typed(visitor, "two");
        visitor.session().switch_to(&one);
        leave_typed(visitor, "one");
        // The drafts come back one after the other.
        for text in ["one", "two", ""] {
            visitor.open("/");
            visitor.holds("#content", text);
            if !text.is_empty() {
                visitor.click("#notice button");
            }
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_draft_that_the_browser_has_no_room_for_is_reported_and_no_older_one_is_left() {
    /// Fills the storage of the browser, so that it has no room for this many characters.
    const FILL: &str = "(() => { try { for (let n = 0; ; n += 1) localStorage[`f${n}`] = 'x'.repeat(9999); } \
                        catch { return true; } })()";
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "old");
        visitor.until("localStorage.draft !== undefined");
        visitor.evaluate(FILL);
        visitor.evaluate("document.querySelector('#content').value = 'x'.repeat(12000)");
        visitor.type_into("#title", "!");
        visitor.until("document.querySelector('#kept').textContent.includes('no space')");
        visitor.finds("localStorage.draft", Value::Null);
        visitor.evaluate("localStorage.clear()");
        visitor.type_into("#title", "!");
        visitor.until("document.querySelector('#kept').textContent === ''");
        visitor.open("/");
        visitor.holds("#title", "!!");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_draft_says_who_can_read_it_and_each_choice_ends_what_the_one_before_set() {
    const READERS: &str = "document.querySelector('.editor').elements.readers.value";
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "a draft");
        visitor.click("[value=once]");
        visitor.holds("#burn", "1");
        visitor.click("[value=password]");
        visitor.holds("#burn", "");
        visitor.until("localStorage.draft?.includes('password')");
        // When it comes back, then it is not open
        visitor.open("/help");
        visitor.open("/");
        visitor.holds("#content", "a draft");
        visitor.finds(READERS, "password");
        visitor.finds("document.querySelector('#password').required", true);
        // And nothing of it is left once it is encrypted
        visitor.type_into("#password", "dead reckoning");
        visitor.click("#encrypt");
        visitor.holds("#password", "");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_draft_contains_no_password() {
    const KEPT: &str = "JSON.stringify([{...localStorage}, {...sessionStorage}])";
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "a draft");
        visitor.click("#options summary");
        visitor.choose("#burn", "3");
        visitor.type_into("#password", "dead reckoning");
        visitor.type_into("#title", "the last");
        visitor.until(&format!("{KEPT}.includes('the last')"));
        let kept = visitor.evaluate(KEPT);
        assert!(!kept.to_string().contains("reckoning"), "{kept}");
        visitor.open("/help");
        let kept = visitor.evaluate(KEPT);
        assert!(!kept.to_string().contains("reckoning"), "{kept}");
        visitor.open("/");
        visitor.holds("#content", "a draft");
        visitor.holds("#burn", "3");
        visitor.holds("#password", "");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_change_has_a_draft_of_its_own_until_it_is_saved() {
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "original");
        visitor.click(".submit button");
        visitor.element(".listing");
        let path = visitor.path();
        let edit = format!("{path}/edit");
        visitor.open("/");
        leave_typed(visitor, "new");
        visitor.open(&edit);
        visitor.holds("#content", "original");
        leave_typed(visitor, " changed");
        visitor.open("/");
        visitor.holds("#content", "new");
        visitor.open(&edit);
        visitor.holds("#content", "original changed");
        visitor.click(".submit button");
        visitor.shows(".listing code", "original changed");
        visitor.is_at(&path);
        visitor.finds(
            "Object.keys(localStorage).filter(name => name.startsWith('draft'))",
            json!(["draft"]),
        );
    });
}
