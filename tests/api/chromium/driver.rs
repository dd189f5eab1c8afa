//! The driver of the browser, and the browser's settings. Both end with the driver.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::{PATIENCE, Scripts};
use crate::folder::Folder;

/// The running driver.
pub struct Driver {
    process: Child,
    pub addr: SocketAddr,
    /// The output of the driver. It stays open because the driver continues to write.
    _says: BufReader<ChildStdout>,
    _folder: Folder,
}

impl Driver {
    /// Starts a driver. It picks a free port for IPv4 first and ends if the same port is not free for IPv6. So a driver
    /// that ends at once is started again.
    pub fn start() -> Self {
        (0..5)
            .find_map(|_| Self::try_start())
            .expect("chromedriver says its port")
    }

    fn try_start() -> Option<Self> {
        let folder = Folder::new("browser");
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            // The driver creates the browser's profile in this folder.
            .env("TMPDIR", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let mut says = BufReader::new(process.stdout.take().expect("its output is a pipe"));
        let port = says
            .by_ref()
            .lines()
            .map_while(Result::ok)
            .find_map(|line| {
                let (_, port) = line.split_once("started successfully on port ")?;
                port.trim_end_matches('.').parse::<u16>().ok()
            });
        let Some(port) = port else {
            process.wait().expect("chromedriver ends");
            return None;
        };
        Some(Self {
            process,
            addr: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            _says: says,
            _folder: folder,
        })
    }

    /// Sends a command to the driver that the library does not support. `null` is an empty body.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> io::Result<Value> {
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

/// Reads the body of the response. The driver leaves the connection open afterwards.
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
        // The driver stops the browser when it stops itself. A killed driver would leave the browser running.
        if self.call("GET", "/shutdown", &Value::Null).is_err() {
            _ = self.process.kill();
        }
        _ = self.process.wait();
    }
}

/// The settings of the browser at its start.
pub fn capabilities(scripts: Scripts) -> Value {
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
        // Browsers trust `localhost` without TLS. This name for the same machine is not trusted.
        "--host-resolver-rules=MAP paste.test 127.0.0.1",
    ];
    let content = "profile.managed_default_content_settings.javascript";
    let setting = if scripts == Scripts::On { 1 } else { 2 };
    json!({
        "goog:chromeOptions": { "args": arguments, "prefs": { content: setting } },
        "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
    })
}
