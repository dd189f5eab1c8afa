//! The error of a request: a closed set, with the status of each.

use actix_web::http::StatusCode;

use super::RateLimitExceeded;
use crate::app::{ForbiddenChange, LinkError};
use crate::http::request::RequestError;
use crate::paste::Access;
use crate::store::Reason;

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ApiError {
    /// The request cannot be understood.
    Request(RequestError),
    /// A short link that may not be saved.
    Link(LinkError),
    /// A change that a paste does not allow.
    Forbidden(ForbiddenChange),
    /// More content than is taken; holds the limit in bytes.
    TooLarge(usize),
    /// A body that is compressed.
    Compressed,
    /// A body that says that it is a part.
    Partial,
    /// What is not text, for an editor of text.
    NotText,
    /// A range of lines past the end.
    NoSuchLines,
    /// A byte range past the end; holds the length.
    NoSuchRange(usize),
    /// A body that ended before its end.
    Interrupted,
    /// A form to a paste that does not say what to do.
    NothingToDo,
    /// A form that changes a paste, with more beside it than a form can change.
    BesideAChange,
    /// Another content than the one that was named.
    Stale,
    /// No paste there, or nothing at all.
    Missing,
    /// No paste there any more.
    Gone(Reason),
    /// A paste that may be read only so often, asked for by a method that reads nothing.
    OnlyByPost {
        /// Whether it needs a password too.
        locked: bool,
    },
    /// A locked paste without a password.
    NoPassword,
    /// A locked paste with a password of something else.
    WrongPassword,
    /// A paste whose content was changed while it was read.
    Changed,
    /// What is no link, asked where it leads.
    NotALink,
    /// A link, where none are saved.
    NoLinks,
    /// What only the owner may do, without a token.
    NoToken,
    /// The same with a token of something else.
    WrongToken,
    /// A deletion with a bearer token that is not the operator's, and no other.
    NotOperator,
    /// A client in a network that the operator shut out.
    Denied,
    /// A method that this route does not take; holds the value of Allow.
    Method(String),
    /// No free id was found.
    Busy,
    /// A body that came too slowly to be waited for.
    TooSlow,
    /// As many bodies of one client pause as may, and this one does too.
    TooManyPauses,
    /// One client has too much under way at once.
    Crowded,
    /// There is too much to do for everybody.
    Overloaded,
    /// More than a rule allows.
    RateLimitExceeded(RateLimitExceeded),
}

impl ApiError {
    /// The error of a plain read of a paste that needs more than its id.
    pub(crate) fn protected(access: Access) -> Self {
        match access {
            Access::Burn(_) => Self::OnlyByPost { locked: false },
            Access::Locked(Some(_)) => Self::OnlyByPost { locked: true },
            Access::Open | Access::Link | Access::Locked(None) => Self::NoPassword,
        }
    }

    /// Whether the client asked for a paste that does not exist, or showed a wrong token: the limiter charges such misses.
    pub(crate) fn is_miss(&self) -> bool {
        matches!(
            self,
            Self::Missing | Self::Gone(_) | Self::WrongToken | Self::NotOperator
        )
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Request(_)
            | Self::Link(_)
            | Self::Forbidden(_)
            | Self::Partial
            | Self::NotText
            | Self::Interrupted
            | Self::NothingToDo
            | Self::BesideAChange => StatusCode::BAD_REQUEST,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Compressed => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::NoSuchRange(_) => StatusCode::RANGE_NOT_SATISFIABLE,
            Self::NoSuchLines | Self::NotALink | Self::Missing => StatusCode::NOT_FOUND,
            Self::Gone(_) => StatusCode::GONE,
            Self::NoPassword | Self::WrongPassword | Self::NoToken => StatusCode::UNAUTHORIZED,
            Self::Stale => StatusCode::PRECONDITION_FAILED,
            Self::Changed => StatusCode::CONFLICT,
            Self::WrongToken | Self::NotOperator | Self::Denied | Self::NoLinks => {
                StatusCode::FORBIDDEN
            }
            Self::Method(_) | Self::OnlyByPost { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::RateLimitExceeded(over) if over.is_for_good() => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooManyPauses | Self::Crowded | Self::RateLimitExceeded(_) => {
                StatusCode::TOO_MANY_REQUESTS
            }
            Self::Busy | Self::Overloaded => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}
