//! The list of languages on the page of a paste.

use super::{TYPED, save};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

/// The names of the languages that the open list shows.
const SHOWN: &str =
    "[...document.querySelectorAll('#languages li:not([hidden])')].map(it => it.innerText).join()";

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_reader_picks_a_language_whose_ending_the_address_then_has() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = visitor.server.save("x = 1\n").path;
            visitor.open(&path).await;
            visitor.tells("#kind", "Plain text").await;
            visitor.click("#kind").await;
            visitor.element("#languages").await;
            if scripts == On {
                visitor.is_at(&path).await;
                visitor.type_into("#search", "pytho").await;
                visitor.finds(SHOWN, "Python").await;
                visitor.press("\u{e007}").await;
            } else {
                visitor.is_at(&format!("{path}/language")).await;
                visitor.click("#languages a[href$='.py']").await;
            }
            visitor.is_at(&format!("{path}.py")).await;
            visitor.tells("#kind", "Python").await;
            visitor.click("#kind").await;
            let marked = if scripts == On {
                "Python"
            } else {
                "As detected"
            };
            visitor.tells("#languages [aria-current]", marked).await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_owners_choice_is_kept_for_every_reader() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "").await;
            visitor.tells("#kind", "Rust").await;
            visitor.click("#kind").await;
            visitor.click("#languages [value=c]").await;
            visitor.element(".listing").await;
            visitor.is_at(&path).await;
            visitor.tells("#kind", "C").await;
            visitor.forget_cookies();
            visitor.open(&path).await;
            visitor.shows("#kind", "Language: C").await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_list_narrows_to_a_name_or_an_ending_and_closes_with_escape() {
    visit(On, async |visitor| {
        let path = visitor.server.save("x").path;
        for opened in [path.clone(), format!("{path}/language")] {
            visitor.open(&opened).await;
            if opened == path {
                visitor.press("l").await;
            }
            search(visitor, "kotl", "Kotlin").await;
            search(
                visitor,
                "rs",
                "Rust,CODEOWNERS,Handlebars,PowerShell,Protocol Buffers",
            )
            .await;
            search(visitor, "no such language", "").await;
            visitor.tells("#languages .none", "No language").await;
        }
        visitor.open(&path).await;
        visitor.press("l").await;
        visitor
            .until("document.activeElement.id === 'search'")
            .await;
        visitor.press("\u{e00c}").await;
        visitor
            .until("!document.querySelector('#languages').checkVisibility()")
            .await;
    });
}

/// Types into the search field, and asserts that these languages are left.
async fn search(visitor: &Visitor<'_>, typed: &str, left: &str) {
    visitor.element("#search").await.clear().await.unwrap();
    visitor.type_into("#search", typed).await;
    visitor.finds(SHOWN, left).await;
}
