//! How the errors of the rooms below become the error of a request.

use super::ApiError;
use crate::app::{CreateError, DeleteError, ForbiddenChange, LinkError, Unauthorized, UpdateError};
use crate::http::request::RequestError;
use crate::http::request::form::FormError;
use crate::overload::QuotaError;
use crate::paste::ContentError;
use crate::store::{ConsumeError, NotFound};

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
}

impl From<FormError> for ApiError {
    fn from(error: FormError) -> Self {
        Self::Request(error.into())
    }
}

impl From<QuotaError> for ApiError {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::OverShare => Self::Crowded,
            QuotaError::Cancelled => Self::Overloaded,
        }
    }
}

impl From<NotFound> for ApiError {
    fn from(error: NotFound) -> Self {
        match error {
            NotFound::Unknown => Self::Missing,
            NotFound::Gone(reason) => Self::Gone(reason),
        }
    }
}

impl From<CreateError> for ApiError {
    fn from(error: CreateError) -> Self {
        match error {
            CreateError::TooLarge(largest) => Self::TooLarge(largest),
            CreateError::NoFreeId | CreateError::NoRandomBytes => Self::Busy,
        }
    }
}

impl From<ConsumeError> for ApiError {
    fn from(error: ConsumeError) -> Self {
        match error {
            ConsumeError::NotFound(error) => error.into(),
            ConsumeError::Changed => Self::Changed,
        }
    }
}

impl From<Unauthorized> for ApiError {
    fn from(error: Unauthorized) -> Self {
        match error {
            Unauthorized::NoToken => Self::NoToken,
            Unauthorized::WrongToken => Self::WrongToken,
            Unauthorized::NotOperator => Self::NotOperator,
        }
    }
}

impl From<DeleteError> for ApiError {
    fn from(error: DeleteError) -> Self {
        match error {
            DeleteError::NotFound(error) => error.into(),
            DeleteError::Unauthorized(error) => error.into(),
            DeleteError::Stale => Self::Stale,
        }
    }
}

impl From<LinkError> for ApiError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

impl From<ForbiddenChange> for ApiError {
    fn from(change: ForbiddenChange) -> Self {
        Self::Forbidden(change)
    }
}

impl From<UpdateError> for ApiError {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::NotFound(error) => error.into(),
            UpdateError::Stale => Self::Stale,
            UpdateError::TooLarge(largest) => Self::TooLarge(largest),
            UpdateError::Forbidden(change) => change.into(),
            UpdateError::NoRandomBytes => Self::Busy,
        }
    }
}

impl ApiError {
    /// The error of a content that cannot be saved; `max` is the most bytes that a paste may have.
    pub(crate) fn content(error: ContentError, max: usize) -> Self {
        match error {
            ContentError::Empty => Self::Request(RequestError::Empty),
            ContentError::TooLarge => Self::TooLarge(max),
        }
    }
}
