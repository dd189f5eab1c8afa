//! Paper: which parts of each page are printed, and in which colours.

use serde_json::json;

use super::logs::LOG;
use super::sealed::{save as save_sealed, type_sealed};
use super::{TYPED, open_closed, save};
use crate::chromium::Scripts::On;
use crate::chromium::{Visitor, visit};

/// The controls of a screen that are printed all the same.
const USED: &str = "[...document.querySelectorAll('nav, button, .button, .quiet, input, select, .top, #menu, .log-bar, \
    .contents, form:not(.editor)')].filter(it => it.checkVisibility()).map(it => it.outerHTML)";

/// The colours of the page's paper and ink, which are mixed where the page is dark.
const COLOURS: &str =
    "(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.body))";

/// The width of paper without its margins, in pixels of CSS.
const A4: u32 = 720;
const A4_LANDSCAPE: u32 = 1046;
/// Narrower than the address of an encrypted paste.
const A5: u32 = 520;

/// The elements that are wider than the paper, with both widths.
const WIDE: &str = "[...document.querySelectorAll(':root, .listing, .document pre, .document .table')] \
    .filter(it => it.scrollWidth > it.clientWidth) \
    .map(it => [it.scrollWidth, it.clientWidth, it.outerHTML.slice(0, 200)])";

/// Asserts that the open page is printed without the controls of a screen, in light colours, and completely.
fn is_fit_for_paper(visitor: &Visitor) {
    visitor.print();
    for width in [A4, A5] {
        visitor.be_wide(width, 1000);
        visitor.finds(USED, json!([]));
        let light = json!(["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
        visitor.finds(COLOURS, light);
        visitor.finds(WIDE, json!([]));
    }
}

/// Remembers the dark scheme and unwrapped lines, as a reader who chose both.
fn remember(visitor: &Visitor) {
    visitor.open("/help");
    visitor
        .evaluate("localStorage.setItem('theme', 'dark') ?? localStorage.setItem('wrap', 'off')");
}

#[test]
#[ignore = "needs chromium"]
fn every_page_is_printed_dark_on_light_without_menus_and_buttons() {
    visit(On, |visitor| {
        remember(visitor);
        let put = |name: &str, content: &str| {
            let request = visitor.server.request("PUT", name).body(content);
            crate::server::Saved::of(&request.send()).path
        };
        let code = put("/main.rs", &"let long = \"line\"; ".repeat(20));
        let patch = put(
            "/x.patch",
            &format!("--- a\n+++ b\n@@ -1 +1 @@\n-{TYPED:?}\n+é\n"),
        );
        let wide = format!(
            "# A\n\n## B\n\n## C\n\n```\n{0}\n```\n\n|a|\n|-|\n|{0}|\n",
            "wide".repeat(50)
        );
        let other = visitor.server.save("other\n").path;
        for path in [
            code.clone(),
            format!("{code}?lines=1"),
            put("/app.log", LOG),
            put("/a.json", "{\"a\":[1,2],\"b\":\"c\"}"),
            put("/read.md", &wide),
            put("/out.txt", "\u{1b}[37;40mwhite\u{1b}[m"),
            visitor.server.save([0xff_u8, 1].repeat(1500)).path,
            format!("/diff{code}{other}"),
            format!("{code}/stats"),
            format!("{code}/language"),
            patch,
            "/".to_owned(),
            "/help".to_owned(),
            "/api".to_owned(),
            "/nothing".to_owned(),
            "/login".to_owned(),
            "/mine".to_owned(),
        ] {
            visitor.open(&path);
            is_fit_for_paper(visitor);
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_wide_table_is_printed_smaller_and_a_wider_one_on_landscape_paper() {
    visit(On, |visitor| {
        let columns = |count: u32| {
            let row = |cell: &str| format!("|{}\n", format!("{cell}|").repeat(count as usize));
            row("a column") + &row("-") + &row("some words")
        };
        for (count, width, page) in [(10, A4, "auto"), (25, A4_LANDSCAPE, "wide")] {
            let request = visitor.server.request("PUT", "/wide.md");
            let saved = crate::server::Saved::of(&request.body(columns(count)).send());
            visitor.open(&saved.path);
            visitor.print();
            visitor.be_wide(width, 700);
            visitor.finds(WIDE, json!([]));
            let table = "document.querySelector('.document .table')";
            visitor.finds(&format!("getComputedStyle({table}).page"), page);
            // No word is broken.
            let lines = format!(
                "Math.max(...[...{table}.querySelectorAll('td')].map(cell => cell.getClientRects()[0].height))"
            );
            visitor.until(&format!("{lines} < 40"));
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_printed_table_has_the_names_of_its_columns() {
    visit(On, |visitor| {
        let request = visitor
            .server
            .request("PUT", "/a.csv")
            .body("port,range\nBrest,6\n");
        visitor.open(&crate::server::Saved::of(&request.send()).path);
        visitor.element("thead button");
        visitor.print();
        let name = "document.querySelector('thead th:nth-child(2)').innerText.trim()";
        visitor.finds(name, "port");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_printed_paste_has_its_title_its_address_and_absolute_dates() {
    visit(On, |visitor| {
        remember(visitor);
        let path = save(visitor, TYPED, "A title");
        visitor.open(&path);
        is_fit_for_paper(visitor);
        visitor.shows("h1", "A title");
        let printed = "(css, part) => { const it = document.querySelector(css); \
            return it.checkVisibility() && getComputedStyle(it, part).content; }";
        for when in ["past", "future"] {
            let time = format!("document.querySelector('[data-when={when}]')");
            visitor.finds(&format!("({printed})('[data-when={when}]', '::after')"), {
                let title = visitor.evaluate(&format!("{time}.title"));
                json!(format!("\"{}\"", title.as_str().unwrap()))
            });
            let size = format!("getComputedStyle({time}).fontSize");
            visitor.finds(&size, "0px");
        }
        visitor.finds("document.querySelector('.paper').checkVisibility()", true);
        let address = visitor.text(".paper");
        assert!(address.ends_with(&path), "{address}");
    });
}

#[test]
#[ignore = "needs chromium"]
fn an_encrypted_paste_is_printed_with_its_text_and_without_its_controls() {
    visit(On, |visitor| {
        remember(visitor);
        type_sealed(visitor, &TYPED.repeat(20));
        let path = save_sealed(visitor);
        visitor.open("/help");
        visitor.open(&path);
        visitor.shows("h1", "a <b>title</b>");
        is_fit_for_paper(visitor);
        let listing = "document.querySelector('.listing').checkVisibility()";
        visitor.finds(listing, true);
    });
}

#[test]
#[ignore = "needs chromium"]
fn an_unlocked_document_is_printed_without_its_source() {
    visit(On, |visitor| {
        remember(visitor);
        let request = visitor
            .server
            .request("PUT", "/read.md")
            .body("# A title\n");
        let locked = request.header("X-Password", "dead reckoning").send();
        visitor.open(&crate::server::Saved::of(&locked).path);
        open_closed(visitor, "dead reckoning");
        visitor.element("#source");
        is_fit_for_paper(visitor);
        visitor.finds("document.querySelector('#source').checkVisibility()", false);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_printed_log_says_that_it_was_narrowed() {
    visit(On, |visitor| {
        let request = visitor.server.request("PUT", "/x.log").body("one\ntwo\n");
        visitor.open(&crate::server::Saved::of(&request.send()).path);
        visitor.type_into("#filter", "two");
        visitor.tells("#shown", "1 of 2 lines");
        visitor.print();
        visitor.shows("#shown", "1 of 2 lines");
        let is_seen =
            "['#filter', '#shown'].map(it => document.querySelector(it).checkVisibility())";
        visitor.finds(is_seen, json!([false, true]));
    });
}
