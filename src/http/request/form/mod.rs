//! Forms: a request body parsed into named fields and the content to save.
//!
//! Invariants:
//! - A [`SaveForm`] has exactly one content, which is not empty. A form of ix.io has several of them.
//! - The content has the exact bytes sent, except that CRLF becomes LF in an urlencoded form.
//! - A truncated body never becomes a form.
//! - No input makes a parser panic.
//!
//! Cost: linear in the size of the body. Content is borrowed from the body unless it had to be decoded.

mod action;
mod body_kind;
mod boundary;
mod builder;
mod disposition;
mod error;
pub(super) mod field;
pub(crate) mod json;
mod line_ends;
pub(crate) mod multipart;
mod owner_form;
mod parameter;
mod short_form;
pub(crate) mod urlencoded;

pub(crate) use action::{ActionForm, PasteAction};
pub(crate) use body_kind::{BodyKind, is_other_multipart};
pub(crate) use error::{FormDefect, FormError, suggestion};
pub(crate) use field::Origin;
pub(crate) use line_ends::{crlf_to_lf, one_line};
pub(crate) use owner_form::{OwnerAction, OwnerForm};
pub(crate) use short_form::ShortForm;

use std::borrow::Cow;
use std::fmt;

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

/// A form that saves a paste, with its options unparsed. An absent option was not sent or was empty.
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
    /// The name of the file, not empty.
    pub(crate) file_name: Option<String>,
    /// The title, before truncation and cleaning.
    pub(crate) title: Option<String>,
    /// Whether an empty title was sent, and no other.
    pub(crate) is_untitled: bool,
    /// The name of the language.
    pub(crate) language: Option<String>,
    /// The expiry.
    pub(crate) expires: Option<String>,
    /// The number of reads; may be empty.
    pub(crate) burn: Option<String>,
    /// The password; may be empty.
    pub(crate) password: Option<Vec<u8>>,
    /// The address.
    pub(crate) slug: Option<String>,
}

impl<'a> Form<'a> {
    /// The one paste that the form saves.
    ///
    /// # Errors
    /// If the form does anything else.
    pub(crate) fn single(self) -> Result<SaveForm<'a>, FormError> {
        match self {
            Form::Save(form) => Ok(form),
            Form::SaveSeveral(_) | Form::Replace(..) => Err(FormError::SeveralContents),
            Form::Remove(_) => Err(FormError::NoContent),
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
