//! JSON objects that save a paste: their members are the fields of a form.
//!
//! Invariants:
//! - An object is a form only if one of its strings is the content. Any other JSON is itself the content.
//! - Only the direct members of an object count.
//! - A string is the value of a field, and so is a number of views or of seconds. `null` and `false` ask for nothing.
//!   Any other value is an error.
//!
//! Cost: one pass. Nested values use no stack. A body that does not start with a brace is not parsed.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::builder::Builder;
use super::field::{Field, Origin};
use super::{Form, FormError};

/// Parses the body of a save that is labelled as JSON. Returns `None` if the body is the content.
///
/// # Errors
/// If the form is invalid.
pub(crate) fn parse(body: &[u8]) -> Result<Option<Form<'_>>, FormError> {
    let mut object = Object::default();
    let mut json = serde_json::Deserializer::from_slice(without_bom(body));
    let parsed = json.deserialize_map(&mut object).and_then(|()| json.end());
    match object.error {
        _ if parsed.is_err() || !object.has_content => Ok(None),
        Some(error) => Err(error),
        None => {
            object.form.origin = Origin::Wastebin;
            object.form.finish().map(Some)
        }
    }
}

/// The body without the byte order mark that some programs write before JSON.
pub(crate) fn without_bom(body: &[u8]) -> &[u8] {
    body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body)
}

/// An object that may be a form.
#[derive(Default)]
struct Object<'b> {
    form: Builder<'b>,
    has_content: bool,
    /// The error if the object is a form.
    error: Option<FormError>,
}

/// A JSON string.
#[derive(Deserialize)]
struct Text<'b>(#[serde(borrow)] Cow<'b, str>);

impl<'b> Object<'b> {
    fn add(
        &mut self,
        name: &str,
        known: Option<(Field, u8)>,
        value: &'b str,
    ) -> Result<(), FormError> {
        let (field, number) = known.ok_or_else(|| FormError::unknown_field(name))?;
        let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
        let text = match (field, value) {
            (Field::Ignored, _) | (_, "null" | "false") => return Ok(()),
            (Field::BurnSwitch, "true") => Cow::Borrowed(value),
            (Field::Burn | Field::BurnSwitch | Field::Expires(_), _) if is_number => {
                Cow::Borrowed(value)
            }
            _ => match serde_json::from_str(value) {
                Ok(Text(text)) => text,
                Err(_) => return Err(FormError::FieldValue(field.name())),
            },
        };
        // A browser may send an empty field of a form, but no program means an empty password in JSON.
        if text.is_empty() && field == Field::Password {
            return Err(FormError::FieldEmpty(field.name()));
        }
        let bytes = match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        self.form.add_known((field, number), bytes, None)
    }
}

impl<'b> Visitor<'b> for &mut Object<'b> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'b>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value::<&RawValue>()?.get();
            let known = Field::numbered(&name);
            let is_content = matches!(known, Some((Field::Content | Field::Oneshot, _)));
            self.has_content |= is_content && value.starts_with('"');
            if self.error.is_none() {
                self.error = self.add(&name, known, value).err();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::request::form::SaveForm;

    fn form(body: &str) -> Result<SaveForm<'_>, FormError> {
        parse(body.as_bytes())?.expect(body).single()
    }

    #[test]
    fn an_object_with_its_content_in_a_string_is_a_form() {
        let body = r#"{"owner":1,"text":"\u0061","extension":"rs","expires":60,"burn_after_reading":true,"title":null}"#;
        let read = form(body).unwrap();
        assert_eq!((&*read.content, read.title), (&b"a"[..], None));
        assert_eq!(read.language.as_deref(), Some("rs"));
        assert_eq!(read.expires.as_deref(), Some("60s"));
        assert_eq!(read.burn.as_deref(), Some("1"));
        for (body, expires, burn) in [
            (
                r#"{"content":"a","expires":"2h","burn":3}"#,
                Some("2h"),
                Some("3"),
            ),
            ("\u{feff} {\"code\":\"a\",\"burn\":false}", None, None),
            (r#"{"data":"a","expire":null}"#, None, None),
            (r#"{"oneshot":"a"}"#, None, Some("1")),
        ] {
            let read = form(body).unwrap();
            assert_eq!(read.expires.as_deref(), expires, "{body}");
            assert_eq!(read.burn.as_deref(), burn, "{body}");
        }
    }

    #[test]
    fn a_form_with_an_unknown_repeated_or_wrong_member_is_an_error() {
        for (body, error) in [
            (
                r#"{"content":"a","pass":"x"}"#,
                FormError::unknown_field("pass"),
            ),
            (
                r#"{"views":1,"text":"a"}"#,
                FormError::unknown_field("views"),
            ),
            (
                r#"{"text":"a","self_destruct":null}"#,
                FormError::unknown_field("self_destruct"),
            ),
            (
                r#"{"text":"a","title":"b","name":"c"}"#,
                FormError::RepeatedField("title"),
            ),
            (r#"{"text":"a","text":"b"}"#, FormError::SeveralContents),
            (r#"{"text":"a","url":"b"}"#, FormError::SeveralContents),
            (r#"{"text":"a","data":{}}"#, FormError::FieldValue("file")),
            (
                r#"{"text":"a","password":["x"]}"#,
                FormError::FieldValue("password"),
            ),
            (r#"{"text":"a","burn":1.5}"#, FormError::FieldValue("burn")),
            (r#"{"text":"a","burn":-1}"#, FormError::FieldValue("burn")),
            (r#"{"text":"\ud800"}"#, FormError::FieldValue("file")),
            (
                r#"{"text":"a","password":""}"#,
                FormError::FieldEmpty("password"),
            ),
            (r#"{"text":""}"#, FormError::NoContent),
        ] {
            assert_eq!(form(body).err(), Some(error), "{body}");
        }
    }

    #[test]
    fn any_other_json_is_content() {
        let nested = format!(r#"{{"a":{}{}}}"#, "[".repeat(1 << 20), "]".repeat(1 << 20));
        for body in [
            "",
            "{}",
            "text",
            r#"{"password":"x","burn":1}"#,
            r#"{"access_token":"a","expires_in":60}"#,
            r#"{"data":{"text":"a"},"burn":1}"#,
            r#"{"url":"https://a.example/","id":1}"#,
            r#"{"Text":"a","burn":1}"#,
            r#"[{"text":"a","burn":1}]"#,
            r#"{"text":"a","burn":1"#,
            r#"{"text":"a"} {}"#,
            &nested,
        ] {
            assert!(matches!(parse(body.as_bytes()), Ok(None)), "{body:.60}");
        }
    }
}
