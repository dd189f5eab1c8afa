//! The list of languages, on the page of a paste and in the editor.

use super::{TYPED, save};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::input::{ENTER, ESCAPE};
use crate::chromium::{Visitor, visit};

/// The names of the languages that the open list shows.
const SHOWN: &str =
    "[...document.querySelectorAll('#languages li:not([hidden])')].map(it => it.innerText).join()";

/// The languages whose ending is `rs`, or whose name contains it.
const WITH_RS: &str = "Rust,CODEOWNERS,Handlebars,PowerShell,Protocol Buffers";

#[test]
#[ignore = "needs chromium"]
fn a_reader_picks_a_language_whose_ending_the_address_then_has() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            let path = visitor.server.save("x = 1\n").path;
            visitor.open(&path);
            visitor.tells("#kind", "Plain text");
            visitor.click("#kind");
            visitor.element("#languages");
            if scripts == On {
                visitor.is_at(&path);
                visitor.type_into("#search", "pytho");
                visitor.finds(SHOWN, "Python");
                visitor.press(ENTER);
            } else {
                visitor.is_at(&format!("{path}/language"));
                visitor.click("#languages a[href$='.py']");
            }
            visitor.is_at(&format!("{path}.py"));
            visitor.tells("#kind", "Python");
            visitor.click("#kind");
            let marked = if scripts == On {
                "Python"
            } else {
                "As detected"
            };
            visitor.tells("#languages [aria-current]", marked);
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn enter_takes_the_language_with_exactly_the_typed_name() {
    visit(On, |visitor| {
        visitor.open("/");
        visitor.click("#options summary");
        visitor.click("#pick");
        visitor.type_into("#search", "c");
        visitor.press(ENTER);
        visitor.shows("#pick", "C");
        let path = visitor.server.save("x = 1\n").path;
        visitor.open(&path);
        visitor.click("#kind");
        visitor.type_into("#search", "r");
        visitor.press(ENTER);
        visitor.is_at(&format!("{path}.r"));
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_owners_choice_is_kept_for_every_reader() {
    visit(On, |visitor| {
        let path = save(visitor, TYPED, "");
        visitor.tells("#kind", "Rust");
        visitor.click("#kind");
        search(visitor, "rs", WITH_RS);
        visitor.clear("#search");
        visitor.click("#languages [value=c]");
        visitor.element(".listing");
        visitor.is_at(&path);
        visitor.tells("#kind", "C");
        visitor.forget_cookies();
        visitor.open(&path);
        visitor.shows("#kind", "Language: C");
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_list_narrows_to_a_name_or_an_ending_and_closes_with_escape() {
    visit(On, |visitor| {
        let path = visitor.server.save("x").path;
        for opened in [path.clone(), format!("{path}/language")] {
            visitor.open(&opened);
            if opened == path {
                visitor.press("l");
            }
            search(visitor, "kotl", "Kotlin");
            search(visitor, "rs", WITH_RS);
            search(visitor, "no such language", "");
            visitor.tells("#languages .none", "No language");
        }
        visitor.open(&path);
        visitor.press("l");
        visitor.until("document.activeElement.id === 'search'");
        visitor.press(ESCAPE);
        visitor.until("!document.querySelector('#languages').checkVisibility()");
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_editor_takes_a_language_from_the_list_that_a_draft_and_a_change_keep() {
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "x");
        visitor.click("#options summary");
        visitor.shows("#pick", "auto-detect");
        for (typed, label) in [("kotl", "Kotlin"), ("rs", "Rust")] {
            visitor.click("#pick");
            visitor.type_into("#search", &format!("{typed}{ENTER}"));
            visitor.shows("#pick", label);
            visitor.until("document.activeElement.id === 'pick'");
        }
        visitor.until("localStorage.draft.includes('rust')");
        visitor.open("/");
        visitor.shows("#chosen", "Rust. Expires in 7 days");
        visitor.click("#options summary");
        visitor.shows("#pick", "Rust");
        visitor.click("#pick");
        visitor.shows("#languages [aria-current]", "Rust");
        // The list starts with all of them again.
        visitor.finds(
            "document.querySelectorAll('#languages li[hidden]').length",
            0,
        );
        visitor.click("#languages [value=c]");
        visitor.click(".submit button");
        visitor.tells("#kind", "C");
        let path = visitor.path();
        visitor.open(&format!("{path}/edit"));
        visitor.click("#options summary");
        visitor.shows("#pick", "unchanged");
        visitor.click("#pick");
        visitor.type_into("#search", &format!("go{ENTER}"));
        visitor.click(".submit button");
        visitor.shows("#kind", "Language: Go");
    });
}

#[test]
#[ignore = "needs chromium"]
fn without_scripts_the_editor_has_the_languages_in_a_field() {
    visit(Off, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "x");
        visitor.click("#options summary");
        visitor.until("document.querySelector('#lang').checkVisibility()");
        visitor.until("!document.querySelector('#pick').checkVisibility()");
        visitor.choose("#lang", "rust");
        visitor.click(".submit button");
        visitor.tells("#kind", "Rust");
    });
}

/// Types into the search field, and asserts that these languages are left.
fn search(visitor: &Visitor, typed: &str, left: &str) {
    visitor.clear("#search");
    visitor.type_into("#search", typed);
    visitor.finds(SHOWN, left);
}
