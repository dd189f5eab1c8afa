//! The page of a paste: reading, copying, marking and deleting.

use serde_json::json;

use super::{TYPED, delete, open_menu, save};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

#[test]
#[ignore = "needs chromium and chromedriver"]
fn every_line_has_a_number_that_is_not_part_of_a_selection() {
    visit(Off, async |visitor| {
        save(visitor, TYPED, "").await;
        let lines = "[...document.querySelectorAll('.listing [id]')]";
        let ids = visitor
            .evaluate(&format!("{lines}.map(line => line.id)"))
            .await;
        assert_eq!(ids, json!(["L1", "L2", "L3", "L4", "L5"]));
        let drawn =
            "getComputedStyle(line.firstChild, '::before').content + line.firstChild.offsetWidth";
        let numbers = visitor
            .evaluate(&format!("{lines}.map(line => {drawn})"))
            .await;
        for number in numbers.as_array().unwrap() {
            let number = number.as_str().unwrap();
            assert!(
                number.starts_with("counter(line)") && !number.ends_with(")0"),
                "{number}"
            );
        }
        visitor
            .evaluate("getSelection().selectAllChildren(document.querySelector('.listing'))")
            .await;
        visitor.finds("getSelection().toString()", TYPED).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn raw_shows_the_exact_text_with_its_line_ends_as_typed() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "").await;
            open_menu(visitor).await;
            visitor.click("#menu a[href^='/raw/']").await;
            visitor.shows("body > pre", TYPED).await;
            visitor.is_at(&format!("/raw{path}")).await;
            let raw = visitor.server.get(&format!("/raw{path}"));
            assert_eq!(raw.text(), TYPED);
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn requested_lines_are_marked_and_in_view() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let long: String = (1..=300).map(|n| format!("line {n}\n")).collect();
            let path = visitor.server.save(long).path;
            visitor.open(&format!("{path}.rs?lines=200-202")).await;
            visitor.element(".listing .marked").await;
            let marked = "[...document.querySelectorAll('.marked')]";
            let texts = visitor
                .evaluate(&format!("{marked}.map(line => line.textContent)"))
                .await;
            assert_eq!(texts, json!(["line 200\n", "line 201\n", "line 202\n"]));
            visitor.until("scrollY > 0").await;
            let places = format!("{marked}.map(line => line.getBoundingClientRect())");
            let seen =
                format!("{places}.every(place => place.top > 0 && place.bottom < innerHeight)");
            visitor.finds(&seen, true).await;

            visitor.open(&format!("{path}?lines=2-3")).await;
            visitor.finds(&format!("{marked}.length"), 2).await;
            visitor.finds("scrollY", 0).await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_owner_of_a_paste_deletes_it_in_the_menu_of_its_page_and_is_asked_once() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "").await;
            delete(visitor).await;
            visitor.open(&path).await;
            visitor.shows(".message h1", "No longer available").await;
            visitor.tells("main", "deleted by its owner").await;
            assert_eq!(visitor.server.browse(&path).status, 410);
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_owner_deletes_a_paste_with_its_token_from_any_browser() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let saved = visitor.server.save("x");
            visitor.open(&saved.path).await;
            open_menu(visitor).await;
            visitor.click("#menu a[href$='/stats']").await;
            visitor.type_into("#token", &saved.token).await;
            visitor.click(".gate button").await;
            visitor.click(".delete summary").await;
            visitor.click(".delete button").await;
            visitor.shows(".message h1", "Deleted").await;
            assert_eq!(visitor.server.get(&saved.path).status, 410);
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn text_and_link_are_copied_by_buttons_that_only_scripts_show() {
    visit(On, async |visitor| {
        let path = save(visitor, TYPED, "").await;
        let url = format!("http://{}{path}", visitor.server.addr);
        for (button, copied) in [("copy", TYPED), ("copy-link", &url)] {
            visitor.open(&path).await;
            if button == "copy-link" {
                open_menu(visitor).await;
            }
            visitor.click(&format!("#{button}")).await;
            let says = format!("document.getElementById('{button}').textContent === 'Copied'");
            visitor.until(&says).await;
            visitor.open("/").await;
            visitor.type_into("#content", "\u{e009}v").await;
            visitor.holds("#content", copied).await;
            visitor
                .type_into("#content", "\u{e009}a\u{e009}\u{e003}")
                .await;
        }
    });
    visit(Off, async |visitor| {
        save(visitor, TYPED, "").await;
        open_menu(visitor).await;
        for button in ["#copy", "#copy-link", "#theme", "#single-keys"] {
            let button = visitor.element(button).await;
            assert!(!button.is_displayed().await.unwrap());
        }
    });
}

/// The ids of the marked lines.
const MARKED: &str = "[...document.querySelectorAll('.marked')].map(line => line.id).join()";

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_click_on_a_number_marks_its_line_and_another_with_shift_the_lines_up_to_it() {
    visit(On, async |visitor| {
        let lines: String = (1..=300).map(|n| format!("line {n}\n")).collect();
        let path = visitor.server.save(lines).path;
        visitor.open(&format!("{path}?lines=3-4")).await;
        visitor.finds(MARKED, "L3,L4").await;
        visitor.click("#L4 a").await;
        visitor.finds(MARKED, "L4").await;
        visitor.is_at(&format!("{path}#L4")).await;
        let click = "document.querySelector('#L2 a').dispatchEvent(new MouseEvent('click', \
            { shiftKey: true, bubbles: true, cancelable: true }))";
        visitor.evaluate(click).await;
        visitor.finds(MARKED, "L2,L3,L4").await;
        visitor.is_at(&format!("{path}#L2-L4")).await;

        visitor.open("/help").await;
        visitor.open(&format!("{path}#L200-L202")).await;
        visitor.finds(MARKED, "L200,L201,L202").await;
        let seen = "(place => place.top > 0 && place.bottom < innerHeight)(document.querySelector('#L202').getBoundingClientRect())";
        visitor.until(seen).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_line_that_the_address_names_is_marked_without_scripts() {
    visit(Off, async |visitor| {
        let path = visitor.server.save("1\n2\n3\n").path;
        visitor.open(&path).await;
        visitor.click("#L2 a").await;
        visitor.is_at(&format!("{path}#L2")).await;
        let ground = |line: &str| {
            format!("getComputedStyle(document.querySelector('{line}')).backgroundColor")
        };
        assert_ne!(
            visitor.evaluate(&ground("#L2")).await,
            visitor.evaluate(&ground("#L1")).await
        );
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn single_keys_work_as_the_menu_names_them_unless_switched_off() {
    visit(On, async |visitor| {
        let path = visitor.server.save("x").path;
        let is_open = "document.querySelector('#menu').matches(':popover-open')";
        visitor.open(&path).await;
        visitor.press("?").await;
        visitor.finds(is_open, true).await;
        visitor.press("\u{e00c}").await;
        visitor.finds(is_open, false).await;
        visitor.press("q").await;
        visitor.is_at(&format!("/qr{path}")).await;
        visitor.open(&path).await;
        visitor.press("w").await;
        visitor
            .finds("document.querySelector('#wrap').checked", false)
            .await;
        visitor.press("c").await;
        visitor
            .until("document.querySelector('#copy').textContent === 'Copied'")
            .await;
        // A key that is typed into a field is not a shortcut of the page.
        visitor.press("?").await;
        visitor.type_into("#link", "n").await;
        visitor.stays_at(&path).await;
        visitor.press("\u{e00c}").await;
        visitor.press("r").await;
        visitor.is_at(&format!("/raw{path}")).await;
        visitor.open(&path).await;
        visitor.press("?").await;
        visitor.click("#single-keys").await;
        visitor.open(&path).await;
        visitor.press("n").await;
        visitor.stays_at(&path).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn long_lines_wrap_until_wrapping_is_switched_off_which_is_remembered() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = visitor.server.save("long ".repeat(200)).path;
            visitor.open(&path).await;
            open_menu(visitor).await;
            let hidden =
                "(pre => pre.scrollWidth - pre.clientWidth)(document.querySelector('.listing'))";
            visitor.finds(hidden, 0).await;
            visitor.click("#wrap").await;
            visitor.until(&format!("{hidden} > 1000")).await;
            visitor.open(&path).await;
            let is_remembered = format!("{hidden} > 1000");
            visitor.finds(&is_remembered, scripts == On).await;
            let checked = "document.querySelector('#wrap').checked";
            visitor.finds(checked, scripts == Off).await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn lines_are_linked_to_by_the_keyboard_alone() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = visitor.server.save("1\n2\n3\n4\n").path;
            visitor.open(&path).await;
            let is_at = |what: &str| format!("document.activeElement.matches('{what}')");
            tab_to(visitor, &is_at("[popovertarget=menu]")).await;
            visitor.press("\u{e007}").await;
            tab_to(visitor, &is_at("#lines")).await;
            visitor.press("2-3\u{e007}").await;
            visitor.is_at(&format!("{path}?lines=2-3")).await;
            visitor.finds(MARKED, "L2,L3").await;
        });
    }
}

/// Presses the tab key until the focus is there.
async fn tab_to(visitor: &Visitor<'_>, is_there: &str) {
    for _ in 0..40 {
        visitor.press("\u{e004}").await;
        if visitor.evaluate(is_there).await == true {
            return;
        }
    }
    panic!("never {is_there}");
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn what_a_page_does_not_show_exactly_is_copied_exactly_from_the_server() {
    visit(On, async |visitor| {
        for (text, ending) in [("ad\u{200b}min\n", ""), ("# A *title*\n", ".md")] {
            visitor.open("/").await;
            let path = visitor.server.save(text).path;
            visitor.open(&format!("{path}{ending}")).await;
            visitor.click("#copy").await;
            visitor.shows("#copy", "Copied").await;
            visitor.open("/").await;
            visitor.type_into("#content", "\u{e009}v").await;
            visitor.holds("#content", text).await;
            visitor
                .type_into("#content", "\u{e009}a\u{e009}\u{e003}")
                .await;
        }
        let path = visitor.server.save("a\0b").path;
        visitor.open(&path).await;
        visitor.click("#copy").await;
        visitor.shows("#copy", "Copied, not exactly").await;
    });
}
