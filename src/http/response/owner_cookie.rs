//! The cookie that stores a paste's token in a browser. It is sent for this paste alone, and lives as long as the
//! paste.

use crate::http::admission::RequestContext;
use crate::http::request::Request;
use crate::paste::Deadline;

/// The longest age in seconds: 400 days, the limit of browsers (RFC 6265bis). A cookie without an age would end with
/// the browser session.
const MAX_AGE: u64 = 400 * 24 * 3600;

/// Returns the `Set-Cookie` that stores a paste's token.
pub(crate) fn owner_cookie(
    context: &RequestContext<'_>,
    id: &str,
    token: &str,
    deadline: Deadline,
) -> String {
    let now = context.state.now();
    let age = deadline.timestamp().map_or(MAX_AGE, |timestamp| {
        timestamp.since(now).as_secs().clamp(1, MAX_AGE)
    });
    cookie(&context.request, id, token, age)
}

/// Returns the `Set-Cookie` that removes the token.
pub(crate) fn no_owner_cookie(request: &Request<'_>, id: &str) -> String {
    cookie(request, id, "", 0)
}

fn cookie(request: &Request<'_>, id: &str, token: &str, age: u64) -> String {
    let secure = match request.public {
        Some(url) if url.is_https() => "; Secure",
        Some(_) | None => "",
    };
    let path = [request.base_path(), "/", id].concat();
    format!("token={token}; Path={path}; HttpOnly; SameSite=Strict; Max-Age={age}{secure}")
}
