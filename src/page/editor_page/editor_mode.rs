//! Editor modes: the editor either saves a new paste or changes a stored one.

use crate::paste::Access;

/// The task of the editor: to save a new paste or to change a stored one.
#[derive(Clone, Copy)]
pub enum EditorMode<'a> {
    /// The editor saves a new paste.
    New,
    /// The editor changes a stored paste.
    Edit {
        /// The paste's id.
        id: &'a str,
        /// The paste's access. The editor cannot change it.
        access: Access,
    },
}

impl<'a> EditorMode<'a> {
    pub(super) fn is_new(self) -> bool {
        self.edited().is_none()
    }

    /// Returns the id of the paste that is changed. Returns `None` for a new paste.
    pub(super) fn edited(self) -> Option<&'a str> {
        match self {
            Self::New => None,
            Self::Edit { id, .. } => Some(id),
        }
    }

    /// Returns whether the changed paste is encrypted, so that the form must ask for its password.
    pub(super) fn encrypts(self) -> bool {
        match self {
            Self::New => false,
            Self::Edit { access, .. } => matches!(access, Access::Locked(_)),
        }
    }

    /// Returns whether the editor hides the stored text. The editor hides it if a GET request does not show it either.
    pub(super) fn hides_text(self) -> bool {
        match self {
            Self::New => false,
            Self::Edit { access, .. } => matches!(access, Access::Locked(_) | Access::Burn(_)),
        }
    }

    /// Returns the URL path to which the form is posted.
    pub(super) fn action(self) -> String {
        match self {
            Self::New => "/".to_owned(),
            Self::Edit { id, .. } => format!("/{id}/edit"),
        }
    }
}
