//! The members of the JSON objects that a client sends to the API.

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
}

impl Member {
    pub(crate) const ALL: [Self; 7] = [
        Self::Content,
        Self::ContentBase64,
        Self::Title,
        Self::Language,
        Self::Expires,
        Self::Burn,
        Self::Password,
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
        }
    }

    /// The allowed values, as error messages describe them.
    pub(super) fn allowed(self) -> &'static str {
        match self {
            Self::Content => "a string without lone surrogates",
            Self::ContentBase64 => "the bytes in base64",
            Self::Title => "a string, or `null` for none",
            Self::Language => {
                "the name of a language such as `rust`, or a file ending such as `rs`"
            }
            Self::Expires => "a string such as `\"7d\"`, or `\"never\"`",
            Self::Burn => "a number of views from 1 to 100",
            Self::Password => "a string of 1 to 1024 bytes",
        }
    }
}
