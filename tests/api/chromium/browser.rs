//! Running browsers. One that a test gives back is used by the next test.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::PATIENCE;

/// The browsers that no test uses. They end with this process, however it ends, because their pipes are then closed.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// Starts the browser with its pipes as files 3 and 4, and removes its profile `$0` after it has ended. A signal to the
/// whole terminal ends the browser, but not this shell before it has cleaned up.
const SCRIPT: &str = "trap : HUP INT TERM
mkdir -p \"$0\"
TMPDIR=$0 chromium-headless-shell --user-data-dir=\"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1
rm -rf \"$0\"";

const ARGUMENTS: [&str; 17] = [
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-sandbox",
    "--disable-gpu",
    "--in-process-gpu",
    // Its start changes the environment while other threads read it, which ends one browser in a few hundred.
    "--disable-software-rasterizer",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-breakpad",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--window-size=1200,800",
    // Otherwise a click on a page that is not painted yet is lost.
    "--allow-pre-commit-input",
    // Browsers trust `localhost` without TLS. This name for the same machine is not trusted.
    "--host-resolver-rules=MAP paste.test 127.0.0.1",
];

/// A browser that is controlled by the Chrome DevTools Protocol. It ends when this is dropped.
pub struct Browser {
    commands: ChildStdin,
    messages: Receiver<Value>,
    sent: u64,
}

impl Browser {
    /// Takes a browser that waits, or else starts one.
    pub fn take() -> Self {
        let idle = IDLE.lock().expect("no test panics with it").pop();
        idle.unwrap_or_else(Self::start)
    }

    /// Leaves the browser to another test.
    pub fn give_back(self) {
        IDLE.lock().expect("no test panics with it").push(self);
    }

    fn start() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let profile =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("chromium-{process}-{count}"));
        let mut shell = Command::new("sh")
            .arg("-c")
            .arg(SCRIPT)
            .arg(profile)
            .args(ARGUMENTS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let commands = shell.stdin.take().expect("a pipe");
        let says = BufReader::new(shell.stdout.take().expect("a pipe"));
        let (heard, messages) = channel();
        std::thread::spawn(move || {
            for message in says.split(0).map_while(Result::ok) {
                let message: Value = serde_json::from_slice(&message).expect("JSON");
                if heard.send(message).is_err() {
                    break;
                }
            }
            _ = shell.wait();
        });
        let mut browser = Self {
            commands,
            messages,
            sent: 0,
        };
        // The log of a tab has to begin before the tab sends its first request.
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
            "filter": [{ "type": "page" }] });
        browser.send("", "Target.setAutoAttach", &attach);
        browser
    }

    /// Sends a command to the session of a tab, or to the browser if the session is empty. The number that is returned
    /// is in the reply too.
    pub fn send(&mut self, session: &str, method: &str, parameters: &Value) -> u64 {
        self.sent += 1;
        let mut command = json!({ "id": self.sent, "method": method, "params": parameters });
        if !session.is_empty() {
            command["sessionId"] = json!(session);
        }
        let command = format!("{command}\0");
        self.commands
            .write_all(command.as_bytes())
            .expect("the browser runs");
        self.sent
    }

    /// Waits for the next message, which is a reply or an event.
    pub fn next(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        message.expect("the browser sends a message")
    }

    /// Waits for a message, but not longer than this.
    pub fn next_within(&mut self, time: Duration) -> Option<Value> {
        self.messages.recv_timeout(time).ok()
    }
}
