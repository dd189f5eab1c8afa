//! The forms for existing pastes: one sent to a paste deletes, changes or reads it, and those of `/mine` act on
//! several.
//!
//! Invariants: an unknown field or a body that is not a form is an error. A read may use up the paste, so it must not
//! happen by mistake.

use std::borrow::Cow;

use super::fields::Fields;
use super::urlencoded::{is_encoded, one_line};
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
            true => RequestError::UnknownActionField(RequestError::printable(name)),
            false => RequestError::NotAForm,
        };
        let fields = Fields::of_form(content_type, body, &FIELDS, is_encoded, unknown)?;
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

/// The most pastes of a form of `/mine`. A page of the list has as many.
const MOST: usize = 50;

/// A form of `/mine`: what to do with several pastes, or whether to delete all.
pub(crate) struct OwnerForm(pub(crate) Fields<'static>);

/// The action on the named pastes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OwnerAction {
    Delete,
    /// The expiry, as it was sent.
    Extend(String),
}

impl OwnerForm {
    pub(crate) const FIELDS: [&str; 4] = ["id", "do", "expires", "pastes"];

    /// Whether all pastes are to be deleted.
    pub(crate) fn deletes_all(&self) -> bool {
        self.0.get("pastes") == Some(b"1")
    }

    /// Returns the named pastes, and what to do with them.
    ///
    /// # Errors
    /// If the form names none, too many, or no action.
    pub(crate) fn action(self) -> Result<(Vec<String>, OwnerAction), RequestError> {
        let text = |value| String::from_utf8_lossy(value).into_owned();
        let action = match (self.0.get("do"), self.0.get("expires")) {
            (Some(b"delete"), _) => OwnerAction::Delete,
            (Some(b"extend"), Some(expires)) => OwnerAction::Extend(text(expires)),
            _ => return Err(RequestError::Selection),
        };
        let ids: Vec<_> = self.0.all("id").map(text).collect();
        match ids.len() {
            1..=MOST => Ok((ids, action)),
            _ => Err(RequestError::Selection),
        }
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
        let unknown = |name: &str| RequestError::UnknownActionField(name.to_owned());
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

    fn owner_form(body: &str) -> Result<OwnerForm, RequestError> {
        let unknown = |_: &str, _| RequestError::NotAForm;
        let fields = Fields::of_form("", body.as_bytes(), &OwnerForm::FIELDS, is_encoded, unknown)?;
        Ok(OwnerForm(fields.into_owned()))
    }

    #[test]
    fn a_form_names_one_to_fifty_pastes_and_one_action() {
        let extend = OwnerAction::Extend("1d".to_owned());
        let many = "id=a&".repeat(51);
        for (body, expected) in [
            (
                "id=a&id=b&do=delete&expires=1d",
                Some((2, OwnerAction::Delete)),
            ),
            ("id=a&do=extend&expires=1d", Some((1, extend))),
            ("id=a&do=extend", None),
            ("do=delete", None),
            ("id=a", None),
            ("id=a&do=keep", None),
            (&format!("{many}do=delete"), None),
        ] {
            let form = owner_form(body).expect("known fields");
            let action = form.action().map(|(ids, action)| (ids.len(), action));
            assert_eq!(action.ok(), expected, "{body}");
        }
        assert!(owner_form("id=a&burn=1").is_err());
        assert!(owner_form("id=a&do=extend&expires=1d&do=delete").is_err());
        for (body, deletes_all) in [("pastes=1", true), ("pastes=0", false), ("pastes=", false)] {
            let form = owner_form(body).expect("known");
            assert_eq!(form.deletes_all(), deletes_all, "{body}");
        }
    }
}
