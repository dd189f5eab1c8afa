//! A real browser without a window, and the driver that moves it. Both end with the test, also with one that fails.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::server::TestServer;

/// Longer than the driver takes for anything; a hung test ends with it.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether the browser runs scripts. The driver's own run in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    On,
    Off,
}

/// Opens a browser for this test, on a server of its own. Afterwards its log must be clean.
pub fn visit(scripts: Scripts, test: impl AsyncFnOnce(&Visitor)) {
    visit_server(TestServer::start(), scripts, test);
}

/// The same, on this server.
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

/// The program that moves the browser.
struct Driver {
    process: Child,
    addr: SocketAddr,
    /// Kept open, for it goes on talking.
    _says: BufReader<ChildStdout>,
    _folder: Folder,
}

impl Driver {
    fn start() -> Self {
        let folder = Folder::new("browser");
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            // There it puts the profile of the browser, a fresh one.
            .env("TMPDIR", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let mut says = BufReader::new(process.stdout.take().expect("it says its port"));
        let port = says
            .by_ref()
            .lines()
            .map_while(Result::ok)
            .find_map(|line| {
                let (_, port) = line.split_once("started successfully on port ")?;
                port.trim_end_matches('.').parse::<u16>().ok()
            });
        Self {
            process,
            addr: SocketAddr::from((Ipv4Addr::LOCALHOST, port.expect("it says its port"))),
            _says: says,
            _folder: folder,
        }
    }

    /// What the driver gives for a command that no library knows; null is no body.
    fn call(&self, method: &str, path: &str, body: &Value) -> io::Result<Value> {
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let mut stream = TcpStream::connect(self.addr)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes())?;
        let mut answer: Value = serde_json::from_slice(&body_of(stream)?)?;
        Ok(answer["value"].take())
    }
}

/// The body of the answer that comes; the driver leaves the connection open behind it.
fn body_of(stream: TcpStream) -> io::Result<Vec<u8>> {
    let mut stream = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(body)
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It ends its browser with itself; killed, it leaves it behind.
        if self.call("GET", "/shutdown", &Value::Null).is_err() {
            _ = self.process.kill();
        }
        _ = self.process.wait();
    }
}

/// Somebody with a browser.
pub struct Visitor<'a> {
    pub client: Client,
    pub server: TestServer,
    driver: &'a Driver,
    session: String,
    /// Where else the browser may go in this test.
    elsewhere: RefCell<Vec<String>>,
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
        }
    }

    /// Opens a page of the server.
    pub async fn open(&self, path: &str) {
        let url = format!("http://{}{path}", self.server.addr);
        let begun = Instant::now();
        while let Err(error) = self.client.goto(&url).await {
            assert!(may_pass(&error, PASSING, begun), "{path}: {error}");
        }
    }

    /// Opens a page of the server by the name `paste.test`, as if it were another machine's.
    pub async fn open_by_name(&self, path: &str) {
        let origin = format!("http://paste.test:{}", self.server.addr.port());
        let opened = self.client.goto(&format!("{origin}{path}")).await;
        opened.expect("it opens");
        self.elsewhere.borrow_mut().push(format!("{origin}/"));
    }

    /// Lets the browser ask this server as well.
    pub fn may_go_to(&self, elsewhere: &TestServer) {
        let origin = format!("http://{}/", elsewhere.addr);
        self.elsewhere.borrow_mut().push(origin);
    }

    /// Becomes somebody else as far as a server can tell: nothing that it gave the browser is left.
    pub fn forget_cookies(&self) {
        self.tell("Network.clearBrowserCookies", &json!({}));
    }

    /// The path and query of the page that is open.
    pub async fn path(&self) -> String {
        let url = self.client.current_url().await.expect("a page is open");
        let origin = format!("http://{}", self.server.addr);
        let path = url.as_str().strip_prefix(&origin);
        path.unwrap_or_else(|| panic!("{url} is elsewhere"))
            .to_owned()
    }

    /// The one element that this selects, once it is there, in a page that is there to its end: the text of one that is
    /// still being read is not whole.
    pub async fn element(&self, css: &str) -> Element {
        let found = self.client.wait().for_element(Locator::Css(css)).await;
        let found = found.unwrap_or_else(|error| panic!("{css}: {error}"));
        self.until("document.readyState == 'complete'").await;
        found
    }

    /// Clicks it once it can be clicked.
    pub async fn click(&self, css: &str) {
        let begun = Instant::now();
        while let Err(error) = self.element(css).await.click().await {
            assert!(may_pass(&error, TOO_EARLY, begun), "{css}: {error}");
        }
    }

    /// Types into it once it takes text.
    pub async fn type_into(&self, css: &str, text: &str) {
        let begun = Instant::now();
        while let Err(error) = self.element(css).await.send_keys(text).await {
            assert!(may_pass(&error, TOO_EARLY, begun), "{css}: {error}");
        }
    }

    pub async fn choose(&self, css: &str, value: &str) {
        let element = self.element(css).await;
        element.select_by_value(value).await.expect("it is offered");
    }

    /// The text in an element, shown or not. A page that goes just then is followed by one that is asked anew.
    pub async fn text(&self, css: &str) -> String {
        let begun = Instant::now();
        loop {
            match self.element(css).await.prop("textContent").await {
                Ok(text) => return text.unwrap_or_default(),
                Err(error) => assert!(may_pass(&error, PASSING, begun), "{css}: {error}"),
            }
        }
    }

    /// What this expression is in the page.
    pub async fn evaluate(&self, expression: &str) -> Value {
        let script = format!("return {expression};");
        let begun = Instant::now();
        loop {
            match self.client.execute(&script, Vec::new()).await {
                Ok(value) => return value,
                Err(error) => assert!(may_pass(&error, PASSING, begun), "{expression}: {error}"),
            }
        }
    }

    /// What a promise in the page comes to.
    pub async fn awaited(&self, promise: &str) -> Value {
        let script = format!("({promise}).then(arguments[0], e => arguments[0](`${{e}}`));");
        let value = self.client.execute_async(&script, Vec::new()).await;
        value.unwrap_or_else(|error| panic!("{promise}: {error}"))
    }

    /// Waits until this is so in the page.
    pub async fn until(&self, condition: &str) {
        let begun = Instant::now();
        while self.evaluate(condition).await != true {
            assert!(begun.elapsed() < PATIENCE, "never {condition}");
        }
    }

    /// Presses keys where the focus is.
    pub async fn press(&self, keys: &str) {
        let focused = self.client.active_element().await.expect("a focus");
        focused.send_keys(keys).await.expect("it takes keys");
    }

    /// Tells the browser something that WebDriver has no word for.
    pub fn tell(&self, command: &str, parameters: &Value) {
        let path = format!("/session/{}/goog/cdp/execute", self.session);
        let body = json!({ "cmd": command, "params": parameters });
        let answer = self.driver.call("POST", &path, &body);
        let answer = answer.unwrap_or_else(|error| panic!("{command}: {error}"));
        assert_eq!(answer["error"], Value::Null, "{command}: {answer}");
    }

    /// Makes the page as wide as a phone.
    pub fn take_a_phone(&self, width: u32) {
        let size = json!({ "width": width, "height": 640, "deviceScaleFactor": 2, "mobile": true });
        self.tell("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Has the system ask for light or dark colours.
    pub fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.tell(
            "Emulation.setEmulatedMedia",
            &json!({ "features": features }),
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

    /// No script failed, nothing was against the policy, no host was asked for anything that is not part of the test, no
    /// alert is open.
    async fn check_log(&self) {
        let alert = self.client.get_alert_text().await;
        assert!(alert.is_err(), "an alert is open: {alert:?}");
        for entry in self.log("browser") {
            // That an answer was 404 is told there as well.
            assert_eq!(entry["source"], "network", "{entry}");
        }
        let mut origins = self.elsewhere.borrow().clone();
        origins.push(format!("http://{}/", self.server.addr));
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

/// What the driver says of an element when a page is just being laid out, or replaced by the next; nothing was done.
const TOO_EARLY: &[&str] = &[
    "stale element reference",
    "element not interactable",
    "element click intercepted",
];

/// What it says when it looked at a page that was just replaced, or when the browser drops what is under way since an
/// interface of its machine came or went. Something may have been done.
const PASSING: &[&str] = &[
    "stale element reference",
    "unhandled inspector error",
    "no such execution context",
    "ERR_NETWORK_CHANGED",
];

/// Whether to try once more what failed like this: it may be so for a moment only.
fn may_pass(error: &CmdError, passing: &[&str], begun: Instant) -> bool {
    let error = error.to_string();
    passing.iter().any(|passing| error.contains(passing)) && begun.elapsed() < PATIENCE
}

fn capabilities(scripts: Scripts) -> Value {
    let arguments = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1200,800",
        // A name that is this machine, and that a browser trusts no more than any other without TLS.
        "--host-resolver-rules=MAP paste.test 127.0.0.1",
    ];
    let content = "profile.managed_default_content_settings.javascript";
    let setting = if scripts == Scripts::On { 1 } else { 2 };
    json!({
        "goog:chromeOptions": { "args": arguments, "prefs": { content: setting } },
        "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
    })
}
