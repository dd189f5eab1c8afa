//! The errors of JSON that a client sends to the API. Each message tells the client what to send instead.

use crate::http::problem::{ProblemType as T, Row};
use crate::http::request::form::suggestion;

/// The reason why a JSON body is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MemberError {
    /// The body is not a JSON object in UTF-8.
    NotAnObject,
    Unknown {
        /// The name, safe to print.
        name: String,
        /// The most similar known name, if one is similar.
        nearest: Option<&'static str>,
    },
    Repeated(&'static str),
    /// The value has the wrong type, or is not a value that this member can have. Holds the name and the allowed values.
    Invalid(&'static str, &'static str),
    /// Neither `content` nor `content_base64`.
    NoContent,
    /// Both `content` and `content_base64`.
    SeveralContents,
    /// A change without any member.
    NoChange,
    /// A change with a password, but without content that it could encrypt.
    PasswordAlone,
    /// The body of a read is too large for a password, or not a JSON object in UTF-8.
    NotAPassword,
}

impl MemberError {
    pub(crate) fn row(&self) -> Row {
        match self {
            Self::NotAnObject => T::MalformedRequest.says(
                "The body is not a JSON object. Send one in UTF-8, as in \
                `{\"content\": \"…\"}`.",
            ),
            Self::Unknown { name, nearest } => {
                let hint = suggestion(*nearest);
                T::UnknownName.says(format!(
                    "Unknown member `{name}`{hint} The OpenAPI document of this server lists \
                    all members."
                ))
            }
            Self::Repeated(name) => T::RepeatedName.says(format!(
                "The member `{name}` occurs more than once. Send it once."
            )),
            Self::Invalid(name, allowed) => T::InvalidValue.says(format!(
                "The value of `{name}` is not valid here. Send {allowed}."
            )),
            Self::NoContent => T::EmptyContent.says(
                "The object has no content, so nothing was saved. Send text as \
                `content`, or bytes as `content_base64`.",
            ),
            Self::SeveralContents => T::RepeatedName.says(
                "The object has both `content` and `content_base64`. Send \
                one of them.",
            ),
            Self::NoChange => T::NoAction.says(
                "The object names no change. Send `content`, `title`, `language` or \
                `expires`.",
            ),
            Self::PasswordAlone => T::ForbiddenChange.says(
                "A password is used for new content only, and there is \
                none. Send `content` too, or remove `password`.",
            ),
            Self::NotAPassword => T::MalformedRequest.says(
                "The body of a read is too large, or not a JSON object. \
                Send `{\"password\": \"…\"}`, or no body.",
            ),
        }
    }
}
