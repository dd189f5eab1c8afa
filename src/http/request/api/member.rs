//! The members of the JSON objects that a client sends to the API.

use crate::http::request::form::field::Field;

/// A known member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member {
    Content,
    ContentBase64,
    Title,
    Language,
    Expires,
    Burn,
    Password,
    Slug,
}

impl Member {
    pub(crate) const ALL: [Self; 8] = [
        Self::Content,
        Self::ContentBase64,
        Self::Title,
        Self::Language,
        Self::Expires,
        Self::Burn,
        Self::Password,
        Self::Slug,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::ContentBase64 => "content_base64",
            Self::Title => "title",
            Self::Language => "language",
            Self::Expires => "expires",
            Self::Burn => "burn",
            Self::Password => "password",
            Self::Slug => "slug",
        }
    }

    /// The member that a client meant if it sent this name of a form's field.
    pub(super) fn meant_by(field: &str) -> Option<Self> {
        match Field::named(field)? {
            Field::Content => Some(Self::Content),
            Field::Language => Some(Self::Language),
            Field::Title => Some(Self::Title),
            Field::Expires(_) => Some(Self::Expires),
            Field::Burn | Field::BurnSwitch | Field::Oneshot => Some(Self::Burn),
            _ => None,
        }
    }

    /// The allowed values, as error messages describe them.
    pub(crate) fn allowed(self) -> &'static str {
        match self {
            Self::Content => "the text as a string, or bytes that are not text as `content_base64`",
            Self::ContentBase64 => "the bytes in base64",
            Self::Title => "a string, or `null` for none",
            Self::Language => {
                "the name of a language such as `rust`, or a file ending such as `rs`"
            }
            Self::Expires => "a number of seconds, or a string such as `\"7d\"` or `\"never\"`",
            Self::Burn => "the number of views after which the paste is deleted, from 1 to 100",
            Self::Password => "a string of 1 to 1024 bytes",
            Self::Slug => {
                "the address, for holders of keys: 3 to 64 characters of `a` to `z`, `0` to `9` and `-`"
            }
        }
    }
}
