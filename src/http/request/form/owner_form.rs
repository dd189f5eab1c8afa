//! The forms of `/mine`: what to do with several pastes, and whether to delete all.

use std::borrow::Cow;

use super::FormError;
use super::body_kind::is_multipart;
use super::multipart::Parts;
use crate::http::request::RequestError;

/// The most pastes of one form. A page of the list has as many.
const MOST: usize = 50;

/// The fields of both forms.
const FIELDS: [&str; 4] = ["id", "do", "expires", "pastes"];

/// The action on the named pastes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OwnerAction {
    Delete,
    /// The expiry, as it was sent.
    Extend(String),
}

/// A form of `/mine`.
#[derive(Debug, Default)]
pub(crate) struct OwnerForm {
    ids: Vec<String>,
    action: Option<String>,
    expires: Option<String>,
    /// Whether all pastes are to be deleted.
    pub(crate) deletes_all: bool,
}

impl OwnerForm {
    /// Parses a body with this `Content-Type`: multipart or urlencoded.
    ///
    /// # Errors
    /// If it has an unknown field, or two actions or expiries.
    pub(crate) fn parse(content_type: &str, body: &[u8]) -> Result<Self, FormError> {
        let mut form = Self::default();
        if is_multipart(content_type) {
            for part in Parts::of(content_type, body)? {
                let part = part?;
                form.add(&part.name, String::from_utf8_lossy(part.content))?;
            }
        } else {
            for (name, value) in form_urlencoded::parse(body) {
                form.add(&name, value)?;
            }
        }
        Ok(form)
    }

    fn add(&mut self, name: &str, value: Cow<'_, str>) -> Result<(), FormError> {
        match name {
            "id" => self.ids.push(value.into_owned()),
            "do" if self.action.is_some() => return Err(FormError::RepeatedField("do")),
            "do" => self.action = Some(value.into_owned()),
            "expires" if self.expires.is_some() => {
                return Err(FormError::RepeatedField("expires"));
            }
            "expires" => self.expires = Some(value.into_owned()),
            "pastes" => self.deletes_all = value == "1",
            unknown => return Err(FormError::unknown_short_field(unknown, &FIELDS)),
        }
        Ok(())
    }

    /// Returns the named pastes, and what to do with them.
    ///
    /// # Errors
    /// If the form names none, too many, or no action.
    pub(crate) fn action(self) -> Result<(Vec<String>, OwnerAction), RequestError> {
        let action = match (self.action.as_deref(), self.expires) {
            (Some("delete"), _) => OwnerAction::Delete,
            (Some("extend"), Some(expires)) => OwnerAction::Extend(expires),
            _ => return Err(RequestError::Selection),
        };
        match self.ids.len() {
            1..=MOST => Ok((self.ids, action)),
            _ => Err(RequestError::Selection),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let form = OwnerForm::parse("", body.as_bytes()).expect("known fields");
            let action = form.action().map(|(ids, action)| (ids.len(), action));
            assert_eq!(action.ok(), expected, "{body}");
        }
        assert!(OwnerForm::parse("", b"id=a&burn=1").is_err());
        assert!(OwnerForm::parse("", b"id=a&do=extend&expires=1d&do=delete").is_err());
        for (body, deletes_all) in [("pastes=1", true), ("pastes=0", false), ("pastes=", false)] {
            let form = OwnerForm::parse("", body.as_bytes()).expect("known");
            assert_eq!(form.deletes_all, deletes_all, "{body}");
        }
    }
}
