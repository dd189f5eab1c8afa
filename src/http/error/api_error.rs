//! The errors of requests: a closed set, each with its status.

use actix_web::http::StatusCode;

use super::{AccessError, RateLimitExceeded};
use crate::app::{ForbiddenChange, LinkError};
use crate::http::request::{Method, RequestError};
use crate::paste::Access;
use crate::store::Reason;

/// The reason why a request was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ApiError {
    /// The request is malformed.
    Request(RequestError),
    /// The short link cannot be saved.
    Link(LinkError),
    /// The paste does not allow this change.
    Forbidden(ForbiddenChange),
    /// The content is too large; holds the limit in bytes.
    TooLarge(usize),
    /// The form for an existing paste is too large.
    FormTooLarge,
    /// The body is small beside the extensions and trailers of its chunks.
    MostlyFraming,
    /// The body is compressed.
    Compressed,
    /// The body is partial: it has a Content-Range.
    Partial,
    /// The paste is binary and cannot be edited as text.
    NotText,
    /// The range of lines starts after the last line.
    NoSuchLines,
    /// The byte range starts after the last byte; holds the length in bytes.
    NoSuchRange(usize),
    /// The body ended early.
    Interrupted,
    /// The form names no action on the paste.
    NoAction,
    /// The form changes a paste and has other fields or options too, which a form cannot change.
    ExtraFields,
    /// The content is not the one that `If-Match` names.
    PreconditionFailed,
    /// There is no such paste.
    Missing,
    /// There is no such route, and no paste can have this URL.
    NothingHere,
    /// The request probably should save a paste, but its URL is neither a paste nor a route that saves.
    NothingSaved,
    /// The path is not below the base path of the server; holds the server's URL.
    OutsideBasePath(String),
    /// The paste was removed or has expired.
    Gone(Reason),
    /// The paste burns, and the method is not POST. Only a POST uses up a read.
    PostRequired {
        /// Whether the paste needs a password as well.
        locked: bool,
    },
    /// The paste is protected, and no password was sent.
    NoPassword,
    /// The same for a client of the JSON API.
    NoPasswordMember,
    /// The password is wrong.
    WrongPassword,
    /// The content was changed while it was read.
    Changed,
    /// A preview was requested of a paste that is not a short link.
    NotALink,
    /// This server saves no short links.
    NoLinks,
    /// One of two pastes cannot be compared.
    NotComparable(NotComparable),
    /// Only the owner may do this, and no token was sent.
    NoToken,
    /// The list is that of an owner, and the request shows none.
    NoOwner,
    /// Only the owner may do this, and the token is wrong.
    WrongToken,
    /// The client may not use the route, whatever paste it names.
    Access(AccessError),
    /// The bearer token is not the operator's, and no other token was sent.
    NotOperator,
    /// The client may delete the paste, but only the operator may block its content.
    MayNotBlock,
    /// Only the operator may do this, and no bearer token was sent.
    OperatorOnly,
    /// The password with which a browser shows that its user is the operator is wrong.
    WrongOperatorPassword,
    /// Another paste has the slug, or had it until a day ago.
    SlugTaken,
    /// The operator blocks this content.
    Blocked,
    /// The content of the paste is encrypted, so the operator cannot block it.
    ContentUnknown,
    /// The list of blocked contents is full.
    TooManyBlocks,
    /// The list of blocked contents or of reports has no such entry.
    NotListed,
    /// The operator blocks the client's network.
    Denied,
    /// The route does not support the method; holds the value of Allow.
    Method(String),
    /// No free id was found, or the operating system gave no random bytes.
    Unavailable,
    /// The disk is full. Nothing was changed.
    DiskFull,
    /// The storage failed. The cause is in the log.
    StorageFailed,
    /// The engine of the shared tier did not answer. It may have carried the request out.
    StorageUnavailable,
    /// The body arrived too slowly.
    TooSlow,
    /// The upload pauses, but its client or network already has as many paused uploads as allowed.
    TooManyPauses,
    /// The client or its network exceeds its share of the resources.
    OverShare,
    /// The server is overloaded.
    Overloaded,
    /// A rate limit is exceeded.
    RateLimitExceeded(RateLimitExceeded),
}

/// The reason why a paste cannot be compared with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotComparable {
    /// It burns or has a password.
    Protected,
    /// It is a short link.
    Link,
    /// It is not text.
    Binary,
    /// It has too many bytes or lines.
    TooLarge,
}

impl ApiError {
    /// The error for a method that a route does not support. An unknown route supports none.
    pub(crate) fn unsupported(supported: &[Method], method: Method) -> Self {
        match (Method::names(supported), method) {
            (names, _) if !names.is_empty() => Self::Method(names),
            (_, Method::Post | Method::Put) => Self::NothingSaved,
            (_, _) => Self::NothingHere,
        }
    }

    /// The error of a plain GET of a paste that burns or is protected.
    pub(crate) fn protected(access: Access) -> Self {
        match access {
            Access::Burn(_) => Self::PostRequired { locked: false },
            Access::Locked(Some(_)) => Self::PostRequired { locked: true },
            Access::Open | Access::Link | Access::Locked(None) => Self::NoPassword,
        }
    }

    /// Returns whether the client may be guessing: it asked for a slug that another paste has, or sent a wrong token
    /// or key.
    pub(crate) fn is_wrong_guess(&self) -> bool {
        matches!(
            self,
            Self::WrongToken
                | Self::SlugTaken
                | Self::NotOperator
                | Self::Access(AccessError::WrongKey(_))
                | Self::WrongOperatorPassword
        )
    }

    /// The status of the response.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::RateLimitExceeded(exceeded) if exceeded.is_permanent() => {
                StatusCode::PAYLOAD_TOO_LARGE
            }
            _ => self.problem_type().status(),
        }
    }
}
