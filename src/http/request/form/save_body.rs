//! The body of a save: a form in one of three encodings, or raw content.
//!
//! - A body that is labelled as urlencoded is a form only if it has no line end or other control byte, as most files
//!   have, and a pair with a `=` is content, or names a paste to delete.
//! - A body that is labelled as JSON is a form only if it is an object, one of whose strings is the content.
//!
//! Any other body with these labels is raw content, whatever it says.
//! Spaces and bytes outside ASCII are accepted in an urlencoded form, although an encoder leaves none: `curl -d` sends
//! what it is given, and a form that was taken for text would publish its password.
//!
//! Cost: one pass.

use super::body_kind::BodyKind;
use super::field::{Field, Meaning};
use super::multipart::Parts;
use super::save_form::{Builder, Form, Origin};
use super::urlencoded::{crlf_to_lf, may_be_form, pieces};
use crate::http::request::error::RequestError;
use crate::http::request::json;

/// Parses the form in the body of a save. Returns `None` if the body itself is the content.
///
/// # Errors
/// If the form is invalid.
pub(crate) fn parse<'a>(
    kind: BodyKind,
    content_type: &str,
    body: &'a [u8],
) -> Result<Option<Form<'a>>, RequestError> {
    match kind {
        BodyKind::Raw => Ok(None),
        BodyKind::Multipart => parse_multipart(content_type, body).map(Some),
        BodyKind::Urlencoded => urlencoded(body),
        BodyKind::Json => of_json(body),
    }
}

/// Parses a multipart form with this `Content-Type`.
///
/// # Errors
/// If the form is invalid.
pub(crate) fn parse_multipart<'a>(
    content_type: &str,
    body: &'a [u8],
) -> Result<Form<'a>, RequestError> {
    let mut form = Builder::default();
    for part in Parts::of(content_type, body)? {
        let part = part?;
        let field = Field::named(&part.name);
        form.add(&part.name, field, part.content.into(), part.file_name)?;
    }
    form.finish(Origin::Terminal)
}

fn urlencoded(body: &[u8]) -> Result<Option<Form<'_>>, RequestError> {
    use Meaning::{Content, Link, Oneshot, Question, Refused, Removes};
    if !may_be_form(body) {
        return Ok(None);
    }
    let (mut form, mut is_form, mut added) = (Builder::default(), false, Ok(()));
    let mut origin = Origin::Terminal;
    for pair in pieces(body) {
        let name = pair.name();
        let field = Field::named(&name);
        let (is_content, does_more) = match field.map(|field| field.meaning) {
            Some(Content | Oneshot) => (true, true),
            Some(Link | Question | Refused(_) | Removes) => (false, true),
            _ => (false, false),
        };
        is_form |= does_more && pair.has_value();
        origin = origin.max(Origin::of_field(&name));
        added = added.and_then(|()| {
            let value = pair.value();
            let value = if is_content { crlf_to_lf(value) } else { value };
            form.add(&name, field, value, None)
        });
    }
    match is_form {
        true => added.and_then(|()| form.finish(origin)).map(Some),
        false => Ok(None),
    }
}

fn of_json(body: &[u8]) -> Result<Option<Form<'_>>, RequestError> {
    let (mut form, mut is_form, mut added) = (Builder::default(), false, Ok(()));
    let is_object = json::members(body, |name, value| {
        let field = Field::named(name);
        let is_content =
            field.is_some_and(|it| matches!(it.meaning, Meaning::Content | Meaning::Oneshot));
        is_form |= is_content && value.starts_with('"');
        if added.is_ok() {
            added = form.add_json(name, field, value);
        }
        true
    });
    match is_object && is_form {
        true => added.and_then(|()| form.finish(Origin::Wastebin)).map(Some),
        false => Ok(None),
    }
}

#[cfg(test)]
mod tests;
