//! Pastes that burn or have a password: a page shows nothing of the paste before its button is pressed.

use super::{OPEN, open_closed, save_closed};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

const SECRET: &str = "the treasure lies below the third palm\n";

/// Checks whether the page shows the note that the paste was opened already.
const IS_ASKED: &str = "document.querySelector('#asked').checkVisibility()";

/// Asserts that the page contains nothing of the paste, visible or not.
async fn tells_nothing(visitor: &Visitor<'_>) {
    let source = visitor.source().await;
    for word in ["treasure", "palm"] {
        assert!(!source.contains(word), "{word} in {source}");
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_burning_paste_is_shown_when_its_button_is_pressed_and_is_then_deleted() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save_closed(visitor, SECRET, "1", "").await;
            tells_nothing(visitor).await;
            for _ in 0..10 {
                visitor.open(&path).await;
                tells_nothing(visitor).await;
            }
            visitor.shows("h1", "Burns after reading").await;
            visitor
                .tells(".gate", "You can view this once. After that it is deleted.")
                .await;
            visitor.click(OPEN).await;
            visitor.shows(".listing code", SECRET).await;
            visitor.tells(".note", "This was the last view.").await;
            visitor.is_at(&path).await;
            // The page has no link to the deleted paste.
            let links = format!("document.querySelectorAll('[href*=\"{path}\"]').length");
            visitor.finds(&links, 0).await;
            // The browser repeats its request.
            visitor.client.refresh().await.unwrap();
            visitor.shows(".message h1", "No longer available").await;
            visitor.open(&path).await;
            visitor.shows(".message h1", "No longer available").await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_button_sends_its_request_once_however_long_the_response_takes() {
    visit(On, async |visitor| {
        save_closed(visitor, SECRET, "1", "").await;
        visitor.finds(IS_ASKED, false).await;
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
        let kept = visitor.evaluate(&pressed).await;
        // The last click comes after a return to this page, so the page lets it pass again.
        assert_eq!(kept, serde_json::json!([false, true, true, false]));
        visitor.finds(IS_ASKED, true).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_paste_that_came_as_a_file_can_be_read_again_from_a_reopened_page() {
    visit(On, async |visitor| {
        let path = save_closed(visitor, SECRET, "3", "").await;
        visitor.click(".gate form .quiet").await;
        visitor.finds(IS_ASKED, true).await;
        visitor.stays_at(&path).await;
        // Neither button sends a request now.
        visitor.click(OPEN).await;
        visitor.click(".gate form .quiet").await;
        visitor.stays_at(&path).await;
        visitor.follow("#asked a").await;
        visitor.is_at(&path).await;
        visitor.tells(".gate", "2 views left").await;
        visitor.click(OPEN).await;
        visitor.shows(".listing code", SECRET).await;
        visitor.tells(".note", "1 view left").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_page_whose_button_is_not_pressed_uses_no_view() {
    visit(On, async |visitor| {
        let path = save_closed(visitor, SECRET, "1", "").await;
        for key in ["r", "d", "c"] {
            visitor.open(&path).await;
            visitor.press(key).await;
            visitor.stays_at(&path).await;
            visitor.shows("title", "A paste · tidebin").await;
        }
        let read = visitor.server.request("POST", &path).body("").send();
        assert_eq!((read.status, read.text()), (200, SECRET));
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_paste_that_burns_after_three_views_shows_how_many_are_left() {
    visit(Off, async |visitor| {
        let path = save_closed(visitor, SECRET, "3", "").await;
        for left in ["2 views left", "1 view left", "This was the last view."] {
            visitor.open(&path).await;
            visitor.click(OPEN).await;
            visitor.shows(".listing code", SECRET).await;
            visitor.tells(".note", left).await;
        }
        visitor.open(&path).await;
        visitor.shows(".message h1", "No longer available").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_paste_opens_with_its_password_and_after_a_wrong_one_asks_again() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save_closed(visitor, SECRET, "", "dead reckoning é").await;
            tells_nothing(visitor).await;
            visitor.shows("h1", "Password protected").await;
            // Without a typed password the button sends no request.
            visitor.click(OPEN).await;
            visitor.stays_at(&path).await;
            visitor
                .finds("document.querySelectorAll('.complaint').length", 0)
                .await;
            for _ in 0..2 {
                open_closed(visitor, "dead wreckoning").await;
                visitor.tells(".complaint", "password is wrong").await;
                tells_nothing(visitor).await;
                // The field is empty again.
                visitor.holds("#password", "").await;
                let source = visitor.source().await;
                assert!(!source.contains("wreckoning"));
                visitor.is_at(&path).await;
            }
            open_closed(visitor, "dead reckoning é").await;
            visitor.shows(".listing code", SECRET).await;
            visitor
                .tells(".note", "Password protected: anyone opening the link")
                .await;
            visitor.tells(".facts", "1 view").await;
            let source = visitor.source().await;
            assert!(!source.contains("reckoning"));
            // Every new visit of the page asks again.
            visitor.open(&path).await;
            tells_nothing(visitor).await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_wrong_password_uses_up_no_read_of_a_paste_that_also_burns() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save_closed(visitor, SECRET, "1", "dead reckoning").await;
            open_closed(visitor, "wrong").await;
            visitor.element(".complaint").await;
            visitor.open(&path).await;
            open_closed(visitor, "dead reckoning").await;
            visitor.shows(".listing code", SECRET).await;
            visitor.open(&path).await;
            visitor.shows(".message h1", "No longer available").await;
        });
    }
}
