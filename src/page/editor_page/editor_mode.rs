//! Editor modes: whether the editor saves a new paste or changes one.

use std::fmt;

use crate::paste::Access;

/// Whether the editor saves a new paste or changes one.
#[derive(Clone, Copy)]
pub enum EditorMode<'a> {
    /// It saves a new paste.
    New,
    /// It changes a paste.
    Edit {
        /// The paste's id.
        id: &'a str,
        /// The paste's access, which does not change.
        access: Access,
    },
}

/// The id gives access to the paste, so it is not logged.
impl fmt::Debug for EditorMode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::New => "New",
            Self::Edit { .. } => "Edit(secret)",
        })
    }
}

impl<'a> EditorMode<'a> {
    pub(super) fn is_new(self) -> bool {
        self.edited().is_none()
    }

    /// Returns the id of the changed paste.
    pub(super) fn edited(self) -> Option<&'a str> {
        match self {
            Self::New => None,
            Self::Edit { id, .. } => Some(id),
        }
    }

    /// Returns whether the change is encrypted, so that it needs the password.
    pub(super) fn encrypts(self) -> bool {
        match self {
            Self::New => false,
            Self::Edit { access, .. } => matches!(access, Access::Locked(_)),
        }
    }

    /// Returns whether the stored text is hidden from the editor, because a GET does not show it either.
    pub(super) fn hides_text(self) -> bool {
        match self {
            Self::New => false,
            Self::Edit { access, .. } => matches!(access, Access::Locked(_) | Access::Burn(_)),
        }
    }

    /// Returns the path that the form posts to.
    pub(super) fn action(self) -> String {
        match self {
            Self::New => "/".to_owned(),
            Self::Edit { id, .. } => format!("/{id}/edit"),
        }
    }
}
