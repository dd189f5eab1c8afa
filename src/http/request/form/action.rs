//! The form that goes to a paste: delete it, change it, or read it.
//!
//! What it must not know: whether the token and the password are right.
//! Invariants: a name that is not known refuses the form, and so does a body that is no form: to read may use a paste
//! up, which nobody does by a mistake.

use super::FormError;
use super::line_ends::one_line;
use super::multipart::{Parts, is_multipart};
use super::urlencoded::pairs;

/// What a form asks of a paste.
#[derive(Default)]
pub(crate) struct ActionForm {
    /// Whether it is to be deleted; goes before everything else.
    delete: bool,
    /// The token, if one was given that is not empty.
    pub(crate) token: Option<String>,
    /// The password, if one was given that is not empty.
    pub(crate) password: Option<Vec<u8>>,
    /// Another title; an empty one takes it away.
    pub(crate) title: Option<String>,
    /// Another lifetime, not yet read.
    pub(crate) expires: Option<String>,
    /// Whether it has a field that no reader sends, though it be empty.
    is_no_readers: bool,
}

/// What is to be done with a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PasteAction {
    /// It is to be deleted.
    Delete,
    /// Its title or its lifetime is to be another.
    Change,
    /// It is to be read.
    Read,
    /// Nothing, though somebody said that they may.
    Nothing,
}

impl ActionForm {
    /// The form in a body of this `Content-Type`; no body is a form without fields.
    pub(crate) fn parse(content_type: &str, body: &[u8]) -> Result<Self, FormError> {
        let mut form = Self::default();
        if is_multipart(content_type) {
            for part in Parts::of(content_type, body)? {
                let part = part?;
                form.add(&part.name, part.content)?;
            }
        } else {
            let pairs = pairs(body).ok_or(FormError::NotEncoded("password"))?;
            for pair in pairs {
                form.add(&pair.name(), &pair.value())?;
            }
        }
        Ok(form)
    }

    /// What it asks for.
    pub(crate) fn action(&self) -> PasteAction {
        if self.delete {
            PasteAction::Delete
        } else if self.title.is_some() || self.expires.is_some() {
            PasteAction::Change
        } else if self.is_no_readers {
            PasteAction::Nothing
        } else {
            PasteAction::Read
        }
    }

    fn add(&mut self, name: &str, value: &[u8]) -> Result<(), FormError> {
        let (name, field) = match name {
            "delete" => {
                self.delete = true;
                return Ok(());
            }
            "password" if self.password.is_some() => {
                return Err(FormError::RepeatedField("password"));
            }
            "password" => {
                self.password = Some(one_line(value).to_vec()).filter(|it| !it.is_empty());
                return Ok(());
            }
            "token" => ("token", &mut self.token),
            "title" => ("title", &mut self.title),
            "expires" => ("expires", &mut self.expires),
            unknown => return Err(FormError::unknown_deed(unknown)),
        };
        self.is_no_readers = true;
        if field.is_some() {
            return Err(FormError::RepeatedField(name));
        }
        let text = String::from_utf8_lossy(value).into_owned();
        *field = Some(text).filter(|text| name == "title" || !text.trim().is_empty());
        Ok(())
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
    fn a_form_says_what_is_to_be_done_and_what_is_none_does_nothing() {
        for (body, expected) in [
            ("", Some(PasteAction::Read)),
            ("password=a", Some(PasteAction::Read)),
            ("delete", Some(PasteAction::Delete)),
            ("delete=1&token=a&title=b", Some(PasteAction::Delete)),
            ("expires=1d&token=a", Some(PasteAction::Change)),
            ("title=a", Some(PasteAction::Change)),
            ("title=&token=a", Some(PasteAction::Change)),
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
}
