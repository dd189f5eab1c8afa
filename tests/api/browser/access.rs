//! Accessibility: every page obeys the rules of axe-core, for people who do not see it or have no mouse.

use std::path::{Path, PathBuf};

use super::operate::{moderated, operate};
use super::recent::at_the_browsers_time;
use super::secrets::github_token;
use super::{open_closed, save, save_closed};
use crate::chromium::Scripts::On;
use crate::chromium::{Visitor, visit, visit_server};
use crate::server::TestServer;

/// Returns the path of axe-core: from the environment, or else where `tests/run` put the file.
pub(super) fn axe() -> String {
    let path = std::env::var_os("AXE_CORE").map_or_else(
        || {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("target/programs/node_modules/axe-core/axe.min.js")
        },
        PathBuf::from,
    );
    std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "axe-core is not there, tests/run gets it: {}: {error}",
            path.display()
        )
    })
}

/// The rules that the page breaks, and labels that axe-core is uncertain about (except the arrow of footnotes), with
/// the first element of each.
const VIOLATIONS: &str = "axe.run(RULES).then(({ violations, incomplete }) => violations.concat( \
    incomplete.filter(({ id, nodes }) => id === 'label-content-name-mismatch' \
    && nodes.some(({ html }) => !html.includes('↩')))).map(broken => \
    `${broken.id}: ${broken.nodes[0].html} ${broken.nodes[0].failureSummary}`).join('; '))";

/// A script without an effect, for a page that is checked as it loads.
const NOTHING: &str = "0";

/// Opens the menu, and for an owner the question before a paste is deleted.
const MENU: &str = "(document.querySelector('[popovertarget=menu]').click(), \
    document.querySelector('.delete summary')?.click())";

/// Asserts that the open page breaks no rule of axe-core.
pub(super) fn breaks_no_rule(visitor: &Visitor, axe: &str, page: &str) {
    visitor.run(axe, false).unwrap();
    // The scheme changes the colours alone.
    for (scheme, rules) in [("light", "{}"), ("dark", "{ runOnly: ['color-contrast'] }")] {
        visitor.prefer(scheme);
        let broken = visitor.awaited(&VIOLATIONS.replace("RULES", rules));
        assert_eq!(broken, "", "{page} {scheme}");
    }
}

/// Terminal output with a word in each of the sixteen colours on each background, and in the colours of the page.
fn inks_on_grounds() -> String {
    let grounds = (40..=47).chain([49]).chain(100..=107);
    let inks = || (30..=37).chain([39]).chain(90..=97);
    let line = |ground| {
        let words = inks().map(|ink| format!("\u{1b}[{ink};{ground}m{ink}\u{1b}[m "));
        words.chain(["\n".to_owned()]).collect::<String>()
    };
    grounds.map(line).collect()
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn no_page_breaks_an_accessibility_rule_in_light_and_dark() {
    let axe = axe();
    visit(On, |visitor| {
        let code = "fn main() {\n    println!(\"سلام\");\n}\n";
        let request = visitor.server.request("PUT", "/main.rs").body(code);
        let text = crate::server::Saved::of(&request.send()).path;
        let binary = visitor.server.save([0xff; 3000]).path;
        let long = visitor.server.save("long ".repeat(500)).path;
        let document = visitor.server.save(include_str!("document.md")).path;
        let document = format!("{document}.md");
        let terminal =
            "\u{1b}[1;31merror\u{1b}[0m: \u{1b}[7mhere\u{1b}[0m \u{1b}[33;44mand there\u{1b}[0m\n";
        let terminal = visitor.server.save(terminal).path;
        let pairs = visitor.server.save(inks_on_grounds()).path;
        let source = format!("{document}?view=source");
        let languages = format!("{text}/language");
        let (marked, copy) = (
            format!("{text}?lines=2-3"),
            format!("/?from={}", &text[1..]),
        );
        for (path, done) in [
            ("/", NOTHING),
            (&copy, NOTHING),
            (
                "/",
                "document.querySelector('#refusal').textContent = 'Not saved.'",
            ),
            ("/help", NOTHING),
            ("/api", NOTHING),
            ("/nothing", NOTHING),
            (&text, NOTHING),
            (&marked, NOTHING),
            (&binary, NOTHING),
            (&document, NOTHING),
            (
                &document,
                "document.querySelectorAll('main details').forEach(it => { it.open = true; })",
            ),
            (&source, NOTHING),
            (&terminal, NOTHING),
            (&pairs, NOTHING),
            (&long, "document.querySelector('#wrap').click()"),
            (&text, MENU),
            (&binary, MENU),
            (&document, MENU),
            (&languages, NOTHING),
            (&text, "document.querySelector('#kind').click()"),
        ] {
            visitor.open(path);
            visitor.evaluate(done);
            if done.contains("#kind") {
                visitor.element("#languages");
            }
            breaks_no_rule(visitor, &axe, &format!("{path} {done}"));
        }
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn no_page_of_a_protected_paste_breaks_an_accessibility_rule() {
    let axe = axe();
    visit(On, |visitor| {
        for (burn, password, page) in [
            ("1", "", "burning"),
            ("", "dead reckoning", "protected"),
            ("3", "dead reckoning", "protected and burning"),
        ] {
            let path = save_closed(visitor, "a secret", burn, password);
            breaks_no_rule(visitor, &axe, page);
            // The same page for a browser without the token.
            visitor.forget_cookies();
            visitor.open(&path);
            breaks_no_rule(visitor, &axe, page);
            if !password.is_empty() {
                open_closed(visitor, "wrong");
                visitor.element(".complaint");
                breaks_no_rule(visitor, &axe, &format!("{page}, wrong password"));
            }
            open_closed(visitor, password);
            visitor.element(".listing");
            breaks_no_rule(visitor, &axe, &format!("{page}, open"));
        }
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn no_page_for_an_owner_breaks_an_accessibility_rule() {
    let axe = axe();
    visit(On, |visitor| {
        visitor.open("/");
        let target = "https://example.org/a/rather/long?way=to#go";
        visitor.type_into("#url", target);
        visitor.click(".shorten button");
        visitor.element(".target");
        let link = visitor.path();
        let locked = save_closed(visitor, "a secret", "", "dead reckoning");
        let paste = save(visitor, "fn main() {}\n", "");
        let stats = format!("{paste}/stats");
        for (path, done) in [
            (link.clone(), NOTHING),
            (link.clone(), MENU),
            (paste.clone(), MENU),
            (locked.clone(), MENU),
            (format!("{paste}/language"), NOTHING),
            (
                stats.clone(),
                "document.querySelector('.delete summary').click()",
            ),
            (link.replace('+', "/stats"), NOTHING),
            (stats.clone(), "document.querySelector('summary').click()"),
            (format!("{paste}/edit"), NOTHING),
            (format!("{locked}/edit"), NOTHING),
        ] {
            visitor.open(&path);
            visitor.evaluate(done);
            breaks_no_rule(visitor, &axe, &path);
        }
        visitor.forget_cookies();
        for path in [link, stats] {
            visitor.open(&path);
            breaks_no_rule(visitor, &axe, &path);
        }
        visitor.type_into("#token", "wrong");
        visitor.click(".gate button");
        visitor.element(".complaint");
        breaks_no_rule(visitor, &axe, "wrong token");
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn the_list_of_an_owner_and_the_page_after_a_save_break_no_rule() {
    let axe = axe();
    let server = TestServer::with(&["--base-url", "https://bin.example"]);
    visit_server(server, On, |visitor| {
        visitor.open("/mine");
        breaks_no_rule(visitor, &axe, "no list");
        for title in ["", "a title"] {
            save(visitor, "text", title);
        }
        breaks_no_rule(visitor, &axe, "saved");
        save_closed(visitor, "a secret", "1", "");
        breaks_no_rule(visitor, &axe, "saved and closed");
        visitor.open("/mine");
        breaks_no_rule(visitor, &axe, "a list");
        visitor.click("button[value=delete]");
        visitor.shows("h1", "That did not work");
        breaks_no_rule(visitor, &axe, "nothing selected");
        visitor.open("/mine");
        visitor.click("form[action='/mine/forget'] button");
        visitor.shows("h1", "Forgotten");
        breaks_no_rule(visitor, &axe, "forgotten");
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn the_warning_of_a_secret_and_the_list_of_the_browser_break_no_rule() {
    let axe = axe();
    let server = at_the_browsers_time(TestServer::start());
    visit_server(server, On, |visitor| {
        let typed = format!("{}\n", github_token()).repeat(10);
        visitor.open("/");
        visitor.type_into("#content", &typed);
        visitor.click(".submit button");
        visitor.element("dialog[open]");
        breaks_no_rule(visitor, &axe, "secrets");
        visitor.click("dialog .actions .quiet");
        visitor.element(".listing");
        for title in ["", "a title"] {
            save(visitor, "text", title);
        }
        visitor.open("/mine");
        visitor.element("#recent li");
        breaks_no_rule(visitor, &axe, "recent");
        visitor.click("#recent .all");
        breaks_no_rule(visitor, &axe, "none recent");
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn no_page_of_reports_or_of_the_operator_breaks_an_accessibility_rule() {
    let axe = axe();
    visit_server(moderated(), On, |visitor| {
        operate(visitor);
        breaks_no_rule(visitor, &axe, "operate, empty");
        // A paste that is reported, and one that is removed and blocked
        for path in ["a", "b"].map(|text| visitor.server.save(text).path) {
            visitor.open(&format!("{path}/report"));
            breaks_no_rule(visitor, &axe, "report");
            visitor.type_into("#reason", "spam");
            visitor.click(".gate button");
            visitor.shows("h1", "Reported");
            breaks_no_rule(visitor, &axe, "reported");
        }
        operate(visitor);
        visitor.click(".reported [name=block]");
        visitor.click(".reported [value=remove]");
        visitor.element("[role=status]");
        breaks_no_rule(visitor, &axe, "operate");
    });
}
