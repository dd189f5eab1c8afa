//! A server below a path: no action there leads elsewhere. The log of the browser has every request.

use super::{delete, open_menu};
use crate::chromium::Scripts::{self, Off, On};
use crate::chromium::{Visitor, visit_server};
use crate::server::TestServer;

/// Visits a server whose base URL has the path `/paste`.
fn visit(scripts: Scripts, test: impl FnOnce(&Visitor)) {
    let server = TestServer::with(&["--base-url", "http://example.org/paste"]);
    visit_server(server, scripts, |visitor| {
        visitor.must_stay_below("/paste/");
        test(visitor);
    });
}

/// Saves, changes, copies and deletes a paste, and goes wherever its pages lead.
fn use_everything(visitor: &Visitor) {
    visitor.open("/paste/");
    visitor.type_into("#content", "text");
    visitor.follow(".submit button");
    visitor.element(".listing");
    let path = visitor.path().replace("?saved", "");
    assert_eq!(path.len(), "/paste/0123456789ab".len(), "{path}");
    visitor.until(
        "[...document.images].every(image => image.naturalWidth || !image.checkVisibility())",
    );
    visitor.open(&path);
    open_menu(visitor);
    visitor.follow("a[href*='/qr/']");
    visitor.open(&path);
    visitor.follow("a[href$='/stats']");
    visitor.tells("h1", "Views");
    visitor.follow(".of a");
    visitor.follow("a[href$='/edit']");
    visitor.type_into("#content", " more");
    visitor.follow(".submit button");
    visitor.tells(".note", "Saved: +1 −1");
    open_menu(visitor);
    visitor.follow("a[href*='?from=']");
    visitor.holds("#content", "text more");
    visitor.follow("nav a[href$='/help']");
    visitor.follow("a[href$='/api']");
    visitor.follow("a.brand");
    visitor.is_at("/paste/");
    visitor.click(".shorten summary");
    visitor.type_into("#url", "https://else.example/");
    visitor.follow(".shorten button");
    assert!(visitor.path().contains('+'));
    visitor.open(&path);
    delete(visitor);
    visitor.follow("main a.button");
    visitor.is_at("/paste/");
}

#[test]
#[ignore = "needs chromium"]
fn no_page_leads_out_of_the_base_path_with_scripts() {
    visit(On, use_everything);
}

#[test]
#[ignore = "needs chromium"]
fn no_page_leads_out_of_the_base_path_without_scripts() {
    visit(Off, use_everything);
}

#[test]
#[ignore = "needs chromium"]
fn drafts_and_choices_are_stored_under_the_base_path() {
    visit(On, |visitor| {
        visitor.open("/paste/");
        visitor.evaluate("localStorage.setItem('draft', 'of another program')");
        visitor.type_into("#content", "not yet");
        visitor.click("#theme");
        visitor.open("/paste/help");
        visitor.open("/paste/");
        visitor.holds("#content", "not yet");
        visitor.finds(
            "Object.keys(localStorage).sort().join(' ')",
            "/paste/draft /paste/theme draft",
        );
    });
}
