//! A headless browser and its driver. Both end with the test, also if the test fails.

mod driver;
mod seeing;

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use self::driver::{Driver, capabilities};
use crate::server::TestServer;

/// The time after which a test that hangs fails. It is longer than any action of the driver.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether pages may run scripts. The scripts of the driver run in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    On,
    Off,
}

/// Opens a browser for this test on a server of its own. Afterwards, asserts that the browser has logged no error.
pub fn visit(scripts: Scripts, test: impl AsyncFnOnce(&Visitor)) {
    visit_server(TestServer::start(), scripts, test);
}

/// Does the same as [`visit`], on this server.
pub fn visit_server(server: TestServer, scripts: Scripts, test: impl AsyncFnOnce(&Visitor)) {
    let driver = Driver::start();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(async {
            let visitor = Visitor::new(&driver, server, scripts).await;
            test(&visitor).await;
            visitor.check_log().await;
        });
}

/// A browser on a server.
pub struct Visitor<'a> {
    pub client: Client,
    pub server: TestServer,
    driver: &'a Driver,
    session: String,
    /// Other hosts that the browser may visit in this test.
    elsewhere: RefCell<Vec<String>>,
    /// The start of the paths that the browser may request from the server.
    below: Cell<&'static str>,
}

impl<'a> Visitor<'a> {
    async fn new(driver: &'a Driver, server: TestServer, scripts: Scripts) -> Self {
        let Value::Object(capabilities) = capabilities(scripts) else {
            unreachable!("capabilities are an object")
        };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://{}", driver.addr))
            .await
            .expect("the browser starts");
        let session = client.session_id().await.expect("it lives").expect("an id");
        Self {
            client,
            server,
            driver,
            session,
            elsewhere: RefCell::default(),
            below: Cell::new("/"),
        }
    }

    /// Opens a page of the server.
    pub async fn open(&self, path: &str) {
        let url = format!("http://{}{path}", self.server.addr);
        retried(path, PASSING, async || self.client.goto(&url).await).await;
    }

    /// Opens a page of the server by the name `paste.test`, as if it were on another machine.
    pub async fn open_by_name(&self, path: &str) {
        let authority = format!("paste.test:{}", self.server.addr.port());
        self.open_at(&authority, path).await;
    }

    /// Opens a page of the server with this password, as if the user had typed it when the browser asked.
    pub async fn open_with(&self, password: &str, path: &str) {
        let authority = format!("name:{password}@{}", self.server.addr);
        self.open_at(&authority, path).await;
    }

    async fn open_at(&self, authority: &str, path: &str) {
        let origin = format!("http://{authority}");
        let opened = self.client.goto(&format!("{origin}{path}")).await;
        opened.expect("it opens");
        self.elsewhere.borrow_mut().push(format!("{origin}/"));
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

    /// Deletes everything that the server stored in the browser, so that the server does not recognize it.
    pub fn forget_cookies(&self) {
        self.tell("Network.clearBrowserCookies", &json!({}));
    }

    /// The path and query of the open page, without the mark of a page after a save, which a script removes.
    pub async fn path(&self) -> String {
        let url = self.url().await;
        let path = url.strip_prefix(&format!("http://{}", self.server.addr));
        path.unwrap_or_else(|| panic!("{url} is elsewhere"))
            .trim_end_matches("?saved")
            .to_owned()
    }

    /// The address of the open page, on any host.
    pub async fn url(&self) -> String {
        let url = retried("the URL", PASSING, async || self.client.current_url().await);
        url.await.into()
    }

    /// Waits for the element that matches the selector, in a page that is loaded completely. The text of a page that
    /// is still loading would be incomplete.
    pub async fn element(&self, css: &str) -> Element {
        let found = retried(css, ABSENT, async || {
            let found = self.client.find(Locator::Css(css)).await;
            if found.is_err() {
                self.reload_aborted_page().await;
            }
            found
        });
        let found = found.await;
        self.until("document.readyState == 'complete'").await;
        found
    }

    /// Sends the request of the open page again if the browser aborted it because a network interface changed.
    async fn reload_aborted_page(&self) {
        let aborted = "document.URL.startsWith('chrome-error:')
            && document.documentElement?.textContent.includes('ERR_NETWORK_CHANGED')";
        if self.evaluate(aborted).await == true {
            retried("a reload", PASSING, async || self.client.refresh().await).await;
        }
    }

    /// Waits until the element can be clicked, and clicks it.
    pub async fn click(&self, css: &str) {
        retried(css, TOO_EARLY, async || {
            self.element(css).await.click().await
        })
        .await;
    }

    /// Clicks an element that leads to another page and waits for that page, even if it looks like this one.
    pub async fn follow(&self, css: &str) {
        self.evaluate("document.isLeft = true").await;
        self.click(css).await;
        self.until("!document.isLeft && document.readyState === 'complete'")
            .await;
    }

    /// Waits until the element takes text, and types into it.
    pub async fn type_into(&self, css: &str, text: &str) {
        retried(css, TOO_EARLY, async || {
            self.element(css).await.send_keys(text).await
        })
        .await;
    }

    /// Waits until the field offers the value, and chooses it.
    pub async fn choose(&self, css: &str, value: &str) {
        retried(css, TOO_EARLY, async || {
            self.element(css).await.select_by_value(value).await
        })
        .await;
    }

    /// The text of an element, visible or not. If the page is replaced meanwhile, the text is read from the next page.
    pub async fn text(&self, css: &str) -> String {
        let text = retried(css, PASSING, async || {
            self.element(css).await.prop("textContent").await
        });
        text.await.unwrap_or_default()
    }

    /// The value of a field.
    pub async fn value(&self, css: &str) -> String {
        let value = retried(css, PASSING, async || {
            self.element(css).await.prop("value").await
        });
        value.await.unwrap_or_default()
    }

    /// The source of the current page, visible or not.
    pub async fn source(&self) -> String {
        let source = self.evaluate("document.documentElement.outerHTML").await;
        source.as_str().expect("a page is open").to_owned()
    }

    /// The value of a script expression in the page.
    pub async fn evaluate(&self, expression: &str) -> Value {
        let script = format!("return {expression};");
        retried(expression, PASSING, async || {
            self.client.execute(&script, Vec::new()).await
        })
        .await
    }

    /// The result of a promise in the page.
    pub async fn awaited(&self, promise: &str) -> Value {
        let script = format!("({promise}).then(arguments[0], e => arguments[0](`${{e}}`));");
        let value = self.client.execute_async(&script, Vec::new()).await;
        value.unwrap_or_else(|error| panic!("{promise}: {error}"))
    }

    /// Presses keys in the focused element.
    pub async fn press(&self, keys: &str) {
        retried(keys, TOO_EARLY, async || {
            let focused = self.client.active_element().await?;
            focused.send_keys(keys).await
        })
        .await;
    }

    /// Sends a command of the browser that WebDriver does not have.
    pub fn tell(&self, command: &str, parameters: &Value) {
        let path = format!("/session/{}/goog/cdp/execute", self.session);
        let body = json!({ "cmd": command, "params": parameters });
        let answer = self.driver.call("POST", &path, &body);
        let answer = answer.unwrap_or_else(|error| panic!("{command}: {error}"));
        assert_eq!(answer["error"], Value::Null, "{command}: {answer}");
    }

    /// Makes the page as narrow as a phone.
    pub fn take_a_phone(&self, width: u32) {
        let size = json!({ "width": width, "height": 640, "deviceScaleFactor": 2, "mobile": true });
        self.tell("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Gives the window this size.
    pub fn be_wide(&self, width: u32, height: u32) {
        let mobile = width < 500;
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.tell("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Sets the preference of the system for light or dark colours.
    pub fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.tell(
            "Emulation.setEmulatedMedia",
            &json!({ "features": features }),
        );
    }

    /// Shows the page as it is printed, for a reader who prefers dark colours.
    pub fn print(&self) {
        let features = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
        self.tell(
            "Emulation.setEmulatedMedia",
            &json!({ "media": "print", "features": features }),
        );
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        let path = format!("/session/{}/se/log", self.session);
        let log = self
            .driver
            .call("POST", &path, &json!({ "type": kind }))
            .expect("a log");
        log.as_array().expect("a log").clone()
    }

    /// Asserts that no script failed, nothing violated the content security policy, no host outside of the test got a
    /// request, and no alert is open.
    async fn check_log(&self) {
        let alert = self.client.get_alert_text().await;
        assert!(alert.is_err(), "an alert is open: {alert:?}");
        for entry in self.log("browser") {
            // The log also contains responses with error statuses such as 404. On a busy machine a test may type into a
            // page before its autofocus, which the browser then reports.
            // Its own style for an image that is opened alone violates the policy of raw bytes.
            let message = entry["message"].as_str().unwrap_or_default();
            let is_expected = message.contains("Autofocus processing was blocked")
                || message.contains("/raw/") && message.contains("Applying inline style violates");
            assert!(is_expected || entry["source"] == "network", "{entry}");
        }
        let mut origins = self.elsewhere.borrow().clone();
        origins.push(format!("http://{}{}", self.server.addr, self.below.get()));
        // An image of the page itself, and one that the user chose, are requested from no host.
        origins.push("data:image/".to_owned());
        origins.push(format!("blob:http://{}", self.server.addr));
        let mut requests = 0;
        for entry in self.log("performance") {
            let message = entry["message"].as_str().expect("a message");
            let event: Value = serde_json::from_str(message).expect("JSON");
            let event = &event["message"];
            if event["method"] == "Network.requestWillBeSent" {
                let url = event["params"]["request"]["url"].as_str().expect("a URL");
                let is_known = origins.iter().any(|origin| url.starts_with(origin));
                assert!(is_known, "{url} was asked for");
                requests += 1;
            }
        }
        assert!(requests > 0, "the log is not kept");
    }
}

/// The errors of the driver for an element of a page that is being laid out or replaced. The command had no effect.
const TOO_EARLY: &[&str] = &[
    "stale element reference",
    "element not interactable",
    "element click intercepted",
];

/// The errors of the driver for a page that was just replaced, and for requests that the browser aborts when a network
/// interface of its machine changes. The command may have had an effect.
const PASSING: &[&str] = &[
    "stale element reference",
    "unhandled inspector error",
    "no such execution context",
    "aborted by navigation",
    "ERR_NETWORK_CHANGED",
];

/// The errors of the driver for an element that is not there yet, on any page.
const ABSENT: &[&str] = &[
    "no such element",
    "stale element reference",
    "unhandled inspector error",
    "no such execution context",
    "aborted by navigation",
];

/// Runs a command of the driver until it succeeds. The test fails at an error that is not temporary, or after
/// [`PATIENCE`].
async fn retried<T>(
    what: &str,
    temporary: &[&str],
    command: impl AsyncFn() -> Result<T, CmdError>,
) -> T {
    let start = Instant::now();
    loop {
        match command().await {
            Ok(result) => return result,
            Err(error) => {
                let error = error.to_string();
                let is_temporary = temporary.iter().any(|part| error.contains(part));
                assert!(
                    is_temporary && start.elapsed() < PATIENCE,
                    "{what}: {error}"
                );
            }
        }
    }
}
