//! The list of an owner's pastes. The browser takes 127.0.0.1 for a safe host, so that it keeps the cookie without TLS.

use super::TYPED;
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit_server};
use crate::server::TestServer;

/// When the first or the last paste of the list expires.
pub(super) fn expires(place: &str) -> String {
    format!("document.querySelector('.mine li:{place}-child time').dateTime")
}

/// How many pastes the list has.
const LISTED: &str = "document.querySelectorAll('.mine li').length";

fn server() -> TestServer {
    TestServer::with(&["--base-url", "https://bin.example"])
}

/// Saves a paste with this title.
async fn save(visitor: &Visitor<'_>, title: &str) {
    visitor.open("/").await;
    visitor.type_into("#content", TYPED).await;
    visitor.type_into("#title", title).await;
    visitor.choose("#expires", "1h").await;
    visitor.click(".submit button").await;
    visitor.tells(".note", "Saved.").await;
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn what_a_browser_saves_is_listed_extended_deleted_and_forgotten() {
    for scripts in [On, Off] {
        visit_server(server(), scripts, async |visitor| {
            visitor.open("/mine").await;
            visitor.tells("main", "is not the owner of any paste").await;
            for title in ["one", "two", "three"] {
                save(visitor, title).await;
            }
            // The token is shown once, next to the link
            visitor.element(".note code").await;
            visitor.click(".top a[href='/mine']").await;
            visitor.finds(LISTED, 3).await;
            visitor.shows(".mine li:first-child bdi", "three").await;
            visitor
                .finds(&expires("first"), "2026-01-01T01:00:00Z")
                .await;
            // Extend one
            visitor.click(".mine li:first-child input").await;
            visitor.choose("#expires", "1d").await;
            visitor.click("button[value=extend]").await;
            visitor
                .finds(&expires("first"), "2026-01-02T00:00:00Z")
                .await;
            visitor
                .finds(&expires("last"), "2026-01-01T01:00:00Z")
                .await;
            // Delete two at once
            for place in ["first", "last"] {
                visitor
                    .click(&format!(".mine li:{place}-child input"))
                    .await;
            }
            visitor.click("button[value=delete]").await;
            visitor.finds(LISTED, 1).await;
            visitor.shows(".mine bdi", "two").await;
            // A listed paste opens as its owner sees it
            visitor.click(".mine li a").await;
            visitor.element("#menu a[href$='/edit']").await;
            // Forget me
            visitor.open("/mine").await;
            visitor.click("form[action='/mine/forget'] button").await;
            visitor.shows("h1", "Forgotten").await;
            visitor.open("/mine").await;
            visitor.tells("main", "is not the owner of any paste").await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_list_fits_a_phone_whatever_the_titles() {
    visit_server(server(), On, async |visitor| {
        save(visitor, &"x".repeat(250)).await;
        visitor.take_a_phone(320);
        visitor.open("/mine").await;
        visitor.finds(LISTED, 1).await;
        visitor
            .finds("document.documentElement.scrollWidth", 320)
            .await;
    });
}
