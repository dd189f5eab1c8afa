//! The part of a browser that one test uses: tabs with cookies, storage and a cache of their own.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::Scripts;
use super::browser::Browser;

pub struct Session {
    browser: Browser,
    context: String,
    scripts: Scripts,
    tabs: Vec<Tab>,
    /// The id of the tab that gets all commands.
    front: String,
    /// The addresses that any tab requested.
    pub requests: Vec<String>,
    /// Failed scripts, violations of the content security policy, and all else that belongs into a console.
    pub console: Vec<Value>,
    /// The requests without a complete response.
    pending: HashSet<String>,
}

struct Tab {
    /// The id of the commands to it.
    id: String,
    /// The id of the tab itself, which is also that of its outermost frame.
    target: String,
    /// The last of the commands that prepare it, until it has its reply.
    preparation: Option<u64>,
    is_loading: bool,
    /// How many documents it has shown.
    documents: usize,
    /// The last load that completed.
    loaded: Value,
}

impl Session {
    pub fn start(scripts: Scripts) -> Self {
        let mut session = Self {
            browser: Browser::take(),
            context: String::new(),
            scripts,
            tabs: Vec::new(),
            front: String::new(),
            requests: Vec::new(),
            console: Vec::new(),
            pending: HashSet::new(),
        };
        let context = session.call("Target.createBrowserContext", &json!({}));
        session.context = string(&context.expect("a context")["browserContextId"]);
        // A full browser lets a page write to the clipboard at a click. This one has to be told.
        let granted = json!({ "permissions": ["clipboardSanitizedWrite", "clipboardReadWrite"],
            "browserContextId": session.context });
        let granted = session.call("Browser.grantPermissions", &granted);
        granted.expect("a page may use the clipboard");
        session.front = session.open_tab();
        session
    }

    /// Closes all tabs, forgets all that they stored, and leaves the browser to another test.
    pub fn end(mut self) {
        self.front.clear();
        let context = json!({ "browserContextId": self.context });
        let end = self.call("Target.disposeBrowserContext", &context);
        end.expect("the context ends");
        self.browser.give_back();
    }

    /// Opens an empty tab in the background; returns its id.
    pub fn open_tab(&mut self) -> String {
        let front = std::mem::take(&mut self.front);
        let tab = json!({ "url": "about:blank", "browserContextId": self.context });
        self.call("Target.createTarget", &tab).expect("a tab");
        self.front = front;
        self.last_tab()
    }

    pub fn front(&self) -> &str {
        &self.front
    }

    /// Sends all commands to this tab from now on.
    pub fn switch_to(&mut self, tab: &str) {
        tab.clone_into(&mut self.front);
        self.call("Page.bringToFront", &json!({}))
            .expect("it opens");
    }

    /// Waits until a page has opened another tab behind the one in front; returns its id.
    pub fn tab_behind(&mut self) -> String {
        while self.tabs.last().is_none_or(|tab| tab.id == self.front) {
            self.hear_next();
        }
        self.last_tab()
    }

    /// Waits until the last tab is prepared; returns its id.
    fn last_tab(&mut self) -> String {
        loop {
            let tab = self.tabs.last().expect("a tab is open");
            if tab.preparation.is_none() {
                return tab.id.clone();
            }
            self.hear_next();
        }
    }

    /// Closes the tab in front. Another has to be brought to the front next.
    pub fn close_tab(&mut self) {
        self.call("Page.close", &json!({})).expect("it closes");
        while self.tabs.iter().any(|tab| tab.id == self.front) {
            self.hear_next();
        }
    }

    /// How many documents the tab in front has shown.
    pub fn documents(&mut self) -> usize {
        self.tab().documents
    }

    /// Waits until the tab in front has shown more documents than these, and the last is loaded.
    pub fn until_left(&mut self, documents: usize) {
        while self.tab().documents == documents {
            self.hear_next();
        }
        self.until_loaded();
    }

    /// Waits until no page is being loaded into the tab in front.
    pub fn until_loaded(&mut self) {
        while self.tab().is_loading {
            self.hear_next();
        }
    }

    /// Opens an address and waits until the page is loaded completely.
    pub fn open(&mut self, url: &str) {
        let opened = self.call("Page.navigate", &json!({ "url": url }));
        let opened = opened.unwrap_or_else(|error| panic!("{url}: {error}"));
        assert_eq!(opened["errorText"], Value::Null, "{url}");
        // The address of another place in the same page loads nothing.
        while opened["loaderId"] != Value::Null && self.tab().loaded != opened["loaderId"] {
            self.hear_next();
        }
    }

    /// Waits until no request is without its response.
    pub fn until_no_request_is_pending(&mut self) {
        while !self.pending.is_empty() {
            self.hear_next();
        }
    }

    /// Sends a command to the tab in front, and waits for its result.
    pub fn call(&mut self, method: &str, parameters: &Value) -> Result<Value, String> {
        let sent = self.browser.send(&self.front, method, parameters);
        loop {
            let mut message = self.browser.next();
            if message["id"] == sent {
                return match &message["error"] {
                    Value::Null => Ok(message["result"].take()),
                    error => Err(string(&error["message"])),
                };
            }
            self.hear(&message);
        }
    }

    fn hear_next(&mut self) {
        let message = self.browser.next();
        self.hear(&message);
    }

    /// Waits for an event, but not longer than this.
    pub fn hear_within(&mut self, time: Duration) {
        if let Some(message) = self.browser.next_within(time) {
            self.hear(&message);
        }
    }

    fn hear(&mut self, message: &Value) {
        let parameters = &message["params"];
        if message["method"] == "Target.attachedToTarget" {
            return self.attach(parameters);
        }
        // Others are of the test before.
        let Some(tab) = self
            .tabs
            .iter_mut()
            .find(|tab| tab.id == message["sessionId"])
        else {
            if message["method"] == "Target.detachedFromTarget" {
                self.tabs.retain(|tab| tab.id != parameters["sessionId"]);
            }
            return;
        };
        if tab.preparation.is_some_and(|sent| message["id"] == sent) {
            tab.preparation = None;
        }
        let is_outermost = parameters["frameId"] == *tab.target;
        let request = || string(&parameters["requestId"]);
        match message["method"].as_str().unwrap_or_default() {
            "Page.frameRequestedNavigation" if parameters["disposition"] == "currentTab" => {
                tab.is_loading = true;
            }
            "Page.frameStartedLoading" if is_outermost => tab.is_loading = true,
            "Page.frameStoppedLoading" | "Page.navigatedWithinDocument" if is_outermost => {
                tab.is_loading = false;
            }
            "Page.frameNavigated" if parameters["frame"]["id"] == *tab.target => {
                tab.documents += 1;
                // The browser forgets the requests of the document before.
                self.pending.clear();
                if parameters["type"] == "BackForwardCacheRestore" {
                    tab.is_loading = false;
                }
            }
            "Page.lifecycleEvent" if is_outermost && parameters["name"] == "load" => {
                tab.loaded = parameters["loaderId"].clone();
            }
            "Inspector.targetCrashed" => panic!("the page crashed"),
            "Page.javascriptDialogOpening" => panic!("an alert is open: {parameters}"),
            "Network.requestWillBeSent" => {
                self.requests.push(string(&parameters["request"]["url"]));
                self.pending.insert(request());
            }
            "Network.loadingFinished" | "Network.loadingFailed" => {
                self.pending.remove(&request());
            }
            "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded" => {
                self.console.push(parameters.clone());
            }
            _ => {}
        }
    }

    /// Prepares a new tab, which waits for that.
    fn attach(&mut self, target: &Value) {
        let (id, about) = (string(&target["sessionId"]), &target["targetInfo"]);
        let is_off = self.scripts == Scripts::Off;
        let prepare = [
            ("Page.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
            ("Runtime.enable", json!({})),
            ("Log.enable", json!({})),
            ("Network.enable", json!({ "maxPostDataSize": 0 })),
            (
                "Emulation.setScriptExecutionDisabled",
                json!({ "value": is_off }),
            ),
            (
                "Emulation.setFocusEmulationEnabled",
                json!({ "enabled": true }),
            ),
            ("Runtime.runIfWaitingForDebugger", json!({})),
        ];
        let sent =
            prepare.map(|(command, parameters)| self.browser.send(&id, command, &parameters));
        self.tabs.push(Tab {
            id,
            target: string(&about["targetId"]),
            // The browser crashes if a page is opened before the replies.
            preparation: sent.last().copied(),
            is_loading: false,
            documents: 0,
            loaded: Value::Null,
        });
    }

    fn tab(&mut self) -> &mut Tab {
        let front = self.tabs.iter_mut().find(|tab| tab.id == self.front);
        front.expect("the tab in front is open")
    }
}

fn string(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
