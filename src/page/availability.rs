//! Standing: what whoever opens the address of a paste gets, when it is on a page already.
//!
//! What it must not know: the paste, and why it is on the page.

use crate::render::humanize;

/// What the address of a paste that is on a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// What the page shows.
    Open,
    /// Less: the paste was revealed for this page alone.
    Restricted {
        /// How often it can still be read; none if that is not counted, and so it is locked.
        reads_left: Option<u8>,
    },
}

impl Availability {
    /// Whether links to the content lead to it.
    pub(crate) fn is_open(self) -> bool {
        self == Self::Open
    }

    /// Whether there is nothing behind the address any more.
    pub(crate) fn is_gone(self) -> bool {
        self == Self::Restricted {
            reads_left: Some(0),
        }
    }

    /// What a reader should know who may not come back.
    pub(crate) fn note(self) -> Option<String> {
        match self {
            Self::Open => None,
            Self::Restricted { reads_left: None } => {
                Some("It is locked: who opens its address is asked for the password.".to_owned())
            }
            Self::Restricted { reads_left: Some(0) } => Some(
                "This was its last read: it is gone now, for everybody but this page. Keep what you need."
                    .to_owned(),
            ),
            Self::Restricted { reads_left: Some(left) } => {
                Some(format!("It can be read {}.", humanize::more_times(left.into())))
            }
        }
    }
}
