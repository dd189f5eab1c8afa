//! The operator: known by the bearer token of the configuration, and nobody else by any.
//!
//! What it must not know: what an operator may do.
//! Invariants: the token is kept as a hash and compared in constant time; without one in the configuration nobody is
//! the operator, and what comes as `Authorization` is nobody's business here.

use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;

use crate::paste::TokenHash;

/// Who somebody is by what they send as `Authorization: Bearer …` (RFC 6750, section 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bearer {
    /// No token was sent, or none is set.
    Nobody,
    /// Whoever runs the server.
    Operator,
    /// Somebody with a token of something else.
    Stranger,
}

impl Bearer {
    /// Who sent this request, if this is what is kept of the operator's token.
    pub(crate) fn of(request: &HttpRequest, operator: Option<TokenHash>) -> Self {
        let presented = request
            .headers()
            .get(AUTHORIZATION)
            .and_then(|value| bearer_token(value.as_bytes()));
        match (operator, presented) {
            (None, _) | (_, None) => Self::Nobody,
            (Some(operator), Some(token)) if operator.matches(&TokenHash::of(token)) => {
                Self::Operator
            }
            (Some(_), Some(_)) => Self::Stranger,
        }
    }
}

/// The token of a value that has the scheme, in whatever case (RFC 9110, section 11.1); what is no text matches nothing.
fn bearer_token(value: &[u8]) -> Option<&str> {
    const SCHEME: &[u8] = b"bearer ";
    let (scheme, token) = value.split_at_checked(SCHEME.len())?;
    scheme
        .eq_ignore_ascii_case(SCHEME)
        .then(|| std::str::from_utf8(token).unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_token_follows_its_scheme() {
        for (value, token) in [
            (&b"Bearer abc"[..], Some("abc")),
            (b"bearer  abc ", Some("abc")),
            (b"BEARER abc", Some("abc")),
            (b"Bearer \xff", Some("")),
            (b"Bearer ", Some("")),
            (b"Bearer", None),
            (b"Bearerabc", None),
            (b"Basic YWJj", None),
            (b"", None),
        ] {
            assert_eq!(bearer_token(value), token, "{value:?}");
        }
    }
}
