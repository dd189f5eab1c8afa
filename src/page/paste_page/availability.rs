//! Availability: whether the link of a paste that is on a page shows the same again.

use crate::page::humanize;

/// What the link of a shown paste gives from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// The same page.
    Open,
    /// Less: the paste was revealed for this page alone.
    Restricted {
        /// Reads that are left; `None` if they are not counted, so that the paste is locked.
        reads_left: Option<u8>,
    },
}

impl Availability {
    /// Returns whether the link shows the content.
    pub(super) fn is_open(self) -> bool {
        self == Self::Open
    }

    /// Returns whether the paste was deleted with its last read.
    pub(super) fn is_gone(self) -> bool {
        let reads_left = Some(0);
        self == Self::Restricted { reads_left }
    }

    /// Returns a sentence for readers who may not see the paste again.
    pub(super) fn note(self) -> Option<String> {
        let Self::Restricted { reads_left } = self else {
            return None;
        };
        Some(match reads_left {
            None => "It is locked: who opens its address is asked for the password.".to_owned(),
            Some(0) => {
                "This was its last read: it is gone now, for everybody but this page. Keep what you need."
                    .to_owned()
            }
            Some(left) => format!("It can be read {}.", humanize::more_times(left)),
        })
    }
}
