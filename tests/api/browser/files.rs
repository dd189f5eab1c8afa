//! Several files in the editor: their tabs, and how the files of a paste are copied and changed.

use super::checker::check;
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};
use crate::server::TestServer;

/// The names on the tabs.
const TABS: &str =
    "[...document.querySelectorAll('[role=group] button')].map(it => it.textContent).join()";

/// Pastes files of these names, whose contents are their names.
pub(super) fn paste_files(visitor: &Visitor, names: &str) {
    let data = format!(
        "(data => {{ for (const name of {names}) data.items.add(new File([name], name)); return data; }})(new DataTransfer())"
    );
    let event =
        format!("new ClipboardEvent('paste', {{ clipboardData: {data}, cancelable: true }})");
    visitor.evaluate(&format!(
        "document.querySelector('#content').dispatchEvent({event})"
    ));
}

/// Chooses the tab of this number.
fn choose_tab(visitor: &Visitor, number: usize) {
    visitor.click(&format!("[role=group] button:nth-child({number})"));
}

#[test]
#[ignore = "needs chromium"]
fn several_files_are_saved_as_one_paste_whether_they_come_together_or_one_by_one() {
    visit(On, |visitor| {
        for steps in [&["['a.c', 'b.c']"][..], &["['a.c']", "['b.c']"]] {
            visitor.open("/");
            for names in steps {
                paste_files(visitor, names);
                visitor.until("document.querySelector('#notice').textContent !== ''");
            }
            visitor.tells("#notice", "2 files will be saved as one paste.");
            visitor.finds(TABS, "a.c,b.c");
            visitor.click(".submit button");
            visitor.tells(".files", "a.c");
            visitor.shows("[id='file-b.c'] .listing code", "b.c");
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_character_that_turns_a_name_around_is_shown_on_its_tab() {
    visit(On, |visitor| {
        visitor.open("/");
        paste_files(visitor, r"['a\u202ec.exe', 'b.c']");
        visitor.finds(TABS, "a[U+202E]c.exe,b.c");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_file_is_added_to_a_typed_text_named_changed_and_removed() {
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "fn main() {}");
        visitor.type_into("#title", "main.rs");
        visitor.click("#add");
        visitor.finds(TABS, "main.rs,file2.txt");
        visitor.type_into("textarea.tabs", "one");
        visitor.clear("#file-name");
        visitor.type_into("#file-name", "d/notes.txt");
        visitor.click("#add");
        visitor.finds(TABS, "main.rs,d/notes.txt,file3.txt");
        // No two files have one name
        visitor.clear("#file-name");
        visitor.type_into("#file-name", "main.rs");
        visitor.finds("document.querySelector('#file-name').validity.valid", false);
        visitor.finds(TABS, "main.rs,d/notes.txt,file3.txt");
        visitor.click(".tabs.file button");
        visitor.finds(TABS, "main.rs,d/notes.txt");
        choose_tab(visitor, 1);
        visitor.holds("textarea.tabs", "fn main() {}");
        choose_tab(visitor, 2);
        visitor.holds("textarea.tabs", "one");
        visitor.click(".submit button");
        visitor.shows("[id='file-d/notes.txt'] .listing code", "one");
        let path = visitor.path();
        let text = visitor.server.get(&format!("/raw{path}/main.rs"));
        assert_eq!(text.text(), "fn main() {}");
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_files_of_a_paste_are_copied_and_changed_with_those_that_are_no_text() {
    visit(On, |visitor| {
        visitor.open("/");
        paste_files(visitor, "['a.c', 'b\\r', 'c.txt']");
        visitor.finds(TABS, "a.c,b␍,c.txt");
        visitor.click(".tabs.file button");
        choose_tab(visitor, 2);
        visitor.finds("document.querySelector('textarea.tabs').disabled", true);
        visitor.clear("#file-name");
        visitor.type_into("#file-name", "docs/b.bin");
        visitor.click(".submit button");
        visitor.tells(".files", "docs/b.bin");
        let path = visitor.path();
        for (menu, link) in [(true, "/?from="), (false, "/edit")] {
            visitor.open(&path);
            if menu {
                visitor.click("[popovertarget=menu]");
            }
            visitor.click(&format!(".head a[href*='{link}']"));
            visitor.finds(TABS, "a.c,docs/b.bin");
            visitor.type_into("textarea.tabs", link);
            visitor.click(".submit button");
            visitor.shows("[id='file-a.c'] .listing code", &["a.c", link].concat());
            let raw = format!("/raw{}/docs/b.bin", visitor.path());
            assert_eq!(visitor.server.get(&raw).body, b"b\r");
        }
        visitor.is_at(&path);
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn the_tabs_of_files_are_valid_and_accessible() {
    check(TestServer::start(), |checker, visitor| {
        visitor.open("/");
        paste_files(visitor, "['a.c', 'b\\r']");
        visitor.finds(TABS, "a.c,b␍");
        checker.check("the tabs");
    });
}

#[test]
#[ignore = "needs chromium"]
fn without_scripts_the_editor_of_several_files_asks_for_all_of_them_again() {
    visit(Off, |visitor| {
        let form = "--b\r\nContent-Disposition: form-data; name=file; filename=a\r\n\r\nx\r\n";
        let request = visitor.server.request("POST", "/");
        let request = request.header("Content-Type", "multipart/form-data; boundary=b");
        let saved = request.body([form, &form.replace("=a", "=b"), "--b--\r\n"].concat());
        let saved = saved.send();
        let id = saved.text().trim().rsplit('/').next().unwrap().to_owned();
        visitor.open(&format!("/?from={id}"));
        visitor.tells(".note", "Choose all files of the paste again.");
        visitor.element("#file");
    });
}
