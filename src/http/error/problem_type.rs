//! The types of problems (RFC 9457, section 3.1.1): a program decides by the type what to do.
//!
//! Invariants: a name never changes its meaning. Each type has one status; only a rate limit has two.

use actix_web::http::StatusCode;

use super::{AccessError, ApiError};
use crate::http::request::RequestError;
use crate::http::request::api::MemberError;
use crate::http::request::form::FormError;

/// The type of an exceeded rate limit, from draft-ietf-httpapi-ratelimit-headers.
const QUOTA_EXCEEDED: &str = "https://iana.org/assignments/http-problem-types#quota-exceeded";

/// Generates the types from one table: name, status, title and meaning.
macro_rules! problem_types {
    ($($name:literal $variant:ident $status:ident $title:literal $meaning:literal)+) => {
        /// The type of a problem.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum ProblemType {
            $($variant,)+
        }

        impl ProblemType {
            pub(crate) const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name, which is the fragment of its URI.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            pub(crate) fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status,)+ }
            }

            /// The same words for every problem of this type.
            pub(crate) fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)+ }
            }

            /// What happened, and what a program can do.
            pub(crate) fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }
    };
}

problem_types! {
    "malformed-request" MalformedRequest BAD_REQUEST "Malformed request"
        "The body, the query or the Host header cannot be read. Correct the request."
    "unknown-name" UnknownName BAD_REQUEST "Unknown name"
        "A member, a field, a header or a query option has a name that is not supported. Correct or remove it."
    "repeated-name" RepeatedName BAD_REQUEST "Repeated name"
        "Something is sent twice, perhaps under two names. Send it once."
    "invalid-value" InvalidValue BAD_REQUEST "Invalid value"
        "The value of an option or a member is not allowed. The detail names the allowed values."
    "empty-content" EmptyContent BAD_REQUEST "Empty content"
        "There is no content to save. Send at least one byte."
    "invalid-link" InvalidLink BAD_REQUEST "Invalid link"
        "The target or an option of a short link is not allowed. Correct it, or save the URL as text."
    "no-action" NoAction BAD_REQUEST "No action"
        "The request names nothing to do with the paste. Name a change."
    "forbidden-change" ForbiddenChange BAD_REQUEST "Forbidden change"
        "The paste does not allow this change, and nothing was changed. Save a new paste instead."
    "unknown-content" UnknownContent BAD_REQUEST "Unknown content"
        "The paste has a password, so its content is not known and cannot be blocked. Remove it without a block."
    "not-text" NotText BAD_REQUEST "Not text"
        "The paste is binary and cannot be edited as text. Replace its content as a whole."
    "not-comparable" NotComparable BAD_REQUEST "Not comparable"
        "One of the pastes burns, has a password, or is no text of moderate size. The detail says which."
    "partial-upload" PartialUpload BAD_REQUEST "Partial upload"
        "The body has a Content-Range. Send the whole content without it."
    "interrupted" Interrupted BAD_REQUEST "Interrupted upload"
        "The upload ended too early. Send it again."
    "password-required" PasswordRequired UNAUTHORIZED "Password required"
        "The paste has a password, and none was sent. Send it in X-Password."
    "wrong-password" WrongPassword UNAUTHORIZED "Wrong password"
        "The password is not that of the paste. Attempts are limited."
    "token-required" TokenRequired UNAUTHORIZED "Token required"
        "Only the owner or the operator can do this, and no token was sent. The detail says which one to send."
    "wrong-token" WrongToken FORBIDDEN "Wrong token"
        "The token is not that of the paste, or the bearer token is not the operator's. Attempts are limited."
    "key-required" KeyRequired UNAUTHORIZED "Key required"
        "Only holders of a key can do this here, and no key was sent. Send it as a bearer token."
    "wrong-key" WrongKey UNAUTHORIZED "Wrong key"
        "The key is mistyped, revoked or expired. Attempts are limited."
    "key-forbids" KeyForbids FORBIDDEN "Not allowed by the key"
        "The key does not give the right that this needs. Ask the operator for another key."
    "cross-site" CrossSite FORBIDDEN "Cross-site request"
        "A page of another site made the browser send this request. Send it from a page of this server."
    "network-denied" NetworkDenied FORBIDDEN "Network denied"
        "The operator blocks the network of the client."
    "links-off" LinksOff FORBIDDEN "Short links are off"
        "The operator turned short links off. Save the URL as text."
    "not-found" NotFound NOT_FOUND "Not found"
        "There is nothing at this URL. A paste may have been removed some time ago."
    "no-such-lines" NoSuchLines NOT_FOUND "No such lines"
        "The range of lines starts after the last line."
    "not-a-link" NotALink NOT_FOUND "Not a short link"
        "A preview was requested of a paste that is not a short link. Remove the + from its URL."
    "method-not-allowed" MethodNotAllowed METHOD_NOT_ALLOWED "Method not allowed"
        "The URL does not support the method. Use one of those in Allow."
    "post-required" PostRequired METHOD_NOT_ALLOWED "POST required"
        "The paste burns after reading, so only a POST reads it. It uses up one view."
    "too-slow" TooSlow REQUEST_TIMEOUT "Upload too slow"
        "The body arrived too slowly. Send it again, or in chunks."
    "changed" Changed CONFLICT "Changed meanwhile"
        "The paste was changed while it was read. Send the request again."
    "slug-taken" SlugTaken CONFLICT "Slug taken"
        "Another paste has this slug, or had it until a day ago, and nothing was saved. Choose another one."
    "list-full" ListFull CONFLICT "List full"
        "There are as many blocked contents as the server keeps. Unblock one, then try again."
    "gone" Gone GONE "Gone"
        "The paste expired, was read for the last time, or was removed. The detail says which."
    "precondition-failed" PreconditionFailed PRECONDITION_FAILED "Precondition failed"
        "The content is not the one that If-Match names. Read it again, then decide."
    "too-large" TooLarge PAYLOAD_TOO_LARGE "Too large"
        "The content or the form is larger than the limit, which the detail names."
    "compressed" Compressed UNSUPPORTED_MEDIA_TYPE "Compressed upload"
        "The body has a Content-Encoding. Send it without."
    "no-such-range" NoSuchRange RANGE_NOT_SATISFIABLE "No such range"
        "The byte range starts after the last byte. Content-Range has the length."
    "blocked-content" BlockedContent UNAVAILABLE_FOR_LEGAL_REASONS "Blocked content"
        "The operator blocks this content, and nothing was saved. Ask the operator if you think this is a mistake."
    "quota-exceeded" QuotaExceeded TOO_MANY_REQUESTS "Quota exceeded"
        "A rate limit is exceeded: wait for Retry-After seconds. With status 413, the request is larger than the limit ever allows."
    "too-many-transfers" TooManyTransfers TOO_MANY_REQUESTS "Too many transfers"
        "The client or its network has too many requests or paused uploads in progress. Finish one, then try again."
    "storage-failed" StorageFailed INTERNAL_SERVER_ERROR "Storage failed"
        "The disk of the server failed. Try again; if that fails too, tell the operator."
    "busy" Busy SERVICE_UNAVAILABLE "Busy"
        "The server could not complete the request right now. Wait for Retry-After seconds."
    "disk-full" DiskFull INSUFFICIENT_STORAGE "Disk full"
        "The disk of the server is full, and nothing was saved. Try again later."
}

impl ProblemType {
    /// The URI: an anchor of the page `/api`. It is absolute if the server knows its public URL. Otherwise it has only
    /// a path, so that it is the same under every host name.
    pub(crate) fn uri(self, public_url: Option<&str>) -> String {
        match self {
            Self::QuotaExceeded => QUOTA_EXCEEDED.to_owned(),
            _ => [public_url.unwrap_or_default(), "/api#", self.name()].concat(),
        }
    }
}

impl ApiError {
    pub(crate) fn problem_type(&self) -> ProblemType {
        use ProblemType as T;
        match self {
            Self::Request(error) => of_request(error),
            Self::Link(_) => T::InvalidLink,
            Self::Forbidden(_) | Self::ExtraFields => T::ForbiddenChange,
            Self::TooLarge(_) | Self::FormTooLarge | Self::MostlyFraming => T::TooLarge,
            Self::Compressed => T::Compressed,
            Self::Partial => T::PartialUpload,
            Self::NotText => T::NotText,
            Self::NotComparable(_) => T::NotComparable,
            Self::NoSuchLines => T::NoSuchLines,
            Self::NoSuchRange(_) => T::NoSuchRange,
            Self::Interrupted => T::Interrupted,
            Self::NoAction => T::NoAction,
            Self::PreconditionFailed => T::PreconditionFailed,
            Self::Missing
            | Self::NothingHere
            | Self::NothingSaved
            | Self::OutsideBasePath(_)
            | Self::NotListed => T::NotFound,
            Self::Gone(_) => T::Gone,
            Self::PostRequired { .. } => T::PostRequired,
            Self::NoPassword | Self::NoPasswordMember => T::PasswordRequired,
            Self::WrongPassword => T::WrongPassword,
            Self::Changed => T::Changed,
            Self::NotALink => T::NotALink,
            Self::NoLinks => T::LinksOff,
            Self::NoToken | Self::NoOwner | Self::OperatorOnly | Self::WrongOperatorPassword => {
                T::TokenRequired
            }
            Self::WrongToken | Self::NotOperator | Self::MayNotBlock => T::WrongToken,
            Self::Access(error) => match error {
                AccessError::NoKey(..)
                | AccessError::NoKeyForSlug(_)
                | AccessError::EmptyKey(_) => T::KeyRequired,
                AccessError::WrongKey(_) => T::WrongKey,
                AccessError::KeyForbids(_) => T::KeyForbids,
                AccessError::CrossSite => T::CrossSite,
            },
            Self::SlugTaken => T::SlugTaken,
            Self::Blocked => T::BlockedContent,
            Self::ContentUnknown => T::UnknownContent,
            Self::TooManyBlocks => T::ListFull,
            Self::Denied => T::NetworkDenied,
            Self::Method(_) => T::MethodNotAllowed,
            Self::Unavailable | Self::StorageUnavailable | Self::Overloaded => T::Busy,
            Self::DiskFull => T::DiskFull,
            Self::StorageFailed => T::StorageFailed,
            Self::TooSlow => T::TooSlow,
            Self::TooManyPauses | Self::OverShare => T::TooManyTransfers,
            Self::RateLimitExceeded(_) => T::QuotaExceeded,
        }
    }
}

fn of_request(error: &RequestError) -> ProblemType {
    use ProblemType as T;
    match error {
        RequestError::Empty
        | RequestError::Form(FormError::NoContent | FormError::NoNumberedContent(_))
        | RequestError::Member(MemberError::NoContent) => T::EmptyContent,
        RequestError::Form(
            FormError::UnknownField { .. }
            | FormError::UnknownOption { .. }
            | FormError::UnknownActionField { .. }
            | FormError::UnknownShortField { .. },
        )
        | RequestError::Member(MemberError::Unknown { .. }) => T::UnknownName,
        RequestError::Form(FormError::RepeatedField(_) | FormError::SeveralContents)
        | RequestError::Member(MemberError::Repeated(_) | MemberError::SeveralContents) => {
            T::RepeatedName
        }
        RequestError::Form(
            FormError::FieldEmpty(_)
            | FormError::FieldTooLong(_)
            | FormError::FieldValue(_)
            | FormError::NumberTooLarge,
        )
        | RequestError::Member(MemberError::Invalid(_))
        | RequestError::Expiry(_)
        | RequestError::ExpiryPassed
        | RequestError::ExpiryTooLong(_)
        | RequestError::NeverNotAllowed(_)
        | RequestError::Lines
        | RequestError::Reads
        | RequestError::OwnerSecret
        | RequestError::MisplacedSecret
        | RequestError::Cursor
        | RequestError::Selection
        | RequestError::Password(_)
        | RequestError::Note(_)
        | RequestError::Flag(_)
        | RequestError::Address
        | RequestError::Hash
        | RequestError::Slug(_)
        | RequestError::Act
        | RequestError::Forget => T::InvalidValue,
        RequestError::UnknownHeader(_)
        | RequestError::NoQuery
        | RequestError::Form(
            FormError::OneshotLink | FormError::Remote | FormError::GeneratedPassword,
        ) => T::UnknownName,
        RequestError::OfForm(error) => of_request(error),
        RequestError::Member(MemberError::NoChange) => T::NoAction,
        RequestError::Member(MemberError::PasswordAlone) => T::ForbiddenChange,
        RequestError::Form(
            FormError::Malformed(_)
            | FormError::OtherMultipart
            | FormError::NotMultipart
            | FormError::NotAForm
            | FormError::PutForm
            | FormError::NotEncoded(_),
        )
        | RequestError::Member(MemberError::NotAnObject | MemberError::NotAPassword)
        | RequestError::Query
        | RequestError::ContentType
        | RequestError::Host => T::MalformedRequest,
    }
}
