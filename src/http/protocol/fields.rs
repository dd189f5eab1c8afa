//! The fields of a protocol's form, urlencoded or multipart, and the paste that they describe.
//!
//! Invariants: a form has only fields that its protocol names, each at most once. So an option that this server does
//! not know is rejected, and a form with many fields costs no memory. A save with an option outside its form is
//! rejected too.

use std::borrow::Cow;

use crate::app::Created;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::problem::{ProblemType as T, Row};
use crate::http::request::RequestError;
use crate::http::request::form::urlencoded::may_be_form;
use crate::http::request::form::{Fields, crlf_to_lf};
use crate::http::request::{BodyKind, has_options, named_language};
use crate::paste::{
    Access, Asked, Content, Draft, Expiry, ExpiryPolicy, Language, SizeError, Title,
};

const OPTION_OUTSIDE: &str = "Options in the query or in headers have no effect here. Send each option as a field of \
     the form.";
const NOT_A_FORM: &str =
    "The body is not a complete form. Send it percent-encoded or as multipart/form-data.";

/// Rejects a save that has options outside its form. They would be ignored.
pub(super) fn reject_options(context: &RequestContext<'_>) -> Result<(), ApiError> {
    let request = context.request;
    match request.query().is_empty() && !has_options(request.headers()) {
        true => Ok(()),
        false => Err(T::UnknownName.says(OPTION_OUTSIDE).into()),
    }
}

/// The kind of the body of a save that is a form. One that is not labelled as multipart should be urlencoded.
pub(super) fn form_kind(context: &RequestContext<'_>) -> BodyKind {
    match context.request.is_multipart() {
        true => BodyKind::Multipart,
        false => BodyKind::Urlencoded,
    }
}

/// The fields of a form, which has only those with these names. As in a save at `/`, programs may leave blanks and
/// letters of all scripts as they are.
pub(super) fn fields<'b>(
    names: &[&'static str],
    content_type: &str,
    body: &'b [u8],
) -> Result<Fields<'b>, Row> {
    let unknown = |name: &str, _| RequestError::UnknownField(RequestError::printable(name), None);
    Fields::of_form(content_type, body, names, may_be_form, unknown).map_err(|error| match error {
        RequestError::UnknownField(name, _) => {
            let names = names.join("`, `");
            T::UnknownName.says(format!("Unknown field `{name}`. Use `{names}`."))
        }
        RequestError::RepeatedField(name, _) => repeated(name),
        _ => T::MalformedRequest.says(NOT_A_FORM),
    })
}

/// The text of a field; `None` if it is absent or blank.
pub(super) fn text(fields: &Fields<'_>, name: &str) -> Option<String> {
    fields.text(name).map(|text| text.trim().to_owned())
}

/// The expiry that a client sent under this name, or the default one. `Some(None)` is one that is not valid.
///
/// # Errors
/// `bad` if it is not valid, and another sentence if it is too long.
pub(super) fn expiry(
    policy: ExpiryPolicy,
    name: &str,
    sent: Option<Option<Expiry>>,
    bad: &'static str,
) -> Result<Expiry, Row> {
    match sent {
        None => Ok(policy.default),
        Some(Some(expiry)) if policy.allows(expiry) => Ok(expiry),
        Some(Some(_)) => {
            let longest = policy.longest.in_words();
            let sentence = format!("`{name}` is longer than the limit of {longest}. Send less.");
            Err(T::InvalidValue.says(sentence))
        }
        Some(None) => Err(T::InvalidValue.says(bad)),
    }
}

/// Saves the paste of a form, whose fields for the content, the title and the language have these names. Clients
/// convert the line ends of a urlencoded value to CR LF, so they become LF again. An unknown language is plain text.
/// The error of a form without content is `no_content`.
pub(super) async fn save(
    context: &mut RequestContext<'_>,
    fields: &Fields<'_>,
    [content, title, language]: [&str; 3],
    expiry: Expiry,
    no_content: &'static str,
) -> Result<Created, ApiError> {
    let (is_multipart, max) = (
        context.request.is_multipart(),
        context.state.app.limits.max_paste_size,
    );
    let value = |name| match Cow::Borrowed(fields.get(name).unwrap_or_default()) {
        value if is_multipart => value,
        value => crlf_to_lf(value),
    };
    let content = Content::new(&value(content), max);
    if content == Err(SizeError::Empty) {
        return Err(T::EmptyContent.says(no_content).into());
    }
    let title = Title::new(&String::from_utf8_lossy(&value(title)));
    let language = fields.text(language).as_deref().map(named_language);
    create(context, content, title, language, expiry).await
}

/// Saves an open paste, if its content is neither empty nor too large.
pub(super) async fn create(
    context: &mut RequestContext<'_>,
    content: Result<Content, SizeError>,
    title: Option<Title>,
    language: Option<Language>,
    expiry: Expiry,
) -> Result<Created, ApiError> {
    let max = context.state.app.limits.max_paste_size;
    let content = content.map_err(|error| ApiError::content(error, max))?;
    if let Some(Asked::Question(_)) = Asked::of(content.bytes()) {
        context.refuse_question()?;
    }
    let draft = Draft {
        slug: None,
        content,
        title,
        language,
        expiry,
    };
    context.create(draft, Access::Open).await
}

pub(super) fn repeated(name: &str) -> Row {
    let sentence = format!("The field `{name}` is sent more than once. Send it once.");
    T::RepeatedName.says(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["text", "title"];

    fn read(content_type: &str, body: &str) -> Result<[Option<String>; 2], Row> {
        let fields = fields(&NAMES, content_type, body.as_bytes())?;
        let value = |name| fields.get(name).map(String::from_utf8_lossy);
        Ok(NAMES.map(|name| value(name).map(Cow::into_owned)))
    }

    #[test]
    fn both_encodings_give_the_named_fields() {
        let multipart =
            "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\na\r\nb\r\n--b--\r\n";
        let read_multipart = read("multipart/form-data; boundary=b", multipart);
        assert_eq!(read_multipart, Ok([Some("a\r\nb".to_owned()), None]));
        for content_type in ["application/x-www-form-urlencoded", ""] {
            let values = read(content_type, "title=&text=a%0D%0Ab+%2B");
            assert_eq!(
                values,
                Ok(["a\r\nb +", ""].map(|text| Some(text.to_owned())))
            );
        }
        assert_eq!(read("", ""), Ok([None, None]));
    }

    #[test]
    fn blanks_and_letters_of_a_form_may_be_unescaped_and_are_not_copied() {
        let body = "text=a log: é&title=".as_bytes();
        let fields = fields(&NAMES, "", body).unwrap();
        assert_eq!(
            fields.get("text").map(<[u8]>::as_ptr_range),
            Some(body[5..14].as_ptr_range())
        );
    }

    #[test]
    fn an_unknown_or_repeated_field_is_an_error_and_so_is_a_body_that_is_no_form() {
        let many = "text=a&".repeat(100_000);
        let unknown = |name: &str| {
            T::UnknownName.says(format!("Unknown field `{name}`. Use `text`, `title`."))
        };
        let not_a_form = || T::MalformedRequest.says(NOT_A_FORM);
        for (body, error) in [
            ("text=a&burn=1", unknown("burn")),
            ("Text=a", unknown("Text")),
            ("%FF=a", unknown("…")),
            ("text=a&text=a", repeated("text")),
            (&many, repeated("text")),
            ("text=a\nb", not_a_form()),
        ] {
            assert_eq!(read("", body), Err(error), "{body:.30}");
        }
        let cut_off = "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\na\r\n";
        let read = read("multipart/form-data; boundary=b", cut_off);
        assert_eq!(read, Err(not_a_form()));
    }
}
