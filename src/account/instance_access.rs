//! The access to a whole server: which rights everyone has.

use std::fmt;

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

/// As the setting writes it.
impl fmt::Display for InstanceAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::SaveByKey => "save-by-key",
            Self::Private => "private",
        })
    }
}
