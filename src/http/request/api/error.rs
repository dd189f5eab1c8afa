//! The errors of JSON that a client sends to the API. Each message tells the client what to send instead.

use std::fmt;

use super::member::Member;
use crate::http::request::form::{FormError, suggestion};
use crate::spelling;

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
    Repeated(Member),
    /// The value has the wrong type, or is not a value that this member can have.
    Invalid(Member),
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
    pub(super) fn unknown(name: &str, known: &[Member]) -> Self {
        let name = FormError::printable(name);
        let nearest = Member::meant_by(&name)
            .filter(|meant| known.contains(meant))
            .map(Member::name)
            .or_else(|| spelling::nearest(&name, known.iter().map(|member| member.name())));
        Self::Unknown { name, nearest }
    }
}

impl fmt::Display for MemberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAnObject => {
                "The body is not a JSON object. Send one in UTF-8, as in `{\"content\": \"…\"}`."
            }
            Self::Unknown { name, nearest } => {
                let rest = suggestion(*nearest);
                return write!(f, "Unknown member `{name}`{rest} The OpenAPI document of this server lists all members.");
            }
            Self::Repeated(member) => {
                let name = member.name();
                return write!(f, "The member `{name}` occurs more than once. Send it once.");
            }
            Self::Invalid(member) => {
                let (name, allowed) = (member.name(), member.allowed());
                return write!(
                    f,
                    "The value of `{name}` is not valid here. Send {allowed}."
                );
            }
            Self::NoContent => {
                "The object has no content, so nothing was saved. Send text as `content`, or bytes as `content_base64`."
            }
            Self::SeveralContents => {
                "The object has both `content` and `content_base64`. Send one of them."
            }
            Self::NoChange => {
                "The object names no change. Send `content`, `title`, `language` or `expires`."
            }
            Self::PasswordAlone => {
                "A password is used for new content only, and there is none. Send `content` too, or remove `password`."
            }
            Self::NotAPassword => {
                "The body of a read is too large, or not a JSON object. Send `{\"password\": \"…\"}`, or no body."
            }
        })
    }
}

impl std::error::Error for MemberError {}
