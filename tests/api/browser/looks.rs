//! Appearance: in light and dark colours, on wide and narrow screens. The layout does not move, and text is legible.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::{save, save_closed};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit, visit_server};
use crate::server::TestServer;

#[test]
#[ignore = "needs chromium"]
fn the_whole_form_is_visible_on_a_phone() {
    visit(On, |visitor| {
        visitor.take_a_phone(320);
        visitor.open("/");
        let save =
            "document.querySelector('.submit button').getBoundingClientRect().bottom < innerHeight";
        visitor.finds(save, true);
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_list_of_languages_fits_any_window_and_its_search_stays_while_it_narrows() {
    let top = "document.querySelector('#search').getBoundingClientRect().top";
    let fits = "(it => it.top >= 0 && it.bottom <= innerHeight && it.height > 200)\
        (document.querySelector('#languages').getBoundingClientRect())";
    visit(On, |visitor| {
        for (width, height) in [(1280, 800), (1280, 600), (390, 844), (320, 500)] {
            visitor.be_wide(width, height);
            visitor.open("/");
            visitor.click("#options summary");
            visitor.click("#pick");
            visitor.until(fits);
            let before = visitor.evaluate(top);
            visitor.type_into("#search", "kotl");
            visitor.finds(
                "document.querySelectorAll('#languages li:not([hidden])').length",
                1,
            );
            assert_eq!(visitor.evaluate(top), before, "{width} {height}");
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_site_name_of_two_words_is_one_line_on_a_phone() {
    let server = TestServer::with(&["--site-name", "Harbour Paste"]);
    visit_server(server, On, |visitor| {
        visitor.take_a_phone(390);
        visitor.open("/help");
        let lines = "(name => (name.selectNodeContents(document.querySelector('.brand')), \
            new Set([...name.getClientRects()].slice(1).map(it => it.top)).size))(new Range())";
        visitor.finds(lines, 1);
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_lines_between_the_rows_of_a_formula_are_drawn() {
    visit(Off, |visitor| {
        let formula =
            r"$$\begin{array}{c|c} \hline a & b \\ c & d \\ \hline e & f \\ \hline \end{array}$$";
        let path = visitor.server.save(formula).path;
        visitor.open(&format!("{path}.md"));
        let lines = "[...document.querySelectorAll('mtr')].map(row => \
            parseFloat(getComputedStyle(row).borderTopWidth)).join()";
        // The last line belongs to an empty row.
        visitor.finds(lines, "1,0,1,1");
        // With any other value, browsers do not draw the borders of rows.
        let collapses = "getComputedStyle(document.querySelector('mtable')).borderCollapse";
        visitor.finds(collapses, "collapse");
    });
}

/// The background colour of the page.
const GROUND: &str = "getComputedStyle(document.body).backgroundColor";

#[test]
#[ignore = "needs chromium"]
fn colours_follow_the_system_until_one_is_chosen_which_is_remembered() {
    visit(On, |visitor| {
        visitor.open("/help");
        visitor.prefer("light");
        let light = visitor.evaluate(GROUND);
        visitor.prefer("dark");
        let dark = visitor.evaluate(GROUND);
        assert_ne!(light, dark);
        for (name, ground) in [("light", &light), ("dark", &dark)] {
            visitor.click("#theme");
            visitor.shows("#theme", &format!("Theme: {name}"));
            for path in ["/help", "/"] {
                visitor.open(path);
                for scheme in ["dark", "light"] {
                    visitor.prefer(scheme);
                    visitor.finds(GROUND, ground.clone());
                }
            }
        }
        visitor.click("#theme");
        visitor.shows("#theme", "Theme: system");
        visitor.open("/help");
        visitor.finds(GROUND, light.clone());
    });
    visit(Off, |visitor| {
        visitor.open("/");
        visitor.prefer("light");
        let light = visitor.evaluate(GROUND);
        visitor.prefer("dark");
        assert_ne!(visitor.evaluate(GROUND), light);
    });
}

/// The least contrast of the edge of the lines with the grounds on both of its sides.
const EDGE: &str = "(() => {
    const light = color => color.match(/[\\d.]+/g).map(it => it / 255)
        .map(it => it > .04045 ? ((it + .055) / 1.055) ** 2.4 : it / 12.92)
        .reduce((sum, it, channel) => sum + it * [.2126, .7152, .0722][channel], .05);
    const [lines, page] = ['.card', 'body'].map(css => getComputedStyle(document.querySelector(css)));
    return light(lines.borderTopColor) / Math.max(light(lines.backgroundColor), light(page.backgroundColor));
})()";

#[test]
#[ignore = "needs chromium"]
fn the_edge_of_the_lines_is_visible_in_the_dark() {
    visit(Off, |visitor| {
        visitor.open(&visitor.server.save("text").path);
        visitor.prefer("dark");
        assert!(visitor.evaluate(EDGE).as_f64().unwrap() >= 1.5);
    });
}

/// How much has moved on the page, and what.
const SHIFTS: &str = "new Promise(done => {
    let sum = 0;
    const moved = [];
    const add = list => { for (const shift of list.getEntries()) {
        sum += shift.value;
        for (const { node, previousRect, currentRect } of shift.sources) {
            moved.push([node?.outerHTML ?? node?.data, previousRect, currentRect].map(it => JSON.stringify(it).slice(0, 99)));
        }
    } };
    const observer = new PerformanceObserver(add);
    observer.observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => {
        add({ getEntries: () => observer.takeRecords() });
        done([sum, moved.join(' ')]);
    }));
})";

/// Asserts that no more than this moves on a page. A browser with little time shows a page before it has read all of it,
/// and the rest moves. Another view is then still.
pub(super) fn is_still(visitor: &Visitor, path: &str, most: f64) {
    let mut moved = Value::Null;
    for _ in 0..10 {
        visitor.open(path);
        moved = visitor.awaited(SHIFTS);
        if moved[0].as_f64() <= Some(most) {
            return;
        }
    }
    panic!("{path}: {moved}");
}

#[test]
#[ignore = "needs chromium"]
fn no_element_moves_after_it_was_shown() {
    visit(On, |visitor| {
        let lines: String = (1..=5000).map(|n| format!("line {n} سلام\n")).collect();
        let (text, binary) = (
            visitor.server.save(lines).path,
            visitor.server.save([0xff_u8, 1].repeat(1500)).path,
        );
        let short = visitor.server.save("#!/bin/sh\necho سلام\n".repeat(30)).path;
        let (locked, own) = (
            save_closed(visitor, "x", "", "a password"),
            save(visitor, "x", ""),
        );
        let [seal, edit] = [&locked, &own].map(|path| format!("{path}/edit"));
        let counts = format!("{own}/stats");
        let [table, json] = [
            format!(
                "{}.csv",
                visitor.server.save("port,range\n".repeat(30)).path
            ),
            visitor.server.save("{\"a\":1}\n{\"b\":[2]}\n").path,
        ];
        visitor.open("/");
        visitor.type_into("#content", "a draft");
        let marked = format!("{text}#L3-L5");
        // A long page arrives in parts. The text direction of an incomplete line is unknown. The movement that follows
        // is allowed.
        let most = |path: &str| 0.0001 * f64::from(if path.starts_with(&text) { 10 } else { 1 });
        for path in [
            "/help", "/", &text, &marked, &short, &binary, "/nothing", &locked, &seal, &edit,
            &counts, &table, &json,
        ] {
            is_still(visitor, path, most(path));
        }
        // The same holds when the browser has stored a choice of colours.
        visitor.open(&text);
        visitor.click("#wrap");
        visitor.click("#theme");
        for path in ["/help", "/", &text, &short] {
            is_still(visitor, path, most(path));
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_page_of_a_missing_paste_links_to_a_new_paste_and_to_help() {
    visit(On, |visitor| {
        visitor.open("/nothing");
        visitor.shows(".message h1", "Not found");
        visitor.click(".message .button");
        visitor.element(".editor");
        visitor.is_at("/");
        visitor.click(".top a[href='/help']");
        let command = format!("curl -T notes.txt http://{}/", visitor.server.addr);
        visitor.tells("main pre", &command);
    });
}

#[test]
#[ignore = "needs chromium"]
fn scripts_make_the_dates_of_a_page_relative_and_local() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            // The browser's clock is two minutes ahead.
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            let start = visitor.server.clock.timestamp().as_millis();
            let behind = now - Duration::from_millis(start) - Duration::from_secs(120);
            visitor.server.advance(behind);
            let path = visitor.server.save("x").path;
            visitor.open(&path);
            let facts = visitor.text(".facts");
            let relative = ["Saved 2 minutes ago", "Expires in 7 days"];
            for fact in relative {
                assert_eq!(facts.contains(fact), scripts == On, "{facts}");
            }
            assert_eq!(facts.contains(" UTC"), scripts == Off, "{facts}");
            let titles = "document.querySelectorAll('.facts time[title]').length";
            visitor.finds(titles, if scripts == On { 2 } else { 0 });
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_time_is_told_in_the_largest_unit_that_is_about_right() {
    visit(On, |visitor| {
        visitor.open("/help");
        for (seconds, words) in [
            (45, "in 45 seconds"),
            (90, "in 90 seconds"),
            (3599, "in 1 hour"),
            (5399, "in 90 minutes"),
            (36 * 3600, "in 36 hours"),
            (7 * 86400 - 1, "in 7 days"),
        ] {
            let told = format!("relativeTime(new Date(Date.now() + {seconds}400), false)");
            visitor.finds(&told, words);
        }
    });
}
