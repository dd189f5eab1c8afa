//! The headers of each error, for programs that do not read its sentence.

use actix_web::http::header::{ALLOW, CONTENT_RANGE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};

use super::{ApiError, Header};

/// Makes a browser ask for a name and a password (RFC 7617). The name does not matter.
const OPERATOR_CHALLENGE: &str = "Basic realm=\"tidebin operator\", charset=\"UTF-8\"";

impl ApiError {
    /// The headers that a program needs to react to the error.
    pub(crate) fn headers(&self) -> Vec<Header> {
        let (name, value) = match self {
            Self::RateLimitExceeded(exceeded) => return exceeded.headers().map_or(Vec::new(), Vec::from),
            Self::Method(allowed) => (ALLOW, allowed.clone()),
            Self::PostRequired { .. } => (ALLOW, "POST, DELETE".to_owned()),
            Self::NoPassword | Self::NoPasswordMember | Self::WrongPassword => {
                (WWW_AUTHENTICATE, "X-Password".to_owned())
            }
            Self::NoToken => (WWW_AUTHENTICATE, "X-Token".to_owned()),
            Self::NoOwner => (WWW_AUTHENTICATE, "Bearer".to_owned()),
            Self::OperatorOnly | Self::WrongOperatorPassword => {
                (WWW_AUTHENTICATE, OPERATOR_CHALLENGE.to_owned())
            }
            Self::Access(error) => match error.challenge() {
                Some(challenge) => (WWW_AUTHENTICATE, challenge.to_owned()),
                None => return Vec::new(),
            },
            Self::NoSuchRange(length) => (CONTENT_RANGE, format!("bytes */{length}")),
            Self::Unavailable | Self::OverShare | Self::StorageUnavailable => (RETRY_AFTER, "1".to_owned()),
            Self::Overloaded => (RETRY_AFTER, "2".to_owned()),
            Self::Request(_)
            | Self::Link(_)
            | Self::Forbidden(_)
            | Self::TooLarge(_)
            | Self::FormTooLarge
            | Self::MostlyFraming
            | Self::Compressed
            | Self::Partial
            | Self::NotText
            | Self::NoSuchLines
            | Self::Interrupted
            | Self::NoAction
            | Self::ExtraFields
            | Self::PreconditionFailed
            | Self::Missing
            | Self::NothingHere
            | Self::NothingSaved
            | Self::OutsideBasePath(_)
            | Self::Gone(_)
            | Self::Changed
            | Self::NotComparable(_)
            | Self::NotALink
            | Self::NoLinks
            | Self::WrongToken
            | Self::NotOperator
            | Self::SlugTaken
            | Self::MayNotBlock
            | Self::Blocked
            | Self::ContentUnknown
            | Self::TooManyBlocks
            | Self::NotListed
            | Self::Denied
            | Self::DiskFull
            | Self::StorageFailed
            | Self::TooSlow
            // It is unknown when one of the paused uploads ends.
            | Self::TooManyPauses => return Vec::new(),
        };
        HeaderValue::try_from(value)
            .map(|value| vec![(name, value)])
            .unwrap_or_default()
    }
}
