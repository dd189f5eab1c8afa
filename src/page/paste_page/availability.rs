//! Availability: whether a paste's link will show the paste again after the current page.

use crate::page::humanize;

/// The availability of a shown paste by its link from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// The link shows the same page again.
    Open,
    /// The link does not show the content again, because the paste was revealed for this page only.
    Restricted {
        /// The number of reads that are left. `None` means that reads are not limited: the paste is protected by a
        /// password.
        reads_left: Option<u8>,
    },
}

impl Availability {
    /// Returns whether the link will show the content again.
    pub(super) fn is_open(self) -> bool {
        self == Self::Open
    }

    /// Returns whether this was the last allowed read, so that the paste is deleted.
    pub(super) fn is_gone(self) -> bool {
        let reads_left = Some(0);
        self == Self::Restricted { reads_left }
    }

    /// Returns whether the number of reads is not limited, so that none was used up for this page.
    pub(super) fn is_unlimited(self) -> bool {
        let reads_left = None;
        self.is_open() || self == Self::Restricted { reads_left }
    }

    /// Returns a sentence that says whether and how the paste can be read again. Returns `None` if the link shows the
    /// same page again.
    pub(super) fn note(self) -> Option<String> {
        let Self::Restricted { reads_left } = self else {
            return None;
        };
        Some(match reads_left {
            None => "Password protected: anyone opening the link must enter the password.".to_owned(),
            Some(0) => {
                "This was the last view. The paste is deleted: save what you need before you leave this page."
                    .to_owned()
            }
            Some(left) => format!("This paste has {}.", humanize::views_left(left)),
        })
    }
}
