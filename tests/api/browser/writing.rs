//! The editor: writing, dropping and choosing files, until the paste is saved.

use serde_json::json;

use super::{EXPIRES, TYPED, open_closed, save, save_closed};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::input::{BACKSPACE, CONTROL, ENTER, ESCAPE, SHIFT, TAB};
use crate::chromium::{visit, visit_server};
use crate::folder::Folder;
use crate::server::TestServer;

/// The id of the focused element.
const FOCUSED: &str = "document.activeElement.id";

/// The text with which a screen reader describes the text area.
const DESCRIPTION: &str = "content.getAttribute('aria-describedby').split(' ')\
    .map(id => document.getElementById(id).textContent).join(' ')";

#[test]
#[ignore = "needs chromium"]
fn text_typed_into_the_form_is_on_the_page_of_the_saved_paste() {
    visit(On, |visitor| {
        let path = save(visitor, TYPED, "a <title> & more");
        assert_eq!(path.len(), "/".len() + 12, "{path} is not short");
        visitor.shows("h1", "a <title> & more");
        visitor.finds("document.title", "a <title> & more · tidebin");
        visitor.tells("#kind", "Rust");
        for fact in ["5 lines", "No views yet"] {
            visitor.tells(".facts", fact);
        }
        visitor.finds(EXPIRES, "2026-01-01T01:00:00Z");
        let url = format!("http://{}{path}", visitor.server.addr);
        visitor.holds("#link", &url);
        visitor.shows(".listing code", TYPED);
    });
}

#[test]
#[ignore = "needs chromium"]
fn control_and_enter_or_s_save_without_the_mouse() {
    visit(On, |visitor| {
        for key in [ENTER, "s"] {
            visitor.open("/");
            let typed = format!("typed{CONTROL}{key}");
            visitor.type_into("#content", &typed);
            visitor.shows(".listing code", "typed");
        }
        // With Caps Lock the browser reports the capital letter.
        visitor.open("/");
        visitor.type_into("#content", "typed");
        visitor.finds(&presses_s("ctrlKey: true"), true);
        visitor.shows(".listing code", "typed");
        // A change is saved the same way, from any field
        let path = visitor.path();
        visitor.open(&format!("{path}/edit"));
        visitor.tells("#keys", "Ctrl S or Ctrl Enter saves");
        let titled = format!("a title{CONTROL}s");
        visitor.type_into("#title", &titled);
        visitor.shows(".title", "a title");
        visitor.is_at(&path);
        // Other keys with S, and S on a page to read, are left to the browser
        for other in [
            "ctrlKey: true, shiftKey: true",
            "ctrlKey: true, altKey: true",
        ] {
            visitor.open("/");
            visitor.finds(&presses_s(other), false);
        }
        visitor.open(&path);
        visitor.finds(&presses_s("ctrlKey: true"), false);
    });
}

/// Whether the page takes S with these other keys, so that the browser does not.
fn presses_s(others: &str) -> String {
    let options = format!("{{ key: 'S', cancelable: true, {others} }}");
    format!("!document.dispatchEvent(new KeyboardEvent('keydown', {options}))")
}

#[test]
#[ignore = "needs chromium"]
fn control_and_s_save_a_change_of_a_locked_paste_with_its_password() {
    visit(On, |visitor| {
        let path = save_closed(visitor, "a secret", "", "dead reckoning");
        visitor.open(&format!("{path}/edit"));
        // Without the password the browser asks for it
        visitor.type_into("#content", &format!("new{CONTROL}s"));
        visitor.stays_at(&format!("{path}/edit"));
        visitor.type_into("#password", &format!("dead reckoning{CONTROL}s"));
        visitor.element(".gate");
        open_closed(visitor, "dead reckoning");
        visitor.shows(".listing code", "new");
    });
}

#[test]
#[ignore = "needs chromium"]
fn tab_indents_and_after_escape_leaves_the_text() {
    visit(On, |visitor| {
        visitor.open("/");
        visitor.finds(FOCUSED, "content");
        visitor.press(&format!("{TAB}a"));
        visitor.holds("#content", "    a");
        // The page says so to those who wanted to leave, and a screen reader does before.
        let way = "Tab indents. Esc, then Tab, leaves the text.";
        visitor.shows("#notice", way);
        visitor.until(&format!("{DESCRIPTION}.includes('{way}')"));
        visitor.press(&format!("{ESCAPE}{TAB}"));
        visitor.finds(FOCUSED, "file");
        visitor.holds("#content", "    a");
        // Shift and Tab leave the field at once.
        visitor.click("#content");
        visitor.press(&format!("{SHIFT}{TAB}"));
        visitor.until("document.activeElement.id !== 'content'");
        visitor.holds("#content", "    a");
    });
}

#[test]
#[ignore = "needs chromium"]
fn tab_indents_all_lines_that_are_selected_which_can_be_undone() {
    visit(On, |visitor| {
        for (typed, from, to, indented) in [
            ("one\ntwo\nthree", 0, 8, "    one\n    two\nthree"),
            ("one\ntwo\nthree", 2, 9, "    one\n    two\n    three"),
            ("\n\na\n\n", 0, 3, "\n\n    a\n\n"),
            ("\n\na", 1, 3, "\n\n    a"),
            ("\ta\nb", 0, 4, "\t\ta\n\tb"),
            // Within a line, the key replaces the selection by spaces.
            ("one\ntwo", 4, 5, "one\n    wo"),
        ] {
            visitor.open("/");
            let type_and_select = format!(
                "content.value = '', content.focus(), document.execCommand('insertText', false, {typed:?}),
                 content.setSelectionRange({from}, {to})"
            );
            visitor.evaluate(&type_and_select);
            visitor.press(TAB);
            visitor.holds("#content", indented);
            visitor.press(&format!("{CONTROL}z"));
            visitor.holds("#content", typed);
        }
        // The indented lines are still selected, for another indentation.
        visitor.open("/");
        visitor.evaluate("content.value = 'a\\nb', content.focus(), content.select()");
        visitor.press(&format!("{TAB}{TAB}"));
        visitor.holds("#content", "        a\n        b");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_chosen_file_is_saved_under_its_name() {
    let folder = Folder::new("files");
    folder.write("notes.py", "print('é')\r\n");
    folder.write("noise.bin", b"\x7fELF\xff\0\x01");
    for (scripts, file, kind) in [
        (On, "notes.py", "Python"),
        (Off, "noise.bin", "Binary data"),
    ] {
        visit(scripts, |visitor| {
            visitor.open("/");
            let path = folder.path().join(file);
            visitor.choose_file("#file", &path);
            if scripts == On {
                visitor.until(&format!(
                    "document.querySelector('#notice').textContent.startsWith('{file} ')"
                ));
            }
            visitor.click(".submit button");
            visitor.shows(".title", file);
            visitor.tells(".head", kind);
            if kind == "Binary data" {
                let raw = format!("/raw{}", visitor.path());
                assert_eq!(visitor.server.get(&raw).body, folder.read(file));
            }
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_text_that_the_form_would_change_is_saved_as_it_is() {
    let folder = Folder::new("files");
    for (file, bytes) in [
        ("windows.txt", "a\r\nb\r\n"),
        ("bar.txt", "10 %\r20 %\r"),
        ("marked.txt", "\u{feff}a\n"),
    ] {
        folder.write(file, bytes);
        visit(On, |visitor| {
            visitor.open("/");
            visitor.drop_file(&folder.path().join(file));
            let notice = format!("{file} will be uploaded unchanged. Remove");
            visitor.shows("#notice", &notice);
            visitor.holds("#content", "");
            visitor.click(".submit button");
            visitor.shows(".title", file);
            let raw = format!("/raw{}", visitor.path());
            assert_eq!(visitor.server.get(&raw).body, bytes.as_bytes());
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_dropped_file_is_in_the_text_and_the_text_before_it_stays() {
    let folder = Folder::new("files");
    folder.write("notes.py", "print(1)\n");
    folder.write("picture.png", b"\x89PNG\r\n\x1a\n\0");
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "before\n");
        // A dropped file must not replace selected text.
        visitor.press(&format!("{CONTROL}a"));
        visitor.drop_file(&folder.path().join("notes.py"));
        visitor.until("document.querySelector('#title').value === 'notes.py'");
        visitor.holds("#content", "before\nprint(1)\n");
        // A binary file is saved instead of the text, unless it is removed again.
        visitor.drop_file(&folder.path().join("picture.png"));
        visitor.until("document.querySelector('#content').disabled");
        visitor.tells("#notice", "picture.png will be uploaded unchanged.");
        visitor.click("#notice button");
        visitor.holds("#content", "before\nprint(1)\n");
        visitor.holds("#file", "");
        visitor.click(".submit button");
        visitor.shows(".listing code", "before\nprint(1)\n");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_refused_save_is_reported_and_the_text_is_still_there() {
    let server = TestServer::with(&["--limit-save", "rate 1/1m burst 1"]);
    visit_server(server, On, |visitor| {
        save(visitor, TYPED, "");
        visitor.open("/");
        visitor.type_into("#content", TYPED);
        visitor.click(".submit button");
        for part in ["Not saved. ", "Try again in 60 s."] {
            visitor.tells("#refusal", part);
        }
        visitor.is_at("/");
        visitor.holds("#content", TYPED);
        // After the wait the same text is saved.
        visitor.server.advance(std::time::Duration::from_secs(60));
        visitor.click(".submit button");
        visitor.shows(".listing code", TYPED);
    });
}

#[test]
#[ignore = "needs chromium"]
fn without_scripts_a_refused_text_is_there_after_going_back_and_a_reload_saves_it() {
    let server = TestServer::with(&["--limit-save", "rate 1/1m burst 1"]);
    visit_server(server, Off, |visitor| {
        save(visitor, TYPED, "");
        visitor.open("/");
        visitor.type_into("#content", TYPED);
        visitor.click(".submit button");
        visitor.shows(".message h1", "Too many requests");
        visitor.tells(".message", "reload this page to send it again, or go back");
        visitor.go_back();
        visitor.holds("#content", TYPED);
        visitor.click(".submit button");
        visitor.shows(".message h1", "Too many requests");
        visitor.server.advance(std::time::Duration::from_secs(60));
        visitor.reload();
        visitor.shows(".listing code", TYPED);
    });
}

#[test]
#[ignore = "needs chromium"]
fn any_lifetime_can_be_typed_and_a_refused_one_leaves_the_text() {
    let server = TestServer::with(&["--max-expiry", "30d"]);
    visit_server(server, On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", TYPED);
        visitor.click("#options summary");
        visitor.choose("#expires", "");
        visitor.finds(FOCUSED, "lifetime");
        // The page asks for a unit, and the server knows the limit.
        visitor.press("12");
        visitor.click("#options summary");
        visitor.click(".submit button");
        visitor.until("document.querySelector('#options').open");
        visitor.finds("document.querySelector('#lifetime').checkValidity()", false);
        visitor.stays_at("/");
        visitor.type_into("#lifetime", "w");
        visitor.click(".submit button");
        let refusal = "Not saved. The expiry is longer than the limit of 30 days. Set Expires to 30d or less.";
        visitor.tells("#refusal", refusal);
        visitor.holds("#content", TYPED);
        visitor.clear("#lifetime");
        visitor.type_into("#lifetime", " 90 s");
        // A draft has it, and the list is there as before.
        visitor.until("localStorage.draft.includes('90s')");
        visitor.open("/");
        visitor.shows("#chosen", "Expires in 90s");
        visitor.click("#options summary");
        visitor.until("document.querySelector('#lifetime').checkVisibility()");
        visitor.holds("#lifetime", "90s");
        visitor.open("/help");
        visitor.go_back();
        visitor.holds("#content", TYPED);
        visitor.holds("#expires", "90s");
        visitor.choose("#expires", "1h");
        visitor.until("!document.querySelector('#lifetime').checkVisibility()");
        visitor.choose("#expires", "90s");
        visitor.click(".submit button");
        visitor.finds(EXPIRES, "2026-01-01T00:01:30Z");
        // A change has the same field.
        let path = visitor.path();
        visitor.open(&format!("{path}/edit"));
        visitor.evaluate("expires.selectedIndex = expires.length - 1");
        visitor.evaluate("expires.dispatchEvent(new Event('input', { bubbles: true }))");
        visitor.click("#options summary");
        visitor.type_into("#lifetime", "2d");
        visitor.click(".submit button");
        visitor.is_at(&path);
        visitor.finds(EXPIRES, "2026-01-03T00:00:00Z");
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_size_is_shown_next_to_the_limit_and_a_larger_text_is_not_sent() {
    let server = TestServer::with(&["--max-paste-size", "1KiB"]);
    visit_server(server, On, |visitor| {
        visitor.open("/");
        visitor.tells("#limits", "Up to 1 KiB.");
        visitor.type_into("#content", "é");
        visitor.shows("#size", "2 bytes of 1 KiB.");
        visitor.type_into("#content", &"x".repeat(1023));
        visitor.shows("#size", "1.1 KiB of 1 KiB.");
        visitor.click(".submit button");
        visitor.finds("document.querySelector('.editor').checkValidity()", false);
        visitor.stays_at("/");
        visitor.type_into("#content", BACKSPACE);
        visitor.click(".submit button");
        visitor.element(".listing");
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_progress_of_a_long_upload_is_shown_and_it_can_be_cancelled() {
    visit(On, |visitor| {
        visitor.open("/");
        visitor.command("Network.enable", &json!({}));
        let limit = |bytes: i32| {
            let speed = json!({ "offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": bytes });
            visitor.command("Network.emulateNetworkConditions", &speed);
        };
        limit(50_000);
        visitor.evaluate("document.querySelector('#content').value = 'x'.repeat(500000)");
        visitor.click(".submit button");
        visitor.until("(bar => !bar.hidden && bar.value > 0 && bar.value < 1)(document.querySelector('#progress'))");
        visitor.click("#cancel");
        visitor.tells("#refusal", "Not saved: you cancelled it.");
        visitor.until("document.querySelector('#progress').hidden && document.querySelector('#cancel').hidden");
        // Then it can be saved, and a short upload shows nothing
        limit(-1);
        visitor.click(".submit button");
        visitor.element(".listing");
    });
}
