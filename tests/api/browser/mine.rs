//! The list of an owner's pastes. The browser takes 127.0.0.1 for a safe host, so that it keeps the cookie without TLS.

use std::time::Duration;

use serde_json::json;

use super::TYPED;
use super::looks::is_still;
use crate::chromium::Scripts::On;
use crate::chromium::input::ESCAPE;
use crate::chromium::{Visitor, visit_server};
use crate::server::TestServer;

/// When the first or the last paste of the list expires.
pub(super) fn expires(place: &str) -> String {
    format!("document.querySelector('.mine li:{place}-child time[data-when=future]').dateTime")
}

/// How many pastes the list has.
const LISTED: &str = "document.querySelectorAll('.mine li').length";

fn server() -> TestServer {
    TestServer::with(&["--base-url", "https://bin.example"])
}

/// Saves a paste with this title.
fn save(visitor: &Visitor, title: &str) {
    visitor.open("/");
    visitor.type_into("#content", TYPED);
    visitor.type_into("#title", title);
    visitor.choose("#expires", "1h");
    visitor.click(".submit button");
    visitor.tells(".note", "Saved.");
}

#[test]
#[ignore = "needs chromium"]
fn what_a_browser_saves_is_listed_extended_deleted_and_forgotten() {
    visit_server(server(), On, list);
}

/// Saves three pastes, and changes them on the list.
pub(super) fn list(visitor: &Visitor) {
    visitor.open("/mine");
    visitor.tells("main", "is not the owner of any paste");
    for title in ["one", "two", "three"] {
        save(visitor, title);
    }
    // The token is shown once, next to the link
    visitor.element(".note code");
    visitor.click(".top a[href='/mine']");
    visitor.finds(LISTED, 3);
    visitor.shows(".mine li:first-child bdi", "three");
    visitor.finds(&expires("first"), "2026-01-01T01:00:00Z");
    // Extend one
    visitor.click(".mine li:first-child input");
    visitor.choose("#expires", "1d");
    visitor.click("button[value=extend]");
    visitor.finds(&expires("first"), "2026-01-02T00:00:00Z");
    visitor.finds(&expires("last"), "2026-01-01T01:00:00Z");
    // Delete two at once, after a question
    for place in ["first", "last"] {
        visitor.click(&format!(".mine li:{place}-child input"));
    }
    visitor.finds(
        "document.querySelector('button[value=delete]').checkVisibility()",
        false,
    );
    visitor.click(".delete summary");
    visitor.click("button[value=delete]");
    visitor.finds(LISTED, 1);
    visitor.shows(".mine bdi", "two");
    // A listed paste opens as its owner sees it
    visitor.click(".mine li a");
    visitor.element(".head a[href$='/edit']");
    // Forget me
    visitor.open("/mine");
    visitor.click("form[action='/mine/forget'] button");
    visitor.shows("h1", "Forgotten");
    visitor.open("/mine");
    visitor.tells("main", "is not the owner of any paste");
}

#[test]
#[ignore = "needs chromium"]
fn the_filter_shows_the_rows_with_all_words_and_what_it_hides_is_not_deleted() {
    const SHOWN: &str = "[...document.querySelectorAll('.mine li:not([hidden]) a bdi')].map(it => it.textContent).join()";
    const TOP: &str = "document.querySelector('.mine').getBoundingClientRect().top";
    visit_server(server(), On, |visitor| {
        for title in ["notes.md", "config.json", "old config.toml"] {
            save(visitor, title);
        }
        visitor.open("/mine");
        visitor.shows("#shown", "3 of 3 pastes");
        let top = visitor.evaluate(TOP).to_string();
        for place in ["first", "last"] {
            visitor.click(&format!(".mine li:{place}-child input"));
        }
        visitor.click(".delete summary");
        visitor.shows("button[value=delete]", "Delete 2 pastes for good");
        // By the title, in any order, and by the kind
        visitor.press("/");
        visitor.type_into("#filter", "CONFIG o");
        visitor.finds(SHOWN, "old config.toml,config.json");
        visitor.shows("#shown", "2 of 3 pastes");
        assert_eq!(visitor.evaluate(TOP).to_string(), top);
        visitor.clear("#filter");
        visitor.type_into("#filter", "toml");
        visitor.shows("button[value=delete]", "Delete 1 paste for good");
        visitor.clear("#filter");
        visitor.type_into("#filter", "markdown");
        visitor.finds(SHOWN, "notes.md");
        visitor.click("button[value=delete]");
        // The hidden one was selected, and is still there
        visitor.finds(SHOWN, "old config.toml,config.json");
        visitor.finds("document.querySelector('[value=delete]').disabled", true);
        visitor.type_into("#filter", "nothing");
        visitor.shows("#shown", "0 of 2 pastes");
        visitor.press(ESCAPE);
        visitor.shows("#shown", "2 of 2 pastes");
    });
}

/// Saves these texts from a page, as its form would.
fn save_all(visitor: &Visitor, texts: &[&str]) {
    let texts = json!(texts);
    visitor.open("/");
    visitor.awaited(&format!(
        "(async () => {{
            for (const content of {texts}) {{
                const body = new URLSearchParams({{ content }});
                await fetch('/', {{ method: 'POST', headers: {{ Accept: 'application/json' }}, body }});
            }}
        }})()"
    ));
}

#[test]
#[ignore = "needs chromium"]
fn what_has_no_title_is_recognised_copied_and_found_and_the_list_stands_still() {
    const NAMES: &str =
        "[...document.querySelectorAll('.mine li:not([hidden]) a bdi')].map(it => it.textContent)";
    visit_server(server(), On, |visitor| {
        // Given pastes of several kinds, and more on the next day
        let texts = [
            "import time\n\nclass TokenBucket:\n    def __init__(self):\n        pass\n",
            "{\"name\": \"tide-service\", \"version\": \"1.2\"}",
            "id,name,price\n1,apple,2.5\n2,pear,3.5\n3,plum,1.0\n",
        ];
        save_all(visitor, &texts);
        visitor.server.advance(Duration::from_secs(24 * 3600));
        save_all(visitor, &["Buy milk, eggs and bread\n"; 12]);
        // Then each has its name and a first line that says more, below its day. No row moves, although the page comes
        // slowly.
        visitor.open("/mine");
        let slow = json!({ "offline": false, "latency": 0, "downloadThroughput": 3000, "uploadThroughput": -1 });
        visitor.command("Network.emulateNetworkConditions", &slow);
        is_still(visitor, "/mine", 0.0);
        visitor.shows("section:nth-of-type(1) h2", "Today");
        visitor.shows("section:nth-of-type(2) h2", "Yesterday");
        visitor.shows(
            "section:nth-of-type(2) li:last-child bdi",
            "class TokenBucket",
        );
        visitor.shows("section:nth-of-type(2) li:last-child code", "import time");
        // And it is found by them
        visitor.type_into("#filter", "import");
        visitor.finds(NAMES, json!(["class TokenBucket"]));
        visitor.finds("document.querySelector('section').checkVisibility()", false);
        visitor.clear("#filter");
        visitor.type_into("#filter", "csv");
        visitor.finds(NAMES, json!(["3 columns"]));
        // And its link is copied
        let copy = ".mine li:not([hidden]) button";
        visitor.click(copy);
        visitor.shows(copy, "Copied");
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_list_fits_a_phone_whatever_the_titles() {
    visit_server(server(), On, |visitor| {
        save(visitor, &"x".repeat(250));
        visitor.take_a_phone(320);
        visitor.open("/mine");
        visitor.finds(LISTED, 1);
        visitor.finds("document.documentElement.scrollWidth", 320);
    });
}
