//! Bodies of forms.

use crate::client::Request;

pub const ENCODED: &str = "application/x-www-form-urlencoded";
pub const MULTIPART: &str = "multipart/form-data; boundary=b";

/// The body of a multipart form with these fields. A name that ends in `@` is that of a file.
pub fn parts(fields: &[(&str, &str)]) -> String {
    let part = |(name, value): &(&str, &str)| {
        let (name, file) = match name.strip_suffix('@') {
            Some(name) => (name, "; filename=\"file.rs\""),
            None => (*name, ""),
        };
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{value}\r\n")
    };
    let parts: String = fields.iter().map(part).collect();
    parts + "--b--\r\n"
}

/// Adds a form to a request.
pub trait Forms {
    /// Adds a urlencoded form. Its body must be encoded.
    fn form(self, body: impl AsRef<[u8]>) -> Self;

    /// Adds a multipart form with these fields, as [`parts`] makes it.
    fn parts(self, fields: &[(&str, &str)]) -> Self;
}

impl Forms for Request {
    fn form(self, body: impl AsRef<[u8]>) -> Self {
        self.header("Content-Type", ENCODED).body(body)
    }

    fn parts(self, fields: &[(&str, &str)]) -> Self {
        self.header("Content-Type", MULTIPART).body(parts(fields))
    }
}

/// Adds a multipart form with these fields.
pub fn multipart(request: Request, fields: &[(&str, &str)]) -> Request {
    request.parts(fields)
}

/// Adds a urlencoded form. Its body must be encoded.
pub fn urlencoded(request: Request, body: &str) -> Request {
    request.form(body)
}
