//! A visitor with a headless browser. A browser that a test gave back is taken by the next test; all of them end with
//! the process of the tests.

mod browser;
pub mod input;
mod seeing;
mod session;

use std::cell::{Cell, RefCell, RefMut};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use self::session::Session;
use crate::server::TestServer;

/// The time after which a test that hangs fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// The time of a frame, for pages that cannot tell it.
const FRAME: Duration = Duration::from_millis(16);

/// Whether pages may run scripts. The scripts of a test run in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    On,
    Off,
}

/// Takes an idle browser or starts one, with cookies and storage of its own, on a server of its own. Asserts afterwards
/// that the browser has logged no error, and gives it back. A browser whose test fails ends with it.
pub fn visit(scripts: Scripts, test: impl FnOnce(&Visitor)) {
    visit_server(TestServer::start(), scripts, test);
}

/// Does the same as [`visit`], on this server.
pub fn visit_server(server: TestServer, scripts: Scripts, test: impl FnOnce(&Visitor)) {
    let visitor = Visitor {
        session: RefCell::new(Session::start(scripts)),
        scripts,
        server,
        elsewhere: RefCell::default(),
        below: Cell::new("/"),
    };
    test(&visitor);
    visitor.check_log();
    visitor.session.into_inner().end();
}

/// A browser on a server.
pub struct Visitor {
    session: RefCell<Session>,
    pub server: TestServer,
    pub scripts: Scripts,
    /// Other hosts that the browser may visit in this test.
    elsewhere: RefCell<Vec<String>>,
    /// The start of the paths that the browser may request from the server.
    below: Cell<&'static str>,
}

impl Visitor {
    pub fn session(&self) -> RefMut<'_, Session> {
        self.session.borrow_mut()
    }

    /// Does this in another browser, with cookies and storage of its own.
    pub fn as_another(&self, act: impl FnOnce()) {
        let mine = self.session.replace(Session::start(self.scripts));
        act();
        self.check_log();
        self.session.replace(mine).end();
    }

    /// Opens a page of the server.
    pub fn open(&self, path: &str) {
        self.open_url(&format!("http://{}{path}", self.server.addr));
    }

    pub fn open_url(&self, url: &str) {
        self.session().open(url);
    }

    /// Opens a page of the server by the name `paste.test`, as if it were on another machine.
    pub fn open_by_name(&self, path: &str) {
        let authority = format!("paste.test:{}", self.server.addr.port());
        self.open_at(&authority, path);
    }

    /// Opens a page of the server with this password, as if the user had typed it when the browser asked.
    pub fn open_with(&self, password: &str, path: &str) {
        let authority = format!("name:{password}@{}", self.server.addr);
        self.open_at(&authority, path);
    }

    fn open_at(&self, authority: &str, path: &str) {
        let origin = format!("http://{authority}");
        self.open_url(&format!("{origin}{path}"));
        self.elsewhere.borrow_mut().push(format!("{origin}/"));
    }

    /// Loads the page again, with the same form if it came by one.
    pub fn reload(&self) {
        let documents = self.session().documents();
        self.command("Page.reload", &json!({}));
        self.session().until_left(documents);
    }

    /// Returns to the page before.
    pub fn go_back(&self) {
        let documents = self.session().documents();
        let history = self.command("Page.getNavigationHistory", &json!({}));
        let current = history["currentIndex"].as_u64().expect("a page is open");
        let before = usize::try_from(current).expect("a small number") - 1;
        let entry = json!({ "entryId": history["entries"][before]["id"] });
        self.command("Page.navigateToHistoryEntry", &entry);
        self.session().until_left(documents);
    }

    /// Allows the browser to send requests to this server as well.
    pub fn may_go_to(&self, elsewhere: &TestServer) {
        let origin = format!("http://{}/", elsewhere.addr);
        self.elsewhere.borrow_mut().push(origin);
    }

    /// Forbids the browser to request other paths of the server than those with this start.
    pub fn must_stay_below(&self, below: &'static str) {
        self.below.set(below);
    }

    /// Deletes the cookies, so that the server does not recognize the browser.
    pub fn forget_cookies(&self) {
        self.command("Network.clearBrowserCookies", &json!({}));
    }

    /// The value of a cookie that the open page would send.
    pub fn cookie(&self, name: &str) -> String {
        let cookies = self.command("Network.getCookies", &json!({}));
        let mut cookies = cookies["cookies"].as_array().expect("a list").iter();
        let cookie = cookies.find(|cookie| cookie["name"] == name);
        cookie.expect("it is there")["value"]
            .as_str()
            .expect("text")
            .to_owned()
    }

    /// The path and query of the open page, without the mark of a page after a save, which a script removes.
    pub fn path(&self) -> String {
        let url = self.evaluate("document.URL");
        let url = url.as_str().expect("a page is open");
        let path = url.strip_prefix(&format!("http://{}", self.server.addr));
        path.unwrap_or_else(|| panic!("{url} is elsewhere"))
            .trim_end_matches("?saved")
            .to_owned()
    }

    /// The source of the current page, visible or not.
    pub fn source(&self) -> String {
        let source = self.evaluate("document.documentElement.outerHTML");
        source.as_str().expect("a page is open").to_owned()
    }

    /// The value of a script expression in the page, once that is loaded.
    pub fn evaluate(&self, expression: &str) -> Value {
        let value = self.try_evaluate(expression);
        value.unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_evaluate(&self, expression: &str) -> Result<Value, String> {
        self.run(&format!("({expression})"), false)
    }

    /// The result of a promise in the page.
    pub fn awaited(&self, promise: &str) -> Value {
        let value = self.run(promise, true);
        value.unwrap_or_else(|error| panic!("{promise}: {error}"))
    }

    /// Runs the text of a script in the page.
    pub fn run(&self, script: &str, is_promise: bool) -> Result<Value, String> {
        let script =
            json!({ "expression": script, "returnByValue": true, "awaitPromise": is_promise });
        loop {
            self.session().until_loaded();
            let evaluated = self.session().call("Runtime.evaluate", &script);
            match evaluated {
                Ok(mut evaluated) => {
                    return match &evaluated["exceptionDetails"] {
                        Value::Null => Ok(evaluated["result"]["value"].take()),
                        thrown => Err(thrown.to_string()),
                    };
                }
                // The page was replaced meanwhile.
                Err(error) if GONE.iter().any(|gone| error.contains(gone)) => {
                    self.session().hear_within(FRAME);
                }
                Err(error) => panic!("{script}: {error}"),
            }
        }
    }

    /// Waits until the page has drawn a frame, or has been replaced. Without scripts, no page tells when it has drawn
    /// one.
    fn frame(&self) {
        match self.scripts {
            Scripts::On => _ = self.awaited("new Promise(requestAnimationFrame)"),
            Scripts::Off => self.session().hear_within(FRAME),
        }
    }

    /// Sends a command of the Chrome DevTools Protocol to the open page.
    pub fn command(&self, command: &str, parameters: &Value) -> Value {
        let result = self.session().call(command, parameters);
        result.unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// Makes the page as narrow as a phone, and its pointer a finger.
    pub fn take_a_phone(&self, width: u32) {
        let size = json!({ "width": width, "height": 640, "deviceScaleFactor": 2, "mobile": true });
        self.command("Emulation.setDeviceMetricsOverride", &size);
        self.command(
            "Emulation.setTouchEmulationEnabled",
            &json!({ "enabled": true }),
        );
    }

    /// Gives the window this size.
    pub fn be_wide(&self, width: u32, height: u32) {
        let mobile = width < 500;
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.command("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Sets the preference of the system for light or dark colours, for a screen.
    pub fn prefer(&self, scheme: &str) {
        self.show_on("screen", scheme);
    }

    /// Shows the page as it is printed, for a reader who prefers dark colours.
    pub fn print(&self) {
        self.show_on("print", "dark");
    }

    fn show_on(&self, media: &str, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        let media = json!({ "media": media, "features": features });
        self.command("Emulation.setEmulatedMedia", &media);
    }

    /// A picture of the window, as PNG.
    pub fn picture(&self) -> Vec<u8> {
        let picture = self.command("Page.captureScreenshot", &json!({}));
        let picture = picture["data"].as_str().expect("base64");
        STANDARD.decode(picture).expect("base64")
    }

    /// Asserts that no script failed, nothing violated the content security policy, and no host outside of the test got
    /// a request. An alert fails the test as soon as it opens.
    fn check_log(&self) {
        self.evaluate("0");
        let session = self.session();
        for entry in &session.console {
            // The log also contains responses with error statuses such as 404. On a busy machine a test may type into a
            // page before its autofocus, which the browser then reports.
            // Its own style for an image that is opened alone violates the policy of raw bytes.
            let message = entry.to_string();
            let is_expected = message.contains("Autofocus processing was blocked")
                || message.contains("/raw/") && message.contains("Applying inline style violates");
            assert!(
                is_expected || entry["entry"]["source"] == "network",
                "{entry}"
            );
        }
        let mut origins = self.elsewhere.borrow().clone();
        origins.push(format!("http://{}{}", self.server.addr, self.below.get()));
        // An image of the page itself, and one that the user chose, are requested from no host.
        origins.push("data:image/".to_owned());
        origins.push(format!("blob:http://{}", self.server.addr));
        for url in &session.requests {
            let is_known = origins.iter().any(|origin| url.starts_with(origin));
            assert!(is_known, "{url} was asked for");
        }
        assert!(!session.requests.is_empty(), "the log is not kept");
    }
}

/// The errors of the browser for a page that is being replaced.
const GONE: [&str; 4] = [
    "Inspected target navigated or closed",
    "Execution context was destroyed",
    "Cannot find default execution context",
    "Promise was collected",
];
