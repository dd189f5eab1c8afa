//! Actions. An action is a kind of request that has its own limits.

/// The kinds of requests that have their own limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// The client stores a paste.
    Save,
    /// The client makes any other request, unless such requests are exempt from limits.
    Read,
    /// The client guesses wrong: a slug that no paste has, or a wrong token, key, secret or code.
    Miss,
    /// The client tries a password for a paste.
    Password,
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 4] = [Self::Save, Self::Read, Self::Miss, Self::Password];

    /// The name in headers and metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Save => "save",
            Self::Read => "read",
            Self::Miss => "miss",
            Self::Password => "password",
        }
    }

    /// Returns whether a request of this kind may be delayed. A miss cannot be delayed, because it has already
    /// happened. A password attempt cannot be delayed, because it is checked in the middle of a request.
    pub(super) fn may_wait(self) -> bool {
        match self {
            Self::Save | Self::Read => true,
            Self::Miss | Self::Password => false,
        }
    }
}
