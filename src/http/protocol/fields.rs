//! The fields of a protocol's form, urlencoded or multipart, and the paste that they describe.
//!
//! Invariants: a form has only fields that its protocol names, each at most once. So an option that this server does
//! not know is rejected, and a form with many fields costs no memory. A save with an option outside its form is
//! rejected too.

use std::borrow::Cow;
use std::fmt;

use actix_web::web::Bytes;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::form::{FormError, crlf_to_lf, multipart, urlencoded};
use crate::http::request::{BodyKind, Request, has_options};
use crate::http::transfer::save_body;
use crate::paste::{Content, ContentError, Draft, Expiry, ExpiryPolicy, Language, Title};

/// Why a body is not a form of its protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FieldError {
    /// The query or a header has an option.
    OptionOutside,
    /// The body is not a form, or not a complete one.
    NotAForm,
    /// A field that the protocol does not name. Holds its name, safe to print, and the known names.
    Unknown(String, &'static [&'static str]),
    /// A field that was sent more than once.
    Repeated(&'static str),
}

/// The kind of the request's body if it is multipart, and otherwise `other`, whatever its label says.
pub(super) fn multipart_or(other: BodyKind, request: &Request<'_>) -> BodyKind {
    match request.body_kind() == BodyKind::Multipart {
        true => BodyKind::Multipart,
        false => other,
    }
}

/// Reads the body of a save that is a form. A body that is not labelled as multipart should be urlencoded.
pub(super) async fn form_body(
    context: &mut RequestContext<'_>,
) -> Result<(BodyKind, Bytes), ApiError> {
    let kind = multipart_or(BodyKind::Urlencoded, &context.request);
    Ok((kind, save_body(context, kind).await?))
}

/// Rejects a save that has options outside its form. They would be ignored.
pub(super) fn reject_options(context: &RequestContext<'_>) -> Result<(), FieldError> {
    let request = context.request;
    match request.query().is_empty() && !has_options(request.headers()) {
        true => Ok(()),
        false => Err(FieldError::OptionOutside),
    }
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
        let place = place.ok_or_else(|| FieldError::Unknown(FormError::printable(name), names))?;
        match values[place].replace(value) {
            None => Ok(()),
            Some(_) => Err(FieldError::Repeated(names[place])),
        }
    };
    if kind == BodyKind::Multipart {
        for part in multipart::Parts::of(content_type, body)? {
            let part = part?;
            add(&part.name, Cow::Borrowed(part.content))?;
        }
    } else {
        for pair in urlencoded::pairs(body).ok_or(FieldError::NotAForm)? {
            add(&pair.name(), crlf_to_lf(pair.value()))?;
        }
    }
    Ok(values)
}

/// The text of a field; `None` if it is absent or blank.
pub(super) fn text(value: Option<Cow<'_, [u8]>>) -> Option<String> {
    let text = value.map(|value| String::from_utf8_lossy(&value).trim().to_owned());
    text.filter(|text| !text.is_empty())
}

/// The number that these digits are. `str::parse` also allows a leading `+`.
pub(super) fn whole_number(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// The expiry that a client sent.
///
/// # Errors
/// `bad` if it is not valid, and `too_long` with the longest expiry if it is not allowed.
pub(super) fn expiry(
    sent: Option<Expiry>,
    policy: ExpiryPolicy,
    bad: &'static str,
    too_long: impl FnOnce(Expiry) -> String,
) -> Result<Expiry, Cow<'static, str>> {
    match sent {
        Some(expiry) if policy.allows(expiry) => Ok(expiry),
        Some(_) => Err(too_long(policy.longest()).into()),
        None => Err(bad.into()),
    }
}

/// The message if this number of seconds is too large.
pub(super) fn too_many_seconds(name: &str, longest: Expiry) -> String {
    let (words, seconds) = (longest.in_words(), longest.seconds().unwrap_or(u64::MAX));
    format!("`{name}` is longer than the limit of {words}. Send `{seconds}` or less.")
}

/// The draft of a paste with this content, title and language. An unknown language is plain text.
pub(super) fn draft(
    context: &RequestContext<'_>,
    content: &[u8],
    title: Option<Cow<'_, [u8]>>,
    language: Option<Cow<'_, [u8]>>,
    expiry: Expiry,
) -> Result<Draft, ContentError> {
    let language = text(language).map(|name| Language::from_name(&name).unwrap_or(Language::PLAIN));
    Ok(Draft {
        slug: None,
        content: Content::new(content, context.state.app.limits().max_paste_size)?,
        title: text(title).as_deref().and_then(Title::new),
        language,
        expiry,
    })
}

impl From<FormError> for FieldError {
    fn from(_: FormError) -> Self {
        Self::NotAForm
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OptionOutside => f.write_str(
                "Options in the query or in headers have no effect here. Send each option as a field of the form.",
            ),
            Self::NotAForm => f.write_str(
                "The body is not a complete form. Send it percent-encoded or as multipart/form-data.",
            ),
            Self::Unknown(name, names) => {
                write!(f, "Unknown field `{name}`. Use `{}`.", names.join("`, `"))
            }
            Self::Repeated(name) => write!(f, "The field `{name}` is sent more than once. Send it once."),
        }
    }
}

/// The messages of all errors.
#[cfg(test)]
pub(super) fn messages() -> Vec<String> {
    let errors = [
        FieldError::OptionOutside,
        FieldError::NotAForm,
        FieldError::Unknown("burn".to_owned(), &["content", "title"]),
        FieldError::Repeated("title"),
    ];
    errors.map(|error| error.to_string()).into()
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
        let unknown = |name: &str| FieldError::Unknown(name.to_owned(), &NAMES);
        for (body, error) in [
            ("text=a&burn=1", unknown("burn")),
            ("Text=a", unknown("Text")),
            ("%FF=a", unknown("…")),
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
