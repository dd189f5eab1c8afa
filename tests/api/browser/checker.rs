//! Checks of a page: it is valid HTML, obeys the rules of axe-core, and is no wider than a phone.

use std::path::Path;

use serde_json::json;

use crate::chromium::Scripts::On;
use crate::chromium::{Visitor, visit_server};
use crate::markup;
use crate::server::{Saved, TestServer};

/// The rules that the page breaks, and labels that axe-core is uncertain about (except the arrow of footnotes), with
/// the first element of each.
const VIOLATIONS: &str = "axe.run({ RULES preload: false, iframes: false, selectors: false, \
    resultTypes: ['violations', 'incomplete'] }).then(({ violations, incomplete }) => violations.concat( \
    incomplete.filter(({ id, nodes }) => id === 'label-content-name-mismatch' \
    && nodes.some(({ html }) => !html.includes('↩')))).map(broken => \
    `${broken.id}: ${broken.nodes[0].html} ${broken.nodes[0].failureSummary}`).join('; '))";

/// The elements that extend beyond the left or right edge of the page, except those that scroll.
const STICKS_OUT: &str = "(main => [...main.querySelectorAll('*')].filter(it => {
    const [whole, part] = [main, it].map(each => each.getBoundingClientRect());
    return !it.closest('.hex, .unseen, .log-bar, .table, .json, .document pre, math, :root:has(#wrap:not(:checked)) pre') && part.width
        && (part.left < whole.left - 1 || part.right > whole.right + 1);
}).map(it => it.outerHTML.slice(0, 99)).join())(document.querySelector('main'))";

/// Clicks all elements of a selector. Returns whether there are any.
const CLICK: &str = "(css => {
    const found = document.querySelectorAll(css);
    found.forEach(it => it.click());
    return found.length > 0;
})";

/// Opens a browser as narrow as a phone on this server, for a test that checks pages.
pub fn check(server: TestServer, test: impl FnOnce(&Checker, &Visitor)) {
    visit_server(server, On, |visitor| {
        let axe = axe();
        visitor.take_a_phone(320);
        test(&Checker { visitor, axe }, visitor);
    });
}

/// A visitor with a phone who checks pages.
pub struct Checker<'a> {
    visitor: &'a Visitor,
    axe: String,
}

impl Checker<'_> {
    /// Checks the open page.
    pub fn check(&self, page: &str) {
        self.is_valid(page);
        self.breaks_no_rule(page);
        self.fits(page);
    }

    /// Opens each page, clicks the elements that these selectors name, and checks it.
    pub fn check_all(&self, pages: &[(&str, &[&str])]) {
        for (path, clicks) in pages {
            self.visitor.open(path);
            for css in *clicks {
                let click = format!("{CLICK}({})", json!(css));
                assert_eq!(self.visitor.evaluate(&click), true, "{css} in {path}");
            }
            self.check(path);
        }
    }

    fn is_valid(&self, page: &str) {
        let tree = self.visitor.command("Page.getFrameTree", &json!({}));
        let request = json!({ "requestId": tree["frameTree"]["frame"]["loaderId"] });
        let response = self.visitor.command("Network.getResponseBody", &request);
        markup::check(page, response["body"].as_str().expect("a page"));
    }

    fn breaks_no_rule(&self, page: &str) {
        self.visitor.run(&self.axe, false).unwrap();
        // The scheme changes the colours alone.
        for (scheme, rules) in [("light", ""), ("dark", "runOnly: ['color-contrast'],")] {
            self.visitor.prefer(scheme);
            let broken = self.visitor.awaited(&VIOLATIONS.replace("RULES", rules));
            assert_eq!(broken, "", "{page} {scheme}");
        }
    }

    fn fits(&self, page: &str) {
        assert_eq!(self.visitor.evaluate(STICKS_OUT), "", "{page}");
        let content = "document.documentElement.scrollWidth";
        assert_eq!(self.visitor.evaluate(content), 320, "{page}");
    }

    /// Makes the browser send this token.
    pub fn own(&self, token: &str) {
        let cookie = format!("document.cookie = 'token={token}; path=/'");
        self.visitor.evaluate(&cookie);
    }

    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let request = self.visitor.server.request("PUT", name).body(content);
        Saved::of(&request.send()).path
    }
}

/// Returns the text of axe-core: from the path in the environment, or else from where `tests/run` put the file.
fn axe() -> String {
    let path = std::env::var_os("AXE_CORE");
    path.map_or_else(|| node_module("axe-core/axe.min.js"), read)
}

/// Returns the text of a file of a package that `tests/run` installed.
pub fn node_module(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/programs/node_modules");
    read(folder.join(file))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("not there, tests/run gets it: {}: {error}", path.display()))
}
