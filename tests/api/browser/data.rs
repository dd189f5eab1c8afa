//! Tables and JSON: sorting, folding, copying, and the way to the source.

use serde_json::json;

use super::{open_closed, save_closed};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};
use crate::server::Saved;

const CSV: &str =
    "\u{feff}name;size;\"two\nlines\"\r\nbeta;10;<b>&\r\n\"Al;pha\";9,5;\r\nسلام;-3\r\n;;x\r\n";

/// A table as people paste it.
pub(super) fn table() -> String {
    let row = |row: u32| {
        let note = [
            "",
            "as before",
            "two\nlines",
            "a note of some length, which says what was found and what to do next",
        ];
        format!(
            "{row},host-{},{}.{},2026-{:02}-{:02},\"{}\"\n",
            row % 9,
            row * 7919 % 997,
            row % 10,
            1 + row % 12,
            1 + row % 28,
            note[row as usize % 4]
        )
    };
    "id,host,time in ms,day,note\n".to_owned() + &(1..=150).map(row).collect::<String>()
}

/// JSON on one line, with a part that is folded at first.
pub(super) fn minified() -> String {
    let numbers: Vec<String> = (0..150).map(|number| number.to_string()).collect();
    format!(
        "{{\"id\":12345678901234567890,\"name\":\"<b>A\\u0041</b>\",\"ok\":true,\"none\":null,\"at\":[0.10,-1e400],\
         \"owner\":{{\"url\":\"https://example.org/{}\",\"سلام\":\"é\",\"empty\":{{}}}},\"many\":[{}]}}",
        "a".repeat(200),
        numbers.join(",")
    )
}

/// Saves a file and returns its path.
fn put(visitor: &Visitor, name: &str, content: &str) -> String {
    let request = visitor.server.request("PUT", name).body(content);
    Saved::of(&request.send()).path
}

/// The numbers of the rows as they are shown, and the direction of each column.
const ORDER: &str =
    "[[...document.querySelectorAll('tbody th')].map(cell => +cell.textContent).join(' '),
    ...[...document.querySelectorAll('thead th')].map(header => header.ariaSort)]";

/// Keeps what the page copies.
const COPIES: &str = "navigator.clipboard.writeText = async (text) => { window.copied = text; }";

#[test]
#[ignore = "needs chromium"]
fn a_click_on_a_header_sorts_and_a_third_one_restores_the_order() {
    visit(On, |visitor| {
        let path = put(visitor, "/x.csv", CSV);
        visitor.open(&path);
        visitor.finds(ORDER, json!(["1 2 3 4", "none", "none", "none"]));
        for (column, rows) in [
            ("2", ["2 1 3 4", "3 1 2 4"]),
            ("3", ["3 2 1 4", "1 2 3 4"]),
            ("4", ["1 4 2 3", "4 1 2 3"]),
        ] {
            let button = format!("thead th:nth-child({column}) button");
            let directions = ["ascending", "descending", "none"];
            for (direction, rows) in directions.into_iter().zip([rows[0], rows[1], "1 2 3 4"]) {
                visitor.click(&button);
                let mut sorted = json!([rows, "none", "none", "none"]);
                sorted[column.parse::<usize>().unwrap() - 1] = json!(direction);
                visitor.finds(ORDER, sorted);
            }
        }
        visitor.click("thead th:nth-child(2) button");
        visitor.click("thead th:nth-child(3) button");
        visitor.finds(ORDER, json!(["3 2 1 4", "none", "ascending", "none"]));
        // Thousands are grouped by commas.
        let path = put(visitor, "/x.csv", "n\n999\n\"1,234\"\n\"12,500.5\"\n5\n");
        visitor.open(&path);
        visitor.click("thead th:nth-child(2) button");
        visitor.finds(ORDER, json!(["4 1 2 3", "ascending"]));
        // More digits than a number of JavaScript has, and hashes that look like numbers.
        for (cells, rows) in [
            ("9007199254740993\n9007199254740992\n8\n", "3 2 1"),
            ("9e1\n4e12345\n08ab\n3c9f\n", "4 2 3 1"),
        ] {
            let path = put(visitor, "/x.csv", &format!("id\n{cells}"));
            visitor.open(&path);
            visitor.click("thead th:nth-child(2) button");
            visitor.finds(ORDER, json!([rows, "ascending"]));
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_header_of_a_table_is_copied_by_hand_and_sorts_also_beside_its_arrow() {
    visit(On, |visitor| {
        visitor.open(&put(visitor, "/x.csv", "port,range\nHoek,4\nBrest,6\n"));
        let button = "document.querySelector('thead button').ariaLabel";
        visitor.finds(button, "Sort by port");
        // Firefox copies no text of buttons.
        let names =
            "[...document.querySelectorAll('thead th')].map(header => header.firstChild.data)";
        visitor.finds(names, json!(["port", "range"]));
        visitor.evaluate("getSelection().selectAllChildren(document.querySelector('table'))");
        let copied = visitor.evaluate("getSelection().toString()");
        assert!(
            copied.as_str().unwrap().starts_with("port\trange"),
            "{copied}"
        );
        visitor.click("thead th:nth-child(2)");
        visitor.finds(ORDER, json!(["2 1", "ascending", "none"]));
        // What selects the name is no click.
        visitor.evaluate("getSelection().selectAllChildren(document.querySelector('thead th'))");
        visitor.evaluate("document.querySelector('thead th').click()");
        visitor.finds(ORDER, json!(["2 1", "ascending", "none"]));
    });
}

#[test]
#[ignore = "needs chromium"]
fn lines_of_json_are_numbered_linked_to_and_unfolded() {
    let text = "{\"a\": 1, \"b\": [{}]}\n{\"c\": \"d\"}\n{\"e\": null}\n";
    for scripts in [Off, On] {
        visit(scripts, |visitor| {
            let path = put(visitor, "/x.jsonl", text);
            visitor.open(&path);
            let value = "document.querySelector('#L2 div').checkVisibility({ contentVisibilityAuto: true })";
            visitor.finds("document.querySelector('#L2 details').open", false);
            visitor.click("#L2 summary");
            visitor.finds("document.querySelector('#L2 details').open", true);
            visitor.finds(value, true);
            visitor.finds("document.querySelector('#L1 details').open", false);
            // It is as large as a finger needs.
            let place = "(it => it.height >= 24 && it.width >= 24)(document.querySelector('#L2 summary').getBoundingClientRect())";
            visitor.finds(place, true);
            visitor.open(&format!("{path}?lines=2-3"));
            visitor.finds("document.querySelectorAll('.marked').length", 2);
        });
    }
    visit(On, |visitor| {
        let path = put(visitor, "/x.jsonl", text);
        visitor.open(&format!("{path}#L2-L3"));
        visitor.finds("document.querySelectorAll('.records .marked').length", 2);
        visitor.is_at(&format!("{path}#L2-L3"));
        visitor.evaluate(COPIES);
        visitor.click("#selection button:last-child");
        visitor.click("#copy");
        visitor.finds("window.copied", text);
    });
}

#[test]
#[ignore = "needs chromium"]
fn ten_thousand_rows_are_sorted_as_numbers_and_equal_ones_keep_the_order_before() {
    visit(On, |visitor| {
        let path = put(visitor, "/x.csv", "number,third\n1,2\n");
        visitor.open(&path);
        // A server that is not optimized would not render them in time.
        let rows = "document.querySelector('tbody').innerHTML = Array.from({ length: 10000 }, (_, row) => \
            `<tr><th>${row + 1}</th><td>${row * 7919 % 10007}</td><td>${row % 3}</td></tr>`).join('')";
        visitor.evaluate(rows);
        let column = |column: u32| {
            format!(
                "[...document.querySelectorAll('tbody td:nth-child({column})')].map(cell => +cell.textContent)"
            )
        };
        let is_sorted = |values: &str| {
            format!("{values}.every((value, at, all) => !at || all[at - 1] <= value)")
        };
        visitor.click("thead th:nth-child(2) button");
        visitor.finds(&is_sorted(&column(2)), true);
        visitor.click("thead th:nth-child(3) button");
        let rows = "[...document.querySelectorAll('tbody tr')].map(row => row.cells[2].textContent * 1e6 + +row.cells[1].textContent)";
        visitor.finds(&is_sorted(rows), true);
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_header_and_the_numbers_of_rows_stay_in_view_while_a_table_scrolls() {
    visit(On, |visitor| {
        let line = format!("{}\n", "a column,".repeat(30));
        let path = put(visitor, "/x.csv", &line.repeat(200));
        for width in [390, 1280] {
            visitor.take_a_phone(width);
            visitor.open(&path);
            let scrolled = "(table => { table.scrollTo(500, 2000); return [table.scrollLeft, table.scrollTop]; })\
                    (document.querySelector('.table'))";
            visitor.finds(scrolled, json!([500, 2000]));
            let stays = "((table, cell) => [Math.round(cell('thead th').top - table.top), \
                    Math.round(cell('tbody tr:nth-child(70) th').left - table.left)])\
                    (document.querySelector('.table').getBoundingClientRect(), \
                    css => document.querySelector(css).getBoundingClientRect())";
            visitor.finds(stays, json!([0, 0]));
            let sticks_out = "document.documentElement.scrollWidth > innerWidth";
            visitor.finds(sticks_out, false);
            visitor.finds(
                "document.querySelectorAll('.table button').length > 0",
                true,
            );
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn parts_of_json_fold_and_the_source_is_one_click_away() {
    visit(Off, |visitor| {
        let text = minified();
        let path = put(visitor, "/x.json", &text);
        visitor.open(&path);
        let folds = "[...document.querySelectorAll('.json details')].map(part => part.open)";
        visitor.finds(folds, json!([true, true, false]));
        let line = "[...document.querySelectorAll('.json div')].map(line => line.textContent)\
                .map(line => line.trim()).find(line => line.startsWith('\"at\"'))";
        visitor.finds(line, "\"at\": [0.10, -1e400],");
        visitor.click(".json details details summary");
        visitor.finds(folds, json!([true, false, false]));
        let rest =
            "getComputedStyle(document.querySelectorAll('.json summary')[2], '::after').content";
        let shown = visitor.evaluate(rest);
        assert!(shown.as_str().unwrap().contains("150 items"), "{shown}");
        visitor.follow(".view a[href='?view=source']");
        visitor.shows(".listing #L1", &text);
        visitor.follow(".view a[href='?']");
        visitor.is_at(&format!("{path}?"));
        visitor.element(".json");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_link_to_lines_of_a_table_json_or_a_document_leads_to_its_source() {
    for (name, text) in [
        ("/x.csv", "a,b\n1,2\n3,4\n"),
        ("/x.json", "{\n\"a\": 1,\n\"b\": 2\n}\n"),
        ("/x.md", "# A\n\nb\n"),
    ] {
        visit(On, |visitor| {
            let path = put(visitor, name, text);
            visitor.open("/help");
            visitor.evaluate(&format!("location.assign('{path}#L2-L3')"));
            visitor.finds("document.querySelectorAll('.marked').length", 2);
            visitor.is_at(&format!("{path}?view=source#L2-L3"));
        });
        visit(Off, |visitor| {
            let path = put(visitor, name, text);
            visitor.open(&format!("{path}?lines=2"));
            visitor.element("#L2.marked");
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn copy_gives_the_text_and_not_the_table() {
    visit(On, |visitor| {
        for (name, text) in [("/x.csv", CSV), ("/x.json", &minified())] {
            let path = put(visitor, name, text);
            visitor.open(&path);
            visitor.evaluate(COPIES);
            visitor.click("#copy");
            visitor.shows("#copy", "Copied");
            visitor.finds("window.copied", text);
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_table_and_json_that_were_unlocked_have_their_source_below_them() {
    visit(On, |visitor| {
        for (text, view) in [("a,b\n1,2\n3,4\n5,6", ".table"), ("[{\"a\": 1}]", ".json")] {
            save_closed(visitor, text, "", "dead reckoning");
            open_closed(visitor, "dead reckoning");
            visitor.element(view);
            visitor.shows("#source code", text);
            visitor.evaluate(COPIES);
            visitor.click("#copy");
            visitor.finds("window.copied", text);
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_header_that_sorts_and_folded_json_are_printed() {
    visit(On, |visitor| {
        let paths = [
            put(visitor, "/x.csv", CSV),
            put(visitor, "/x.json", &minified()),
        ];
        let header = "['name', 'button'].map(it => document.querySelector(`thead th ${it === 'name' ? '' : it}`).checkVisibility())";
        let folded = "document.querySelector('.json details:not([open]) > div').getBoundingClientRect().height > 0";
        visitor.print();
        visitor.open(&paths[0]);
        visitor.finds(header, json!([true, false]));
        visitor.open(&paths[1]);
        visitor.finds(folded, true);
    });
}
