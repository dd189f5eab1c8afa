//! Owners: the browser that saved a paste is recognized, any other is asked for the token.

use std::time::Duration;

use super::{EXPIRES, TYPED, delete, open_closed, open_menu, save, save_closed};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

/// The token that this browser got with the paste of the open page.
async fn token(visitor: &Visitor<'_>) -> String {
    let cookie = visitor.client.get_named_cookie("token").await;
    cookie.expect("it saved it").value().to_owned()
}

/// Replaces the value of a field.
async fn replace(visitor: &Visitor<'_>, css: &str, text: &str) {
    visitor.element(css).await.clear().await.unwrap();
    visitor.type_into(css, text).await;
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn counts_are_shown_to_the_browser_that_saved_and_with_the_token() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "").await;
            let token = token(visitor).await;
            open_menu(visitor).await;
            visitor.click("#menu a[href$='/stats']").await;
            let stats = format!("{path}/stats");
            let charts = "document.querySelectorAll('svg.chart').length";
            visitor.shows("h1", "Views").await;
            visitor.is_at(&stats).await;
            visitor.finds(charts, 2).await;
            visitor.tells(".facts", "1 view").await;
            visitor.click("summary").await;
            visitor
                .until("document.querySelector('figure td').checkVisibility()")
                .await;
            visitor.shows("figure td", "1").await;

            visitor.forget_cookies();
            visitor.open(&stats).await;
            visitor.shows("h1", "Owner only").await;
            visitor.finds(charts, 0).await;
            visitor.type_into("#token", "wrong").await;
            visitor.click(".gate button").await;
            visitor
                .tells(".complaint", "does not belong to this paste")
                .await;
            visitor.holds("#token", "").await;
            visitor.type_into("#token", &token).await;
            visitor.click(".gate button").await;
            visitor.shows("h1", "Views").await;
            visitor.is_at(&stats).await;
            // From now on this browser is recognized too.
            visitor.open(&path).await;
            visitor.element("#menu a[href$='/edit']").await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_owner_of_a_paste_changes_its_text_title_and_expiry() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "before").await;
            open_menu(visitor).await;
            visitor.click("#menu a[href$='/edit']").await;
            visitor.shows("h1", "Edit").await;
            visitor.is_at(&format!("{path}/edit")).await;
            visitor.holds("#content", TYPED).await;
            visitor.holds("#title", "before").await;
            replace(visitor, "#content", "fn after() {}\n").await;
            replace(visitor, "#title", "after").await;
            visitor.choose("#expires", "1d").await;
            visitor.click(".submit button").await;
            visitor.shows(".listing code", "fn after() {}\n").await;
            visitor.is_at(&path).await;
            visitor.shows("h1", "after").await;
            visitor.tells(".facts", "Rust").await;
            visitor.finds(EXPIRES, "2026-01-02T00:00:00Z").await;
            // Every client gets the new text, and no other client may change it.
            visitor.forget_cookies();
            visitor.open(&path).await;
            visitor.shows(".listing code", "fn after() {}\n").await;
            visitor.open(&format!("{path}/edit")).await;
            visitor.shows("h1", "Owner only").await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn without_scripts_a_change_of_an_expired_paste_can_be_saved_as_a_new_paste() {
    visit(Off, async |visitor| {
        let path = save(visitor, TYPED, "its title").await;
        open_menu(visitor).await;
        visitor.click("#menu a[href$='/edit']").await;
        replace(visitor, "#content", "</textarea>\nchanged\n").await;
        visitor.server.advance(Duration::from_secs(3601));
        visitor.follow(".submit button").await;
        visitor
            .tells(".complaint", "This paste no longer exists.")
            .await;
        visitor.is_at(&format!("{path}/edit")).await;
        visitor.holds("#content", "</textarea>\nchanged\n").await;
        visitor.holds("#title", "its title").await;
        visitor.click(".submit button").await;
        visitor
            .shows(".listing code", "</textarea>\nchanged\n")
            .await;
        visitor.shows("h1", "its title").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn fields_that_are_not_edited_stay_as_they_were() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "its title").await;
            visitor.open(&format!("{path}/edit")).await;
            visitor.click(".submit button").await;
            visitor.shows(".listing code", TYPED).await;
            visitor.shows("h1", "its title").await;
            visitor.tells(".facts", "Rust").await;
            visitor.finds(EXPIRES, "2026-01-01T01:00:00Z").await;
            assert_eq!(
                visitor.server.get(&format!("/raw{path}")).body,
                TYPED.as_bytes()
            );
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_password_protected_paste_is_changed_without_being_shown_and_stays_protected() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save_closed(visitor, "the old secret", "", "dead reckoning").await;
            open_menu(visitor).await;
            visitor.click("#menu a[href$='/edit']").await;
            visitor.shows("h1", "Edit").await;
            visitor.holds("#content", "").await;
            let source = visitor.source().await;
            assert!(!source.contains("the old secret"));
            visitor.type_into("#content", "the new secret").await;
            // Without the password nothing is sent.
            visitor.click(".submit button").await;
            visitor.stays_at(&format!("{path}/edit")).await;
            visitor.type_into("#password", "another").await;
            visitor.click(".submit button").await;
            visitor.element(".gate").await;
            visitor.shows("h1", "Password protected").await;
            visitor.is_at(&path).await;
            open_closed(visitor, "dead reckoning").await;
            visitor.element(".complaint").await;
            open_closed(visitor, "another").await;
            visitor.shows(".listing code", "the new secret").await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_refused_change_is_reported_and_the_text_is_still_there() {
    visit(On, async |visitor| {
        let path = save(visitor, TYPED, "").await;
        visitor.open(&format!("{path}/edit")).await;
        replace(visitor, "#content", "late").await;
        visitor.forget_cookies();
        visitor.click(".submit button").await;
        visitor
            .tells("#refusal", "Not saved. Only the owner can do this")
            .await;
        visitor.shows(".submit button", "Save changes").await;
        visitor.holds("#content", "late").await;
        assert_eq!(visitor.server.get(&path).text(), TYPED);
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_browser_without_tls_sends_no_site_and_its_owner_may_still_delete() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            visitor.open_by_name("/").await;
            visitor.type_into("#content", TYPED).await;
            visitor.click(".submit button").await;
            open_menu(visitor).await;
            visitor.click("#menu a[href$='/edit']").await;
            visitor.type_into("#title", "another title").await;
            visitor.click(".submit button").await;
            visitor.shows("h1.title", "another title").await;
            delete(visitor).await;
        });
    }
}
