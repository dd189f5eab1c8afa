//! Forms in request bodies: the form that saves a paste, and the form that acts on an existing one.

use std::borrow::Cow;

use actix_web::web::Bytes;

use super::request_body::collect;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::form::{
    self, ActionForm, Form, FormError, OwnerForm, SaveForm, ShortForm, json,
};
use crate::http::request::{BodyKind, Method, Request, ResponseFormat, SaveOptions};

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
        return Err(FormError::OtherMultipart.into());
    }
    let max = context.state.app.limits().max_paste_size;
    let with_overhead = |content: usize| content.saturating_add(OVERHEAD);
    let limit = |start: &[u8]| match kind {
        BodyKind::Multipart => with_overhead(max),
        BodyKind::Urlencoded if form::urlencoded::may_be_form(start) => {
            with_overhead(max.saturating_mul(3))
        }
        BodyKind::Json
            if json::without_bom(start)
                .trim_ascii_start()
                .first()
                .is_none_or(|first| *first == b'{') =>
        {
            with_overhead(max.saturating_mul(ESCAPED))
        }
        BodyKind::Urlencoded | BodyKind::Json | BodyKind::Raw => max,
    };
    collect(context, max, limit).await
}

/// Reads a JSON body that has the content of a save in a string.
pub(crate) async fn json_body(context: &mut RequestContext<'_>) -> Result<Bytes, ApiError> {
    let max = context.state.app.limits().max_paste_size;
    let limit = max.saturating_mul(ESCAPED).saturating_add(OVERHEAD);
    collect(context, max, |_| limit).await
}

/// Parses the form in the body of a save. Returns `None` if the body itself is the content.
pub(crate) fn save_form<'b>(
    kind: BodyKind,
    content_type: &str,
    body: &'b [u8],
) -> Result<Option<Form<'b>>, FormError> {
    match kind {
        BodyKind::Raw | BodyKind::Json => Ok(None),
        BodyKind::Multipart => form::multipart::parse(content_type, body).map(Some),
        BodyKind::Urlencoded => form::urlencoded::parse(body),
    }
}

/// Rejects raw content whose options would have no effect. Without this check, it would be saved without the protection
/// that it asks for.
/// JSON may ask for a password, a burn or an expiry, unless the request also sets them in headers or the query. A file
/// that is sent with `PUT`, or a body that is labelled as plain text, may be such JSON.
pub(crate) fn reject_ignored_options(
    request: &Request<'_>,
    body: &[u8],
    options: &SaveOptions,
) -> Result<(), FormError> {
    let content_type = request.content_type();
    let labelled = BodyKind::of(Method::Post, content_type);
    let is_posted = request.method == Method::Post;
    let (asks, error) = match labelled {
        BodyKind::Json => (json::RequestedProtection::of(body), FormError::UnreadJson),
        BodyKind::Multipart if !is_posted => return Err(FormError::PutForm),
        BodyKind::Urlencoded if !is_posted => {
            return match form::urlencoded::asks_for_protection(body) {
                true => Err(FormError::PutForm),
                false => Ok(()),
            };
        }
        // curl labels any body as urlencoded.
        BodyKind::Urlencoded | BodyKind::Raw
            if is_posted && (labelled == BodyKind::Urlencoded || content_type.is_empty()) =>
        {
            let asks = json::RequestedProtection::of_unlabelled(body);
            (asks, FormError::UnlabelledJson)
        }
        BodyKind::Multipart | BodyKind::Urlencoded | BodyKind::Raw => return Ok(()),
    };
    if asks.is_private_bin {
        return Err(FormError::PrivateBin);
    }
    let is_ignored = (asks.password && options.password.is_none())
        || (asks.burn && options.burn.is_none())
        || (asks.expiry && options.expiry.is_none());
    match is_ignored {
        true => Err(error),
        false => Ok(()),
    }
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
    let body = collect(context, MAX_ACTION_FORM, |_| MAX_ACTION_FORM).await?;
    context.charges.recheck_miss_limit()?;
    Ok(OwnerForm::parse(context.request.content_type(), &body)?)
}

/// Reads the form of the login page.
pub(crate) async fn login_form(context: &mut RequestContext<'_>) -> Result<Bytes, ApiError> {
    let body = collect(context, MAX_ACTION_FORM, |_| MAX_ACTION_FORM).await;
    body.map_err(form_too_large)
}

/// Reads a form with these fields.
pub(crate) async fn short_form(
    context: &mut RequestContext<'_>,
    known: &[&'static str],
) -> Result<ShortForm, ApiError> {
    let body = collect(context, MAX_ACTION_FORM, |_| MAX_ACTION_FORM).await?;
    context.charges.recheck_miss_limit()?;
    let content_type = context.request.content_type();
    Ok(ShortForm::parse(content_type, &body, known)?)
}

/// Reads the form that acts on a paste. Checks the miss limit again, as other requests of the client may have reached
/// it meanwhile.
pub(crate) async fn action_form(context: &mut RequestContext<'_>) -> Result<ActionForm, ApiError> {
    let body = collect(context, MAX_ACTION_FORM, |_| MAX_ACTION_FORM).await;
    let body = body.map_err(form_too_large)?;
    context.charges.recheck_miss_limit()?;
    Ok(ActionForm::parse(context.request.content_type(), &body)?)
}

fn form_too_large(error: ApiError) -> ApiError {
    match error {
        ApiError::TooLarge(_) => ApiError::FormTooLarge,
        error => error,
    }
}
