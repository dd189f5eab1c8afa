//! Actions: the kinds of requests that have limits of their own.

/// What a client does, as far as it is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Storing a paste.
    Save,
    /// Any other request that is not free.
    Read,
    /// A request for a paste that does not exist.
    Miss,
    /// An attempt at the password of a paste.
    Password,
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 4] = [Self::Save, Self::Read, Self::Miss, Self::Password];

    /// Returns whether a request of this kind may be delayed. A miss has happened already, and a password attempt is
    /// judged in the middle of a request.
    pub(super) fn may_wait(self) -> bool {
        match self {
            Self::Save | Self::Read => true,
            Self::Miss | Self::Password => false,
        }
    }
}
