//! Changing a paste: other content under the same address, another title, another expiry.
//!
//! Invariants: only the owner changes it. A change that is refused changes nothing, and one that names the content it is
//! of changes no other.

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};
use actix_web::{HttpResponse, HttpResponseBuilder};

use crate::app::{App, ForbiddenChange, NewContent};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::form::{self, ActionForm};
use crate::http::request::{BodyKind, ResponseFormat, SaveOptions, parse_expiry};
use crate::http::response::{NO_STORE, TEXT, etag_of_open, expires, owner_cookie};
use crate::http::transfer::{encrypt, form_content, reject_ignored_json, save_body};
use crate::paste::{Change, Content, PasteId, StoredPaste, Timestamp, Title, TitleChange};

/// `PUT /{id}` with a token: the body is the new content.
pub(crate) async fn put(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let own = own(context)?;
    let policy = context.state.app.limits().expiry_policy;
    let options = SaveOptions::of(&context.request, policy)?;
    let body = save_body(context, BodyKind::Raw).await?;
    reject_ignored_json(context.request.content_type(), &body, &options)?;
    change_content(context, &own, &body, options, false).await?;
    answer(context, own.id)
}

/// `POST /{id}/edit`: the editor's form.
pub(crate) async fn edit(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let own = own(context)?;
    let (request, policy) = (context.request, context.state.app.limits().expiry_policy);
    let options = SaveOptions::of(&request, policy)?;
    let body = save_body(context, BodyKind::Multipart).await?;
    let mut form = form::multipart::parse(request.content_type(), &body)?;
    if form.is_link {
        return Err(ForbiddenChange::LinkTarget.into());
    }
    let options = options.with_form(&mut form, policy, request.format)?;
    // The editor does not show the title of a paste that is not open: its field is empty, whatever the title is.
    let is_untitled = form.is_untitled && own.stored.is_open();
    let content = form_content(form, request.format);
    change_content(context, &own, &content, options, is_untitled).await?;
    answer(context, own.id)
}

/// `POST /{id}` with a title or an expiry.
pub(crate) fn change_by_form(
    context: &RequestContext<'_>,
    form: &ActionForm,
) -> Result<HttpResponse, ApiError> {
    let id = context.id(context.request.address().id)?;
    let stored = context.peek(id)?;
    context.authorize_owner(stored.token(), form.token.as_deref())?;
    let title = |text| Title::new(text).map_or(TitleChange::Goes, TitleChange::Is);
    let policy = context.state.app.limits().expiry_policy;
    let change = Change {
        of: named(context, &stored)?,
        title: form.title.as_deref().map_or(TitleChange::Stays, title),
        expiry: parse_expiry(form.expires.as_deref(), policy)?,
        ..Change::default()
    };
    context.state.app.update(context.now(), id, &change)?;
    answer(context, id)
}

/// A paste of the client's.
struct Own {
    id: PasteId,
    stored: StoredPaste,
    /// See [`Change::of`].
    of: Option<Timestamp>,
}

/// The paste, if it is the client's, and the content that the request names.
fn own(context: &RequestContext<'_>) -> Result<Own, ApiError> {
    // A save is not charged as a look-up, so the client's misses were not looked at yet.
    context.charges.recheck_miss_limit()?;
    let id = context.id(context.request.address().id)?;
    let stored = context.peek(id)?;
    context.authorize_owner(stored.token(), None)?;
    let of = named(context, &stored)?;
    Ok(Own { id, stored, of })
}

/// The content that a change is of, if the request names it. Another may be in its place by the time that the change is
/// stored, so the store looks again.
fn named(
    context: &RequestContext<'_>,
    stored: &StoredPaste,
) -> Result<Option<Timestamp>, ApiError> {
    let conditions = context.request.conditions;
    if !conditions.names_content() {
        return Ok(None);
    }
    match conditions.accept(etag_of_open(stored).as_ref()) {
        true => Ok(Some(stored.saved())),
        false => Err(ApiError::PreconditionFailed),
    }
}

/// Replaces the content. If `is_untitled` the title goes too, unless the options or a file's name give one.
async fn change_content(
    context: &mut RequestContext<'_>,
    own: &Own,
    content: &[u8],
    options: SaveOptions,
    is_untitled: bool,
) -> Result<(), ApiError> {
    let max = context.state.app.limits().max_paste_size;
    let given = Content::new(content, max).map_err(|error| ApiError::content(error, max))?;
    let mut title = options.title();
    let (has_password, has_burn) = (options.password.is_some(), options.burn.is_some());
    let kind = App::new_content_of(&own.stored, has_password, has_burn)?;
    let given = match (kind, &options.password) {
        (NewContent::Encrypted, Some(password)) => {
            // Rare, and large: the usual change does not carry it.
            Box::pin(encrypt(context, password.clone(), title.take(), given)).await?
        }
        (NewContent::Encrypted | NewContent::Plain, _) => given,
    };
    let change = Change {
        of: own.of,
        content: Some(given),
        title: match title {
            Some(title) => TitleChange::Is(title),
            None if is_untitled => TitleChange::Goes,
            None => TitleChange::Stays,
        },
        language: options.told_language(),
        expiry: options.expiry,
    };
    context.state.app.update(context.now(), own.id, &change)?;
    context.charges.settle(content.len());
    Ok(())
}

/// A browser is led back to the paste.
fn answer(context: &RequestContext<'_>, id: PasteId) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    let base_url = state.base_url(&request)?;
    let stored = context.peek(id)?;
    let text = request.address().id;
    let mut answer = match request.format {
        ResponseFormat::Html => led(StatusCode::SEE_OTHER, text),
        // The script of the editor follows by itself.
        ResponseFormat::Json => led(StatusCode::OK, text),
        ResponseFormat::Text => HttpResponse::Ok(),
    };
    // As long as the paste, which may be stored longer now.
    if let Some(token) = context.owner_cookie(stored.token()) {
        let cookie = owner_cookie(state, &base_url, text, token, stored.deadline());
        answer.insert_header((SET_COOKIE, cookie));
    }
    Ok(answer
        .insert_header((CONTENT_TYPE, TEXT))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header(expires(stored.deadline()))
        .body(format!("{base_url}/{text}\n")))
}

fn led(status: StatusCode, id: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::build(status);
    answer.insert_header((LOCATION, format!("/{id}")));
    answer
}
