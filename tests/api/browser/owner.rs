//! Who saved a paste: the browser that did is known, any other is asked for the token.

use super::{TYPED, open_closed, save, save_closed, value};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

/// The token that this browser got with the paste of the page that is open.
async fn token(visitor: &Visitor<'_>) -> String {
    let cookie = visitor.client.get_named_cookie("token").await;
    cookie.expect("it saved it").value().to_owned()
}

/// Writes this where something else stands.
async fn replace(visitor: &Visitor<'_>, css: &str, text: &str) {
    visitor.element(css).await.clear().await.unwrap();
    visitor.type_into(css, text).await;
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn counts_are_for_the_browser_that_saved_it_and_for_who_has_the_token() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "").await;
            let token = token(visitor).await;
            visitor.click(".actions a[href$='/stats']").await;
            let stats = format!("{path}/stats");
            let charts = "document.querySelectorAll('svg.chart').length";
            assert_eq!(visitor.text("h1").await, "Reads");
            assert_eq!(visitor.path().await, stats);
            assert_eq!(visitor.evaluate(charts).await, 2);
            assert!(visitor.text(".facts").await.contains("read once"));
            visitor.click("summary").await;
            let cell = visitor.element("figure td").await;
            assert!(cell.is_displayed().await.unwrap());
            assert_eq!(cell.text().await.unwrap(), "1");

            visitor.forget_cookies();
            visitor.open(&stats).await;
            assert_eq!(visitor.text("h1").await, "Only for who saved it");
            assert_eq!(visitor.evaluate(charts).await, 0);
            visitor.type_into("#token", "wrong").await;
            visitor.click(".gate button").await;
            assert!(
                visitor
                    .text(".complaint")
                    .await
                    .contains("not the token of this paste")
            );
            assert_eq!(value(visitor, "#token").await, "");
            visitor.type_into("#token", &token).await;
            visitor.click(".gate button").await;
            assert_eq!(visitor.text("h1").await, "Reads");
            assert_eq!(visitor.path().await, stats);
            // From now on it is known here too.
            visitor.open(&path).await;
            visitor.element(".actions a[href$='/stats']").await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn who_saved_a_paste_changes_its_text_title_and_lifetime() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "before").await;
            visitor.click(".actions a[href$='/edit']").await;
            assert_eq!(visitor.text("h1").await, "Edit");
            assert_eq!(visitor.path().await, format!("{path}/edit"));
            assert_eq!(value(visitor, "#content").await, TYPED);
            assert_eq!(value(visitor, "#title").await, "before");
            replace(visitor, "#content", "fn after() {}\n").await;
            replace(visitor, "#title", "after").await;
            visitor.choose("#expires", "1d").await;
            visitor.click(".submit button").await;
            assert_eq!(visitor.text(".listing code").await, "fn after() {}\n");
            assert_eq!(visitor.path().await, path);
            assert_eq!(visitor.text("h1").await, "after");
            let facts = visitor.text(".facts").await;
            for fact in ["Rust", "goes out in 1 day"] {
                assert!(facts.contains(fact), "no {fact} in {facts}");
            }
            // Everybody has the new one, and nobody else may change it.
            visitor.forget_cookies();
            visitor.open(&path).await;
            assert_eq!(visitor.text(".listing code").await, "fn after() {}\n");
            visitor.open(&format!("{path}/edit")).await;
            assert_eq!(visitor.text("h1").await, "Only for who saved it");
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn what_was_not_touched_stays_as_it_was() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "its title").await;
            visitor.open(&format!("{path}/edit")).await;
            visitor.click(".submit button").await;
            assert_eq!(visitor.text(".listing code").await, TYPED);
            assert_eq!(visitor.text("h1").await, "its title");
            let facts = visitor.text(".facts").await;
            for fact in ["Rust", "goes out in 1 hour"] {
                assert!(facts.contains(fact), "no {fact} in {facts}");
            }
            assert_eq!(
                visitor.server.get(&format!("/raw{path}")).body,
                TYPED.as_bytes()
            );
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_locked_paste_is_changed_without_being_shown_and_stays_locked() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save_closed(visitor, "the old secret", "", "dead reckoning").await;
            visitor.click(".actions a[href$='/edit']").await;
            assert_eq!(visitor.text("h1").await, "Edit");
            assert_eq!(value(visitor, "#content").await, "");
            let source = visitor.client.source().await.unwrap();
            assert!(!source.contains("the old secret"));
            visitor.type_into("#content", "the new secret").await;
            // Without its password nothing is sent.
            visitor.click(".submit button").await;
            assert_eq!(visitor.path().await, format!("{path}/edit"));
            visitor.type_into("#password", "another").await;
            visitor.click(".submit button").await;
            visitor.element(".gate").await;
            assert_eq!(visitor.text("h1").await, "A locked paste");
            assert_eq!(visitor.path().await, path);
            open_closed(visitor, "dead reckoning").await;
            visitor.element(".complaint").await;
            open_closed(visitor, "another").await;
            assert_eq!(visitor.text(".listing code").await, "the new secret");
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_change_that_is_refused_says_so_and_the_text_is_still_there() {
    visit(On, async |visitor| {
        let path = save(visitor, TYPED, "").await;
        visitor.open(&format!("{path}/edit")).await;
        replace(visitor, "#content", "late").await;
        visitor.forget_cookies();
        visitor.click(".submit button").await;
        visitor
            .until("document.querySelector('#refusal').textContent !== ''")
            .await;
        assert!(
            visitor
                .text("#refusal")
                .await
                .starts_with("Not saved. This needs the token")
        );
        assert_eq!(visitor.text(".submit button").await, "Save changes");
        assert_eq!(value(visitor, "#content").await, "late");
        assert_eq!(visitor.server.get(&path).text(), TYPED);
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn without_tls_a_browser_tells_no_site_and_its_owner_may_delete_all_the_same() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            visitor.open_by_name("/").await;
            visitor.type_into("#content", TYPED).await;
            visitor.click(".submit button").await;
            visitor.click(".actions a[href$='/edit']").await;
            visitor.type_into("#title", "another title").await;
            visitor.click(".submit button").await;
            assert_eq!(visitor.text("h1.title").await, "another title");
            visitor.click(".actions .danger").await;
            assert_eq!(visitor.text(".message h1").await, "Deleted");
        });
    }
}
