//! The names of the save options in headers and in the query.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SaveOption {
    Expires,
    Language,
    Title,
    Burn,
    Password,
}

impl SaveOption {
    pub(crate) const COUNT: usize = 5;

    /// The option that a header sets; `name` is in lower case.
    /// The expiry also accepts the header names of other pastebins. If they were ignored, the paste would be stored for
    /// too long.
    pub(crate) fn of_header(name: &str) -> Option<Self> {
        match name {
            "x-expires" | "expire" | "expires" | "x-expire" | "expiry" | "max-days" => {
                Some(Self::Expires)
            }
            "x-lang" => Some(Self::Language),
            "x-title" => Some(Self::Title),
            "x-burn" => Some(Self::Burn),
            "x-password" => Some(Self::Password),
            _ => None,
        }
    }

    pub(crate) fn of_query(name: &str) -> Option<Self> {
        match name {
            "expires" => Some(Self::Expires),
            "lang" => Some(Self::Language),
            "title" => Some(Self::Title),
            "burn" => Some(Self::Burn),
            "password" => Some(Self::Password),
            _ => None,
        }
    }

    /// The name in the query, as error messages show it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Expires => "expires",
            Self::Language => "lang",
            Self::Title => "title",
            Self::Burn => "burn",
            Self::Password => "password",
        }
    }
}
