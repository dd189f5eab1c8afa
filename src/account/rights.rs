//! Rights: what a client may do on this server, and which rights everyone has.

use std::fmt;
use std::str::FromStr;

/// A right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// Save pastes, and replace the content of those whose token the client has.
    Save,
    /// Read pastes, and change or delete those whose token the client has.
    Read,
    /// Do everything that the operator may do.
    Operate,
    /// Read the metrics.
    Metrics,
}

/// A set of rights, which is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights(u8);

impl Right {
    const ALL: [Self; 4] = [Self::Save, Self::Read, Self::Operate, Self::Metrics];

    fn name(self) -> &'static str {
        match self {
            Self::Save => "save",
            Self::Read => "read",
            Self::Operate => "operate",
            Self::Metrics => "metrics",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Rights {
    /// Returns true if the right is in the set.
    pub fn has(self, right: Right) -> bool {
        self.0 & right.bit() != 0
    }
}

/// A key gets these rights unless the operator says otherwise.
impl Default for Rights {
    fn default() -> Self {
        Self(Right::Save.bit() | Right::Read.bit())
    }
}

impl FromStr for Rights {
    type Err = &'static str;

    /// Parses names that are separated by commas, such as `save,read`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bits = 0;
        for name in text.split(',') {
            let right = Right::ALL
                .into_iter()
                .find(|right| right.name() == name.trim());
            bits |= right.ok_or("has a right that does not exist")?.bit();
        }
        Ok(Self(bits))
    }
}

/// Writes the names in the form that [`Rights::from_str`] parses.
impl fmt::Display for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Right::ALL.into_iter().filter(|right| self.has(*right));
        f.write_str(&names.map(Right::name).collect::<Vec<_>>().join(","))
    }
}

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
    pub fn gives(self, right: Right) -> bool {
        match right {
            Right::Save => self == Self::Open,
            Right::Read => self != Self::Private,
            Right::Operate | Right::Metrics => false,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_are_written_as_they_are_parsed() {
        for (text, written) in [
            ("save", "save"),
            ("read, save", "save,read"),
            (
                "metrics,operate,read,save,read",
                "save,read,operate,metrics",
            ),
        ] {
            let rights: Rights = text.parse().unwrap();
            assert_eq!(rights.to_string(), written);
            assert_eq!(written.parse(), Ok(rights));
        }
        assert_eq!(Rights::default().to_string(), "save,read");
    }

    #[test]
    fn a_set_of_rights_is_neither_empty_nor_misspelt() {
        for text in ["", ",", "save,", "Save", "saves", "admin"] {
            assert!(text.parse::<Rights>().is_err(), "{text:?}");
        }
    }
}
