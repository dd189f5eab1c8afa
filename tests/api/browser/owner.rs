//! Owners: the browser that saved a paste is recognized, any other is asked for the token.

use std::time::Duration;

use super::{EXPIRES, TYPED, delete, open_closed, save, save_closed};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

/// The token that this browser got with the paste of the open page.
fn token(visitor: &Visitor) -> String {
    visitor.cookie("token")
}

/// Replaces the value of a field.
fn replace(visitor: &Visitor, css: &str, text: &str) {
    visitor.clear(css);
    visitor.type_into(css, text);
}

#[test]
#[ignore = "needs chromium"]
fn a_link_with_the_token_as_its_fragment_deletes_when_its_button_is_pressed() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            let saved = visitor.server.save("a text\n");
            visitor.open(&format!("{}/delete#{}", saved.path, saved.token));
            visitor.shows("h1", "Delete this paste?");
            if scripts == Off {
                visitor.type_into("#token", &saved.token);
            }
            visitor.holds("#token", &saved.token);
            assert_eq!(visitor.server.get(&saved.path).status, 200);
            visitor.click("[name=delete]");
            visitor.shows("h1", "Deleted");
            assert_eq!(visitor.server.get(&saved.path).status, 410);
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn counts_are_shown_to_the_browser_that_saved_and_with_the_token() {
    visit(On, |visitor| {
        let path = save(visitor, TYPED, "");
        let token = token(visitor);
        visitor.server.browse(&path);
        visitor.click(".facts a[href$='/stats']");
        let stats = format!("{path}/stats");
        let charts = "document.querySelectorAll('svg.chart').length";
        visitor.shows("h1", "Views");
        visitor.is_at(&stats);
        visitor.finds(charts, 2);
        visitor.tells(".facts", "1 view");
        visitor.click("summary");
        visitor.until("document.querySelector('figure td').checkVisibility()");
        visitor.shows("figure td", "1");

        visitor.forget_cookies();
        visitor.open(&stats);
        visitor.shows("h1", "Owner only");
        visitor.finds(charts, 0);
        visitor.type_into("#token", "wrong");
        visitor.click(".gate button");
        visitor.tells(".complaint", "does not belong to this paste");
        visitor.holds("#token", "");
        visitor.type_into("#token", &token);
        visitor.click(".gate button");
        visitor.shows("h1", "Views");
        visitor.is_at(&stats);
        // From now on this browser is recognized too.
        visitor.open(&path);
        visitor.element(".head a[href$='/edit']");
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_owner_of_a_paste_changes_its_text_title_and_expiry() {
    visit(On, |visitor| {
        let path = save(visitor, TYPED, "before");
        visitor.click(".head a[href$='/edit']");
        visitor.shows("h1", "Edit");
        visitor.is_at(&format!("{path}/edit"));
        visitor.holds("#content", TYPED);
        visitor.holds("#title", "before");
        replace(visitor, "#content", "fn after() {}\n");
        replace(visitor, "#title", "after");
        visitor.choose("#expires", "1d");
        visitor.click(".submit button");
        visitor.shows(".listing code", "fn after() {}\n");
        visitor.is_at(&path);
        visitor.shows("h1", "after");
        visitor.tells("#kind", "Rust");
        visitor.finds(EXPIRES, "2026-01-02T00:00:00Z");
        // Every client gets the new text, and no other client may change it.
        visitor.forget_cookies();
        visitor.open(&path);
        visitor.shows(".listing code", "fn after() {}\n");
        visitor.open(&format!("{path}/edit"));
        visitor.shows("h1", "Owner only");
    });
}

#[test]
#[ignore = "needs chromium"]
fn without_scripts_a_change_of_an_expired_paste_can_be_saved_as_a_new_paste() {
    visit(Off, |visitor| {
        let path = save(visitor, TYPED, "its title");
        visitor.click(".head a[href$='/edit']");
        replace(visitor, "#content", "</textarea>\nchanged\n");
        visitor.server.advance(Duration::from_secs(3601));
        visitor.follow(".submit button");
        visitor.tells(".complaint", "This paste no longer exists.");
        visitor.is_at(&format!("{path}/edit"));
        visitor.holds("#content", "</textarea>\nchanged\n");
        visitor.holds("#title", "its title");
        visitor.click(".submit button");
        visitor.shows(".listing code", "</textarea>\nchanged\n");
        visitor.shows("h1", "its title");
    });
}

#[test]
#[ignore = "needs chromium"]
fn fields_that_are_not_edited_stay_as_they_were() {
    visit(On, |visitor| {
        let path = save(visitor, TYPED, "its title");
        visitor.open(&format!("{path}/edit"));
        visitor.click(".submit button");
        visitor.shows(".listing code", TYPED);
        visitor.shows("h1", "its title");
        visitor.tells("#kind", "Rust");
        visitor.finds(EXPIRES, "2026-01-01T01:00:00Z");
        assert_eq!(
            visitor.server.get(&format!("/raw{path}")).body,
            TYPED.as_bytes()
        );
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_password_protected_paste_is_changed_without_being_shown_and_stays_protected() {
    visit(On, |visitor| {
        let path = save_closed(visitor, "the old secret", "", "dead reckoning");
        visitor.click(".head a[href$='/edit']");
        visitor.shows("h1", "Edit");
        visitor.holds("#content", "");
        let source = visitor.source();
        assert!(!source.contains("the old secret"));
        visitor.type_into("#content", "the new secret");
        // Without the password nothing is sent.
        visitor.click(".submit button");
        visitor.stays_at(&format!("{path}/edit"));
        visitor.type_into("#password", "another");
        visitor.click(".submit button");
        visitor.element(".gate");
        visitor.shows("h1", "Password protected");
        visitor.is_at(&path);
        open_closed(visitor, "dead reckoning");
        visitor.element(".complaint");
        open_closed(visitor, "another");
        visitor.shows(".listing code", "the new secret");
        // The page of the text leads to the same form.
        visitor.click(".head a[href$='/edit']");
        visitor.is_at(&format!("{path}/edit"));
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_refused_change_is_reported_and_the_text_is_still_there() {
    visit(On, |visitor| {
        let path = save(visitor, TYPED, "");
        visitor.open(&format!("{path}/edit"));
        replace(visitor, "#content", "late");
        visitor.forget_cookies();
        visitor.click(".submit button");
        visitor.tells("#refusal", "Not saved. Only the owner can do this");
        visitor.shows(".submit button", "Save changes");
        visitor.holds("#content", "late");
        assert_eq!(visitor.server.get(&path).text(), TYPED);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_browser_without_tls_sends_no_site_and_its_owner_may_still_delete() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            visitor.open_by_name("/");
            visitor.type_into("#content", TYPED);
            visitor.click(".submit button");
            visitor.click(".head a[href$='/edit']");
            visitor.type_into("#title", "another title");
            visitor.click(".submit button");
            visitor.shows("h1.title", "another title");
            delete(visitor);
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_change_and_a_copy_keep_the_line_ends_of_windows() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            // Given a paste with the line ends of Windows, and its owner
            let saved = visitor.server.save("one\r\ntwo\r\n");
            visitor.open("/help");
            let own = format!("document.cookie = 'token={}; path=/'", saved.token);
            visitor.evaluate(&own);
            let raw = |path: &str| visitor.server.get(&format!("/raw{path}")).text().to_owned();

            // When the title alone is changed, then a line is added, and then it is copied
            for (field, typed, text) in [
                ("#title", "a title", "one\r\ntwo\r\n"),
                ("#content", "three", "one\r\ntwo\r\nthree"),
            ] {
                visitor.open(&format!("{}/edit", saved.path));
                visitor.type_into(field, typed);
                visitor.follow(".submit button");
                visitor.tells(".note", "Saved");
                assert_eq!(raw(&saved.path), text);
            }
            visitor.open(&format!("/?from={}", saved.id));
            visitor.follow(".submit button");
            visitor.element(".listing");

            // Then all of them have these line ends
            assert_eq!(
                raw(&visitor.path().replace("?saved", "")),
                "one\r\ntwo\r\nthree"
            );
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_new_title_keeps_line_ends_that_differ_and_a_changed_text_does_not() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            // Given a paste with line ends of several systems, and its owner
            let saved = visitor.server.save("one\r\ntwo\nthree");
            visitor.open("/help");
            let own = format!("document.cookie = 'token={}; path=/'", saved.token);
            visitor.evaluate(&own);
            for (field, typed, text) in [
                ("#title", "a title", "one\r\ntwo\nthree"),
                ("#content", "\nfour", "one\ntwo\nthree\nfour"),
            ] {
                // When it is changed, then the form warns, and what is not changed stays
                visitor.open(&format!("{}/edit", saved.path));
                visitor.tells(".note", "The line ends of this text differ.");
                visitor.type_into(field, typed);
                if field == "#title" {
                    visitor.click("[formaction]");
                    visitor.tells("#difference", "The text is not changed.");
                }
                visitor.follow("#save");
                visitor.tells(".note", "Saved");
                let raw = visitor.server.get(&format!("/raw{}", saved.path));
                assert_eq!(raw.text(), text);
            }
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_comparison_without_scripts_keeps_the_language_and_lifetime_chosen() {
    visit(Off, |visitor| {
        let path = save(visitor, "one\n", "");
        visitor.open(&format!("{path}/edit"));
        visitor.choose("#lang", "python");
        visitor.choose("#expires", "1h");
        visitor.click("[formaction]");
        visitor.tells("#difference", "not changed");
        visitor.holds("#lang", "python");
        visitor.holds("#expires", "1h");
    });
}

#[test]
#[ignore = "needs chromium"]
fn an_undo_restores_title_and_language_and_overwrites_no_later_change() {
    visit(On, |visitor| {
        // Given an owner who changes text, title and language of a paste
        let path = save(visitor, "fn main() {}\n", "");
        let edit = || {
            visitor.open(&format!("{path}/edit"));
            replace(visitor, "#content", "# a page\n");
            visitor.type_into("#title", "page.md");
            visitor.choose("#lang", "markdown");
            visitor.follow("#save");
            visitor.tells("h1", "page.md");
            visitor.until("!document.querySelector('#undo').hidden");
        };
        edit();

        // When the tab undoes it, then all of it is as before
        visitor.follow("#undo");
        visitor.tells("h1", "fn main");
        visitor.tells("#kind", "Rust");

        // When it is changed elsewhere before an undo, then that stays
        edit();
        let later = visitor.server.request("PUT", &path).body("later");
        let later = later.header("X-Token", token(visitor)).send();
        assert_eq!(later.status, 200);
        visitor.click("#undo");
        visitor.tells("#undo", "It was edited again since");
        let raw = visitor.server.get(&format!("/raw{path}"));
        assert_eq!(raw.text(), "later");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_change_can_be_compared_before_it_is_saved_and_tells_then_what_it_changed() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            // Given an owner who changes two lines
            let path = save(visitor, "one\ntwo\nthree\n", "");
            visitor.open(&format!("{path}/edit"));
            replace(visitor, "#content", "one\n2\n3\nfour\n");

            // When the difference is asked for, then it is shown, and nothing is stored
            visitor.click("[formaction]");
            visitor.tells("#difference", "four");
            visitor.finds("document.querySelectorAll('#difference ins[id]').length", 3);
            visitor.holds("#content", "one\n2\n3\nfour\n");
            let raw = || visitor.server.get(&format!("/raw{path}")).text().to_owned();
            assert_eq!(raw(), "one\ntwo\nthree\n");

            // When it is saved, then the page tells how many lines were added and removed
            visitor.follow("#save");
            visitor.tells(".note", "Saved: +3 −2");
            assert_eq!(raw(), "one\n2\n3\nfour\n");
            let can_undo = "!document.querySelector('#undo').hidden";
            match scripts {
                On => visitor.until(can_undo),
                Off => visitor.finds(can_undo, false),
            }

            // When this tab undoes it, then the old text is back, and no reader is told of it
            if scripts == On {
                visitor.is_at(&path);
                visitor.follow("#undo");
                visitor.tells(".note", "Saved: +2 −3");
                assert_eq!(raw(), "one\ntwo\nthree\n");
                visitor.finds(can_undo, false);
            }
            visitor.forget_cookies();
            visitor.open(&format!("{path}?changed=1-1"));
            visitor.finds("document.querySelectorAll('.note').length", 0);
        });
    }
}
