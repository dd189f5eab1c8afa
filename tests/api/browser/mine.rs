//! The list of an owner's pastes. The browser takes 127.0.0.1 for a safe host, so that it keeps the cookie without TLS.

use super::TYPED;
use crate::chromium::Scripts::On;
use crate::chromium::{Visitor, visit_server};
use crate::server::TestServer;

/// When the first or the last paste of the list expires.
pub(super) fn expires(place: &str) -> String {
    format!("document.querySelector('.mine li:{place}-child time[data-when=future]').dateTime")
}

/// How many pastes the list has.
const LISTED: &str = "document.querySelectorAll('.mine li').length";

fn server() -> TestServer {
    TestServer::with(&["--base-url", "https://bin.example"])
}

/// Saves a paste with this title.
fn save(visitor: &Visitor, title: &str) {
    visitor.open("/");
    visitor.type_into("#content", TYPED);
    visitor.type_into("#title", title);
    visitor.choose("#expires", "1h");
    visitor.click(".submit button");
    visitor.tells(".note", "Saved.");
}

#[test]
#[ignore = "needs chromium"]
fn what_a_browser_saves_is_listed_extended_deleted_and_forgotten() {
    visit_server(server(), On, list);
}

/// Saves three pastes, and changes them on the list.
pub(super) fn list(visitor: &Visitor) {
    visitor.open("/mine");
    visitor.tells("main", "is not the owner of any paste");
    for title in ["one", "two", "three"] {
        save(visitor, title);
    }
    // The token is shown once, next to the link
    visitor.element(".note code");
    visitor.click(".top a[href='/mine']");
    visitor.finds(LISTED, 3);
    visitor.shows(".mine li:first-child bdi", "three");
    visitor.finds(&expires("first"), "2026-01-01T01:00:00Z");
    // Extend one
    visitor.click(".mine li:first-child input");
    visitor.choose("#expires", "1d");
    visitor.click("button[value=extend]");
    visitor.finds(&expires("first"), "2026-01-02T00:00:00Z");
    visitor.finds(&expires("last"), "2026-01-01T01:00:00Z");
    // Delete two at once, after a question
    for place in ["first", "last"] {
        visitor.click(&format!(".mine li:{place}-child input"));
    }
    visitor.finds(
        "document.querySelector('button[value=delete]').checkVisibility()",
        false,
    );
    visitor.click(".delete summary");
    visitor.click("button[value=delete]");
    visitor.finds(LISTED, 1);
    visitor.shows(".mine bdi", "two");
    // A listed paste opens as its owner sees it
    visitor.click(".mine li a");
    visitor.element("#menu a[href$='/edit']");
    // Forget me
    visitor.open("/mine");
    visitor.click("form[action='/mine/forget'] button");
    visitor.shows("h1", "Forgotten");
    visitor.open("/mine");
    visitor.tells("main", "is not the owner of any paste");
}

#[test]
#[ignore = "needs chromium"]
fn the_list_fits_a_phone_whatever_the_titles() {
    visit_server(server(), On, |visitor| {
        save(visitor, &"x".repeat(250));
        visitor.take_a_phone(320);
        visitor.open("/mine");
        visitor.finds(LISTED, 1);
        visitor.finds("document.documentElement.scrollWidth", 320);
    });
}
