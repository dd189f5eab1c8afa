//! Forms in request bodies: the one that saves, and the one that goes to a paste.

use std::borrow::Cow;

use actix_web::web::Bytes;

use super::request_body::collect;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::form::{self, ActionForm, FormError, SaveForm, json};
use crate::http::request::{BodyKind, ResponseFormat, SaveOptions};

/// Bytes of a form beside its content: names, titles, delimiters.
const OVERHEAD: usize = 64 * 1024;

/// Bytes of a form to a paste, which holds a few short fields.
const ACTION_FORM: usize = 16 * 1024;

/// The body of a save, within the limit of its kind. An encoded form is up to three times as large as its content, but
/// the first chunk shows whether it can be one.
pub(crate) async fn save_body(
    context: &mut RequestContext<'_>,
    kind: BodyKind,
) -> Result<Bytes, ApiError> {
    let max = context.state.app.limits().max_paste_size;
    let wrapped = |content: usize| content.saturating_add(OVERHEAD);
    let limit = |start: &[u8]| match kind {
        BodyKind::Multipart => wrapped(max),
        BodyKind::Urlencoded if form::urlencoded::may_be_form(start) => {
            wrapped(max.saturating_mul(3))
        }
        BodyKind::Urlencoded | BodyKind::Raw => max,
    };
    collect(context, max, limit).await
}

/// The form in the body of a save; `None` if the body is the content itself.
pub(crate) fn save_form<'b>(
    kind: BodyKind,
    content_type: &str,
    body: &'b [u8],
) -> Result<Option<SaveForm<'b>>, FormError> {
    match kind {
        BodyKind::Raw => Ok(None),
        BodyKind::Multipart => form::multipart::parse(content_type, body).map(Some),
        BodyKind::Urlencoded => form::urlencoded::parse(body),
    }
}

/// Refuses JSON that asks for a password or to burn, unless the request asks for the same where it is understood: saved
/// as it is, it would be published.
pub(crate) fn refuse_unread_json(
    content_type: &str,
    body: &[u8],
    options: &SaveOptions,
) -> Result<(), FormError> {
    if !json::is_json(content_type) {
        return Ok(());
    }
    let asks = json::Asks::of(body);
    let is_unread =
        (asks.password && options.password.is_none()) || (asks.burn && options.burn.is_none());
    match is_unread {
        true => Err(FormError::UnreadJson),
        false => Ok(()),
    }
}

/// The content of a form. A browser writes the line ends of a typed text as CR LF, which its user did not type.
pub(crate) fn form_content<'a>(form: SaveForm<'a>, format: ResponseFormat) -> Cow<'a, [u8]> {
    match format {
        ResponseFormat::Html if !form.is_file => form::crlf_to_lf(form.content),
        ResponseFormat::Html | ResponseFormat::Json | ResponseFormat::Text => form.content,
    }
}

/// The form to a paste in the body. The client may still look ids up when it has arrived.
pub(crate) async fn action_form(context: &mut RequestContext<'_>) -> Result<ActionForm, ApiError> {
    let body = collect(context, ACTION_FORM, |_| ACTION_FORM).await?;
    context.charges.recheck_miss_limit()?;
    Ok(ActionForm::parse(context.request.content_type(), &body)?)
}
