//! The fields of a protocol's form, urlencoded or multipart, and the paste that they describe.
//!
//! Invariants: a form has only fields that its protocol names, each at most once. So an option that this server does
//! not know is rejected, and a form with many fields costs no memory. A save with an option outside its form is
//! rejected too.

use std::borrow::Cow;

use actix_web::web::Bytes;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::problem::{ProblemType as T, Row};
use crate::http::request::RequestError;
use crate::http::request::form::{crlf_to_lf, multipart, urlencoded};
use crate::http::request::{BodyKind, Request, has_options};
use crate::http::transfer::save_body;
use crate::paste::{Content, ContentError, Draft, Expiry, ExpiryPolicy, Language, Title};

const OPTION_OUTSIDE: &str = "Options in the query or in headers have no effect here. Send each option as a field of \
     the form.";
const NOT_A_FORM: &str =
    "The body is not a complete form. Send it percent-encoded or as multipart/form-data.";

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
pub(super) fn reject_options(context: &RequestContext<'_>) -> Result<(), ApiError> {
    let request = context.request;
    match request.query().is_empty() && !has_options(request.headers()) {
        true => Ok(()),
        false => Err(T::UnknownName.says(OPTION_OUTSIDE).into()),
    }
}

/// The values of the fields with these names, each `None` if it was not sent. Clients convert the line ends of a
/// urlencoded value to CR LF, so they become LF again.
pub(super) fn fields<'b, const N: usize>(
    names: &'static [&'static str; N],
    kind: BodyKind,
    content_type: &str,
    body: &'b [u8],
) -> Result<[Option<Cow<'b, [u8]>>; N], ApiError> {
    let mut values = [const { None }; N];
    let mut add = |name: &str, value| {
        let place = names.iter().position(|known| *known == name);
        let place = place.ok_or_else(|| unknown(&RequestError::printable(name), names))?;
        match values[place].replace(value) {
            None => Ok(()),
            Some(_) => Err(repeated(names[place])),
        }
    };
    if kind == BodyKind::Multipart {
        for part in multipart::Parts::of(content_type, body).map_err(|_| not_a_form())? {
            let part = part.map_err(|_| not_a_form())?;
            add(&part.name, Cow::Borrowed(part.content))?;
        }
    } else {
        for pair in urlencoded::pairs(body).ok_or_else(not_a_form)? {
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
) -> Result<Expiry, Row> {
    match sent {
        Some(expiry) if policy.allows(expiry) => Ok(expiry),
        Some(_) => Err(T::InvalidValue.says(too_long(policy.longest()))),
        None => Err(T::InvalidValue.says(bad)),
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

/// The error of content that is missing, empty or too large. `missing` is the sentence if there is none.
pub(super) fn content_error(error: ContentError, missing: &'static str, max: usize) -> ApiError {
    match error {
        ContentError::Empty => T::EmptyContent.says(missing).into(),
        ContentError::TooLarge => ApiError::TooLarge(max),
    }
}

fn not_a_form() -> ApiError {
    T::MalformedRequest.says(NOT_A_FORM).into()
}

/// The error of a field that the protocol does not name.
fn unknown(name: &str, names: &[&str]) -> ApiError {
    let names = names.join("`, `");
    let sentence = format!("Unknown field `{name}`. Use `{names}`.");
    T::UnknownName.says(sentence).into()
}

pub(super) fn repeated(name: &str) -> ApiError {
    let sentence = format!("The field `{name}` is sent more than once. Send it once.");
    T::RepeatedName.says(sentence).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["text", "title"];

    fn read<'b>(content_type: &str, body: &'b str) -> Result<[Option<Cow<'b, [u8]>>; 2], ApiError> {
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
        let unknown = |name: &str| unknown(name, &NAMES);
        for (body, error) in [
            ("text=a&burn=1", unknown("burn")),
            ("Text=a", unknown("Text")),
            ("%FF=a", unknown("…")),
            ("text=a&text=a", repeated("text")),
            (&many, repeated("text")),
            ("text=a b", not_a_form()),
        ] {
            assert_eq!(read("", body), Err(error), "{body:.30}");
        }
        let cut_off = "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\na\r\n";
        let read = read("multipart/form-data; boundary=b", cut_off);
        assert_eq!(read, Err(not_a_form()));
    }
}
