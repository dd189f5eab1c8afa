//! Forms: a request's body as named fields, and what of it is to be saved.
//!
//! What it must not know: actix, the store, what a language or a duration is. Bytes in, values out.
//! Invariants: a [`SaveForm`] has exactly one content, not empty, byte for byte as sent (an urlencoded one with CRLF
//! turned into LF); a body that was cut off on its way never becomes a form; no bytes make a parser panic.
//! Cost: time linear in the body; content is borrowed from it unless it had to be decoded.

mod action;
mod body_kind;
mod boundary;
mod builder;
mod disposition;
mod error;
mod field;
pub(crate) mod json;
mod line_ends;
pub(crate) mod multipart;
mod parameter;
pub(crate) mod urlencoded;

pub(crate) use action::{ActionForm, PasteAction};
pub(crate) use body_kind::BodyKind;
pub(crate) use error::FormError;
pub(crate) use line_ends::{crlf_to_lf, one_line};

use std::borrow::Cow;
use std::fmt;

/// What somebody asks to be saved, in the words of a form. An option that is absent was not given or was empty.
pub(crate) struct SaveForm<'a> {
    /// The bytes, at least one.
    pub(crate) content: Cow<'a, [u8]>,
    /// Whether the content is an address to lead to.
    pub(crate) is_link: bool,
    /// Whether the content was sent as a file, so that not even its line ends may be touched.
    pub(crate) is_file: bool,
    /// The content's file name, not empty.
    pub(crate) file_name: Option<String>,
    /// The title, not yet cut or cleaned.
    pub(crate) title: Option<String>,
    /// Whether a title was sent, and is empty.
    pub(crate) is_untitled: bool,
    /// The language's name, not yet looked up.
    pub(crate) language: Option<String>,
    /// The lifetime, not yet read.
    pub(crate) expires: Option<String>,
    /// How often it may be read, not yet read; maybe empty.
    pub(crate) burn: Option<String>,
    /// The password, maybe empty.
    pub(crate) password: Option<Vec<u8>>,
}

/// What a user wrote never reaches a log, not through a debugging print either.
impl fmt::Debug for SaveForm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SaveForm({} bytes)", self.content.len())
    }
}
