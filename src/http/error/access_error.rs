//! The errors of access: why a client may not use a route.

use crate::account::{InstanceAccess, Right};

/// The reason why a client may not use a route, whatever paste it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessError {
    /// Only the holders of keys may do this on a server with this access, and no key was sent.
    NoKey(InstanceAccess, Challenge),
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
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::NoKey(InstanceAccess::Private, _) => {
                "This server is private. Send a key, as in `curl -H @key.header URL` with `Authorization: Bearer KEY` in that file; \
                 its operator has keys."
            }
            Self::NoKey(..) => {
                "Saving needs a key here. Send it, as in `curl -H @key.header -T FILE URL` with `Authorization: Bearer KEY` in that \
                 file; the operator has keys."
            }
            Self::NoKeyForSlug(_) => {
                "Choosing a `slug` needs a key, so nothing was saved. Send it, as in `curl -H @key.header` with \
                 `Authorization: Bearer KEY` in that file, or remove `slug`; the operator has keys."
            }
            Self::EmptyKey(_) => "There is no key in the form. Send one as `key`.",
            Self::WrongKey(_) => {
                "This key is not valid here: it is mistyped, revoked or expired. Check it, or ask the operator for a new one."
            }
            Self::KeyForbids(Right::Read) => {
                "This key does not allow reading. Ask the operator for one that does."
            }
            Self::KeyForbids(Right::Save) => {
                "This key does not allow saving. Ask the operator for one that does."
            }
            Self::KeyForbids(Right::Operate) => {
                "This key is not an operator's. Ask the operator for one that is."
            }
            Self::CrossSite => {
                "A page of another site sent this request, or one under another address than this server's public URL, so \
                 nothing was done. Open the page under that URL and try again."
            }
        }
    }

    /// The sentence on a page that has a field for the key.
    pub(crate) fn page_sentence(self) -> &'static str {
        match self {
            Self::NoKey(InstanceAccess::Private, _) => {
                "This server is private. Enter the key that its operator gave you."
            }
            Self::NoKey(..) => {
                "Saving needs a key here. Enter the key that the operator of this server gave you."
            }
            Self::NoKeyForSlug(_) => {
                "Choosing an address needs a key. Enter the key that the operator of this server gave you."
            }
            Self::EmptyKey(_) => "Enter a key.",
            Self::WrongKey(_) | Self::KeyForbids(_) | Self::CrossSite => self.sentence(),
        }
    }

    /// The value of `WWW-Authenticate`, if a key would help.
    pub(super) fn challenge(self) -> Option<&'static str> {
        match self {
            Self::NoKey(_, challenge)
            | Self::NoKeyForSlug(challenge)
            | Self::EmptyKey(challenge)
            | Self::WrongKey(challenge) => Some(match challenge {
                Challenge::Basic => "Basic realm=\"tidebin\", charset=\"UTF-8\"",
                Challenge::Bearer => "Bearer realm=\"tidebin\"",
            }),
            Self::KeyForbids(_) | Self::CrossSite => None,
        }
    }

    /// Returns true if the client has no key that counts.
    pub(crate) fn needs_key(self) -> bool {
        self.challenge().is_some()
    }
}
