//! Forms in request bodies: the form that saves a paste, and the form that acts on an existing one.

use std::borrow::Cow;

use actix_web::web::Bytes;

use super::gzip::unpack;
use super::request_body::{collect, collect_coded, is_gzip};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::RequestError;
use crate::http::request::form::urlencoded::{is_encoded, may_be_form};
use crate::http::request::form::{self, ActionForm, Fields, OwnerForm, SaveForm};
use crate::http::request::{BodyKind, Method, ResponseFormat, SaveOptions, json};
use crate::paste::{Asked, Charset, Content};

/// Maximum bytes of a form in addition to its content: names, titles and delimiters.
const OVERHEAD: usize = 64 * 1024;

/// The most bytes of JSON for one byte of content: `\u0000`.
const ESCAPED: usize = 6;

/// Maximum bytes of a form that acts on a paste. Such a form holds a few short fields.
const MAX_ACTION_FORM: usize = 16 * 1024;

/// Reads the body of a save. The size limit depends on the kind of the body. A urlencoded form may be three times as
/// large as its content, and a JSON object six times. The first chunk shows whether the body can be one.
pub(crate) async fn save_body(
    context: &mut RequestContext<'_>,
    kind: BodyKind,
) -> Result<Bytes, ApiError> {
    if form::is_other_multipart(context.request.content_type()) {
        return Err(RequestError::OtherMultipart.into());
    }
    let max = context.state.app.limits.max_paste_size;
    collect(context, max, limit_of(kind, max)).await
}

/// As [`save_body`], but the body may be compressed.
pub(crate) async fn save_body_or_gzip(
    context: &mut RequestContext<'_>,
    kind: BodyKind,
) -> Result<Bytes, ApiError> {
    if !is_gzip(context.request.headers())? {
        return save_body(context, kind).await;
    }
    let max = context.state.app.limits.max_paste_size;
    let limit = limit_of(kind, max)(b"");
    let packed = collect_coded(context, max, |_| limit).await?;
    unpack(context, packed, max, limit).await
}

/// Returns the maximum bytes of the body of a save, which depend on its start.
fn limit_of(kind: BodyKind, max: usize) -> impl Fn(&[u8]) -> usize {
    let with_overhead = |content: usize| content.saturating_add(OVERHEAD);
    move |start: &[u8]| match kind {
        BodyKind::Multipart => with_overhead(max),
        BodyKind::Urlencoded if may_be_form(start) => with_overhead(max.saturating_mul(3)),
        BodyKind::Json
            if json::without_bom(start)
                .trim_ascii_start()
                .first()
                .is_none_or(|first| *first == b'{') =>
        {
            with_overhead(max.saturating_mul(ESCAPED))
        }
        BodyKind::Urlencoded | BodyKind::Json | BodyKind::Raw => max,
    }
}

/// Reads a JSON body that has the content of a save in a string.
pub(crate) async fn json_body(context: &mut RequestContext<'_>) -> Result<Bytes, ApiError> {
    let max = context.state.app.limits.max_paste_size;
    let limit = max.saturating_mul(ESCAPED).saturating_add(OVERHEAD);
    collect(context, max, |_| limit).await
}

/// Rejects a form in the body of a PUT, which saves a file. A form could ask for a password or a burn.
pub(crate) fn reject_form(content_type: &str, body: &[u8]) -> Result<(), RequestError> {
    let kind = BodyKind::of(Method::Post, content_type);
    match form::parse(kind, content_type, body) {
        Ok(None) => Ok(()),
        Ok(Some(_)) | Err(_) => Err(RequestError::PutForm),
    }
}

/// Returns the content of a paste. A text that is not UTF-8 has the charset that the options name, or the request.
///
/// # Errors
/// If there are no bytes, or too many, or if they are a question that cannot be answered.
pub(crate) fn content_of(
    context: &RequestContext<'_>,
    bytes: &[u8],
    options: &SaveOptions,
) -> Result<Content, ApiError> {
    if let Some(Asked::Question(_)) = Asked::of(bytes) {
        context.refuse_question()?;
    }
    let max = context.state.app.limits.max_paste_size;
    let content = Content::new(bytes, max).map_err(|error| ApiError::content(error, max))?;
    let of_request = || Charset::named(&context.request.charset()?);
    Ok(content.with_charset(|| options.charset.or_else(of_request)))
}

/// Returns the content of a form. Browsers send line ends as CR LF. This function converts them to LF.
pub(crate) fn form_content<'a>(form: SaveForm<'a>, format: ResponseFormat) -> Cow<'a, [u8]> {
    match format {
        ResponseFormat::Html if !form.is_file => form::crlf_to_lf(form.content),
        ResponseFormat::Html | ResponseFormat::Json | ResponseFormat::Text => form.content,
    }
}

/// Reads a form of the list of pastes.
pub(crate) async fn owner_form(context: &mut RequestContext<'_>) -> Result<OwnerForm, ApiError> {
    Ok(OwnerForm(short_form(context, &OwnerForm::FIELDS).await?))
}

/// Reads the body of a form that acts on a paste, or of the login page.
pub(crate) async fn small_form(context: &mut RequestContext<'_>) -> Result<Bytes, ApiError> {
    let body = collect(context, MAX_ACTION_FORM, |_| MAX_ACTION_FORM).await;
    body.map_err(|error| match error {
        ApiError::TooLarge(_) => ApiError::FormTooLarge,
        error => error,
    })
}

/// Reads a form with these fields.
pub(crate) async fn short_form(
    context: &mut RequestContext<'_>,
    known: &[&'static str],
) -> Result<Fields<'static>, ApiError> {
    let body = collect(context, MAX_ACTION_FORM, |_| MAX_ACTION_FORM).await?;
    let content_type = context.request.content_type();
    let unknown = |name: &str, _| {
        let known = known.iter().copied();
        RequestError::unknown(RequestError::UnknownShortField, name, known)
    };
    Ok(Fields::of_form(content_type, &body, known, is_encoded, unknown)?.into_owned())
}

/// Reads the form that acts on a paste.
pub(crate) async fn action_form(context: &mut RequestContext<'_>) -> Result<ActionForm, ApiError> {
    let body = small_form(context).await?;
    Ok(ActionForm::parse(context.request.content_type(), &body)?)
}
