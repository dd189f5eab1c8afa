//! The names of the save options in headers and in the query.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SaveOption {
    Expires,
    Language,
    Title,
    Burn,
    Password,
    /// The name of the file, which no field or query parameter has: an upload has it in its disposition or path.
    FileName,
}

impl SaveOption {
    pub(crate) const COUNT: usize = 6;

    /// The names of the headers of tidebin, without their `X-`.
    pub(super) const HEADERS: [&str; 5] = ["Expires", "Lang", "Title", "Burn", "Password"];

    /// The option that a header sets; `name` is in lower case.
    /// Expiry and burn also accept the header names of other pastebins. If they were ignored, the paste would be stored
    /// for too long.
    pub(crate) fn of_header(name: &str) -> Option<Self> {
        match name {
            "x-expires" | "expire" | "expires" | "x-expire" | "expiry" | "max-days" => {
                Some(Self::Expires)
            }
            "x-lang" => Some(Self::Language),
            "x-title" => Some(Self::Title),
            "x-burn" | "max-downloads" => Some(Self::Burn),
            "x-password" | "wastebin-password" => Some(Self::Password),
            "filename" => Some(Self::FileName),
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
            Self::FileName => "filename",
        }
    }
}
