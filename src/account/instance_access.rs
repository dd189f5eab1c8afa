//! The access to a whole server: which rights everyone has.

use super::Right;

/// Who may use this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InstanceAccess {
    /// Everyone may save and read.
    #[default]
    Open,
    /// Everyone may read. Saving needs a key.
    SaveByKey,
    /// Saving and reading need a key.
    Private,
}

impl InstanceAccess {
    /// Returns true if everyone has this right.
    #[must_use]
    pub fn gives(self, right: Right) -> bool {
        match right {
            Right::Save => self == Self::Open,
            Right::Read => self != Self::Private,
            Right::Operate => false,
        }
    }
}
