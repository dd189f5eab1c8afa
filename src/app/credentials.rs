//! Credentials: the tokens of a request, and the actions that they authorize.
//!
//! Invariants: the owner of a paste is identified by the paste's token, or by the secret with which it was saved.
//! Tokens and owners are compared in constant time. The operator may delete every paste. A bearer token identifies the
//! operator; it is never the token of a paste.

use crate::paste::TokenHash;
use crate::store::Reason;

/// The result of checking the bearer token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bearer {
    /// The client sent no bearer token.
    #[default]
    Absent,
    /// The client sent the operator's token, or shows in another way that it has the operator's rights.
    Operator,
    /// The client sent another token than the operator's, or the server has none in its configuration.
    Wrong,
}

/// The tokens of a request.
#[derive(Debug, Clone, Default)]
pub struct Credentials<'a> {
    /// The token of the paste, if the client sent it explicitly in a form field or a header.
    pub token: Option<&'a str>,
    /// Tokens from the cookies of a browser. One of them may be the token of the paste.
    pub cookies: Vec<&'a str>,
    /// The owner that the client named explicitly, by the owner's secret.
    pub owner: Option<TokenHash>,
    /// The browser's owner. The browser sends it always, so a mismatch is not a wrong attempt.
    pub browser: Option<TokenHash>,
    /// The result of checking the request's bearer token.
    pub bearer: Bearer,
}

/// The reason why a client may not act on a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unauthorized {
    /// No token was sent.
    NoToken,
    /// The client sent a token, but not the token of the paste.
    WrongToken,
    /// The bearer token is not the operator's, and no other token was sent.
    NotOperator,
    /// Only the operator may block a content.
    MayNotBlock,
}

impl Credentials<'_> {
    /// Returns the hashes of all tokens and owners that the client shows.
    pub fn hashes(&self) -> impl Iterator<Item = TokenHash> {
        let tokens = self.token.iter().chain(&self.cookies);
        let owners = self.owner.into_iter().chain(self.browser);
        tokens.map(|token| TokenHash::of(token)).chain(owners)
    }

    /// Checks that the client may block a content, as only the operator may.
    ///
    /// # Errors
    /// Returns an error if the client is not the operator.
    pub fn authorize_block(&self) -> Result<(), Unauthorized> {
        let owners = [self.owner, self.browser];
        let shows_owner = self.token.is_some() || !self.cookies.is_empty();
        match self.bearer {
            Bearer::Operator => Ok(()),
            Bearer::Wrong => Err(Unauthorized::NotOperator),
            Bearer::Absent if shows_owner || owners.iter().any(Option::is_some) => {
                Err(Unauthorized::MayNotBlock)
            }
            Bearer::Absent => Err(Unauthorized::NoToken),
        }
    }

    /// Checks that the client owns the paste with this token hash and this owner.
    ///
    /// # Errors
    /// Returns an error if the client sent no token or a wrong one.
    pub fn authorize_owner(
        &self,
        paste: &TokenHash,
        owner: Option<&TokenHash>,
    ) -> Result<(), Unauthorized> {
        let named = [&self.owner, &self.browser];
        let mut named = named.into_iter().flatten();
        if owner.is_some_and(|owner| named.any(|named| owner.matches(named))) {
            return Ok(());
        }
        let is_right = |token: &&str| paste.matches(&TokenHash::of(token));
        match (self.token, self.cookies.as_slice()) {
            (None, []) if self.owner.is_none() => Err(Unauthorized::NoToken),
            (Some(token), _) if is_right(&token) => Ok(()),
            (None, cookies) if cookies.iter().any(is_right) => Ok(()),
            (_, _) => Err(Unauthorized::WrongToken),
        }
    }

    /// Checks that the client may delete the paste, because it is the owner or the operator. Returns the reason that
    /// later readers get. A client that is both acts as the owner.
    ///
    /// # Errors
    /// Returns an error if the client sent no token or a wrong one.
    pub fn authorize_delete(
        &self,
        paste: &TokenHash,
        owner: Option<&TokenHash>,
    ) -> Result<Reason, Unauthorized> {
        match (self.authorize_owner(paste, owner), self.bearer) {
            (Ok(()), _) => Ok(Reason::Deleted),
            (Err(_), Bearer::Operator) => Ok(Reason::RemovedByOperator),
            (Err(Unauthorized::NoToken), Bearer::Wrong) => Err(Unauthorized::NotOperator),
            (Err(error), Bearer::Absent | Bearer::Wrong) => Err(error),
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
            owner: None,
            browser: None,
            bearer,
        }
    }

    #[test]
    fn the_owner_is_known_by_an_explicit_token_or_else_by_a_cookie() {
        let paste = TokenHash::of("right");
        for (token, cookies, result) in [
            (None, &[][..], Err(Unauthorized::NoToken)),
            (Some("right"), &[], Ok(())),
            (Some("wrong"), &["right"], Err(Unauthorized::WrongToken)),
            (None, &["wrong", "right"], Ok(())),
            (None, &["wrong"], Err(Unauthorized::WrongToken)),
        ] {
            let credentials = credentials(token, cookies, Bearer::Absent);
            assert_eq!(credentials.authorize_owner(&paste, None), result);
            let deleted = result.map(|()| Reason::Deleted);
            assert_eq!(credentials.authorize_delete(&paste, None), deleted);
        }
    }

    #[test]
    fn the_operator_may_delete_every_paste_and_owns_none() {
        let paste = TokenHash::of("right");
        let operator = credentials(None, &[], Bearer::Operator);
        let removed = Ok(Reason::RemovedByOperator);
        assert_eq!(operator.authorize_delete(&paste, None), removed);
        assert_eq!(
            operator.authorize_owner(&paste, None),
            Err(Unauthorized::NoToken)
        );
    }

    #[test]
    fn an_operator_who_sends_the_pastes_token_too_deletes_as_its_owner() {
        let paste = TokenHash::of("right");
        for (token, reason) in [
            ("right", Reason::Deleted),
            ("wrong", Reason::RemovedByOperator),
        ] {
            let both = credentials(Some(token), &[], Bearer::Operator);
            assert_eq!(both.authorize_delete(&paste, None), Ok(reason), "{token}");
        }
    }

    #[test]
    fn an_owner_may_delete_despite_a_wrong_bearer_token() {
        let paste = TokenHash::of("right");
        for (token, result) in [
            (Some("right"), Ok(Reason::Deleted)),
            (Some("wrong"), Err(Unauthorized::WrongToken)),
            (None, Err(Unauthorized::NotOperator)),
        ] {
            let credentials = credentials(token, &[], Bearer::Wrong);
            assert_eq!(credentials.authorize_delete(&paste, None), result);
        }
    }
}
