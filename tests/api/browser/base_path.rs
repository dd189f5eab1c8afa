//! A server below a path: no action there leads elsewhere. The log of the browser has every request.

use super::{delete, open_menu};
use crate::chromium::Scripts::{self, Off, On};
use crate::chromium::{Visitor, visit_server};
use crate::server::TestServer;

/// Visits a server whose base URL has the path `/paste`.
fn visit(scripts: Scripts, test: impl AsyncFnOnce(&Visitor)) {
    let server = TestServer::with(&["--base-url", "http://example.org/paste"]);
    visit_server(server, scripts, async |visitor| {
        visitor.must_stay_below("/paste/");
        test(visitor).await;
    });
}

/// Saves, changes, copies and deletes a paste, and goes wherever its pages lead.
async fn use_everything(visitor: &Visitor<'_>) {
    visitor.open("/paste/").await;
    visitor.type_into("#content", "text").await;
    visitor.follow(".submit button").await;
    visitor.element(".listing").await;
    let path = visitor.path().await.replace("?saved", "");
    assert_eq!(path.len(), "/paste/0123456789ab".len(), "{path}");
    visitor
        .until("[...document.images].every(image => image.naturalWidth)")
        .await;
    open_menu(visitor).await;
    visitor.follow("a[href*='/qr/']").await;
    visitor.open(&path).await;
    open_menu(visitor).await;
    visitor.follow("a[href$='/stats']").await;
    visitor.tells("h1", "Views").await;
    visitor.follow(".of a").await;
    open_menu(visitor).await;
    visitor.follow("a[href$='/edit']").await;
    visitor.type_into("#content", "more ").await;
    visitor.follow(".submit button").await;
    visitor.is_at(&path).await;
    open_menu(visitor).await;
    visitor.follow("a[href*='?from=']").await;
    visitor.holds("#content", "more text").await;
    visitor.follow("nav a[href$='/help']").await;
    visitor.follow("a[href$='/api']").await;
    visitor.follow("a.brand").await;
    visitor.is_at("/paste/").await;
    visitor.type_into("#url", "https://else.example/").await;
    visitor.follow(".shorten button").await;
    assert!(visitor.path().await.contains('+'));
    visitor.open(&path).await;
    delete(visitor).await;
    visitor.follow("main a.button").await;
    visitor.is_at("/paste/").await;
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn no_page_leads_out_of_the_base_path_with_scripts() {
    visit(On, use_everything);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn no_page_leads_out_of_the_base_path_without_scripts() {
    visit(Off, use_everything);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn drafts_and_choices_are_stored_under_the_base_path() {
    visit(On, async |visitor| {
        visitor.open("/paste/").await;
        visitor
            .evaluate("localStorage.setItem('draft', 'of another program')")
            .await;
        visitor.type_into("#content", "not yet").await;
        visitor.click("#theme").await;
        visitor.open("/paste/help").await;
        visitor.open("/paste/").await;
        visitor.holds("#content", "not yet").await;
        visitor
            .finds(
                "Object.keys(localStorage).sort().join(' ')",
                "/paste/draft /paste/theme draft",
            )
            .await;
    });
}
