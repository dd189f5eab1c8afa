//! Paper: which parts of each page are printed, and in which colours.

use serde_json::json;

use super::logs::LOG;
use super::{TYPED, open_closed, save};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

/// The controls of a screen that are printed all the same.
const USED: &str = "[...document.querySelectorAll('nav, button, .button, .quiet, input, select, .top, #menu, .filter, \
    .contents, form:not(.editor)')].filter(it => it.checkVisibility()).map(it => it.outerHTML)";

/// The colours of the page's paper and ink, which are mixed where the page is dark.
const COLOURS: &str =
    "(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.body))";

/// The elements that are wider than the paper.
const WIDE: &str = "document.documentElement.scrollWidth > innerWidth || [...document.querySelectorAll('.listing, \
    .document pre, .document .table')].some(it => it.scrollWidth > it.clientWidth)";

/// Asserts that the open page is printed without the controls of a screen, in light colours, and completely.
async fn is_fit_for_paper(visitor: &Visitor<'_>) {
    visitor.be_wide(720, 1000);
    visitor.print();
    visitor.finds(USED, json!([])).await;
    let light = json!(["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
    visitor.finds(COLOURS, light).await;
    visitor.finds(WIDE, false).await;
}

/// Remembers the dark scheme and unwrapped lines, as a reader who chose both.
async fn remember(visitor: &Visitor<'_>) {
    visitor.open("/help").await;
    visitor
        .evaluate("localStorage.setItem('theme', 'dark') ?? localStorage.setItem('wrap', 'off')")
        .await;
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn every_page_is_printed_dark_on_light_without_menus_and_buttons() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            remember(visitor).await;
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
                visitor.server.save([0xff; 3000]).path,
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
                visitor.open(&path).await;
                is_fit_for_paper(visitor).await;
            }
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_printed_table_has_the_names_of_its_columns() {
    visit(On, async |visitor| {
        let request = visitor
            .server
            .request("PUT", "/a.csv")
            .body("port,range\nBrest,6\n");
        visitor
            .open(&crate::server::Saved::of(&request.send()).path)
            .await;
        visitor.element("thead button").await;
        visitor.print();
        let name = "document.querySelector('thead th:nth-child(2)').innerText.trim()";
        visitor.finds(name, "port").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_printed_paste_has_its_title_its_address_and_absolute_dates() {
    visit(On, async |visitor| {
        remember(visitor).await;
        let path = save(visitor, TYPED, "A title").await;
        visitor.open(&path).await;
        is_fit_for_paper(visitor).await;
        visitor.shows("h1", "A title").await;
        let printed = "(css, part) => { const it = document.querySelector(css); \
            return it.checkVisibility() && getComputedStyle(it, part).content; }";
        for when in ["past", "future"] {
            let time = format!("document.querySelector('[data-when={when}]')");
            visitor
                .finds(&format!("({printed})('[data-when={when}]', '::after')"), {
                    let title = visitor.evaluate(&format!("{time}.title")).await;
                    json!(format!("\"{}\"", title.as_str().unwrap()))
                })
                .await;
            let size = format!("getComputedStyle({time}).fontSize");
            visitor.finds(&size, "0px").await;
        }
        visitor
            .finds("document.querySelector('.paper').checkVisibility()", true)
            .await;
        let address = visitor.text(".paper").await;
        assert!(address.ends_with(&path), "{address}");
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn an_unlocked_document_is_printed_without_its_source() {
    visit(On, async |visitor| {
        remember(visitor).await;
        let request = visitor
            .server
            .request("PUT", "/read.md")
            .body("# A title\n");
        let locked = request.header("X-Password", "dead reckoning").send();
        visitor.open(&crate::server::Saved::of(&locked).path).await;
        open_closed(visitor, "dead reckoning").await;
        visitor.element("#source").await;
        is_fit_for_paper(visitor).await;
        visitor
            .finds("document.querySelector('#source').checkVisibility()", false)
            .await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_printed_log_says_that_it_was_narrowed() {
    visit(On, async |visitor| {
        let request = visitor.server.request("PUT", "/x.log").body("one\ntwo\n");
        visitor
            .open(&crate::server::Saved::of(&request.send()).path)
            .await;
        visitor.type_into("#filter", "two").await;
        visitor.tells("#shown", "1 of 2 lines").await;
        visitor.print();
        visitor.shows("#shown", "1 of 2 lines").await;
        let is_seen =
            "['#filter', '#shown'].map(it => document.querySelector(it).checkVisibility())";
        visitor.finds(is_seen, json!([false, true])).await;
    });
}
