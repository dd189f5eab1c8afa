//! Changing a paste: other content under the same address, another title, another lifetime.
//!
//! What it must not know: how a change is kept.
//! Invariants: only the owner changes it; how a paste may be had does not change, so nothing that was locked or to be
//! read once is ever published by a change; a change that is refused changes nothing, and one that names what it is of
//! changes nothing else.

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, IF_MATCH, LOCATION, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, dev};

use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::error::option_error::OptionError;
use crate::http::handler::create::{
    BodyKind, content_type, expires_header, read_body, refusal, refuse_unread_json,
    typed_in_browser,
};
use crate::http::handler::read::id_of;
use crate::http::handler::{encryption, stats};
use crate::http::request::conditions::refuse_stale;
use crate::http::request::form::{self, ActionForm};
use crate::http::request::format::ResponseFormat;
use crate::http::request::options::{Options, expiry};
use crate::http::request::owner::{authorize_owner, cookie, right_cookie};
use crate::http::response::headers::{NO_STORE, TEXT};
use crate::paste::{Access, Change, Content, PasteId, StoredPaste, Timestamp, Title, TitleChange};
use crate::store::UpdateError;

/// `PUT /{id}` with a token: the body is the new content.
pub(crate) async fn by_put(
    context: &mut RequestContext<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
    segment: &str,
) -> Result<HttpResponse, ApiError> {
    let own = own(context, request, segment)?;
    let options = Options::of(request, None, context.service.limits.expiry_policy)?;
    let max = context.service.limits.max_paste_size;
    let body = read_body(context, request, payload, BodyKind::Raw, max).await?;
    refuse_unread_json(request, &body, &options)?;
    change_content(context, &own, &body, options, false).await?;
    changed(context, request, segment, own.id)
}

/// `POST /{id}/edit`: the editor's form; or one with a token alone, from a browser that had none.
pub(crate) async fn by_editor(
    context: &mut RequestContext<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
    text: &str,
) -> Result<HttpResponse, ApiError> {
    if BodyKind::of(request) != BodyKind::Multipart {
        return stats::enter(context, request, payload, text, "edit").await;
    }
    let own = own(context, request, text)?;
    let policy = context.service.limits.expiry_policy;
    let options = Options::of(request, None, policy)?;
    let max = context.service.limits.max_paste_size;
    let body = read_body(context, request, payload, BodyKind::Multipart, max).await?;
    let mut form = form::multipart::parse(content_type(request), &body)?;
    if form.is_link {
        return Err(OptionError::LinkStays.into());
    }
    let format = ResponseFormat::of(request.headers());
    let options = options.with_form(&mut form, policy, format)?;
    // The editor shows no title of what is not for everybody: its field is empty, whatever the title is.
    let is_untitled = form.is_untitled && own.kept.is_open();
    let content = typed_in_browser(form, format);
    change_content(context, &own, &content, options, is_untitled).await?;
    changed(context, request, text, own.id)
}

/// `POST /{id}` with a title or a lifetime.
pub(crate) fn by_form(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    segment: &str,
    form: &ActionForm,
) -> Result<HttpResponse, ApiError> {
    let id = id_of(context, segment)?;
    let kept = context.peek(id)?;
    authorize_owner(context, request, kept.token(), form.token.as_deref())?;
    if form.title.is_some() && kept.sealed().is_some() {
        return Err(OptionError::TitleIsSealed.into());
    }
    let title = |text| Title::new(text).map_or(TitleChange::Goes, TitleChange::Is);
    let change = Change {
        of: named(request, &kept)?,
        title: form.title.as_deref().map_or(TitleChange::Stays, title),
        expiry: expiry(form.expires.clone(), context.service.limits.expiry_policy)?,
        ..Change::default()
    };
    keep(context, id, &change)?;
    changed(context, request, segment, id)
}

/// A paste of the asker's.
struct Own {
    id: PasteId,
    kept: StoredPaste,
    /// See [`Change::of`].
    of: Option<Timestamp>,
}

/// The paste, if it is the asker's, and what the request says that it is.
fn own(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    segment: &str,
) -> Result<Own, ApiError> {
    // A save is no look-up, so nobody has asked yet whether this client may.
    context.recheck_miss_limit()?;
    let id = id_of(context, segment)?;
    let kept = context.peek(id)?;
    authorize_owner(context, request, kept.token(), None)?;
    let of = named(request, &kept)?;
    Ok(Own { id, kept, of })
}

/// The content that a change is of, if the request names it. Another may be in its place by the time that the change is
/// kept, so the store looks again.
fn named(request: &HttpRequest, kept: &StoredPaste) -> Result<Option<Timestamp>, ApiError> {
    refuse_stale(request, kept)?;
    let is_named = request.headers().contains_key(IF_MATCH);
    Ok(is_named.then(|| kept.saved()))
}

/// Of what `is_untitled` a title goes, unless the options or a file's name give one.
async fn change_content(
    context: &mut RequestContext<'_>,
    own: &Own,
    content: &[u8],
    options: Options,
    is_untitled: bool,
) -> Result<(), ApiError> {
    let max = context.service.limits.max_paste_size;
    let given = Content::new(content, max).map_err(|error| refusal(error, max))?;
    let length = content.len();
    let mut title = options.title();
    let content = match (own.kept.access(), options.password(), options.burn()) {
        (Access::Link, ..) => return Err(OptionError::LinkStays.into()),
        (_, _, Some(_)) => return Err(OptionError::ReadsStay.into()),
        (Access::Locked(_), None, None) => return Err(OptionError::StaysLocked.into()),
        (Access::Locked(_), Some(password), None) => {
            // Seldom, and large: the usual change does not carry it.
            Box::pin(encryption::seal(context, password, title.take(), given)).await?
        }
        (Access::Open | Access::Burn(_), Some(_), None) => {
            return Err(OptionError::StaysOpen.into());
        }
        (Access::Open | Access::Burn(_), None, None) => given,
    };
    let change = Change {
        of: own.of,
        content: Some(content),
        title: match title {
            Some(title) => TitleChange::Is(title),
            None if is_untitled => TitleChange::Goes,
            None => TitleChange::Stays,
        },
        language: options.told_language(),
        expiry: options.given_expiry(),
    };
    keep(context, own.id, &change)?;
    context.keep(length);
    Ok(())
}

fn keep(context: &RequestContext<'_>, id: PasteId, change: &Change) -> Result<(), ApiError> {
    let store = &context.service.store;
    let done = store.change(context.service.now(), id, change);
    done.map_err(|unchanged| match unchanged {
        UpdateError::NotFound(absent) => absent.into(),
        UpdateError::Other => ApiError::Stale,
        UpdateError::TooLarge => ApiError::TooLarge(store.largest()),
    })
}

/// A browser is led back to the paste.
fn changed(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    segment: &str,
    id: PasteId,
) -> Result<HttpResponse, ApiError> {
    let base_url = context.service.base_url(request)?;
    let kept = context.peek(id)?;
    let text = segment.split('.').next().unwrap_or_default();
    let url = format!("{base_url}/{text}\n");
    let mut answer = match ResponseFormat::of(request.headers()) {
        ResponseFormat::Html => led(StatusCode::SEE_OTHER, text),
        // The script of the editor follows by itself.
        ResponseFormat::Json => led(StatusCode::OK, text),
        ResponseFormat::Text => HttpResponse::Ok(),
    };
    // As long as the paste, which may stay longer now.
    if let Some(token) = right_cookie(request, kept.token()) {
        let cookie = cookie(context, &base_url, text, token, kept.deadline());
        answer.insert_header((SET_COOKIE, cookie));
    }
    Ok(answer
        .insert_header((CONTENT_TYPE, TEXT))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header(expires_header(context.service, kept.deadline()))
        .body(url))
}

fn led(status: StatusCode, id: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::build(status);
    answer.insert_header((LOCATION, format!("/{id}")));
    answer
}
