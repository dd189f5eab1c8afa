//! Pages under a finger, on a narrow screen.

use serde_json::json;

use super::data::minified;
use super::files::paste_files;
use super::logs::LOG;
use super::patches::PATCH;
use super::sealed::{save as seal, type_sealed};
use super::secrets::github_token;
use super::{journey, open_menu, save, save_closed};
use crate::chromium::Scripts::On;
use crate::chromium::{Visitor, visit, visit_server};
use crate::server::Saved;

/// What can be pressed and is smaller than a finger. Links within a text, and lines of JSON, are as high as their line.
/// A whole header of a table is pressed, and a whole label.
const SMALL: &str = "[...document.querySelectorAll('a, button, input, select, textarea, summary, label, th[aria-sort]')]
    .filter(it => it.checkVisibility({ visibilityProperty: true }) && getComputedStyle(it).display !== 'inline'
        && !it.matches('.number, .json *, th button, label input, label:not(:has(input))'))
    .map(it => [it.getBoundingClientRect(), it.outerHTML.slice(0, 99)])
    .filter(([{ width, height }]) => Math.min(width, height) < 43.9)
    .map(([{ width, height }, html]) => `${width} × ${height}: ${html}`).join('\\n')";

fn is_for_fingers(visitor: &Visitor, page: &str) {
    assert_eq!(visitor.evaluate(SMALL), "", "{page}");
}

#[test]
#[ignore = "needs chromium"]
fn whatever_is_pressed_on_a_page_is_as_large_as_a_finger() {
    visit_server(journey::server(), On, |visitor| {
        let put = |name: &str, content: &str| {
            let request = visitor.server.request("PUT", name).body(content);
            Saved::of(&request.send()).path
        };
        let code = put("/a.py", "def f():\n    return 1\n");
        visitor.take_a_phone(360);
        for path in [
            &code,
            &put("/a.log", LOG),
            &put("/a.md", "# A\n\n## B\n\n```\nx\n```\n\n- [ ] c\n"),
            &put("/a.csv", "a,b\n1,2\n"),
            &put("/a.json", &minified()),
            &put("/a.patch", PATCH),
            &format!("{code}/language"),
            &format!("{code}/report"),
            &format!("{code}/stats"),
            &format!("/diff?a={}", &code[1..]),
            "/ask",
            "/help",
            "/login",
            "/mine/device",
            "/nothing",
        ] {
            visitor.open(path);
            is_for_fingers(visitor, path);
        }
        // What opens
        visitor.open(&code);
        visitor.click_number("#L1");
        visitor.until("!document.querySelector('#selection').hidden");
        is_for_fingers(visitor, "marked lines");
        let own = save(visitor, "fn main() {}\n", "a title");
        is_for_fingers(visitor, "saved");
        visitor.click(".saved summary");
        visitor.open("/help");
        visitor.open(&own);
        open_menu(visitor);
        visitor.click(".delete summary");
        is_for_fingers(visitor, "the menu");
        visitor.open(&format!("{own}/edit"));
        is_for_fingers(visitor, "a change");
        for (burn, password) in [("1", ""), ("", "p"), ("3", "p")] {
            let path = save_closed(visitor, "a secret", burn, password);
            is_for_fingers(visitor, "saved and closed");
            visitor.open("/help");
            visitor.open(&path);
            is_for_fingers(visitor, "a gate");
        }
        visitor.open("/");
        paste_files(visitor, "['a.rs', 'b.md']");
        visitor.element(".tabs");
        is_for_fingers(visitor, "tabs of files");
        visitor.click(".submit button");
        visitor.element(".files");
        is_for_fingers(visitor, "several files");
        visitor.open("/mine");
        visitor.element(".mine li");
        is_for_fingers(visitor, "Mine");
        visitor.open("/");
        visitor.click("#options summary");
        visitor.click("[for=locked]");
        visitor.click(".shorten summary");
        is_for_fingers(visitor, "the editor");
        visitor.click("#pick");
        visitor.element("#languages li");
        is_for_fingers(visitor, "the languages");
        visitor.open("/");
        visitor.type_into("#content", &github_token());
        visitor.click(".submit button");
        visitor.element("dialog[open]");
        is_for_fingers(visitor, "a warning");
        visitor.click("#save-anyway");
        visitor.element(".saved");
        type_sealed(visitor, "text");
        let sealed = seal(visitor);
        visitor.open("/help");
        visitor.open(&sealed);
        visitor.element("#L1");
        open_menu(visitor);
        is_for_fingers(visitor, "an encrypted paste");
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_rest_of_a_long_line_is_not_left_of_its_first_word() {
    let text = "def f():\n        return 'and so on, and so on, and so on, and so on, é'\n\tif a long condition, a long condition, a long condition: pass\nend\n";
    let lefts = "[...document.querySelectorAll('.listing [id]')].slice(1, 3).map(line => {
        const walker = document.createTreeWalker(line, 4);
        const range = new Range();
        range.setEnd(line, line.childNodes.length);
        let skipped = line.textContent.search(/\\S/);
        while (walker.nextNode() && walker.currentNode.length <= skipped) skipped -= walker.currentNode.length;
        range.setStart(walker.currentNode, skipped);
        const rows = [...range.getClientRects()].filter(({ width }) => width > 1);
        const rest = rows.filter(({ top }) => top > rows[0].bottom - 5);
        return rest.length > 0 && rest.every(({ left }) => left > rows[0].left);
    })";
    visit(On, |visitor| {
        visitor.take_a_phone(360);
        visitor.open(&format!("{}.py", visitor.server.save(text).path));
        visitor.finds(lefts, json!([true, true]));
        type_sealed(visitor, text);
        seal(visitor);
        visitor.finds(lefts, json!([true, true]));
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_phone_shares_the_link_of_what_it_shows() {
    visit(On, |visitor| {
        let share =
            json!({ "source": "navigator.share = async ({ url }) => { window.shared = url; };" });
        visitor.command("Page.addScriptToEvaluateOnNewDocument", &share);
        let request = visitor.server.request("PUT", "/a.log").body(LOG);
        let log = Saved::of(&request.send()).path;
        visitor.open(&log);
        visitor.finds("document.querySelector('#share').checkVisibility()", false);
        visitor.take_a_phone(360);
        for path in [&log, &format!("{log}?level=error")] {
            visitor.open(path);
            visitor.click("#share");
            visitor.finds(
                "window.shared",
                format!("http://{}{path}", visitor.server.addr),
            );
        }
        type_sealed(visitor, "text");
        let path = seal(visitor);
        visitor.open("/help");
        visitor.open(&path);
        visitor.click("#share");
        visitor.finds(
            "window.shared",
            format!("http://{}{path}", visitor.server.addr),
        );
    });
}
