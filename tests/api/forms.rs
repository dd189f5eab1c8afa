//! Bodies of forms.

use crate::client::Request;

/// Adds a multipart form with these fields.
pub fn multipart(request: Request, fields: &[(&str, &str)]) -> Request {
    let part = |(name, value): &(&str, &str)| {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let parts: String = fields.iter().map(part).collect();
    request
        .header("Content-Type", "multipart/form-data; boundary=b")
        .body(parts + "--b--\r\n")
}

/// Adds a urlencoded form. Its body must be encoded.
pub fn urlencoded(request: Request, body: &str) -> Request {
    request
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(body)
}
