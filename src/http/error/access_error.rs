//! The errors of access: why a client may not use a route.

use actix_web::http::header::WWW_AUTHENTICATE;

use crate::account::{InstanceAccess, Right};
use crate::http::problem::{ProblemType as T, Row};

/// The reason why a client may not use a route, whatever paste it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessError {
    /// Only the holders of keys may do this on a server with this access, and no key was sent.
    NoKey(InstanceAccess, Challenge),
    /// No one may save on this server: keys may, and there is none.
    ReadOnly,
    /// Only the holders of keys may choose an address, and no key was sent.
    NoKeyForSlug(Challenge),
    /// The form of the login page has no key.
    EmptyKey(Challenge),
    /// The key is not one of this server: mistyped, revoked or expired.
    WrongKey(Challenge),
    /// The key does not give the right that this needs.
    KeyForbids(Right),
    /// Another site may have made the browser send the request.
    CrossSite,
}

/// The scheme that a response asks a client for, if it has no key or a wrong one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Challenge {
    /// A program may send the password that it has only after this challenge.
    Basic,
    /// A browser shows no dialog for this challenge.
    Bearer,
}

impl AccessError {
    pub(crate) fn row(self) -> Row {
        let row = match self {
            Self::NoKey(InstanceAccess::Private, _) => T::KeyRequired.says("This server is private. Send a key, as in \
                `curl -H @key.header URL` with `Authorization: Bearer KEY` in that file; its operator has keys.")
                .on_page("This server is private. Enter the key that its operator gave you."),
            Self::NoKey(..) => T::KeyRequired.says("Saving needs a key here. Send it, as in `curl -H @key.header -T \
                FILE URL` with `Authorization: Bearer KEY` in that file; the operator has keys.")
                .on_page("Saving needs a key here. Enter the key that the operator of this server gave you."),
            Self::ReadOnly => T::ReadOnly.says("Saving is turned off on this server for now. Reading and deleting go on."),
            Self::NoKeyForSlug(_) => T::KeyRequired.says("Choosing a `slug` needs a key, so nothing was saved. Send \
                it, as in `curl -H @key.header` with `Authorization: Bearer KEY` in that file, or remove `slug`; the \
                operator has keys.")
                .on_page("Choosing an address needs a key. Enter the key that the operator of this server gave you."),
            Self::EmptyKey(_) => T::KeyRequired.says("There is no key in the form. Send one as `key`.").on_page("Enter \
                a key."),
            Self::WrongKey(_) => T::WrongKey.says("This key is not valid here: it is mistyped, revoked or expired. \
                Check it, or ask the operator for a new one."),
            Self::KeyForbids(Right::Read) => T::KeyForbids.says("This key does not allow reading. Ask the operator for \
                one that does."),
            Self::KeyForbids(Right::Save) => T::KeyForbids.says("This key does not allow saving. Ask the operator for \
                one that does."),
            Self::KeyForbids(Right::Operate) => T::KeyForbids.says("This key is not an operator's. Ask the operator \
                for one that is."),
            Self::KeyForbids(Right::Metrics) => T::KeyForbids.says("This key does not allow reading the metrics. Ask the \
                operator for one with the right `metrics`."),
            Self::CrossSite => T::CrossSite.says("A page of another site sent this request, or one under another \
                address than this server's public URL, so nothing was done. Open the page under that URL and try \
                again."),
        };
        match self.challenge() {
            Some(challenge) => row.header(WWW_AUTHENTICATE, challenge),
            None => row,
        }
    }

    /// The value of `WWW-Authenticate`, if a key would help.
    fn challenge(self) -> Option<&'static str> {
        match self {
            Self::NoKey(_, challenge)
            | Self::NoKeyForSlug(challenge)
            | Self::EmptyKey(challenge)
            | Self::WrongKey(challenge) => Some(match challenge {
                Challenge::Basic => "Basic realm=\"tidebin\", charset=\"UTF-8\"",
                Challenge::Bearer => "Bearer realm=\"tidebin\"",
            }),
            Self::ReadOnly | Self::KeyForbids(_) | Self::CrossSite => None,
        }
    }

    pub(crate) fn is_wrong_key(self) -> bool {
        match self {
            Self::WrongKey(_) => true,
            Self::NoKey(..)
            | Self::ReadOnly
            | Self::NoKeyForSlug(_)
            | Self::EmptyKey(_)
            | Self::KeyForbids(_)
            | Self::CrossSite => false,
        }
    }

    /// Returns true if the client has no key that counts.
    pub(crate) fn needs_key(self) -> bool {
        self.challenge().is_some()
    }
}
