//! The options of a save, by the names that they have in headers and in a query.

/// An option of a save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SaveOption {
    Expires,
    Language,
    Title,
    Burn,
    Password,
}

impl SaveOption {
    /// How many there are.
    pub(crate) const COUNT: usize = 5;

    /// The option that a header of this name (in lower case) gives. The names of an expiry include those of other
    /// pastebins: an ignored one would store the paste for too long.
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

    /// The option of this name in a query.
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

    /// Its name in a query, for a refusal.
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
