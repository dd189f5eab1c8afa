//! Purpose: what happens to what is written in the editor.
//!
//! What it must not know: the form.

use std::fmt;

use crate::paste::Access;

/// What happens to what is written.
#[derive(Clone, Copy)]
pub enum EditorMode<'a> {
    /// It becomes a paste.
    New,
    /// It takes the place of what a paste was.
    Edit {
        /// The paste's id.
        id: &'a str,
        /// How it may be had, which stays.
        access: Access,
    },
}

/// Whoever has an id has the paste, so it never reaches a log.
impl fmt::Debug for EditorMode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::New => "New",
            Self::Edit { .. } => "Edit(secret)",
        })
    }
}

impl<'a> EditorMode<'a> {
    /// Whether it becomes a paste of its own.
    pub(crate) fn is_new(self) -> bool {
        self.edited().is_none()
    }

    /// The id of the paste that is changed.
    pub(crate) fn edited(self) -> Option<&'a str> {
        match self {
            Self::New => None,
            Self::Edit { id, .. } => Some(id),
        }
    }

    /// Whether what is written is sealed again, so that its password is needed.
    pub(crate) fn seals(self) -> bool {
        match self {
            Self::New => false,
            Self::Edit { access, .. } => matches!(access, Access::Locked(_)),
        }
    }

    /// Whether what is kept is not shown to whoever changes it: it is not for every look.
    pub(crate) fn hides(self) -> bool {
        match self {
            Self::New => false,
            Self::Edit { access, .. } => matches!(access, Access::Locked(_) | Access::Burn(_)),
        }
    }

    /// Where the form posts to.
    pub(crate) fn action(self) -> String {
        match self {
            Self::New => "/".to_owned(),
            Self::Edit { id, .. } => format!("/{id}/edit"),
        }
    }
}
