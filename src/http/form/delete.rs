//! The form that deletes: a field `delete`, whatever its value, and maybe a `token`.
//!
//! What it must not know: whether the token is right.
//! Other fields are skipped: unlike in a form that saves, none of them could keep or publish anything.

use super::FormError;
use super::multipart::{Parts, is_multipart};
use super::urlencoded::pairs;

/// What a form asks of a paste.
#[derive(Default)]
pub(crate) struct DeleteForm {
    /// Whether it is to be deleted.
    pub(crate) delete: bool,
    /// The token, if one was given that is not empty.
    pub(crate) token: Option<String>,
}

impl DeleteForm {
    /// The form in a body of this `Content-Type`.
    pub(crate) fn parse(content_type: &str, body: &[u8]) -> Result<Self, FormError> {
        let mut form = Self::default();
        if is_multipart(content_type) {
            for part in Parts::of(content_type, body)? {
                let part = part?;
                form.add(&part.name, part.content);
            }
        } else {
            for pair in pairs(body).into_iter().flatten() {
                form.add(&pair.name(), &pair.value());
            }
        }
        Ok(form)
    }

    fn add(&mut self, name: &str, value: &[u8]) {
        match name {
            "delete" => self.delete = true,
            "token" if !value.is_empty() => {
                self.token = Some(String::from_utf8_lossy(value).into_owned())
            }
            _ => {}
        }
    }
}
