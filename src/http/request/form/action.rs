//! A form sent to an existing paste: it deletes, changes or reads the paste.
//!
//! Invariants: an unknown field or a body that is not a form is an error. A read may use up the paste, so it must not
//! happen by mistake.

use super::FormError;
use super::body_kind::is_multipart;
use super::line_ends::one_line;
use super::multipart::Parts;
use super::urlencoded::pairs;

/// The fields of a form sent to a paste.
#[derive(Default)]
pub(crate) struct ActionForm {
    /// Whether to delete the paste. This overrides all other fields.
    delete: bool,
    /// The owner token, not empty.
    pub(crate) token: Option<String>,
    /// The password, not empty.
    pub(crate) password: Option<Vec<u8>>,
    /// The new title; an empty one removes the title.
    pub(crate) title: Option<String>,
    /// The new language, unparsed.
    pub(crate) language: Option<String>,
    /// The new expiry, unparsed.
    pub(crate) expires: Option<String>,
    /// Whether a field was sent that only an owner uses, even an empty one.
    is_owner_form: bool,
}

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
    pub(crate) fn parse(content_type: &str, body: &[u8]) -> Result<Self, FormError> {
        let mut form = Self::default();
        if is_multipart(content_type) {
            for part in Parts::of(content_type, body)? {
                let part = part?;
                form.add(&part.name, part.content)?;
            }
        } else {
            for pair in pairs(body).ok_or_else(|| unencoded(body))? {
                form.add(&pair.name(), &pair.value())
                    .map_err(|error| match error {
                        FormError::UnknownActionField { .. } if !pair.looks_like_a_field() => {
                            FormError::NotAForm
                        }
                        error => error,
                    })?;
            }
        }
        Ok(form)
    }

    /// The requested action.
    pub(crate) fn action(&self) -> PasteAction {
        if self.delete {
            PasteAction::Delete
        } else if self.title.is_some() || self.language.is_some() || self.expires.is_some() {
            PasteAction::Change
        } else if self.is_owner_form {
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
            "lang" => ("lang", &mut self.language),
            "expires" => ("expires", &mut self.expires),
            unknown => return Err(FormError::unknown_action_field(unknown)),
        };
        self.is_owner_form = true;
        if field.is_some() {
            return Err(FormError::RepeatedField(name));
        }
        let text = String::from_utf8_lossy(value).into_owned();
        *field = Some(text).filter(|text| name == "title" || !text.trim().is_empty());
        Ok(())
    }
}

/// Returns the error of a body that is not percent-encoded. It is probably a file, unless it starts with a field.
fn unencoded(body: &[u8]) -> FormError {
    let starts_with = |name: &&str| {
        let rest = body.strip_prefix(name.as_bytes());
        rest.is_some_and(|rest| rest.starts_with(b"="))
    };
    let field = ["password", "title", "lang", "expires", "token", "delete"]
        .into_iter()
        .find(starts_with);
    field.map_or(FormError::NotAForm, FormError::NotEncoded)
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
        let unknown = FormError::unknown_action_field;
        for (body, error) in [
            (&b"some text\n"[..], FormError::NotAForm),
            (b"text", FormError::NotAForm),
            (b"{\"text\":1}", FormError::NotAForm),
            (b"{\"url\":\"https://a.example/?b=c\"}", FormError::NotAForm),
            (b"title=a&\xff\xfe", FormError::NotEncoded("title")),
            (b"password=a b", FormError::NotEncoded("password")),
            (b"burm=1", unknown("burm")),
            (b"f:1=a", unknown("f:1")),
        ] {
            let form = ActionForm::parse("application/x-www-form-urlencoded", body);
            assert_eq!(form.err(), Some(error), "{body:?}");
        }
    }
}
