//! Credentials: the tokens that come with a request, and what they allow.
//!
//! Invariants: the owner of a paste is known by its token alone, which is compared in constant time. The operator may
//! delete every paste and is known by a bearer token, which is never the token of a paste.

use crate::paste::TokenHash;

/// What a bearer token makes of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearer {
    /// No token was sent, or the configuration has none.
    Absent,
    /// It is the operator's.
    Operator,
    /// It is another.
    Wrong,
}

/// The tokens that came with a request.
#[derive(Debug, Clone)]
pub struct Credentials<'a> {
    /// The paste's token, sent on purpose: as a form field or in a header.
    pub token: Option<&'a str>,
    /// What may be the paste's token, from a browser's cookies.
    pub cookies: Vec<&'a str>,
    /// What its bearer token says.
    pub bearer: Bearer,
}

/// Why a client may not do something with a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unauthorized {
    /// No token came.
    NoToken,
    /// The token is not the paste's.
    WrongToken,
    /// The bearer token is not the operator's, and no other came.
    NotOperator,
}

impl Credentials<'_> {
    /// Refuses all but the owner of the paste with this token.
    ///
    /// # Errors
    /// If no token came, or a wrong one.
    pub fn authorize_owner(&self, paste: &TokenHash) -> Result<(), Unauthorized> {
        let is_right = |token: &&str| paste.matches(&TokenHash::of(token));
        match (self.token, self.cookies.as_slice()) {
            (None, []) => Err(Unauthorized::NoToken),
            (Some(token), _) if is_right(&token) => Ok(()),
            (None, cookies) if cookies.iter().any(is_right) => Ok(()),
            (_, _) => Err(Unauthorized::WrongToken),
        }
    }

    /// Refuses all but the owner and the operator.
    ///
    /// # Errors
    /// If no token came, or a wrong one.
    pub fn authorize_delete(&self, paste: &TokenHash) -> Result<(), Unauthorized> {
        match (self.bearer, self.authorize_owner(paste)) {
            (Bearer::Operator, _) => Ok(()),
            (Bearer::Wrong, Err(Unauthorized::NoToken)) => Err(Unauthorized::NotOperator),
            (Bearer::Absent | Bearer::Wrong, judged) => judged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials<'a>(
        token: Option<&'a str>,
        cookies: &[&'a str],
        bearer: Bearer,
    ) -> Credentials<'a> {
        Credentials {
            token,
            cookies: cookies.to_vec(),
            bearer,
        }
    }

    #[test]
    fn the_owner_is_known_by_a_token_sent_on_purpose_else_by_a_cookie() {
        let paste = TokenHash::of("right");
        for (token, cookies, judged) in [
            (None, &[][..], Err(Unauthorized::NoToken)),
            (Some("right"), &[], Ok(())),
            (Some("wrong"), &["right"], Err(Unauthorized::WrongToken)),
            (None, &["wrong", "right"], Ok(())),
            (None, &["wrong"], Err(Unauthorized::WrongToken)),
        ] {
            let credentials = credentials(token, cookies, Bearer::Absent);
            assert_eq!(credentials.authorize_owner(&paste), judged);
            assert_eq!(credentials.authorize_delete(&paste), judged);
        }
    }

    #[test]
    fn the_operator_deletes_every_paste_and_owns_none() {
        let paste = TokenHash::of("right");
        let operator = credentials(None, &[], Bearer::Operator);
        assert_eq!(operator.authorize_delete(&paste), Ok(()));
        assert_eq!(operator.authorize_owner(&paste), Err(Unauthorized::NoToken));
    }

    #[test]
    fn a_wrong_bearer_token_does_not_keep_an_owner_from_deleting() {
        let paste = TokenHash::of("right");
        for (token, judged) in [
            (Some("right"), Ok(())),
            (Some("wrong"), Err(Unauthorized::WrongToken)),
            (None, Err(Unauthorized::NotOperator)),
        ] {
            let credentials = credentials(token, &[], Bearer::Wrong);
            assert_eq!(credentials.authorize_delete(&paste), judged);
        }
    }
}
