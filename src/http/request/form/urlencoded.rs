//! Urlencoded forms, and their distinction from raw content with the same label.
//! `curl --data-binary` and `wget --post-file` label every body as a form.
//! [`pairs`] parses any form, and [`parse`] a form that saves a paste.
//!
//! Invariants: a body is a form that saves a paste only if
//! - an encoder could have produced it: it has no space, control byte or byte outside ASCII;
//! - every pair has a known name and a `=`, which every form client sends. The one word `text` is not a form;
//! - exactly one pair is content, or one for each number (`f:1`), or one names a paste to delete.
//!
//! Any other body is raw content. The exception is a body that was likely meant as a form with a burn, a password, an
//! expiry or a link. It is rejected, because saving it as it is would publish a secret, store it for too long, or break
//! a link.
//! Cost: two passes. The first one stores nothing, so a body with many pairs needs no additional memory.
//! `form_urlencoded::parse` is not used: it converts every value to UTF-8, and content may be binary.

use std::borrow::Cow;

use percent_encoding::percent_decode;

use super::builder::Builder;
use super::error::is_of_name;
use super::field::{Field, Origin, is_numbered_too_high};
use super::line_ends::crlf_to_lf;
use super::{Form, FormDefect, FormError, json};

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
/// If the form is invalid, or if a raw body was likely meant as a form.
pub(crate) fn parse(body: &[u8]) -> Result<Option<Form<'_>>, FormError> {
    if !is_save_form(body) {
        return match likely_mistake(body) {
            Some(error) => Err(error),
            None => Ok(None),
        };
    }
    let mut form = Builder::default();
    for pair in pairs(body).into_iter().flatten() {
        let name = pair.name();
        let known = Field::numbered(&name).ok_or_else(|| FormError::unknown_field(&name))?;
        let value = match known {
            (Field::Content | Field::Oneshot, _) => crlf_to_lf(pair.value()),
            _ => pair.value(),
        };
        form.origin = form.origin.max(Origin::of(&name));
        form.add_known(known, value, None)?;
    }
    form.finish().map(Some)
}

/// Returns whether a body with this start may be a form that saves a paste. A form may exceed the size limit of raw
/// content, because encoding enlarges it. Names are not checked: the start may end within one.
pub(crate) fn may_be_form(start: &[u8]) -> bool {
    start.iter().all(u8::is_ascii_graphic)
}

/// Returns whether this is a form that saves a paste, by the rules of this module.
fn is_save_form(body: &[u8]) -> bool {
    let (mut has_content, mut removes) = ([false; 10], false);
    for pair in pairs(body).into_iter().flatten() {
        match Field::numbered(&pair.name()) {
            None => return false,
            Some(_) if pair.value.is_none() => return false,
            Some((field, number)) if field.is_content() => {
                let is_repeated = std::mem::replace(&mut has_content[usize::from(number)], true);
                if is_repeated {
                    return false;
                }
            }
            Some((Field::Removes, _)) => removes = true,
            Some(_) => {}
        }
    }
    removes || has_content.contains(&true)
}

/// Returns the error for raw content that was likely meant as a form.
/// Saved as it is, a form with a burn or a password would publish its secrets, one with an expiry would be stored for
/// too long, one of ix.io would be one paste instead of several, and the URL of a link would not redirect.
fn likely_mistake(body: &[u8]) -> Option<FormError> {
    if asks_for_protection(body) {
        return Some(mistake(body));
    }
    if is_encoded(body) && pieces(body).any(|pair| is_numbered_too_high(&pair.name())) {
        return Some(FormError::NumberTooLarge);
    }
    let first = pieces(body).next()?;
    let is_address =
        Field::named(&first.name()) == Some(Field::Link) && first.value().starts_with(b"http");
    let is_one_word = body.iter().all(|byte| !matches!(byte, 0..=b' ' | 0x7f));
    (is_address && is_one_word).then_some(FormError::NotEncoded("url"))
}

/// Returns whether a body is a form, or was likely meant as one, that asks for a burn, a password or an expiry.
pub(crate) fn asks_for_protection(body: &[u8]) -> bool {
    let is_form = match is_encoded(body) {
        true => is_foreign_form(body) || has_content(body),
        false => starts_as_form(body) && has_content(body),
    };
    is_form && pieces(body).any(|pair| restricts(&pair.name()))
}

fn has_content(body: &[u8]) -> bool {
    pieces(body).any(|pair| Field::named(&pair.name()).is_some_and(Field::is_content))
}

/// Returns whether an encoded body is a form of two or more fields, maybe of another pastebin.
fn is_foreign_form(body: &[u8]) -> bool {
    let is_field = |pair: Pair<'_>| pair.name().bytes().all(is_of_name);
    pieces(body).nth(1).is_some() && pieces(body).all(is_field)
}

/// Returns whether a body that is not encoded starts as a form with options. Several lines that start with another
/// option or a URL are more likely a settings file.
fn starts_as_form(body: &[u8]) -> bool {
    let first = pieces(body).next().filter(|pair| pair.value.is_some());
    let Some(first) = first.and_then(|pair| Field::named(&pair.name())) else {
        return false;
    };
    let first_line = body.split(|byte| *byte == b'\n').next();
    let is_one_line = !body.trim_ascii_end().contains(&b'\n');
    let is_text = |field| matches!(field, Field::Content | Field::Oneshot);
    let mut on_first_line = pieces(first_line.unwrap_or_default());
    is_one_line
        || on_first_line.any(|pair| Field::named(&pair.name()).is_some_and(is_text))
        || first.restricts() && !matches!(first, Field::Expires(_))
}

/// Returns whether an encoder has produced the body, and every pair has a value.
fn is_encoded(body: &[u8]) -> bool {
    pairs(body).is_some_and(|mut pairs| pairs.all(|pair| pair.value.is_some()))
}

/// Returns whether a field asks for a burn, a password or an expiry, in any case and in the spellings of other
/// programs.
fn restricts(name: &str) -> bool {
    Field::named(&name.to_ascii_lowercase()).is_some_and(Field::restricts)
        || json::requests_protection(name)
}

/// Returns the mistake in this form.
fn mistake(body: &[u8]) -> FormError {
    let mut names = pairs(body).into_iter().flatten().map(|pair| pair.name());
    match names.find(|name| Field::named(name).is_none()) {
        Some(unknown) => FormError::unknown_field(&unknown),
        None => FormError::Malformed(FormDefect::UnencodedOptions),
    }
}

/// The pairs of a form, in the order sent. Returns `None` if an encoder cannot have produced the body. A pair without
/// `=` has an empty value, as from `curl -d delete`.
pub(crate) fn pairs(body: &[u8]) -> Option<impl Iterator<Item = Pair<'_>>> {
    let is_encoded = body.iter().all(u8::is_ascii_graphic);
    is_encoded.then(|| pieces(body))
}

/// The pieces between the ampersands of any body.
fn pieces(body: &[u8]) -> impl Iterator<Item = Pair<'_>> {
    body.split(|byte| *byte == b'&')
        .filter(|piece| !piece.is_empty())
        .map(Pair::of)
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
