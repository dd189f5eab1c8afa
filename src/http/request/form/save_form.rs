//! A form sent to `/`, parsed but for the values of its options.

use std::borrow::Cow;
use std::fmt;

use super::fields::Fields;
use crate::http::request::error::RequestError;

/// A form sent to `/`.
#[derive(Debug)]
pub(crate) enum Form<'a> {
    /// Saves one paste.
    Save(SaveForm<'a>),
    /// Saves several pastes, in this order.
    SaveSeveral(Vec<SaveForm<'a>>),
    /// Replaces the content of a paste.
    Replace(ExistingPaste, SaveForm<'a>),
    /// Deletes a paste.
    Remove(ExistingPaste),
}

/// The paste that a form sent to `/` acts on.
pub(crate) struct ExistingPaste {
    /// The id, unparsed.
    pub(crate) id: String,
    /// The token of the paste, if the form has it.
    pub(crate) token: Option<String>,
}

/// A form that saves a paste.
#[derive(Default)]
pub(crate) struct SaveForm<'a> {
    /// The content to save, at least one byte.
    pub(crate) content: Cow<'a, [u8]>,
    /// The pastebin that the form was written for.
    pub(crate) origin: Origin,
    /// Whether the content is the URL of a link to create.
    pub(crate) is_link: bool,
    /// Whether the content was sent as a file, so that its line ends must not change.
    pub(crate) is_file: bool,
    /// Whether an empty title was sent, and no other.
    pub(crate) is_untitled: bool,
    /// The options, unparsed.
    pub(crate) options: Fields<'a>,
    /// The id of the paste whose content is replaced.
    pub(super) replaces: Option<String>,
}

/// The pastebin whose names a form uses, as far as the answer depends on it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    #[default]
    Terminal,
    /// A pastebin whose form redirects to the page of the paste.
    Website,
    /// wastebin: as [`Self::Website`], and a bare number in `expires` is in seconds.
    Wastebin,
}

impl<'a> Form<'a> {
    /// The one paste that the form saves.
    ///
    /// # Errors
    /// If the form does anything else.
    pub(crate) fn single(self) -> Result<SaveForm<'a>, RequestError> {
        match self {
            Form::Save(form) => Ok(form),
            Form::SaveSeveral(_) | Form::Replace(..) => Err(RequestError::SeveralContents),
            Form::Remove(_) => Err(RequestError::NoContent),
        }
    }
}

/// Shows neither the id nor the token: they must not reach a log.
impl fmt::Debug for ExistingPaste {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExistingPaste")
    }
}

/// Shows only the size: user content must not reach a log.
impl fmt::Debug for SaveForm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SaveForm({} bytes)", self.content.len())
    }
}
