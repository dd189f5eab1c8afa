//! The values that a client sent under known names: in a form, in the query, in headers or in JSON.
//!
//! Invariants: a name occurs at most once, except [`REPEATABLE`].
//! Cost: nothing for a name that was not sent. A value is borrowed unless it had to be decoded.

use std::borrow::Cow;

use super::body_kind::is_multipart;
use super::field::repeated;
use super::multipart::Parts;
use super::urlencoded::pieces;
use crate::http::request::error::RequestError;

/// The name under which a form lists pastes.
const REPEATABLE: &str = "id";

/// The values with their names, in the order sent.
#[cfg_attr(test, derive(Debug))]
#[derive(Default)]
pub(crate) struct Fields<'a>(Vec<(&'static str, Cow<'a, [u8]>)>);

impl<'a> Fields<'a> {
    /// Parses a form with this `Content-Type`: multipart, or otherwise urlencoded, which `is_form` checks. It has only
    /// these fields. `unknown` makes the error for another name, and is told whether the name is likely to be that of a
    /// field.
    ///
    /// # Errors
    /// If the body is not a form, or has an unknown or repeated field.
    pub(crate) fn of_form(
        content_type: &str,
        body: &'a [u8],
        known: &[&'static str],
        is_form: fn(&[u8]) -> bool,
        unknown: impl Fn(&str, bool) -> RequestError,
    ) -> Result<Self, RequestError> {
        let mut fields = Self::default();
        let mut add = |name: &str, is_likely, value| match known.iter().find(|it| **it == name) {
            Some(name) => fields.set(name, value),
            None => Err(unknown(name, is_likely)),
        };
        if is_multipart(content_type) {
            for part in Parts::of(content_type, body)? {
                let part = part?;
                add(&part.name, true, part.content.into())?;
            }
        } else if !is_form(body) {
            return Err(unencoded(body, known));
        } else {
            for pair in pieces(body) {
                add(&pair.name(), pair.looks_like_a_field(), pair.value())?;
            }
        }
        Ok(fields)
    }

    /// Adds a value.
    ///
    /// # Errors
    /// If there is one with this name.
    pub(crate) fn set(
        &mut self,
        name: &'static str,
        value: Cow<'a, [u8]>,
    ) -> Result<(), RequestError> {
        if name != REPEATABLE && self.get(name).is_some() {
            return Err(repeated(name));
        }
        self.0.push((name, value));
        Ok(())
    }

    /// Adds a text.
    ///
    /// # Errors
    /// If there is a value with this name.
    pub(crate) fn set_text(
        &mut self,
        name: &'static str,
        text: Cow<'a, str>,
    ) -> Result<(), RequestError> {
        self.set(name, bytes(text))
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Cow<'a, [u8]>> {
        let field = self.0.iter_mut().find(|(field, _)| *field == name);
        field.map(|(_, value)| value)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        self.all(name).next()
    }

    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let fields = self.0.iter().filter(move |(field, _)| *field == name);
        fields.map(|(_, value)| &**value)
    }

    /// Returns the text of a value. Invalid UTF-8 is replaced. Returns `None` if it is absent or blank.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        let text = self.get(name).map(String::from_utf8_lossy);
        text.filter(|text| !text.trim().is_empty())
    }

    pub(crate) fn into_owned(self) -> Fields<'static> {
        let owned = |value: Cow<'_, [u8]>| Cow::Owned(value.into_owned());
        Fields(
            self.0
                .into_iter()
                .map(|(name, value)| (name, owned(value)))
                .collect(),
        )
    }
}

pub(super) fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// Returns the error of a body that is not percent-encoded. It names the field that was probably meant.
fn unencoded(body: &[u8], known: &[&'static str]) -> RequestError {
    let start = body.split(|byte| *byte == b'=').next().unwrap_or_default();
    let field = known.iter().find(|field| field.as_bytes() == start);
    field.map_or(RequestError::NotAForm, |field| {
        RequestError::NotEncoded(field)
    })
}

#[cfg(test)]
mod tests {
    use super::super::urlencoded::is_encoded;
    use super::*;

    #[test]
    fn a_form_has_known_fields_only_each_once_and_blank_ones_are_absent() {
        let parse = |body: &str| {
            let known = ["reason", "block"];
            let unknown =
                |name: &str, _| RequestError::unknown(RequestError::UnknownShortField, name, known);
            let form = Fields::of_form("", body.as_bytes(), &known, is_encoded, unknown);
            form.map(|form| form.text("reason").map(Cow::into_owned))
        };
        assert_eq!(parse("reason=a+b%21&block=1"), Ok(Some("a b!".to_owned())));
        for none in ["", "reason=", "reason=+", "block=1"] {
            assert_eq!(parse(none), Ok(None), "{none}");
        }
        let repeated = RequestError::RepeatedField("reason", "anything");
        assert_eq!(parse("reason=a&reason=b"), Err(repeated));
        assert_eq!(parse("reason=a b"), Err(RequestError::NotEncoded("reason")));
        assert_eq!(parse("a b"), Err(RequestError::NotAForm));
        let unknown = parse("raeson=a").unwrap_err().row().sentence;
        assert!(unknown.contains("did you mean `reason`?"), "{unknown}");
    }
}
