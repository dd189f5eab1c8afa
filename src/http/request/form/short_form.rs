//! A form of a few short texts: a report, or an act of the operator.
//!
//! Invariants: only the given names are known, and each occurs at most once.

use super::body_kind::is_multipart;
use super::field::repeated;
use super::multipart::Parts;
use super::urlencoded::pairs;
use crate::http::request::error::RequestError;

/// The fields of a form, each with its name.
pub(crate) struct ShortForm(Vec<(&'static str, String)>);

impl ShortForm {
    /// Parses a body with this `Content-Type`. Invalid UTF-8 is replaced.
    ///
    /// # Errors
    /// If the body is not a form, or has an unknown or repeated field.
    pub(crate) fn parse(
        content_type: &str,
        body: &[u8],
        known: &[&'static str],
    ) -> Result<Self, RequestError> {
        let mut form = Self(Vec::new());
        if is_multipart(content_type) {
            for part in Parts::of(content_type, body)? {
                let part = part?;
                form.add(&part.name, part.content, known)?;
            }
        } else {
            for pair in pairs(body).ok_or_else(|| unencoded(body, known))? {
                form.add(&pair.name(), &pair.value(), known)?;
            }
        }
        Ok(form)
    }

    /// Returns the text of a field. Returns `None` if it is absent or blank.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let field = self.0.iter().find(|(field, _)| *field == name);
        let text = field.map(|(_, text)| text.as_str());
        text.filter(|text| !text.trim().is_empty())
    }

    fn add(
        &mut self,
        name: &str,
        value: &[u8],
        known: &[&'static str],
    ) -> Result<(), RequestError> {
        let Some(known) = known.iter().find(|known| **known == name) else {
            return Err(RequestError::unknown(
                RequestError::UnknownShortField,
                name,
                known.iter().copied(),
            ));
        };
        if self.0.iter().any(|(field, _)| field == known) {
            return Err(repeated(known));
        }
        let text = String::from_utf8_lossy(value).into_owned();
        self.0.push((known, text));
        Ok(())
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
    use super::*;

    #[test]
    fn a_form_has_known_fields_only_each_once_and_blank_ones_are_absent() {
        let parse = |body: &str| {
            let form = ShortForm::parse("", body.as_bytes(), &["reason", "block"]);
            form.map(|form| form.get("reason").map(str::to_owned))
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
