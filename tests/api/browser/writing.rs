//! The editor: writing, dropping and choosing files, until the paste is saved.

use serde_json::json;

use super::{EXPIRES, TYPED, open_closed, save, save_closed};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit, visit_server};
use crate::folder::Folder;
use crate::server::TestServer;

const TAB: &str = "\u{e004}";
const SHIFT: &str = "\u{e008}";
const ESCAPE: &str = "\u{e00c}";
const CONTROL: &str = "\u{e009}";
const ENTER: &str = "\u{e007}";

/// The id of the focused element.
const FOCUSED: &str = "document.activeElement.id";

/// Drops this file onto the text, as a desktop does.
pub(super) fn drop_file(visitor: &Visitor<'_>, folder: &Folder, name: &str) {
    let files = [folder.path().join(name)];
    for kind in ["dragEnter", "dragOver", "drop"] {
        let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
        let event = json!({ "type": kind, "x": 300, "y": 200, "data": data });
        visitor.tell("Input.dispatchDragEvent", &event);
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn text_typed_into_the_form_is_on_the_page_of_the_saved_paste() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "a <title> & more").await;
            assert_eq!(path.len(), "/".len() + 12, "{path} is not short");
            visitor.shows("h1", "a <title> & more").await;
            visitor
                .finds("document.title", "a <title> & more · tidebin")
                .await;
            for fact in ["Rust", "5 lines", "1 view"] {
                visitor.tells(".facts", fact).await;
            }
            visitor.finds(EXPIRES, "2026-01-01T01:00:00Z").await;
            let url = format!("http://{}{path}", visitor.server.addr);
            visitor.holds("#link", &url).await;
            visitor.shows(".listing code", TYPED).await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn control_and_enter_or_s_save_without_the_mouse() {
    visit(On, async |visitor| {
        for key in [ENTER, "s"] {
            visitor.open("/").await;
            let typed = format!("typed{CONTROL}{key}");
            visitor.type_into("#content", &typed).await;
            visitor.shows(".listing code", "typed").await;
        }
        // With Caps Lock the browser reports the capital letter.
        visitor.open("/").await;
        visitor.type_into("#content", "typed").await;
        visitor.finds(&presses_s("ctrlKey: true"), true).await;
        visitor.shows(".listing code", "typed").await;
        // A change is saved the same way, from any field
        let path = visitor.path().await;
        visitor.open(&format!("{path}/edit")).await;
        visitor.tells("#keys", "Ctrl S or Ctrl Enter saves").await;
        let titled = format!("a title{CONTROL}s");
        visitor.type_into("#title", &titled).await;
        visitor.shows(".title", "a title").await;
        visitor.is_at(&path).await;
        // Other keys with S, and S on a page to read, are left to the browser
        for other in [
            "ctrlKey: true, shiftKey: true",
            "ctrlKey: true, altKey: true",
        ] {
            visitor.open("/").await;
            visitor.finds(&presses_s(other), false).await;
        }
        visitor.open(&path).await;
        visitor.finds(&presses_s("ctrlKey: true"), false).await;
    });
}

/// Whether the page takes S with these other keys, so that the browser does not.
fn presses_s(others: &str) -> String {
    let options = format!("{{ key: 'S', cancelable: true, {others} }}");
    format!("!document.dispatchEvent(new KeyboardEvent('keydown', {options}))")
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn control_and_s_save_a_change_of_a_locked_paste_with_its_password() {
    visit(On, async |visitor| {
        let path = save_closed(visitor, "a secret", "", "dead reckoning").await;
        visitor.open(&format!("{path}/edit")).await;
        // Without the password the browser asks for it
        visitor
            .type_into("#content", &format!("new{CONTROL}s"))
            .await;
        visitor.stays_at(&format!("{path}/edit")).await;
        visitor
            .type_into("#password", &format!("dead reckoning{CONTROL}s"))
            .await;
        visitor.element(".gate").await;
        open_closed(visitor, "dead reckoning").await;
        visitor.shows(".listing code", "new").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn tab_indents_and_after_escape_leaves_the_text() {
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.finds(FOCUSED, "content").await;
        visitor.press(&format!("{TAB}a")).await;
        visitor.holds("#content", "    a").await;
        visitor.press(&format!("{ESCAPE}{TAB}")).await;
        visitor.finds(FOCUSED, "file").await;
        visitor.holds("#content", "    a").await;
        // Shift and Tab leave the field at once.
        visitor.click("#content").await;
        visitor.press(&format!("{SHIFT}{TAB}")).await;
        visitor
            .until("document.activeElement.id !== 'content'")
            .await;
        visitor.holds("#content", "    a").await;
        visitor
            .tells("#keys", "Esc, then Tab, leaves the field")
            .await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn tab_indents_all_lines_that_are_selected_which_can_be_undone() {
    visit(On, async |visitor| {
        for (typed, from, to, indented) in [
            ("one\ntwo\nthree", 0, 8, "    one\n    two\nthree"),
            ("one\ntwo\nthree", 2, 9, "    one\n    two\n    three"),
            ("\n\na\n\n", 0, 3, "\n\n    a\n\n"),
            ("\n\na", 1, 3, "\n\n    a"),
            ("\ta\nb", 0, 4, "\t\ta\n\tb"),
            // Within a line, the key replaces the selection by spaces.
            ("one\ntwo", 4, 5, "one\n    wo"),
        ] {
            visitor.open("/").await;
            let type_and_select = format!(
                "content.value = '', content.focus(), document.execCommand('insertText', false, {typed:?}),
                 content.setSelectionRange({from}, {to})"
            );
            visitor.evaluate(&type_and_select).await;
            visitor.press(TAB).await;
            visitor.holds("#content", indented).await;
            visitor.press(&format!("{CONTROL}z")).await;
            visitor.holds("#content", typed).await;
        }
        // The indented lines are still selected, for another indentation.
        visitor.open("/").await;
        visitor
            .evaluate("content.value = 'a\\nb', content.focus(), content.select()")
            .await;
        visitor.press(&format!("{TAB}{TAB}")).await;
        visitor.holds("#content", "        a\n        b").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_chosen_file_is_saved_under_its_name() {
    let folder = Folder::new("files");
    folder.write("notes.py", "print('é')\r\n");
    folder.write("noise.bin", b"\xff\xfe\0\x01");
    for (scripts, file, kind) in [
        (On, "notes.py", "Python"),
        (Off, "notes.py", "Python"),
        (On, "noise.bin", "Binary data"),
        (Off, "noise.bin", "Binary data"),
    ] {
        visit(scripts, async |visitor| {
            visitor.open("/").await;
            let path = folder.path().join(file);
            visitor.type_into("#file", path.to_str().unwrap()).await;
            if scripts == On {
                visitor
                    .until(&format!(
                        "document.querySelector('#notice').textContent.startsWith('{file} ')"
                    ))
                    .await;
            }
            visitor.click(".submit button").await;
            visitor.shows(".title", file).await;
            visitor.tells(".facts", kind).await;
            if kind == "Binary data" {
                let raw = format!("/raw{}", visitor.path().await);
                assert_eq!(visitor.server.get(&raw).body, folder.read(file));
            }
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_text_that_the_form_would_change_is_saved_as_it_is() {
    let folder = Folder::new("files");
    for (file, bytes) in [
        ("windows.txt", "a\r\nb\r\n"),
        ("bar.txt", "10 %\r20 %\r"),
        ("marked.txt", "\u{feff}a\n"),
    ] {
        folder.write(file, bytes);
        visit(On, async |visitor| {
            visitor.open("/").await;
            drop_file(visitor, &folder, file);
            let notice = format!("{file} will be uploaded unchanged. Remove");
            visitor.shows("#notice", &notice).await;
            visitor.holds("#content", "").await;
            visitor.click(".submit button").await;
            visitor.shows(".title", file).await;
            let raw = format!("/raw{}", visitor.path().await);
            assert_eq!(visitor.server.get(&raw).body, bytes.as_bytes());
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_dropped_file_is_in_the_text_and_the_text_before_it_stays() {
    let folder = Folder::new("files");
    folder.write("notes.py", "print(1)\n");
    folder.write("picture.png", b"\x89PNG\r\n\x1a\n\0");
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.type_into("#content", "before\n").await;
        // A dropped file must not replace selected text.
        visitor.press(&format!("{CONTROL}a")).await;
        drop_file(visitor, &folder, "notes.py");
        visitor
            .until("document.querySelector('#title').value === 'notes.py'")
            .await;
        visitor.holds("#content", "before\nprint(1)\n").await;
        // A binary file is saved instead of the text, unless it is removed again.
        drop_file(visitor, &folder, "picture.png");
        visitor
            .until("document.querySelector('#content').disabled")
            .await;
        visitor
            .tells("#notice", "picture.png will be uploaded unchanged.")
            .await;
        visitor.click("#notice button").await;
        visitor.holds("#content", "before\nprint(1)\n").await;
        visitor.holds("#file", "").await;
        visitor.click(".submit button").await;
        visitor.shows(".listing code", "before\nprint(1)\n").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn only_one_of_several_pasted_files_is_taken_and_a_message_says_so() {
    visit(On, async |visitor| {
        visitor.open("/").await;
        let data = "(data => { for (const name of ['a.c', 'b.c']) data.items.add(new File([name], name)); return data; })(new DataTransfer())";
        let event =
            format!("new ClipboardEvent('paste', {{ clipboardData: {data}, cancelable: true }})");
        visitor
            .evaluate(&format!(
                "document.querySelector('#content').dispatchEvent({event})"
            ))
            .await;
        visitor
            .until("document.querySelector('#content').value === 'a.c'")
            .await;
        visitor
            .tells("#notice", "Only the first file was used.")
            .await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_refused_save_is_reported_and_the_text_is_still_there() {
    let server = TestServer::with(&["--limit-save", "rate 1/1m burst 1"]);
    visit_server(server, On, async |visitor| {
        save(visitor, TYPED, "").await;
        visitor.open("/").await;
        visitor.type_into("#content", TYPED).await;
        visitor.click(".submit button").await;
        for part in ["Not saved. ", "Try again in 60 seconds"] {
            visitor.tells("#refusal", part).await;
        }
        visitor.is_at("/").await;
        visitor.holds("#content", TYPED).await;
        // After the wait the same text is saved.
        visitor.server.advance(std::time::Duration::from_secs(60));
        visitor.click(".submit button").await;
        visitor.shows(".listing code", TYPED).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn without_scripts_a_refused_text_is_there_after_going_back_and_a_reload_saves_it() {
    let server = TestServer::with(&["--limit-save", "rate 1/1m burst 1"]);
    visit_server(server, Off, async |visitor| {
        save(visitor, TYPED, "").await;
        visitor.open("/").await;
        visitor.type_into("#content", TYPED).await;
        visitor.click(".submit button").await;
        visitor.shows(".message h1", "Too many requests").await;
        visitor
            .tells(".message", "reload this page to send it again, or go back")
            .await;
        visitor.client.back().await.unwrap();
        visitor.holds("#content", TYPED).await;
        visitor.click(".submit button").await;
        visitor.shows(".message h1", "Too many requests").await;
        visitor.server.advance(std::time::Duration::from_secs(60));
        visitor.client.refresh().await.unwrap();
        visitor.shows(".listing code", TYPED).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_size_is_shown_next_to_the_limit_and_a_larger_text_is_not_sent() {
    let server = TestServer::with(&["--max-paste-size", "1KiB"]);
    visit_server(server, On, async |visitor| {
        visitor.open("/").await;
        visitor.tells("#limits", "Up to 1 KiB.").await;
        visitor.type_into("#content", "é").await;
        visitor.shows("#size", "2 bytes of 1 KiB.").await;
        visitor.type_into("#content", &"x".repeat(1023)).await;
        visitor.shows("#size", "1.1 KiB of 1 KiB.").await;
        visitor.click(".submit button").await;
        visitor
            .finds("document.querySelector('.editor').checkValidity()", false)
            .await;
        visitor.stays_at("/").await;
        visitor.type_into("#content", "\u{e003}").await;
        visitor.click(".submit button").await;
        visitor.element(".listing").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_progress_of_a_large_upload_is_shown() {
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.tell("Network.enable", &json!({}));
        let slow = json!({ "offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 250_000 });
        visitor.tell("Network.emulateNetworkConditions", &slow);
        visitor
            .evaluate("document.querySelector('#content').value = 'x'.repeat(500000)")
            .await;
        visitor.click(".submit button").await;
        visitor.until("(bar => !bar.hidden && bar.value > 0 && bar.value < 1)(document.querySelector('#progress'))").await;
        visitor.element(".listing").await;
    });
}
