//! Conversions of the errors of other modules into [`ApiError`].

use super::{AccessError, ApiError};
use crate::app::{
    ContentRefused, CreateError, DeleteError, ForbiddenChange, LinkError, ReportError,
    Unauthorized, UpdateError,
};
use crate::http::request::RequestError;
use crate::http::request::api::MemberError;
use crate::http::request::form::FormError;
use crate::overload::QuotaError;
use crate::paste::ContentError;
use crate::store::{ConsumeError, ModerationError, NotFound, ReadError};

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

impl From<NotFound> for ApiError {
    fn from(error: NotFound) -> Self {
        match error {
            NotFound::Unknown => Self::Missing,
            NotFound::Gone(reason) => Self::Gone(reason),
        }
    }
}

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NotFound(error) => error.into(),
            ReadError::Failed => Self::StorageFailed,
            ReadError::Unavailable => Self::StorageUnavailable,
        }
    }
}

impl From<CreateError> for ApiError {
    fn from(error: CreateError) -> Self {
        match error {
            CreateError::TooLarge(largest) => Self::TooLarge(largest),
            CreateError::Blocked => Self::Blocked,
            CreateError::SlugTaken => Self::SlugTaken,
            CreateError::NoFreeId | CreateError::NoRandomBytes => Self::Unavailable,
            CreateError::DiskFull => Self::DiskFull,
            CreateError::StorageFailed => Self::StorageFailed,
            CreateError::StorageUnavailable => Self::StorageUnavailable,
        }
    }
}

impl From<ConsumeError> for ApiError {
    fn from(error: ConsumeError) -> Self {
        match error {
            ConsumeError::NotFound(error) => error.into(),
            ConsumeError::Changed => Self::Changed,
            ConsumeError::Failed => Self::StorageFailed,
            ConsumeError::Unavailable => Self::StorageUnavailable,
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

impl From<DeleteError> for ApiError {
    fn from(error: DeleteError) -> Self {
        match error {
            DeleteError::Store(error) => error.into(),
            DeleteError::Unauthorized(error) => error.into(),
            DeleteError::ContentMismatch => Self::PreconditionFailed,
            DeleteError::ContentUnknown => Self::ContentUnknown,
            DeleteError::NotBlocked(error) => error.into(),
        }
    }
}

impl From<ContentRefused> for ApiError {
    fn from(refused: ContentRefused) -> Self {
        match refused {
            ContentRefused::Blocked => Self::Blocked,
            ContentRefused::Unknown => Self::StorageUnavailable,
        }
    }
}

impl From<ModerationError> for ApiError {
    fn from(error: ModerationError) -> Self {
        match error {
            ModerationError::TooManyBlocks => Self::TooManyBlocks,
            ModerationError::NotFound => Self::NotListed,
            ModerationError::DiskFull => Self::DiskFull,
            ModerationError::Failed => Self::StorageFailed,
            ModerationError::Unavailable => Self::StorageUnavailable,
        }
    }
}

impl From<ReportError> for ApiError {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Store(error) => error.into(),
            ReportError::Moderation(error) => error.into(),
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
            UpdateError::ContentMismatch => Self::PreconditionFailed,
            UpdateError::TooLarge(largest) => Self::TooLarge(largest),
            UpdateError::Blocked => Self::Blocked,
            UpdateError::Forbidden(change) => change.into(),
            UpdateError::NoRandomBytes => Self::Unavailable,
            UpdateError::DiskFull => Self::DiskFull,
            UpdateError::StorageFailed => Self::StorageFailed,
            UpdateError::StorageUnavailable => Self::StorageUnavailable,
        }
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
