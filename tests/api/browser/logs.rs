//! Logs: levels, and the field that narrows the lines.

use std::fmt::Write;

use serde_json::json;

use crate::chromium::Scripts::{Off, On};
use crate::chromium::input::ESCAPE;
use crate::chromium::{Visitor, visit};
use crate::server::Saved;

pub(super) const LOG: &str = "12:00:01 INFO Order 41 shown\r\n12:00:02 ERROR Order 42 failed\n\tat app.Orders.show\n\
    12:00:03 WARN slow <b>\n12:00:04 DEBUG سلام\n12:00:05 done\nby order\n";

/// The numbers of the shown lines.
const NUMBERS: &str = "[...document.querySelectorAll('.log [data-n]')].filter(line => line.checkVisibility())\
    .map(line => Number(line.dataset.n))";

fn open_log(visitor: &Visitor, log: &str) -> String {
    let request = visitor.server.request("PUT", "/app.log").body(log);
    let path = Saved::of(&request.send()).path;
    visitor.open(&path);
    visitor.element(".log");
    path
}

#[test]
#[ignore = "needs chromium"]
fn typing_shows_the_events_with_all_words_and_their_numbers() {
    visit(On, |visitor| {
        open_log(visitor, LOG);
        let all = json!([1, 2, 3, 4, 5, 6, 7]);
        visitor.finds(NUMBERS, all.clone());
        for (typed, numbers, told) in [
            ("ORDER 4", json!([1, 2, 3]), "3 of 7 lines"),
            ("42 show", json!([2, 3]), "2 of 7 lines"),
            ("<b>", json!([4]), "1 of 7 lines"),
            ("by", json!([6, 7]), "2 of 7 lines"),
            ("nothing", json!([]), "0 of 7 lines"),
        ] {
            visitor.type_into("#filter", typed);
            visitor.finds(NUMBERS, numbers);
            visitor.shows("#shown", told);
            visitor.press(ESCAPE);
            visitor.finds(NUMBERS, all.clone());
            visitor.holds("#filter", "");
            visitor.shows("#shown", "");
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_level_shows_its_events_and_the_worse_ones_also_without_scripts() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            let path = open_log(visitor, LOG);
            let chips = "[...document.querySelectorAll('.levels a')].map(chip => chip.textContent)";
            visitor.finds(chips, json!(["1 error", "1 warning", "1 info", "all"]));
            let current = "[...document.querySelectorAll('[aria-current]')].map(chip => chip.textContent).join()";
            for (level, chip, numbers) in [
                ("?level=info", "1 info", json!([1, 2, 3, 4])),
                ("?level=warning", "1 warning", json!([2, 3, 4])),
                ("?level=error", "1 error", json!([2, 3])),
                ("?", "all", json!([1, 2, 3, 4, 5, 6, 7])),
            ] {
                visitor.click(&format!(".levels [href='{level}']"));
                visitor.finds(NUMBERS, numbers);
                visitor.finds(current, chip);
                visitor.finds("location.search", level.trim_end_matches('?'));
            }
            // With a script, the page was loaded once.
            let loads = "performance.getEntriesByType('navigation')[0].name";
            let loaded = format!("http://{}{path}", visitor.server.addr);
            visitor.finds(&format!("{loads} === '{loaded}'"), scripts == On);
            visitor.open(&format!("{path}?level=debug&level=x"));
            visitor.finds(NUMBERS, json!([1, 2, 3, 4, 5]));
            open_log(visitor, "12:00:01 a\n12:00:02 b\n12:00:03 c\n");
            visitor.finds("document.querySelectorAll('.levels, #next').length", 0);
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn the_levels_of_a_log_that_was_opened_once_or_is_a_file_narrow_its_page() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            // Given a log that burns, whose page no link shows again
            let request = visitor.server.request("PUT", "/app.log").body(LOG);
            let burning = Saved::of(&request.header("X-Burn", "1").send());
            visitor.open(&burning.path);
            visitor.follow(".gate button");
            let offers = "document.querySelector('.levels').checkVisibility()";
            visitor.finds(offers, scripts == On);
            if scripts == On {
                visitor.click(".levels [href='?level=error']");
                visitor.finds(NUMBERS, json!([2, 3]));
            }

            // And one that is a file of a paste, whose page shows all of them whole
            let file = |name, text| {
                format!(
                    "--b\r\nContent-Disposition: form-data; name=file; filename={name}\r\n\r\n{text}\r\n"
                )
            };
            let request = visitor.server.request("POST", "/");
            let request = request.header("Content-Type", "multipart/form-data; boundary=b");
            let files = [file("app.log", LOG), file("b", "x"), "--b--\r\n".to_owned()];
            let saved = Saved::of(&request.body(files.concat()).send());
            visitor.open(&format!("{}?level=error", saved.path));
            visitor.finds(&format!("{NUMBERS}.length"), 7);
            visitor.open(&format!("{}?file=app.log", saved.path));
            let chip = format!(".levels [href='{}/app.log?level=error']", saved.path);
            visitor.click(&chip);
            visitor.finds(NUMBERS, json!([2, 3]));
            visitor.reload();
            visitor.finds(NUMBERS, json!([2, 3]));
            visitor.finds(
                "document.querySelector('[aria-current]').textContent",
                "1 error",
            );
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_key_goes_from_error_to_error_and_matches_are_marked() {
    visit(On, |visitor| {
        let log: String = (1..=900)
            .map(|n| {
                format!(
                    "12:00:00 {} Order {n}\n",
                    if n % 300 == 0 { "ERROR" } else { "INFO" }
                )
            })
            .collect();
        open_log(visitor, &log);
        let marked = "document.querySelector('.marked')?.id";
        for (key, line) in [
            ("n", "L300"),
            ("n", "L600"),
            ("p", "L300"),
            ("p", "L900"),
            ("n", "L300"),
        ] {
            visitor.press(key);
            visitor.finds(marked, line);
            let place = format!("document.querySelector('#{line}').getBoundingClientRect()");
            visitor.until(&format!(
                "{place}.top > 100 && {place}.bottom < innerHeight"
            ));
        }
        // The bar stays below that of marked lines.
        visitor.finds(
            "document.querySelector('.log-bar').getBoundingClientRect().top < 60",
            true,
        );
        visitor.type_into("#filter", "ERROR ORDER");
        visitor.shows("#shown", "3 of 900 lines");
        visitor.finds("CSS.highlights.get('match').size", 6);
        visitor.clear("#filter");
        visitor.type_into("#filter", "o");
        visitor.finds("CSS.highlights.get('match').size", 1_800);
        visitor.press(ESCAPE);
        visitor.finds("CSS.highlights.get('match').size", 0);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_link_to_a_hidden_line_shows_it() {
    visit(On, |visitor| {
        let path = open_log(visitor, LOG);
        let marked = "[...document.querySelectorAll('.marked')].map(line => line.id)";
        for (hash, ids) in [("#L5", json!(["L5"])), ("#L4-L5", json!(["L4", "L5"]))] {
            visitor.type_into("#filter", "42");
            visitor.finds(NUMBERS, json!([2, 3]));
            visitor.evaluate(&format!("location.hash = '{hash}'"));
            visitor.finds(NUMBERS, json!([1, 2, 3, 4, 5, 6, 7]));
            visitor.finds(marked, ids);
        }
        visitor.type_into("#filter", "42");
        visitor.finds(NUMBERS, json!([2, 3]));
        visitor.click_number("#L2");
        visitor.finds(marked, json!(["L2"]));
        visitor.finds("location.hash", "#L2");
        visitor.finds(NUMBERS, json!([2, 3]));
        visitor.open(&format!("{path}?lines=4"));
        visitor.finds(marked, json!(["L4"]));
    });
}

#[test]
#[ignore = "needs chromium"]
fn copy_gives_the_shown_lines_and_says_so() {
    visit(On, |visitor| {
        open_log(visitor, LOG);
        visitor
            .evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
        visitor.press("/");
        visitor.finds("document.activeElement.id", "filter");
        visitor.press("slow");
        visitor.finds(NUMBERS, json!([4]));
        visitor.click("#copy");
        visitor.finds("window.copied", "12:00:03 WARN slow <b>\n");
        visitor.shows("#copy", "Copied 1 line, not exactly");
        visitor.type_into("#filter", ESCAPE);
        visitor.finds("location.search", "");
        visitor.click("#copy");
        visitor.finds("window.copied", LOG);
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_address_has_the_filter_and_a_marked_line_leads_to_its_place_and_back() {
    visit(On, |visitor| {
        let mut log = String::new();
        for number in 1..=500 {
            let level = if number == 400 { "ERROR" } else { "INFO" };
            writeln!(log, "12:00:00 {level} Order {number} shown").unwrap();
        }
        let path = open_log(visitor, &log);
        visitor.click(".levels [href='?level=error']");
        visitor.type_into("#filter", "order");
        visitor.is_at(&format!("{path}?filter=order&level=error"));
        visitor.open("/help");
        visitor.open(&format!("{path}?filter=order&level=error"));
        visitor.shows("#shown", "1 of 500 lines");
        visitor.holds("#filter", "order");
        visitor.finds("document.documentElement.dataset.narrowed", json!(null));
        visitor.click_number("#L400");
        let around = "#around";
        visitor.shows(around, "Show around");
        visitor.click(around);
        visitor.finds(&format!("{NUMBERS}.length"), 500);
        let line = "document.querySelector('#L400').getBoundingClientRect()";
        visitor.until(&format!(
            "{line}.top > 0 && {line}.bottom < innerHeight && scrollY > 0"
        ));
        visitor.is_at(&format!("{path}#L400"));
        visitor.shows(around, "Back");
        visitor.click(around);
        visitor.finds(NUMBERS, json!([400]));
        visitor.is_at(&format!("{path}?filter=order&level=error#L400"));
    });
}

#[test]
#[ignore = "needs chromium"]
fn without_scripts_a_log_has_letters_and_no_field() {
    visit(Off, |visitor| {
        open_log(visitor, LOG);
        visitor.finds("document.querySelector('#filter').checkVisibility()", false);
        let letters = "['#L1', '#L2', '#L3', '#L4', '#L5', '#L6'].map(line => \
            getComputedStyle(document.querySelector(line), '::after').content)";
        visitor.finds(
            letters,
            json!([
                "\"I\" / \"\"",
                "\"E\" / \"\"",
                "none",
                "\"W\" / \"\"",
                "\"D\" / \"\"",
                "none"
            ]),
        );
        // A stack trace looks like the line it belongs to, and not like one without a level.
        let ground = "(id => getComputedStyle(document.getElementById(id)).backgroundColor)";
        visitor.finds(&format!("{ground}('L2') === {ground}('L3')"), true);
        visitor.finds(&format!("{ground}('L3') === {ground}('L6')"), false);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_long_log_stays_usable_while_it_is_narrowed() {
    visit(On, |visitor| {
        let mut log = String::new();
        for number in 1..=5_000 {
            let level = ["INFO", "DEBUG", "WARN", "ERROR"][number % 4];
            writeln!(log, "12:00:00 {level} [worker-{number}] Orders shown").unwrap();
        }
        open_log(visitor, &log);
        visitor.type_into("#filter", "orders worker-4999");
        visitor.finds(NUMBERS, json!([4_999]));
        visitor.shows("#shown", "1 of 5,000 lines");
        visitor.press(ESCAPE);
        visitor.finds(&format!("{NUMBERS}.length"), 5_000);
    });
}
