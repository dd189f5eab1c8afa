//! Pastes that burn or have a password: a page shows nothing of the paste before its button is pressed.

use serde_json::Value::Null;

use super::{OPEN, open_closed, save_closed};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

const SECRET: &str = "the treasure lies below the third palm\n";

/// Checks whether the page shows the note that the paste was opened already.
const IS_ASKED: &str = "document.querySelector('#asked').checkVisibility()";

/// Asserts that the page contains nothing of the paste, visible or not.
fn tells_nothing(visitor: &Visitor) {
    let source = visitor.source();
    for word in ["treasure", "palm"] {
        assert!(!source.contains(word), "{word} in {source}");
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_burning_paste_is_shown_when_its_button_is_pressed_and_is_then_deleted() {
    visit(On, burn);
}

/// Saves a paste that burns, and reads it.
pub(super) fn burn(visitor: &Visitor) {
    let path = save_closed(visitor, SECRET, "1", "");
    tells_nothing(visitor);
    for _ in 0..10 {
        visitor.open(&path);
        tells_nothing(visitor);
    }
    visitor.shows("h1", "Burns after reading");
    visitor.tells(".gate", "You can view this once. After that it is deleted.");
    visitor.click(OPEN);
    visitor.shows(".listing code", SECRET);
    visitor.tells(".note", "This was the last view.");
    visitor.is_at(&path);
    // The page has no link to the deleted paste.
    let links = format!("document.querySelectorAll('[href*=\"{path}\"]').length");
    visitor.finds(&links, 0);
    // The browser repeats its request.
    visitor.reload();
    visitor.shows(".message h1", "No longer available");
    visitor.open(&path);
    visitor.shows(".message h1", "No longer available");
}

#[test]
#[ignore = "needs chromium"]
fn a_button_sends_its_request_once_however_long_the_response_takes() {
    visit(On, |visitor| {
        let path = save_closed(visitor, SECRET, "1", "");
        visitor.tells(".saved", "Saved. The next view deletes it.");
        visitor.finds(&format!("document.querySelector('{OPEN}')"), Null);
        visitor.open(&path);
        visitor.finds(IS_ASKED, false);
        // The last listener records whether each click was stopped by the page, and then stops the click itself.
        let pressed = format!(
            "(button => {{
                const kept = [];
                button.form.addEventListener('submit', event => {{
                    kept.push(event.defaultPrevented);
                    event.preventDefault();
                }});
                button.click();
                button.click();
                Date.now = () => Infinity;
                button.click();
                dispatchEvent(new PageTransitionEvent('pageshow', {{ persisted: true }}));
                button.click();
                return kept;
            }})(document.querySelector('{OPEN}'))"
        );
        let kept = visitor.evaluate(&pressed);
        // The last click comes after a return to this page, so the page lets it pass again.
        assert_eq!(kept, serde_json::json!([false, true, true, false]));
        visitor.finds(IS_ASKED, true);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_paste_that_came_as_a_file_can_be_read_again_from_a_reopened_page() {
    visit(On, |visitor| {
        let path = save_closed(visitor, SECRET, "3", "");
        visitor.open(&path);
        visitor.click(".gate form .quiet");
        visitor.finds(IS_ASKED, true);
        visitor.stays_at(&path);
        // Neither button sends a request now.
        visitor.click(OPEN);
        visitor.click(".gate form .quiet");
        visitor.stays_at(&path);
        visitor.follow("#asked a");
        visitor.is_at(&path);
        visitor.tells(".gate", "2 views left");
        visitor.click(OPEN);
        visitor.shows(".listing code", SECRET);
        visitor.tells(".note", "1 view left");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_page_whose_button_is_not_pressed_uses_no_view() {
    visit(On, |visitor| {
        let path = save_closed(visitor, SECRET, "1", "");
        for key in ["r", "d", "c"] {
            visitor.open(&path);
            visitor.press(key);
            visitor.stays_at(&path);
            visitor.shows("title", "Burns after reading · tidebin");
        }
        let read = visitor.server.request("POST", &path).body("").send();
        assert_eq!((read.status, read.text()), (200, SECRET));
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_paste_that_burns_after_three_views_shows_how_many_are_left() {
    visit(Off, |visitor| {
        let path = save_closed(visitor, SECRET, "3", "");
        for left in ["2 views left", "1 view left", "This was the last view."] {
            visitor.open(&path);
            visitor.click(OPEN);
            visitor.shows(".listing code", SECRET);
            visitor.tells(".note", left);
        }
        visitor.open(&path);
        visitor.shows(".message h1", "No longer available");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_paste_opens_with_its_password_and_after_a_wrong_one_asks_again() {
    visit(On, lock);
}

/// Saves a paste with a password, and opens it.
pub(super) fn lock(visitor: &Visitor) {
    let path = save_closed(visitor, SECRET, "", "dead reckoning é");
    tells_nothing(visitor);
    visitor.shows("h1", "Password protected");
    // Without a typed password the button sends no request.
    visitor.click(OPEN);
    visitor.stays_at(&path);
    visitor.finds("document.querySelectorAll('.complaint').length", 0);
    for _ in 0..2 {
        open_closed(visitor, "dead wreckoning");
        visitor.tells(".complaint", "password is wrong");
        tells_nothing(visitor);
        // The field is empty again.
        visitor.holds("#password", "");
        let source = visitor.source();
        assert!(!source.contains("wreckoning"));
        visitor.is_at(&path);
    }
    open_closed(visitor, "dead reckoning é");
    visitor.shows(".listing code", SECRET);
    visitor.shows("h1", "Password protected");
    visitor.tells(".facts", "1 view");
    let source = visitor.source();
    assert!(!source.contains("reckoning"));
    // Every new visit of the page asks again.
    visitor.open(&path);
    tells_nothing(visitor);
}

#[test]
#[ignore = "needs chromium"]
fn a_wrong_password_uses_up_no_read_of_a_paste_that_also_burns() {
    visit(On, |visitor| {
        let path = save_closed(visitor, SECRET, "1", "dead reckoning");
        visitor.open(&path);
        open_closed(visitor, "wrong");
        visitor.element(".complaint");
        visitor.open(&path);
        open_closed(visitor, "dead reckoning");
        visitor.shows(".listing code", SECRET);
        visitor.open(&path);
        visitor.shows(".message h1", "No longer available");
    });
}
