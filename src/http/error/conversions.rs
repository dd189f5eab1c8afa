//! Conversions of the errors of other modules into [`ApiError`].

use super::{AccessError, ApiError};
use crate::app::{AppError, ForbiddenChange, LinkError, Unauthorized};
use crate::http::request::RequestError;
use crate::http::request::api::MemberError;
use crate::http::request::form::FormError;
use crate::overload::QuotaError;
use crate::paste::ContentError;
use crate::store::StoreError;

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
}

impl From<AccessError> for ApiError {
    fn from(error: AccessError) -> Self {
        Self::Access(error)
    }
}

impl From<FormError> for ApiError {
    fn from(error: FormError) -> Self {
        Self::Request(error.into())
    }
}

impl From<MemberError> for ApiError {
    fn from(error: MemberError) -> Self {
        Self::Request(error.into())
    }
}

impl From<QuotaError> for ApiError {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::OverShare => Self::OverShare,
            QuotaError::Cancelled => Self::Overloaded,
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::Missing,
            StoreError::Gone(reason) => Self::Gone(reason),
            StoreError::IdTaken => Self::Unavailable,
            StoreError::TooLarge(largest) => Self::TooLarge(largest),
            StoreError::Changed => Self::Changed,
            StoreError::ContentChanged => Self::PreconditionFailed,
            StoreError::TooManyBlocks => Self::TooManyBlocks,
            StoreError::NotListed => Self::NotListed,
            StoreError::DiskFull => Self::DiskFull,
            StoreError::Failed => Self::StorageFailed,
            StoreError::Unavailable => Self::StorageUnavailable,
        }
    }
}

impl From<AppError> for ApiError {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Store(error) => error.into(),
            AppError::SlugTaken => Self::SlugTaken,
            AppError::NoRandomBytes => Self::Unavailable,
            AppError::Blocked => Self::Blocked,
            AppError::ContentUnknown => Self::ContentUnknown,
            AppError::Unauthorized(error) => error.into(),
            AppError::Forbidden(change) => Self::Forbidden(change),
        }
    }
}

impl From<Unauthorized> for ApiError {
    fn from(error: Unauthorized) -> Self {
        match error {
            Unauthorized::NoToken => Self::NoToken,
            Unauthorized::WrongToken => Self::WrongToken,
            Unauthorized::NotOperator => Self::NotOperator,
            Unauthorized::MayNotBlock => Self::MayNotBlock,
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

impl ApiError {
    /// The error of content that cannot be saved; `max` is the size limit of a paste in bytes.
    pub(crate) fn content(error: ContentError, max: usize) -> Self {
        match error {
            ContentError::Empty => Self::Request(RequestError::Empty),
            ContentError::TooLarge => Self::TooLarge(max),
        }
    }
}
