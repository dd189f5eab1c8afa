//! A request, as bytes and as a script of wrk.

use std::fmt::Write;

/// The `Host` header of all requests.
const HOST: &str = "127.0.0.1:18088";

/// One request.
#[derive(Debug, Clone)]
pub struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Request {
    pub fn get(path: impl Into<String>) -> Self {
        Self {
            method: "GET",
            path: path.into(),
            headers: Vec::new(),
            body: String::new(),
        }
    }

    /// A save of this text.
    pub fn post(body: impl Into<String>) -> Self {
        Self {
            method: "POST",
            body: body.into(),
            ..Self::get("/").with("Content-Type", "text/plain")
        }
    }

    /// A save of this text as `curl -F file=@notes.txt` sends it.
    pub fn multipart(content: &str) -> Self {
        const BOUNDARY: &str = "------------------------d74496d66958873e";
        let body = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"notes.txt\"\r\n\
             Content-Type: text/plain\r\n\r\n{content}\r\n--{BOUNDARY}--\r\n"
        );
        Self {
            method: "POST",
            body,
            ..Self::get("/").with(
                "Content-Type",
                format!("multipart/form-data; boundary={BOUNDARY}"),
            )
        }
    }

    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The bytes of the request.
    pub fn to_http(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\nHost: {HOST}\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            write!(text, "{name}: {value}\r\n").unwrap();
        }
        if !self.body.is_empty() {
            write!(text, "Content-Length: {}\r\n", self.body.len()).unwrap();
        }
        write!(text, "\r\n{}", self.body).unwrap();
        text.into_bytes()
    }

    /// A script of wrk that sends only this request. Lua has the same escapes for ASCII as Rust.
    pub fn to_lua(&self) -> String {
        let Self {
            method, path, body, ..
        } = self;
        let mut script = format!("wrk.method = {method:?}\nwrk.path = {path:?}\n");
        for (name, value) in &self.headers {
            writeln!(script, "wrk.headers[{name:?}] = {value:?}").unwrap();
        }
        if !body.is_empty() {
            writeln!(script, "wrk.body = {body:?}").unwrap();
        }
        script
    }
}

/// The bytes of a request as a trusted proxy sends it for the client at `from`. `headers` are whole lines.
pub fn request(method: &str, path: &str, from: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = match (method, body.len()) {
        ("GET" | "HEAD", 0) => String::new(),
        (_, length) => format!("Content-Length: {length}\r\n"),
    };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: {from}\r\n{headers}{length}\r\n"
    );
    [head.as_bytes(), body].concat()
}
