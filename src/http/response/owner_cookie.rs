//! The cookie that gives a browser a paste's token: for this paste alone, as long as it is stored and a browser keeps it.

use crate::http::state::AppState;
use crate::paste::Deadline;

/// Seconds: 400 days, the most that browsers keep a cookie (RFC 6265bis). One without an age ends with their session.
const LONGEST_AGE: u64 = 400 * 24 * 3600;

/// `Set-Cookie` of a paste's token.
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
    let age = deadline.timestamp().map_or(LONGEST_AGE, |timestamp| {
        timestamp.since(now).as_secs().clamp(1, LONGEST_AGE)
    });
    format!("token={token}; Path=/{id}; HttpOnly; SameSite=Strict; Max-Age={age}{secure}")
}

/// `Set-Cookie` that takes the token away.
pub(crate) fn no_owner_cookie(id: &str) -> String {
    format!("token=; Path=/{id}; HttpOnly; SameSite=Strict; Max-Age=0")
}
