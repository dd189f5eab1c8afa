//! Every kind of page, once: it is valid HTML, obeys the rules of axe-core in light and dark, for people who do not see
//! it or have no mouse, and is no wider than a phone.

use super::checker::check;
use super::data::{minified, table};
use super::login::log_in;
use super::logs::LOG;
use super::operate::{moderated, operate};
use super::patches::PATCH;
use super::recent::at_the_browsers_time;
use super::secrets::github_token;
use super::{OPEN, journey, save, save_closed};
use crate::forms::Forms;
use crate::images::image;
use crate::keys::KeysFile;
use crate::markup;
use crate::server::{Saved, TestServer};

/// A title and a text that try to end the elements around them.
const HOSTILE: &str = "</textarea></title><script>'\"&amp;&lt;\u{202e}سلام<!--";

/// A file name with characters that could end an attribute or an element.
const NAME: &str = "/%3C%2Ftitle%3E%22%27%26.rs";

/// Nothing to click on a page.
const NOTHING: &[&str] = &[];

/// The button of the menu.
const MENU: &[&str] = &["[popovertarget=menu]"];

/// The button of the menu, and the question before a paste is deleted.
const DELETE: &[&str] = &["[popovertarget=menu]", ".delete summary"];

fn showing_images() -> TestServer {
    TestServer::with(&["--images", "on"])
}

/// Terminal output with a word in each of the sixteen colours but black. On other grounds, programs decide what is
/// legible.
fn inks() -> String {
    let inks = (31..=37).chain([39]).chain(90..=97);
    inks.map(|ink| format!("\u{1b}[{ink}m{ink}\u{1b}[m "))
        .collect()
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn every_page_of_a_reader_is_valid_and_accessible() {
    check(showing_images(), |checker, visitor| {
        let unbroken = "x".repeat(5000);
        let text = checker.put(NAME, format!("{HOSTILE}\0\n\n{unbroken}\n"));
        // A text area cannot contain characters that HTML forbids.
        let copied = checker.put(NAME, HOSTILE);
        let titled = visitor.server.request("POST", "/");
        let titled = titled
            .header("X-Title", &unbroken)
            .body([0xff_u8, 1].repeat(1500));
        let binary = Saved::of(&titled.send()).path;
        let (marked, languages) = (format!("{text}?lines=2-3"), format!("{text}/language"));
        checker.check_all(&[
            ("/", NOTHING),
            ("/", &["[popovertarget=keys]", ".shorten summary"]),
            (&format!("/?from={}", &copied[1..]), NOTHING),
            ("/help", NOTHING),
            ("/api", NOTHING),
            ("/nothing", NOTHING),
            (&text, MENU),
            (&marked, NOTHING),
            (&binary, NOTHING),
            (&binary, MENU),
            (&languages, NOTHING),
            (&checker.put("/tide", image("tide.png")), MENU),
            ("/diff?a=notes", NOTHING),
            ("/diff?a=notes&b=%3Cb%3E", NOTHING),
        ]);
        visitor.open("/");
        visitor.click(".shorten summary");
        visitor.type_into("#url", "ftp://example.org/");
        visitor.follow(".shorten button");
        checker.check("a refused URL");
        visitor.open("/");
        visitor.evaluate("document.querySelector('#refusal').textContent = 'Not saved.'");
        checker.check("a refusal");
        visitor.open("/");
        visitor.click("#options summary");
        visitor.choose("#expires", "");
        visitor.type_into("#lifetime", "90s");
        checker.check("another lifetime");
        visitor.click("#pick");
        checker.check("the languages of the editor");
        visitor.open(&text);
        visitor.click("#kind");
        visitor.element("#languages");
        checker.check("the languages");
        // It has too many elements for axe-core.
        let long = visitor.server.save("x\n".repeat(20_001)).path;
        for path in [&long, &format!("{long}?lines=20001")] {
            markup::check(path, visitor.server.browse(path).text());
        }
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn every_view_of_a_text_is_valid_and_accessible() {
    check(TestServer::start(), |checker, visitor| {
        let document = [include_str!("document.md"), HOSTILE].concat();
        let document = format!("{}.md", checker.put("/document", document));
        let terminal = checker.put(NAME, format!("{HOSTILE}\0\n\n"));
        let code = "@sealed\nclass A { m(a: number) { return this && 'a' + 1 } }\n// [a](b)";
        let code = checker.put("/x.ts", code);
        checker.check_all(&[
            (&document, &["main details:not([open]) > summary"]),
            (&format!("{document}?view=source"), MENU),
            (&format!("{document}?view=source&lines=1-99"), NOTHING),
            (&format!("{code}?lines=1-3"), NOTHING),
            (&format!("{terminal}.ansi"), NOTHING),
            (&checker.put("/inks.ansi", inks()), NOTHING),
            (&checker.put("/tide", image("tide.png")), NOTHING),
            (&visitor.server.save("long ".repeat(500)).path, &["#wrap"]),
        ]);
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn every_view_of_data_a_log_and_a_patch_is_valid_and_accessible() {
    check(TestServer::start(), |checker, visitor| {
        let patch = checker.put("/x.patch", PATCH);
        let other = checker.put("/x.patch", PATCH.replace("two", "2"));
        let linked = "12:00:06 ERROR GET https://a.example/\n12:00:07 WARN https://a.example/\n";
        let log = checker.put("/app.log", [LOG, linked].concat());
        checker.check_all(&[
            (&checker.put("/x.csv", table()), &["thead th button"]),
            (
                &checker.put("/x.json", minified()),
                &["main details details > summary"],
            ),
            (&patch, &["#L6", "details:last-of-type summary"]),
            (&format!("{patch}?view=split"), NOTHING),
            (&format!("/diff{patch}{other}"), NOTHING),
            (&format!("/diff{patch}{other}?view=split"), NOTHING),
            (&format!("/diff{patch}{patch}"), NOTHING),
            (&log, NOTHING),
            // From here on, lines do not wrap.
            (&log, &["#wrap", "#L4"]),
            (&patch, NOTHING),
        ]);
        visitor.open(&log);
        visitor.type_into("#filter", "slow");
        visitor.element("#shown:not(:empty)");
        checker.check("a narrowed log");
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn every_page_of_a_protected_paste_is_valid_and_accessible() {
    check(showing_images(), |checker, visitor| {
        // In the text, the invisible character would turn the last read into a file.
        let text = HOSTILE.replace('\u{202e}', "");
        let picture = image("tide.png");
        for (burn, password, content) in [
            ("1", "", &picture[..]),
            ("", "dead reckoning", text.as_bytes()),
            ("3", "dead reckoning", text.as_bytes()),
        ] {
            let mut request = visitor.server.request("POST", "/").body(content);
            for (name, value) in [
                ("X-Title", HOSTILE),
                ("X-Burn", burn),
                ("X-Password", password),
            ] {
                if !value.is_empty() {
                    request = request.header(name, value);
                }
            }
            let saved = Saved::of(&request.send());
            visitor.forget_cookies();
            checker.check_all(&[(&saved.path, NOTHING)]);
            if !password.is_empty() {
                visitor.type_into("#password", "wrong");
                visitor.follow(OPEN);
                checker.check("a wrong password");
            }
            checker.own(&saved.token);
            checker.check_all(&[(&saved.path, DELETE)]);
            visitor.open(&saved.path);
            if !password.is_empty() {
                visitor.type_into("#password", password);
            }
            visitor.follow(OPEN);
            visitor.element(".listing, #image");
            checker.check("an open paste");
        }
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn every_page_of_an_owner_is_valid_and_accessible() {
    check(TestServer::start(), |checker, visitor| {
        let save = |name: &str, value: &str| {
            let request = visitor.server.request("POST", "/");
            let request = request.header("X-Title", HOSTILE).header(name, value);
            Saved::of(&request.body(HOSTILE).send())
        };
        let (paste, locked) = (save("X-Lang", "rust"), save("X-Password", "p"));
        let target = format!(
            "url=https://example.org/%2522%253Cscript%253E?%26amp;{}",
            "x".repeat(4000)
        );
        let link = visitor.server.request("POST", "/").form(target);
        let link = Saved::of(&link.send());
        visitor.server.browse(&paste.path);
        visitor.open("/help");
        for (saved, pages) in [
            (
                &paste,
                &[
                    ("", DELETE),
                    ("/language", NOTHING),
                    ("/edit", NOTHING),
                    ("/stats", &["summary"]),
                ][..],
            ),
            (
                &locked,
                &[("/stats", &[".delete summary"]), ("/edit", NOTHING)],
            ),
            (
                &link,
                &[
                    ("+", NOTHING),
                    ("+", DELETE),
                    ("/stats", NOTHING),
                    ("/edit", NOTHING),
                ],
            ),
        ] {
            checker.own(&saved.token);
            for (ending, clicks) in pages {
                checker.check_all(&[(&format!("{}{ending}", saved.path), clicks)]);
            }
        }
        // A browser without the token is asked for it.
        visitor.forget_cookies();
        let stats = format!("{}/stats", paste.path);
        checker.check_all(&[(&format!("{}+", link.path), NOTHING), (&stats, NOTHING)]);
        visitor.type_into("#token", "wrong");
        visitor.follow(".gate button");
        checker.check("a wrong token");
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn every_page_of_a_change_and_of_files_is_valid_and_accessible() {
    check(TestServer::start(), |checker, visitor| {
        let file = |name, text| {
            format!(
                "--b\r\nContent-Disposition: form-data; name=file; filename={name}\r\n\r\n{text}\r\n"
            )
        };
        let request = visitor.server.request("POST", "/");
        let request = request.header("Content-Type", "multipart/form-data; boundary=b");
        let files = [
            file("a.md", HOSTILE),
            file("app.log", LOG),
            "--b--\r\n".to_owned(),
        ];
        let files = Saved::of(&request.body(files.concat()).send());
        visitor.open("/help");
        checker.own(&files.token);
        checker.check_all(&[
            (&files.path, MENU),
            (&format!("{}/app.log?level=error", files.path), NOTHING),
            (&format!("{}/edit", files.path), &["#options summary"]),
        ]);
        visitor.forget_cookies();
        let path = save(visitor, "one\n", HOSTILE);
        visitor.open(&format!("{path}/edit"));
        visitor.type_into("#content", "two\n");
        visitor.click("[formaction]");
        visitor.element("#difference");
        checker.check("a difference");
        visitor.follow("#save");
        visitor.until("!document.querySelector('#undo').hidden");
        checker.check("a change");
        visitor.open(&format!("{path}/delete#{}", visitor.cookie("token")));
        checker.check("a link that deletes");
        visitor.follow("[name=delete]");
        checker.check_all(&[(&path, NOTHING)]);
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn every_page_of_a_list_is_valid_and_accessible() {
    check(journey::server(), |checker, visitor| {
        checker.check_all(&[("/mine", NOTHING)]);
        save(visitor, "text", HOSTILE);
        checker.check("saved");
        save_closed(visitor, "a secret", "1", "");
        checker.check("saved and closed");
        checker.check_all(&[("/mine", &[".delete summary"]), ("/mine/device", NOTHING)]);
        for (button, heading) in [
            ("button[value=extend]", "That did not work"),
            ("form[action='/mine/device'] button", "Another device"),
            ("form[action='/mine/forget'] button", "Forgotten"),
        ] {
            visitor.open("/mine");
            visitor.follow(button);
            visitor.shows("h1", heading);
            checker.check(heading);
        }
        checker.check_all(&[("/mine/device", NOTHING)]);
        visitor.type_into("#secret", "0000");
        visitor.follow(".gate form button");
        visitor.element(".complaint");
        checker.check("a wrong secret");
    });
    let server = at_the_browsers_time(TestServer::start());
    check(server, |checker, visitor| {
        visitor.open("/");
        visitor.type_into("#content", &format!("{}\n", github_token()).repeat(10));
        visitor.click(".submit button");
        visitor.element("dialog[open]");
        checker.check("secrets");
        visitor.click("#save-anyway");
        visitor.element(".listing");
        save(visitor, "text", HOSTILE);
        visitor.open("/mine");
        visitor.element("#recent li");
        checker.check("recent");
        visitor.click("#recent .all");
        checker.check("none recent");
        checker.check_all(&[("/mine/device", NOTHING)]);
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn every_page_of_reports_the_operator_and_the_login_is_valid_and_accessible() {
    check(moderated(), |checker, visitor| {
        operate(visitor);
        checker.check("operate, empty");
        // A paste that is reported, and one that is removed and blocked
        for path in ["a", "b"].map(|text| visitor.server.save(text).path) {
            visitor.open(&format!("{path}/report"));
            checker.check("report");
            visitor.type_into("#reason", HOSTILE);
            visitor.follow(".gate button");
            visitor.shows("h1", "Reported");
        }
        checker.check("reported");
        operate(visitor);
        visitor.click(".reported [name=block]");
        visitor.follow(".reported [value=remove]");
        visitor.element("[role=status]");
        checker.check("operate");
    });
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let server = TestServer::with(&["--access", "private", "--keys", file.path()]);
    check(server, |checker, visitor| {
        checker.check_all(&[("/", NOTHING)]);
        log_in(visitor, "tbk_wrong");
        checker.check("a wrong key");
        log_in(visitor, &key);
        checker.check_all(&[("/login", NOTHING)]);
        // The session ends while a text is typed.
        visitor.open("/");
        visitor.type_into("#content", "a text");
        visitor.forget_cookies();
        visitor.click(".submit button");
        visitor.element("main a[href$='/login']");
        checker.check("a key is needed");
    });
}
