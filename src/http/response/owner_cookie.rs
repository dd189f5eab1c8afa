//! The cookie that stores a paste's token in a browser. It is sent for this paste alone, and lives as long as the
//! paste.

use crate::http::state::AppState;
use crate::paste::Deadline;

/// The longest age in seconds: 400 days, the limit of browsers (RFC 6265bis). A cookie without an age would end with
/// the browser session.
const MAX_AGE: u64 = 400 * 24 * 3600;

/// Returns the `Set-Cookie` that stores a paste's token.
pub(crate) fn owner_cookie(
    state: &AppState,
    base_url: &str,
    id: &str,
    token: &str,
    deadline: Deadline,
) -> String {
    let secure = if base_url.starts_with("https:") {
        "; Secure"
    } else {
        ""
    };
    let now = state.now();
    let age = deadline.timestamp().map_or(MAX_AGE, |timestamp| {
        timestamp.since(now).as_secs().clamp(1, MAX_AGE)
    });
    format!("token={token}; Path=/{id}; HttpOnly; SameSite=Strict; Max-Age={age}{secure}")
}

/// Returns the `Set-Cookie` that removes the token.
pub(crate) fn no_owner_cookie(id: &str) -> String {
    format!("token=; Path=/{id}; HttpOnly; SameSite=Strict; Max-Age=0")
}
