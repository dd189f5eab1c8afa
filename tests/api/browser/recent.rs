//! The list of the pastes that a browser saved, where the server has none for it: in the browser alone.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{delete, save, save_closed};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit_server};
use crate::server::TestServer;

/// The titles of the list.
const LISTED: &str =
    "[...document.querySelectorAll('#recent bdi')].map(title => title.textContent)";

/// All that the browser stores.
const STORED: &str = "JSON.stringify([{...localStorage}, {...sessionStorage}])";

/// A server with the browser's time, so that no paste has expired.
pub(super) fn at_the_browsers_time(server: TestServer) -> TestServer {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    server.advance(now - Duration::from_millis(server.clock.timestamp().as_millis()));
    server
}

fn visit(test: impl AsyncFnOnce(&Visitor)) {
    visit_server(at_the_browsers_time(TestServer::start()), On, test);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn saved_pastes_are_listed_until_they_are_forgotten_or_deleted() {
    visit(async |visitor| {
        visitor.open("/mine").await;
        visitor.tells("#recent", "None yet.").await;
        let mut paths = Vec::new();
        for title in ["one", "<b>two</b>", "three", "four"] {
            paths.push(save(visitor, "fn main() {}", title).await);
        }
        visitor.open("/mine").await;
        visitor
            .finds(LISTED, json!(["four", "three", "<b>two</b>", "one"]))
            .await;
        for fact in ["Saved ", "Expires in 1 hour"] {
            visitor.tells("#recent li .facts", fact).await;
        }
        // One is forgotten, and the focus is on the next
        visitor.click("#recent li button").await;
        visitor
            .finds(LISTED, json!(["three", "<b>two</b>", "one"]))
            .await;
        visitor
            .finds("document.activeElement.ariaLabel", "Forget three")
            .await;
        // One is opened, and deleted
        visitor.follow("#recent li a").await;
        visitor.shows("h1", "three").await;
        delete(visitor).await;
        visitor.open("/mine").await;
        visitor.finds(LISTED, json!(["<b>two</b>", "one"])).await;
        // One is gone for another reason, which is seen when it is opened
        visitor.server.advance(Duration::from_secs(2 * 3600));
        visitor.open(&paths[0]).await;
        visitor.shows("h1", "No longer available").await;
        visitor.open("/mine").await;
        visitor.finds(LISTED, json!(["<b>two</b>"])).await;
        visitor.click("#recent .all").await;
        visitor.tells("#recent", "None yet.").await;
        visitor.finds(LISTED, json!([])).await;
        visitor.open("/mine").await;
        visitor.finds(LISTED, json!([])).await;
        visitor.finds("Object.keys(localStorage)", json!([])).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_change_of_a_listed_paste_changes_its_title_and_no_other_is_added() {
    visit(async |visitor| {
        let path = save(visitor, "fn main() {}", "one").await;
        visitor.open(&format!("{path}/edit")).await;
        visitor.type_into("#title", " more").await;
        visitor.follow(".submit button").await;
        visitor.open("/mine").await;
        visitor.finds(LISTED, json!(["one more"])).await;
        visitor.click("#recent .all").await;
        visitor.open(&format!("{path}/edit")).await;
        visitor.follow(".submit button").await;
        visitor.open("/mine").await;
        visitor.finds(LISTED, json!([])).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_paste_that_burns_is_not_listed_and_of_a_locked_one_no_title_is_stored() {
    visit(async |visitor| {
        save_closed(visitor, "a secret", "1", "").await;
        save_closed(visitor, "a secret", "3", "dead reckoning").await;
        visitor.open("/").await;
        visitor.type_into("#title", "a private title").await;
        visitor.type_into("#content", "a secret").await;
        visitor.type_into("#password", "dead reckoning").await;
        visitor.click(".submit button").await;
        visitor.element(".gate").await;
        let locked = visitor.path().await;
        let token = visitor.text(".note code").await;
        visitor.open("/mine").await;
        visitor.finds(LISTED, json!([&locked[1..]])).await;
        visitor.tells("#recent li", "Password protected").await;
        let stored = visitor.evaluate(STORED).await.to_string();
        for private in ["a private title", "a secret", "reckoning", &token] {
            assert!(!stored.contains(private), "{stored}");
        }
        assert_eq!(token.len(), 22);
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_last_twenty_that_have_not_expired_are_listed_whatever_else_is_stored() {
    // Entries as other scripts of this origin might write them
    const FILL: &str = "(() => {
        const now = Date.now();
        const put = (id, entry) => localStorage.setItem(`recent:${id}`, typeof entry === 'string' ? entry : JSON.stringify(entry));
        const entry = { title: 'title', locked: false, saved: now, expires: now + 9e6 };
        for (let n = 10; n < 40; n += 1) put(`aaaaaaaaaa${n}`, { ...entry, title: `title ${n}`, saved: now - n * 1000 });
        put('expired00000', { ...entry, expires: now - 1 });
        put('//evil.test/', entry);
        put('javascript:alert(1)', entry);
        put('lateandlater', { ...entry, saved: 1e300 });
        put('latertooooo1', { ...entry, expires: 'never' });
        put('titleisalist', { ...entry, title: ['x'] });
        put('htmltitle000', { ...entry, title: '<img src=x onerror=alert(1)>' + 'y'.repeat(9999), expires: null });
        for (const rubbish of ['', 'null', '7', '[]', '{', '\"x\"', '{\"__proto__\":1}']) put(`rubbish${rubbish.length}0`, rubbish);
    })()";
    visit(async |visitor| {
        visitor.open("/").await;
        visitor.evaluate(FILL).await;
        visitor.open("/mine").await;
        visitor
            .finds("document.querySelectorAll('#recent li').length", 20)
            .await;
        visitor.finds(&format!("{LISTED}[0].length"), 250).await;
        visitor.finds(&format!("{LISTED}[1]"), "title 10").await;
        visitor.finds(&format!("{LISTED}[19]"), "title 28").await;
        visitor.tells("#recent li .facts", "Never expires").await;
        visitor
            .finds("document.querySelectorAll('#recent img').length", 0)
            .await;
        visitor.finds("Object.keys(localStorage).length", 20).await;
        visitor
            .finds("[...document.querySelectorAll('#recent a')].every(a => a.origin === location.origin)", true)
            .await;
        // The next save makes room
        save(visitor, "fn main() {}", "new").await;
        visitor.open("/mine").await;
        visitor.finds(&format!("{LISTED}[0]"), "new").await;
        visitor.finds("Object.keys(localStorage).length", 20).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_browser_that_stores_nothing_saves_as_ever() {
    // Before any script of the page
    const FORBIDDEN: &str = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no'); } })";
    const FULL: &str = "Storage.prototype.setItem = () => { throw new DOMException('full'); }";
    for broken in [FORBIDDEN, FULL] {
        visit(async |visitor| {
            let source = json!({ "source": broken });
            visitor.tell("Page.addScriptToEvaluateOnNewDocument", &source);
            save(visitor, "fn main() {}", "one").await;
            visitor.shows(".title", "one").await;
            visitor.open("/mine").await;
            visitor.tells("#recent", "None yet.").await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn nothing_is_stored_where_the_server_has_the_list() {
    let server = TestServer::with(&["--base-url", "https://bin.example"]);
    visit_server(at_the_browsers_time(server), On, async |visitor| {
        save(visitor, "fn main() {}", "one").await;
        visitor.finds(STORED, "[{},{}]").await;
        visitor.open("/mine").await;
        visitor.shows(".mine bdi", "one").await;
        visitor
            .finds("document.querySelector('#recent')", Value::Null)
            .await;
    });
    let server = TestServer::start();
    let editor = server.request("GET", "/").header("Accept", "text/html");
    let secret = format!("Bearer tbo_{}", "0".repeat(22));
    let own = editor.clone().header("Authorization", &secret).send();
    assert!(editor.send().text().contains("data-recent"));
    assert!(!own.text().contains("data-recent"));
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn without_scripts_there_is_no_list_and_the_page_says_why() {
    visit_server(TestServer::start(), Off, async |visitor| {
        visitor.open("/mine").await;
        visitor
            .tells("main", "A list on the server needs HTTPS")
            .await;
        visitor
            .finds("document.querySelector('#recent').checkVisibility()", false)
            .await;
    });
}
