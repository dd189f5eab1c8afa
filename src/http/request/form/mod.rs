//! Forms: a request body parsed into named fields and the content to save.
//!
//! Invariants:
//! - A [`SaveForm`] has exactly one content, which is not empty.
//! - The content has the exact bytes sent, except that CRLF becomes LF in an urlencoded form.
//! - A truncated body never becomes a form.
//! - No input makes a parser panic.
//!
//! Cost: linear in the size of the body. Content is borrowed from the body unless it had to be decoded.

mod action;
mod body_kind;
mod disposition;
mod field;
mod fields;
pub(crate) mod multipart;
mod save_body;
mod save_form;
pub(crate) mod urlencoded;

pub(crate) use action::{ActionForm, OwnerAction, OwnerForm, PasteAction};
pub(crate) use body_kind::{BodyKind, is_other_multipart};
pub(super) use disposition::parameter;

pub(crate) use field::{member_named, repeated};
pub(crate) use fields::Fields;
pub(crate) use save_body::{parse, parse_multipart};
pub(crate) use save_form::{ExistingPaste, Form, Origin, SaveForm};
pub(crate) use urlencoded::{crlf_to_lf, one_line};
