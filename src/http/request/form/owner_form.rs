//! The forms of `/mine`: what to do with several pastes, and whether to delete all.

use super::fields::Fields;
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
pub(crate) struct OwnerForm(Fields<'static>);

impl OwnerForm {
    /// Parses a body with this `Content-Type`: multipart or urlencoded.
    ///
    /// # Errors
    /// If it is not a form, or has an unknown field, or two actions or expiries.
    pub(crate) fn parse(content_type: &str, body: &[u8]) -> Result<Self, RequestError> {
        let unknown =
            |name: &str, _| RequestError::unknown(RequestError::UnknownShortField, name, FIELDS);
        let fields = Fields::of_form(content_type, body, &FIELDS, unknown)?;
        Ok(Self(fields.into_owned()))
    }

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
            assert_eq!(form.deletes_all(), deletes_all, "{body}");
        }
    }
}
