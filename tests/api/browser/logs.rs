//! Logs: levels, and the field that narrows the lines.

use std::fmt::Write;

use serde_json::json;

use super::access::{axe, breaks_no_rule};
use super::toggle_wrap;
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

pub(super) const LOG: &str = "12:00:01 INFO Order 41 shown\r\n12:00:02 ERROR Order 42 failed\n\tat app.Orders.show\n\
    12:00:03 WARN slow <b>\n12:00:04 DEBUG سلام\n12:00:05 done\nby order\n";

/// The numbers of the shown lines, as they are drawn.
const NUMBERS: &str = "(() => { let n = 0; return [...document.querySelectorAll('.log code > *')]\
    .filter(line => line.checkVisibility())\
    .map(line => { n += Number((getComputedStyle(line).counterIncrement.match(/\\d+/))[0]); return n; }); })()";

async fn open_log(visitor: &Visitor<'_>, log: &str) -> String {
    let request = visitor.server.request("PUT", "/app.log").body(log);
    let path = crate::server::Saved::of(&request.send()).path;
    visitor.open(&path).await;
    visitor.element(".log").await;
    path
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn typing_shows_the_events_with_all_words_and_their_numbers() {
    visit(On, async |visitor| {
        open_log(visitor, LOG).await;
        let all = json!([1, 2, 3, 4, 5, 6, 7]);
        visitor.finds(NUMBERS, all.clone()).await;
        for (typed, numbers, told) in [
            ("ORDER 4", json!([1, 2, 3]), "3 of 7 lines"),
            ("42 show", json!([2, 3]), "2 of 7 lines"),
            ("<b>", json!([4]), "1 of 7 lines"),
            ("by", json!([6, 7]), "2 of 7 lines"),
            ("nothing", json!([]), "0 of 7 lines"),
        ] {
            visitor.type_into("#filter", typed).await;
            visitor.finds(NUMBERS, numbers).await;
            visitor.shows("#shown", told).await;
            visitor.press("\u{e00c}").await;
            visitor.finds(NUMBERS, all.clone()).await;
            visitor.holds("#filter", "").await;
            visitor.shows("#shown", "").await;
        }
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_least_level_shows_the_events_that_have_it() {
    visit(On, async |visitor| {
        open_log(visitor, LOG).await;
        for (level, numbers) in [
            ("diwe", json!([1, 2, 3, 4, 5])),
            ("iwe", json!([1, 2, 3, 4])),
            ("we", json!([2, 3, 4])),
            ("e", json!([2, 3])),
            ("", json!([1, 2, 3, 4, 5, 6, 7])),
        ] {
            visitor.choose("#least", level).await;
            visitor.finds(NUMBERS, numbers).await;
        }
        visitor.choose("#least", "we").await;
        visitor.type_into("#filter", "slow").await;
        visitor.finds(NUMBERS, json!([4])).await;
        open_log(visitor, "12:00:01 a\n12:00:02 b\n12:00:03 c\n").await;
        visitor
            .finds("document.querySelector('#least')", json!(null))
            .await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_link_to_a_hidden_line_shows_it() {
    visit(On, async |visitor| {
        let path = open_log(visitor, LOG).await;
        let marked = "[...document.querySelectorAll('.marked')].map(line => line.id)";
        for (hash, ids) in [("#L5", json!(["L5"])), ("#L4-L5", json!(["L4", "L5"]))] {
            visitor.type_into("#filter", "42").await;
            visitor.finds(NUMBERS, json!([2, 3])).await;
            visitor.evaluate(&format!("location.hash = '{hash}'")).await;
            visitor.finds(NUMBERS, json!([1, 2, 3, 4, 5, 6, 7])).await;
            visitor.finds(marked, ids).await;
        }
        visitor.type_into("#filter", "42").await;
        visitor.finds(NUMBERS, json!([2, 3])).await;
        visitor.click("#L2 a").await;
        visitor.finds(marked, json!(["L2"])).await;
        visitor.finds("location.hash", "#L2").await;
        visitor.finds(NUMBERS, json!([2, 3])).await;
        visitor.open(&format!("{path}?lines=4")).await;
        visitor.finds(marked, json!(["L4"])).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn copy_gives_the_whole_log_while_lines_are_hidden() {
    visit(On, async |visitor| {
        open_log(visitor, LOG).await;
        visitor
            .evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
            .await;
        visitor.press("/").await;
        visitor.finds("document.activeElement.id", "filter").await;
        visitor.press("slow").await;
        visitor.finds(NUMBERS, json!([4])).await;
        visitor.click("#copy").await;
        visitor.finds("window.copied", LOG).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn without_scripts_a_log_has_levels_and_no_field() {
    visit(Off, async |visitor| {
        open_log(visitor, LOG).await;
        visitor
            .finds("document.querySelector('.filter').checkVisibility()", false)
            .await;
        let letters = "['#L1', '#L2', '#L3', '#L4', '#L5', '#L6'].map(line => \
            getComputedStyle(document.querySelector(`${line} a`), '::after').content)";
        visitor
            .finds(
                letters,
                json!(["\"I\"", "\"E\"", "\"\"", "\"W\"", "\"D\"", "\"\""]),
            )
            .await;
        // A stack trace looks like the line it belongs to, and not like one without a level.
        let ground = "(id => getComputedStyle(document.getElementById(id)).backgroundColor)";
        visitor
            .finds(&format!("{ground}('L2') === {ground}('L3')"), true)
            .await;
        visitor
            .finds(&format!("{ground}('L3') === {ground}('L6')"), false)
            .await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_long_log_stays_usable_while_it_is_narrowed() {
    visit(On, async |visitor| {
        let mut log = String::new();
        for number in 1..=5_000 {
            let level = ["INFO", "DEBUG", "WARN", "ERROR"][number % 4];
            writeln!(log, "12:00:00 {level} [worker-{number}] Orders shown").unwrap();
        }
        open_log(visitor, &log).await;
        visitor.type_into("#filter", "orders worker-4999").await;
        visitor.finds(NUMBERS, json!([4_999])).await;
        visitor.shows("#shown", "1 of 5,000 lines").await;
        visitor.press("\u{e00c}").await;
        visitor.finds(&format!("{NUMBERS}.length"), 5_000).await;
    });
}

#[test]
#[ignore = "needs chromium, chromedriver and axe-core"]
fn no_log_breaks_an_accessibility_rule() {
    let axe = axe();
    visit(On, async |visitor| {
        for width in [390, 1280] {
            visitor.take_a_phone(width);
            open_log(visitor, LOG).await;
            breaks_no_rule(visitor, &axe, "a log").await;
            toggle_wrap(visitor).await;
            visitor.click("#L4 a").await;
            breaks_no_rule(visitor, &axe, "a log with a marked line").await;
            toggle_wrap(visitor).await;
            for typed in ["slow", "nothing"] {
                visitor.type_into("#filter", typed).await;
                visitor.element("#shown:not(:empty)").await;
                breaks_no_rule(visitor, &axe, &format!("a log, {typed}")).await;
            }
        }
    });
}
