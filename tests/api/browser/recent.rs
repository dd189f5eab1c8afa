//! The list of the pastes that a browser saved, where the server has none for it: in the browser alone.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{delete, save, save_closed};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit_server};
use crate::server::TestServer;

/// The titles of the list.
const LISTED: &str =
    "[...document.querySelectorAll('#recent a bdi')].map(title => title.textContent)";

/// All that the browser stores.
const STORED: &str = "JSON.stringify([{...localStorage}, {...sessionStorage}])";

/// A server with the browser's time, so that no paste has expired.
pub(super) fn at_the_browsers_time(server: TestServer) -> TestServer {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    server.advance(now - Duration::from_millis(server.clock.timestamp().as_millis()));
    server
}

fn visit(test: impl FnOnce(&Visitor)) {
    visit_server(at_the_browsers_time(TestServer::start()), On, test);
}

#[test]
#[ignore = "needs chromium"]
fn saved_pastes_are_listed_until_they_are_forgotten_or_deleted() {
    visit(|visitor| {
        visitor.open("/mine");
        visitor.tells("#recent", "None yet.");
        let mut paths = Vec::new();
        for title in ["one", "<b>two</b>", "three", "four"] {
            paths.push(save(visitor, "fn main() {}", title));
        }
        visitor.open("/mine");
        visitor.finds(LISTED, json!(["four", "three", "<b>two</b>", "one"]));
        for fact in ["fn main() {}", "Rust", "Saved ", "Expires in 1 hour"] {
            visitor.tells("#recent li", fact);
        }
        // Some are filtered
        visitor.type_into("#filter", "O");
        visitor.shows("#shown", "3 of 4 pastes");
        visitor.clear("#filter");
        visitor.type_into("#filter", "rust main tw");
        visitor.shows("#shown", "1 of 4 pastes");
        visitor.clear("#filter");
        // One is forgotten, and the focus is on the next
        visitor.click("#recent li button:last-child");
        visitor.finds(LISTED, json!(["three", "<b>two</b>", "one"]));
        visitor.finds("document.activeElement.ariaLabel", "Forget three");
        // One is opened, and deleted
        visitor.follow("#recent li a");
        visitor.shows("h1", "three");
        delete(visitor);
        visitor.open("/mine");
        visitor.finds(LISTED, json!(["<b>two</b>", "one"]));
        // One is gone for another reason, which is seen when it is opened
        visitor.server.advance(Duration::from_secs(2 * 3600));
        visitor.open(&paths[0]);
        visitor.shows("h1", "No longer available");
        visitor.open("/mine");
        visitor.finds(LISTED, json!(["<b>two</b>"]));
        visitor.click("#recent .all");
        visitor.tells("#recent", "None yet.");
        visitor.finds(LISTED, json!([]));
        visitor.open("/mine");
        visitor.finds(LISTED, json!([]));
        visitor.finds("Object.keys(localStorage)", json!([]));
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_listed_paste_has_the_language_that_the_server_found() {
    visit(|visitor| {
        visitor.open("/");
        visitor.type_into("#content", "#!/usr/bin/env python3\nimport sys\n");
        visitor.click(".submit button");
        visitor.tells("#kind", "Python");
        visitor.open("/mine");
        visitor.finds(
            "document.querySelector('#recent .kind')?.innerText",
            "Python",
        );
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_change_of_a_listed_paste_changes_its_row_and_no_other_is_added() {
    visit(|visitor| {
        let path = save(visitor, "  fn\nmain() {}\n", "");
        visitor.open("/mine");
        visitor.finds(LISTED, json!(["fn main() {}"]));
        visitor.open(&format!("{path}/edit"));
        visitor.type_into("#title", "one");
        visitor.clear("#content");
        visitor.type_into("#content", &"word ".repeat(60));
        visitor.follow(".submit button");
        visitor.open("/mine");
        visitor.finds(LISTED, json!(["one"]));
        visitor.shows("#recent li code bdi", ["word"; 20].join(" ").as_str());
        visitor.shows("#recent .kind", "Rust");
        visitor.click("#recent .all");
        visitor.open(&format!("{path}/edit"));
        visitor.follow(".submit button");
        visitor.open("/mine");
        visitor.finds(LISTED, json!([]));
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_paste_that_burns_is_not_listed_and_of_a_locked_one_no_title_is_stored() {
    visit(|visitor| {
        save_closed(visitor, "a secret", "1", "");
        save_closed(visitor, "a secret", "3", "dead reckoning");
        visitor.open("/");
        visitor.type_into("#title", "a private title");
        visitor.type_into("#content", "a secret");
        visitor.click("[value=password]");
        visitor.type_into("#password", "dead reckoning");
        visitor.click(".submit button");
        visitor.element(".gate");
        let locked = visitor.path();
        let token = visitor.text(".note code");
        visitor.open("/mine");
        visitor.finds(LISTED, json!([&locked[1..]]));
        visitor.tells("#recent li", "Password protected");
        let stored = visitor.evaluate(STORED).to_string();
        for private in ["a private title", "a secret", "reckoning", &token] {
            assert!(!stored.contains(private), "{stored}");
        }
        assert_eq!(token.len(), 22);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_paste_that_burned_is_listed_with_the_time_when_it_was_read() {
    // Given a server without a list, and one that has it
    for flags in [&[][..], &["--base-url", "https://bin.example"]] {
        let server = at_the_browsers_time(TestServer::with(flags));
        visit_server(server, On, |visitor| {
            let paths = ["1", "3"].map(|burn| save_closed(visitor, "a secret", burn, ""));
            for path in &paths {
                assert_eq!(visitor.server.request("POST", path).send().status, 200);
            }
            // Then the one that was read for the last time is shown, and no other
            visitor.open("/mine");
            visitor.tells(".gone li", "Read ");
            visitor.shows(".gone bdi", &paths[0][1..]);
            visitor.finds("document.querySelectorAll('.gone li').length", 1);
            visitor.click(".gone button");
            visitor.finds("document.querySelector('.gone li')", Value::Null);
            let stored = visitor.evaluate(STORED).to_string();
            assert!(!stored.contains(&paths[0][1..]) && !stored.contains("a secret"));
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn the_last_twenty_that_have_not_expired_are_listed_whatever_else_is_stored() {
    // Entries as other scripts of this origin might write them
    const FILL: &str = "(() => {
        const now = Date.now();
        const put = (id, entry) => localStorage.setItem(`recent:${id}`, typeof entry === 'string' ? entry : JSON.stringify(entry));
        const entry = { title: 'title', kind: 'Rust', locked: false, saved: now, expires: now + 9e6 };
        for (let n = 10; n < 40; n += 1) put(`aaaaaaaaaa${n}`, { ...entry, title: `title ${n}`, saved: now - n * 1000 });
        put('expired00000', { ...entry, expires: now - 1 });
        put('//evil.test/', entry);
        put('javascript:alert(1)', entry);
        put('lateandlater', { ...entry, saved: 1e300 });
        put('latertooooo1', { ...entry, expires: 'never' });
        put('titleisalist', { ...entry, title: ['x'] });
        put('wordsarelist', { ...entry, words: ['x'] });
        put('kindisobject', { ...entry, kind: { toString: 1, valueOf: 1 } });
        put('htmltitle000', { ...entry, title: '<img src=x onerror=alert(1)>' + 'y'.repeat(9999), expires: null });
        for (const rubbish of ['', 'null', '7', '[]', '{', '\"x\"', '{\"__proto__\":1}']) put(`rubbish${rubbish.length}0`, rubbish);
    })()";
    visit(|visitor| {
        visitor.open("/");
        visitor.evaluate(FILL);
        visitor.open("/mine");
        visitor.finds("document.querySelectorAll('#recent li').length", 20);
        visitor.finds(&format!("{LISTED}[0].length"), 250);
        visitor.finds(&format!("{LISTED}[1]"), "title 10");
        visitor.finds(&format!("{LISTED}[19]"), "title 28");
        visitor.tells("#recent li", "Never expires");
        visitor.finds("document.querySelectorAll('#recent img').length", 0);
        visitor.finds("Object.keys(localStorage).length", 20);
        visitor.finds(
            "[...document.querySelectorAll('#recent a')].every(a => a.origin === location.origin)",
            true,
        );
        // The next save makes room
        save(visitor, "fn main() {}", "new");
        visitor.open("/mine");
        visitor.finds(&format!("{LISTED}[0]"), "new");
        visitor.finds("Object.keys(localStorage).length", 20);
        // What the filter hides stays
        visitor.type_into("#filter", "title 10");
        visitor.click("#recent .all");
        visitor.shows("#shown", "0 of 19 pastes");
        visitor.finds("Object.keys(localStorage).length", 19);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_browser_that_stores_nothing_saves_as_ever() {
    // Before any script of the page
    const FORBIDDEN: &str = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no'); } })";
    const FULL: &str = "Storage.prototype.setItem = () => { throw new DOMException('full'); }";
    for broken in [FORBIDDEN, FULL] {
        visit(|visitor| {
            let source = json!({ "source": broken });
            visitor.command("Page.addScriptToEvaluateOnNewDocument", &source);
            save(visitor, "fn main() {}", "one");
            visitor.shows(".title", "one");
            visitor.open("/mine");
            visitor.tells("#recent", "None yet.");
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn nothing_is_stored_where_the_server_has_the_list() {
    let server = TestServer::with(&["--base-url", "https://bin.example"]);
    visit_server(at_the_browsers_time(server), On, |visitor| {
        save(visitor, "fn main() {}", "one");
        visitor.finds(STORED, "[{},{}]");
        visitor.open("/mine");
        visitor.shows(".mine bdi", "one");
        visitor.finds("document.querySelector('#recent')", Value::Null);
    });
    let server = TestServer::start();
    let editor = server.request("GET", "/").header("Accept", "text/html");
    let secret = format!("Bearer tbo_{}", "0".repeat(22));
    let own = editor.clone().header("Authorization", &secret).send();
    assert!(editor.send().text().contains("data-recent"));
    assert!(!own.text().contains("data-recent"));
}

#[test]
#[ignore = "needs chromium"]
fn without_scripts_there_is_no_list_and_the_page_says_why() {
    visit_server(TestServer::start(), Off, |visitor| {
        visitor.open("/mine");
        visitor.tells("main", "With JavaScript, this page lists");
        visitor.finds("document.querySelector('#recent').checkVisibility()", false);
    });
}
