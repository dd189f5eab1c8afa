//! The fields of a protocol's form, urlencoded or multipart.
//!
//! Invariants: a form has only fields that its protocol names, each at most once. So an option that this server does
//! not know is rejected, and a form with many fields costs no memory.

use std::borrow::Cow;
use std::fmt;

use crate::http::request::BodyKind;
use crate::http::request::form::{FormError, crlf_to_lf, multipart, urlencoded};

/// Why a body is not a form of its protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FieldError {
    /// The body is not a form, or not a complete one.
    NotAForm,
    /// A field that the protocol does not name. Holds the known names.
    Unknown(&'static [&'static str]),
    /// A field that was sent more than once.
    Repeated(&'static str),
}

/// The values of the fields with these names, each `None` if it was not sent. Clients convert the line ends of a
/// urlencoded value to CR LF, so they become LF again.
pub(super) fn fields<'b, const N: usize>(
    names: &'static [&'static str; N],
    kind: BodyKind,
    content_type: &str,
    body: &'b [u8],
) -> Result<[Option<Cow<'b, [u8]>>; N], FieldError> {
    let mut values = [const { None }; N];
    let mut add = |name: &str, value| {
        let place = names.iter().position(|known| *known == name);
        let place = place.ok_or(FieldError::Unknown(names))?;
        match values[place].replace(value) {
            None => Ok(()),
            Some(_) => Err(FieldError::Repeated(names[place])),
        }
    };
    match kind {
        BodyKind::Multipart => {
            for part in multipart::Parts::of(content_type, body)? {
                let part = part?;
                add(&part.name, Cow::Borrowed(part.content))?;
            }
        }
        BodyKind::Urlencoded | BodyKind::Raw => {
            for pair in urlencoded::pairs(body).ok_or(FieldError::NotAForm)? {
                add(&pair.name(), crlf_to_lf(pair.value()))?;
            }
        }
    }
    Ok(values)
}

impl From<FormError> for FieldError {
    fn from(_: FormError) -> Self {
        Self::NotAForm
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAForm => f.write_str(
                "The body is not a complete form. Send it percent-encoded or as multipart/form-data.",
            ),
            Self::Unknown(names) => {
                write!(f, "The form has an unknown field. Use `{}`.", names.join("`, `"))
            }
            Self::Repeated(name) => write!(f, "The field `{name}` is sent more than once. Send it once."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["text", "title"];

    fn read<'b>(
        content_type: &str,
        body: &'b str,
    ) -> Result<[Option<Cow<'b, [u8]>>; 2], FieldError> {
        let kind = BodyKind::of(crate::http::request::Method::Post, content_type);
        fields(&NAMES, kind, content_type, body.as_bytes())
    }

    #[test]
    fn both_encodings_give_the_named_fields() {
        let multipart =
            "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\na\r\nb\r\n--b--\r\n";
        let [text, title] = read("multipart/form-data; boundary=b", multipart).unwrap();
        assert_eq!((text.as_deref(), title), (Some(&b"a\r\nb"[..]), None));
        for content_type in ["application/x-www-form-urlencoded", ""] {
            let [text, title] = read(content_type, "title=&text=a%0D%0Ab+%2B").unwrap();
            assert_eq!(text.as_deref(), Some(&b"a\nb +"[..]));
            assert_eq!(title.as_deref(), Some(&b""[..]));
        }
        assert_eq!(read("", ""), Ok([None, None]));
    }

    #[test]
    fn an_unknown_or_repeated_field_is_an_error_and_so_is_a_body_that_is_no_form() {
        let many = "text=a&".repeat(100_000);
        for (body, error) in [
            ("text=a&burn=1", FieldError::Unknown(&NAMES)),
            ("Text=a", FieldError::Unknown(&NAMES)),
            ("%FF=a", FieldError::Unknown(&NAMES)),
            ("text=a&text=a", FieldError::Repeated("text")),
            (&many, FieldError::Repeated("text")),
            ("text=a b", FieldError::NotAForm),
        ] {
            assert_eq!(read("", body), Err(error), "{body:.30}");
        }
        let cut_off = "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\na\r\n";
        let read = read("multipart/form-data; boundary=b", cut_off);
        assert_eq!(read, Err(FieldError::NotAForm));
    }
}
