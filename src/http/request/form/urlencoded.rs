//! Urlencoded forms, and their distinction from raw content with the same label.
//! `curl --data-binary` and `wget --post-file` label every body as a form.
//! [`pairs`] parses any form, and [`parse`] a form that saves a paste.
//!
//! Invariants: a body is a form that saves a paste only if
//! - it has no line end or other control byte, as most files have;
//! - a pair with a `=` is content, or names a paste to delete.
//!
//! Spaces and bytes outside ASCII are accepted, although an encoder leaves none: `curl -d` sends what it is given, and a
//! form that was taken for text would publish its password.
//!
//! Any other body is raw content, whatever it says.
//! Cost: one pass.
//! `form_urlencoded::parse` is not used: it converts every value to UTF-8, and content may be binary.

use std::borrow::Cow;

use percent_encoding::percent_decode;

use super::builder::Builder;
use super::error::is_of_name;
use super::field::{Field, Origin};
use super::line_ends::crlf_to_lf;
use super::{Form, FormError};

/// One encoded pair of a form.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    name: &'a [u8],
    /// `None` if the pair has no `=`.
    value: Option<&'a [u8]>,
}

/// Parses the body of a save. Returns `None` if the body is raw content.
/// CRLF in the content becomes LF, because form clients convert every newline to CRLF.
///
/// # Errors
/// If the form is invalid.
pub(crate) fn parse(body: &[u8]) -> Result<Option<Form<'_>>, FormError> {
    let mut form = Builder::default();
    let (mut is_form, mut error) = (false, None);
    let pairs = may_be_form(body).then(|| pieces(body));
    for pair in pairs.into_iter().flatten() {
        let name = pair.name();
        let known = Field::numbered(&name);
        is_form |= pair.value.is_some()
            && known.is_some_and(|(field, _)| field.is_content() || field == Field::Removes);
        if error.is_none() {
            error = add(&mut form, &name, known, pair).err();
        }
    }
    match error {
        _ if !is_form => Ok(None),
        Some(error) => Err(error),
        None => form.finish().map(Some),
    }
}

fn add<'a>(
    form: &mut Builder<'a>,
    name: &str,
    known: Option<(Field, u8)>,
    pair: Pair<'a>,
) -> Result<(), FormError> {
    let known = known.ok_or_else(|| FormError::unknown_field(name))?;
    let value = match known {
        (Field::Content | Field::Oneshot, _) => crlf_to_lf(pair.value()),
        _ => pair.value(),
    };
    form.origin = form.origin.max(Origin::of(name));
    form.add_known(known, value, None)
}

/// Returns whether a body with this start may be a form that saves a paste. A form may exceed the size limit of raw
/// content, because encoding enlarges it. Names are not checked: the start may end within one.
pub(crate) fn may_be_form(start: &[u8]) -> bool {
    !start.iter().any(u8::is_ascii_control)
}

/// The pairs of a form, in the order sent. Returns `None` if an encoder cannot have produced the body. A pair without
/// `=` has an empty value, as from `curl -d delete`.
pub(crate) fn pairs(body: &[u8]) -> Option<impl Iterator<Item = Pair<'_>>> {
    let is_encoded = body.iter().all(u8::is_ascii_graphic);
    is_encoded.then(|| pieces(body))
}

fn pieces(body: &[u8]) -> impl Iterator<Item = Pair<'_>> {
    let pieces = body.split(|byte| *byte == b'&');
    pieces.filter(|piece| !piece.is_empty()).map(Pair::of)
}

impl<'a> Pair<'a> {
    fn of(pair: &'a [u8]) -> Self {
        let mut pieces = pair.splitn(2, |byte| *byte == b'=');
        Self {
            name: pieces.next().unwrap_or_default(),
            value: pieces.next(),
        }
    }

    /// The decoded name; invalid UTF-8 is replaced.
    pub(crate) fn name(&self) -> Cow<'a, str> {
        match decoded(self.name) {
            Cow::Borrowed(name) => String::from_utf8_lossy(name),
            Cow::Owned(name) => Cow::Owned(String::from_utf8_lossy(&name).into_owned()),
        }
    }

    /// Returns whether this is probably a field of a form. Raw content may become a pair too.
    pub(crate) fn looks_like_a_field(&self) -> bool {
        self.value.is_some() && self.name.iter().copied().all(is_of_name)
    }

    /// The decoded bytes of the value.
    pub(crate) fn value(&self) -> Cow<'a, [u8]> {
        decoded(self.value.unwrap_or_default())
    }
}

/// Decodes a name or a value. `+` is replaced first, so that `%2B` remains a plus. A percent sign that starts no escape
/// is literal.
fn decoded(raw: &[u8]) -> Cow<'_, [u8]> {
    if !raw.contains(&b'+') {
        return percent_decode(raw).into();
    }
    let spaced: Vec<u8> = raw
        .iter()
        .map(|byte| if *byte == b'+' { b' ' } else { *byte })
        .collect();
    Cow::Owned(percent_decode(&spaced).collect())
}

#[cfg(test)]
mod tests;
