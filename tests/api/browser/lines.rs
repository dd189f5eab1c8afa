//! The lines that a reader marks: by click, keyboard, tap and address, and what can be done with them.

use serde_json::json;

use crate::chromium::Scripts::{Off, On};
use crate::chromium::input::{ENTER, ESCAPE, TAB};
use crate::chromium::{Visitor, visit};

/// The ids of the marked lines.
const MARKED: &str = "[...document.querySelectorAll('.marked')].map(line => line.id).join()";

#[test]
#[ignore = "needs chromium"]
fn a_click_on_a_number_marks_its_line_and_another_with_shift_the_lines_up_to_it() {
    visit(On, |visitor| {
        let lines: String = (1..=300).map(|n| format!("line {n}\n")).collect();
        let path = visitor.server.save(lines).path;
        visitor.open(&format!("{path}?lines=3-4"));
        visitor.finds(MARKED, "L3,L4");
        visitor.click_number("#L4");
        visitor.finds(MARKED, "L4");
        visitor.is_at(&format!("{path}#L4"));
        let click = "(line => line.dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true, \
            cancelable: true, clientX: line.getBoundingClientRect().left + 9 })))(document.querySelector('#L2'))";
        visitor.evaluate(click);
        visitor.finds(MARKED, "L2,L3,L4");
        visitor.is_at(&format!("{path}#L2-L4"));

        visitor.open("/help");
        visitor.open(&format!("{path}#L200-L202"));
        visitor.finds(MARKED, "L200,L201,L202");
        let seen = "(place => place.top > 0 && place.bottom < innerHeight)(document.querySelector('#L202').getBoundingClientRect())";
        visitor.until(seen);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_line_that_the_address_names_is_marked_without_scripts() {
    visit(Off, |visitor| {
        let path = visitor.server.save("1\n2\n3\n").path;
        visitor.open(&format!("{path}#L2"));
        let ground = |line: &str| {
            format!("getComputedStyle(document.querySelector('{line}')).backgroundColor")
        };
        assert_ne!(
            visitor.evaluate(&ground("#L2")),
            visitor.evaluate(&ground("#L1"))
        );
    });
}

#[test]
#[ignore = "needs chromium"]
fn lines_are_marked_copied_and_linked_to_by_the_keyboard_alone() {
    visit(On, |visitor| {
        keep_copied(visitor);
        let path = visitor.server.save("1\n2\n3\n4\n").path;
        let url = format!("http://{}{path}", visitor.server.addr);
        visitor.open(&path);
        tab_to(visitor, "document.activeElement.matches('.number')");
        let down = |shift: bool| {
            visitor.evaluate(&format!(
                "document.activeElement.dispatchEvent(new KeyboardEvent(\
                'keydown', {{ key: 'ArrowDown', shiftKey: {shift}, bubbles: true }}))"
            ));
        };
        down(false);
        visitor.until("document.activeElement.matches('#L2 .number')");
        visitor.press(ENTER);
        visitor.finds(MARKED, "L2");
        visitor.shows("#selection strong", "Line 2");
        down(true);
        visitor.finds(MARKED, "L2,L3");
        visitor.shows("#selection strong", "Lines 2–3");
        visitor.is_at(&format!("{path}#L2-L3"));
        visitor.press("c");
        visitor.finds("window.copied", "2\n3");
        visitor.press("y");
        visitor.finds("window.copied", &*format!("{url}#L2-L3"));
        visitor.press(ESCAPE);
        visitor.finds(MARKED, "");
        visitor.finds("document.querySelector('#selection').hidden", true);
        visitor.is_at(&path);
        visitor.press("c");
        visitor.finds("window.copied", "1\n2\n3\n4\n");
    });
}

#[test]
#[ignore = "needs chromium"]
fn marked_lines_of_an_address_turn_the_head_into_buttons_for_them() {
    visit(On, |visitor| {
        keep_copied(visitor);
        // Exact lines of a text that a page cannot show exactly.
        let text: String = (1..=300).map(|n| format!("line\u{200b} {n}\r\n")).collect();
        let path = visitor.server.save(text).path;
        for (address, lines) in [("#L200-L202", "200–202"), ("?lines=4-5", "4–5")] {
            visitor.open("/help");
            visitor.open(&format!("{path}{address}"));
            visitor.shows("#selection strong", &format!("Lines {lines}"));
            let bar = "document.querySelector('#selection > div').getBoundingClientRect()";
            visitor.until(&format!("{bar}.top >= 0 && {bar}.bottom <= innerHeight"));
            let first = lines.split('–').next().unwrap();
            visitor.click("#selection [aria-keyshortcuts=c]");
            visitor.until(&format!(
                "window.copied?.startsWith('line\u{200b} {first}\\r\\n')"
            ));
            // The link of the menu has them too.
            visitor.evaluate("document.querySelector('#copy-link').click()");
            let url = format!("http://{}{path}{address}", visitor.server.addr);
            visitor.finds("window.copied", &*url);
        }
        visitor.click("#selection button:last-child");
        visitor.finds(MARKED, "");
        visitor.is_at(&path);
    });
}

#[test]
#[ignore = "needs chromium"]
fn two_taps_on_a_phone_mark_a_range() {
    visit(On, |visitor| {
        visitor.take_a_phone(390);
        let touch = json!({ "enabled": true });
        visitor.command("Emulation.setTouchEmulationEnabled", &touch);
        let path = visitor.server.save("1\n2\n3\n4\n").path;
        visitor.open(&path);
        for (line, marked) in [(4, "L4"), (2, "L2,L3,L4"), (1, "L1"), (2, "L1,L2")] {
            visitor.click_number(&format!("#L{line}"));
            visitor.finds(MARKED, marked);
        }
        visitor.command(
            "Emulation.setTouchEmulationEnabled",
            &json!({ "enabled": false }),
        );
    });
}

#[test]
#[ignore = "needs chromium"]
fn lines_that_are_not_laid_out_can_be_found_selected_and_printed() {
    visit(Off, |visitor| {
        let text: String = (1..=20_000).map(|n| format!("line {n}\n")).collect();
        let path = visitor.server.save(text.as_str()).path;
        visitor.open(&path);
        let is_laid_out = |line: &str, is: bool| {
            let option = "{ contentVisibilityAuto: true }";
            let seen = format!("document.querySelector('{line}').checkVisibility({option})");
            visitor.finds(&seen, is);
        };
        is_laid_out("#L1", true);
        is_laid_out("#L15000", false);
        // No gap where lines do not wrap
        let of_all = "document.querySelector('.listing').clientHeight / 20_000";
        let of_one = "document.querySelector('#L1').getBoundingClientRect().height";
        visitor.finds(&format!("Math.round({of_all} / {of_one} * 1000)"), 1000);
        visitor.finds(
            "getComputedStyle(document.querySelector('#L15000'), '::before').content",
            "\"15000\" / \"\"",
        );
        visitor.finds(
            "window.find('line 15000') && getSelection().toString()",
            "line 15000",
        );
        is_laid_out("#L15000", true);
        visitor.evaluate("getSelection().selectAllChildren(document.querySelector('.listing'))");
        visitor.finds("getSelection().toString().length", text.trim_end().len());
        visitor.open("/help");
        visitor.open(&format!("{path}#L12345"));
        visitor.until("(({ top }) => top > 0 && top < innerHeight)(document.querySelector('#L12345').getBoundingClientRect())");
        visitor.print();
        is_laid_out("#L20000", true);
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_buttons_for_marked_lines_are_in_one_row_on_a_phone() {
    visit(On, |visitor| {
        let path = visitor.server.save("line\n".repeat(19_999)).path;
        for width in [390, 320] {
            visitor.take_a_phone(width);
            visitor.open("/help");
            visitor.open(&format!("{path}#L18888-L19999"));
            visitor.tells("#selection strong", "Lines 18888–19999");
            let parts = "[...document.querySelectorAll('#selection :is(strong, button)')]";
            visitor.finds(
                &format!("{parts}.filter(it => it.scrollWidth > it.clientWidth).length"),
                0,
            );
            let rows = "new Set([...document.querySelectorAll('#selection button')].map(it => it.offsetTop)).size";
            visitor.finds(rows, 1);
        }
    });
}

/// Keeps what a page copies, and does not lay it on the clipboard.
fn keep_copied(visitor: &Visitor) {
    let source = "navigator.clipboard.writeText = async (text) => { window.copied = text; }";
    let source = json!({ "source": source });
    visitor.command("Page.addScriptToEvaluateOnNewDocument", &source);
}

/// Presses the tab key until the focus is there.
fn tab_to(visitor: &Visitor, is_there: &str) {
    for _ in 0..40 {
        visitor.press(TAB);
        if visitor.evaluate(is_there) == true {
            return;
        }
    }
    panic!("never {is_there}");
}
