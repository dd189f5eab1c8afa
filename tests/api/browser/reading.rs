//! The page of a paste: reading, copying, marking and deleting.

use serde_json::json;

use super::{TYPED, delete, save};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::input::{BACKSPACE, CONTROL, ENTER, ESCAPE};
use crate::chromium::visit;

#[test]
#[ignore = "needs chromium"]
fn every_line_has_a_number_that_is_not_part_of_a_selection() {
    visit(Off, |visitor| {
        save(visitor, TYPED, "");
        let lines = "[...document.querySelectorAll('.listing [id]')]";
        let ids = visitor.evaluate(&format!("{lines}.map(line => line.id)"));
        assert_eq!(ids, json!(["L1", "L2", "L3", "L4", "L5"]));
        let drawn = "getComputedStyle(line, '::before').content";
        let numbers = visitor.evaluate(&format!("{lines}.map(line => {drawn})"));
        let drawn = ["1", "2", "3", "4", "5"].map(|number| format!("\"{number}\" / \"\""));
        assert_eq!(numbers, json!(drawn));
        visitor.evaluate("getSelection().selectAllChildren(document.querySelector('.listing'))");
        visitor.finds("getSelection().toString()", TYPED);
    });
}

#[test]
#[ignore = "needs chromium"]
fn raw_shows_the_exact_text_with_its_line_ends_as_typed() {
    visit(On, |visitor| {
        let path = save(visitor, TYPED, "");
        visitor.click(".view a[href^='/raw/']");
        visitor.shows("body > pre", TYPED);
        visitor.is_at(&format!("/raw{path}"));
        let raw = visitor.server.get(&format!("/raw{path}"));
        assert_eq!(raw.text(), TYPED);
    });
}

#[test]
#[ignore = "needs chromium"]
fn requested_lines_are_marked_and_in_view() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            let long: String = (1..=300).map(|n| format!("line {n}\n")).collect();
            let path = visitor.server.save(long).path;
            visitor.open(&format!("{path}.rs?lines=200-202"));
            visitor.element(".listing .marked");
            let marked = "[...document.querySelectorAll('.marked')]";
            let texts = visitor.evaluate(&format!("{marked}.map(line => line.textContent)"));
            assert_eq!(texts, json!(["line 200\n", "line 201\n", "line 202\n"]));
            visitor.until("scrollY > 0");
            let places = format!("{marked}.map(line => line.getBoundingClientRect())");
            let seen =
                format!("{places}.every(place => place.top > 0 && place.bottom < innerHeight)");
            visitor.finds(&seen, true);

            visitor.open(&format!("{path}?lines=2-3"));
            visitor.finds(&format!("{marked}.length"), 2);
            visitor.finds("scrollY", 0);
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn the_owner_of_a_paste_deletes_it_in_the_menu_of_its_page_and_is_asked_once() {
    visit(On, |visitor| {
        let path = save(visitor, TYPED, "");
        delete(visitor);
        visitor.open(&path);
        visitor.shows(".message h1", "No longer available");
        visitor.tells("main", "deleted by its owner");
        assert_eq!(visitor.server.browse(&path).status, 410);
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_owner_deletes_a_paste_with_its_token_from_any_browser() {
    visit(On, |visitor| {
        let saved = visitor.server.save("x");
        visitor.open(&saved.path);
        visitor.click("footer a[href$='/stats']");
        visitor.type_into("#token", &saved.token);
        visitor.click(".gate button");
        visitor.click(".delete summary");
        visitor.click(".delete button");
        visitor.shows(".message h1", "Deleted");
        assert_eq!(visitor.server.get(&saved.path).status, 410);
    });
}

#[test]
#[ignore = "needs chromium"]
fn text_and_link_are_copied_by_buttons_that_only_scripts_show() {
    visit(On, |visitor| {
        let path = save(visitor, TYPED, "");
        let url = format!("http://{}{path}", visitor.server.addr);
        for (button, copied) in [("copy", TYPED), ("copy-link", &url)] {
            visitor.open(&path);
            visitor.click(&format!("#{button}"));
            let says = format!("document.getElementById('{button}').textContent === 'Copied'");
            visitor.until(&says);
            visitor.open("/");
            visitor.type_into("#content", &format!("{CONTROL}v"));
            visitor.holds("#content", copied);
            visitor.type_into("#content", &format!("{CONTROL}a{CONTROL}{BACKSPACE}"));
        }
    });
    visit(Off, |visitor| {
        save(visitor, TYPED, "");
        for button in ["#copy", "#copy-link", "#theme"] {
            let is_shown = format!("document.querySelector('{button}').checkVisibility()");
            visitor.finds(&is_shown, false);
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn single_keys_work_as_the_help_names_them_unless_switched_off_there() {
    visit(On, |visitor| {
        let path = visitor.server.save("x").path;
        let is_open = "document.querySelector('#menu').matches(':popover-open')";
        visitor.open(&path);
        visitor.press("?");
        visitor.finds(is_open, true);
        visitor.press(ESCAPE);
        visitor.finds(is_open, false);
        visitor.press("q");
        visitor.is_at(&format!("/qr{path}"));
        visitor.open(&path);
        visitor.press("w");
        visitor.finds("document.querySelector('#wrap').checked", false);
        visitor.press("c");
        visitor.until("document.querySelector('#copy').textContent === 'Copied'");
        visitor.press("y");
        visitor.until("document.querySelector('#copy-link').textContent === 'Copied'");
        visitor.press("r");
        visitor.is_at(&format!("/raw{path}"));
        visitor.open("/help");
        visitor.click("#single-keys");
        visitor.open(&path);
        visitor.press("n");
        visitor.stays_at(&path);
    });
}

#[test]
#[ignore = "needs chromium"]
fn long_lines_wrap_until_wrapping_is_switched_off_which_is_remembered() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            let path = visitor.server.save("long ".repeat(200)).path;
            visitor.open(&path);
            let hidden =
                "(pre => pre.scrollWidth - pre.clientWidth)(document.querySelector('.listing'))";
            visitor.finds(hidden, 0);
            visitor.click("#wrap");
            visitor.until(&format!("{hidden} > 1000"));
            visitor.open(&path);
            let is_remembered = format!("{hidden} > 1000");
            visitor.finds(&is_remembered, scripts == On);
            let checked = "document.querySelector('#wrap').checked";
            visitor.finds(checked, scripts == Off);
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn what_a_page_does_not_show_exactly_is_copied_exactly_from_the_server() {
    visit(On, |visitor| {
        for (text, ending) in [("ad\u{200b}min\n", ""), ("# A *title*\n", ".md")] {
            visitor.open("/");
            let path = visitor.server.save(text).path;
            visitor.open(&format!("{path}{ending}"));
            visitor.click("#copy");
            visitor.shows("#copy", "Copied");
            visitor.open("/");
            visitor.type_into("#content", &format!("{CONTROL}v"));
            visitor.holds("#content", text);
            visitor.type_into("#content", &format!("{CONTROL}a{CONTROL}{BACKSPACE}"));
        }
        let path = visitor.server.save("a\0b").path;
        visitor.open(&path);
        visitor.click("#copy");
        visitor.shows("#copy", "Copied, not exactly");
    });
}

#[test]
#[ignore = "needs chromium"]
fn after_a_save_enter_copies_the_link_and_the_qr_code_and_token_are_one_click_away() {
    visit(On, |visitor| {
        let path = save(visitor, TYPED, "A title");
        visitor.finds("document.activeElement.id", "copy-link");
        visitor.press(ENTER);
        visitor.shows("#copy-link", "Copied");
        let copied = visitor.awaited("navigator.clipboard.readText()");
        assert_eq!(copied, format!("http://{}{path}", visitor.server.addr));
        visitor.finds("document.querySelector('#qr img').checkVisibility()", false);
        visitor.click("[popovertarget=qr]");
        visitor.until("document.querySelector('#qr img').naturalWidth > 0");
        visitor.shows("#qr p", &format!("http://{}{path}", visitor.server.addr));
        visitor.press(ESCAPE);
        visitor.finds(
            "document.querySelector('.saved code').checkVisibility()",
            false,
        );
        visitor.click(".saved summary");
        visitor.finds(
            "document.querySelector('.saved code').checkVisibility()",
            true,
        );
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_progress_line_shows_its_last_state_and_the_others_on_demand() {
    let text = "Fetching\n 1 %\r 9 %\r50 %\r\u{1b}[32m100 %\u{1b}[m\nDone\r\n";
    for (scripts, name) in [(Off, "/x.txt"), (Off, "/x.ansi"), (On, "/x.ansi")] {
        visit(scripts, |visitor| {
            let text = match name {
                "/x.txt" => text.replace("\u{1b}[32m", "").replace("\u{1b}[m", ""),
                _ => text.to_owned(),
            };
            let request = visitor.server.request("PUT", name).body(text.clone());
            let saved = crate::server::Saved::of(&request.send());
            visitor.open(&saved.path);
            let line = "document.querySelector('#L2').innerText.trim().split(/\\n+/)";
            visitor.finds(line, json!(["3 earlier states", "100 %"]));
            visitor.click("#L2 summary");
            visitor.finds(
                line,
                json!(["3 earlier states", " 1 %", " 9 %", "50 %", "100 %"]),
            );
            visitor.finds("document.querySelectorAll('.note').length", 0);
            if scripts == On {
                visitor.evaluate(
                    "navigator.clipboard.writeText = async (text) => { window.copied = text; }",
                );
                visitor.click("#copy");
                visitor.finds("window.copied", text);
            }
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn three_clicks_on_a_secret_of_one_line_select_it_without_its_line_feed() {
    visit(On, |visitor| {
        let path = visitor.server.save("correct horse\n").path;
        visitor.open(&path);
        visitor.click_times("#L1", 3);
        visitor.finds("getSelection().toString()", "correct horse");
        visitor
            .evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
        visitor.click("#copy");
        visitor.finds("window.copied", "correct horse\n");
    });
}
