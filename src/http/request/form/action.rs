//! A form sent to an existing paste: it deletes, changes or reads the paste.
//!
//! Invariants: an unknown field or a body that is not a form is an error. A read may use up the paste, so it must not
//! happen by mistake.

use std::borrow::Cow;

use super::fields::Fields;
use super::line_ends::one_line;
use crate::http::request::error::RequestError;

const FIELDS: [&str; 6] = ["password", "title", "lang", "expires", "token", "delete"];

/// The fields of a form sent to a paste.
pub(crate) struct ActionForm(Fields<'static>);

/// The action that a form requests on a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PasteAction {
    Delete,
    /// Change the title, the language or the expiry.
    Change,
    Read,
    /// No action: an owner's form without a change.
    Nothing,
}

impl ActionForm {
    /// Parses a body with this `Content-Type`. An empty body is a form without fields.
    ///
    /// # Errors
    /// If the body is malformed, or has an unknown or repeated field.
    pub(crate) fn parse(content_type: &str, body: &[u8]) -> Result<Self, RequestError> {
        let unknown = |name: &str, is_likely| match is_likely {
            true => RequestError::unknown_action_field(name),
            false => RequestError::NotAForm,
        };
        let fields = Fields::of_form(content_type, body, &FIELDS, unknown)?;
        Ok(Self(fields.into_owned()))
    }

    /// The requested action. A deletion overrides all other fields. Only an owner has a field other than the password.
    pub(crate) fn action(&self) -> PasteAction {
        let sent = |name| self.0.get(name).is_some();
        if sent("delete") {
            PasteAction::Delete
        } else if sent("title") || self.text("lang").is_some() || self.text("expires").is_some() {
            PasteAction::Change
        } else if ["token", "lang", "expires"].into_iter().any(sent) {
            PasteAction::Nothing
        } else {
            PasteAction::Read
        }
    }

    /// The text of a field, not blank.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.0.text(name)
    }

    /// The new title; an empty one removes the title.
    pub(crate) fn title(&self) -> Option<Cow<'_, str>> {
        self.0.get("title").map(String::from_utf8_lossy)
    }

    /// The password, not empty.
    pub(crate) fn password(&self) -> Option<&[u8]> {
        self.0
            .get("password")
            .filter(|value| !one_line(value).is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(body: &str) -> Option<PasteAction> {
        let form = ActionForm::parse("application/x-www-form-urlencoded", body.as_bytes());
        form.ok().map(|form| form.action())
    }

    #[test]
    fn the_fields_of_a_form_select_its_action() {
        for (body, expected) in [
            ("", Some(PasteAction::Read)),
            ("password=a", Some(PasteAction::Read)),
            ("delete", Some(PasteAction::Delete)),
            ("delete=1&token=a&title=b", Some(PasteAction::Delete)),
            ("expires=1d&token=a", Some(PasteAction::Change)),
            ("title=a", Some(PasteAction::Change)),
            ("title=&token=a", Some(PasteAction::Change)),
            ("lang=rust", Some(PasteAction::Change)),
            ("lang=", Some(PasteAction::Nothing)),
            ("expires=", Some(PasteAction::Nothing)),
            ("expires=+&token=a", Some(PasteAction::Nothing)),
            ("token=", Some(PasteAction::Nothing)),
            ("token=a", Some(PasteAction::Nothing)),
            ("burm=1", None),
            ("some text\n", None),
            ("text", None),
            ("title=a&title=b", None),
            ("title=&title=b", None),
            ("password=a&password=b", None),
        ] {
            assert_eq!(action(body), expected, "{body}");
        }
    }

    #[test]
    fn a_body_that_is_not_a_form_is_distinguished_from_a_form_with_a_mistake() {
        let unknown = RequestError::unknown_action_field;
        for (body, error) in [
            (&b"some text\n"[..], RequestError::NotAForm),
            (b"text", RequestError::NotAForm),
            (b"{\"text\":1}", RequestError::NotAForm),
            (
                b"{\"url\":\"https://a.example/?b=c\"}",
                RequestError::NotAForm,
            ),
            (b"title=a&\xff\xfe", RequestError::NotEncoded("title")),
            (b"password=a b", RequestError::NotEncoded("password")),
            (b"burm=1", unknown("burm")),
            (b"f:1=a", unknown("f:1")),
        ] {
            let form = ActionForm::parse("application/x-www-form-urlencoded", body);
            assert_eq!(form.err(), Some(error), "{body:?}");
        }
    }
}
