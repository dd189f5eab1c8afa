//! Changing a paste: other content under the same address, another title, another lifetime.
//!
//! What it must not know: how a change is kept.
//! Invariants: only the owner changes it; how a paste may be had does not change, so nothing that was locked or to be
//! read once is ever published by a change; a change that is refused changes nothing, and one that names what it is of
//! changes nothing else.

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, IF_MATCH, LOCATION, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, dev};

use super::asker::Asker;
use super::conditional::refuse_stale;
use super::form::{self, DeedForm};
use super::headers::{NO_STORE, TEXT};
use super::negotiation::Wants;
use super::option_error::OptionError;
use super::options::{Options, expiry};
use super::owner::{cookie, is_owner, right_cookie};
use super::problem::Problem;
use super::read::id_of;
use super::save::{
    BodyKind, content_type, expires_header, read_body, refusal, refuse_unread_json,
    typed_in_browser,
};
use super::{locked, stats};
use crate::paste::{Access, Change, Content, PasteId, StoredPaste, Timestamp, Title, TitleChange};
use crate::store::UpdateError;

/// `PUT /{id}` with a token: the body is the new content.
pub(crate) async fn by_put(
    asker: &mut Asker<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
    segment: &str,
) -> Result<HttpResponse, Problem> {
    let own = own(asker, request, segment)?;
    let options = Options::of(request, None, asker.service.limits.expiry_policy)?;
    let max = asker.service.limits.max_paste_size;
    let body = read_body(asker, request, payload, BodyKind::Raw, max).await?;
    refuse_unread_json(request, &body, &options)?;
    change_content(asker, &own, &body, options, false).await?;
    changed(asker, request, segment, own.id)
}

/// `POST /{id}/edit`: the editor's form; or one with a token alone, from a browser that had none.
pub(crate) async fn by_editor(
    asker: &mut Asker<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
    text: &str,
) -> Result<HttpResponse, Problem> {
    if BodyKind::of(request) != BodyKind::Multipart {
        return stats::enter(asker, request, payload, text, "edit").await;
    }
    let own = own(asker, request, text)?;
    let policy = asker.service.limits.expiry_policy;
    let options = Options::of(request, None, policy)?;
    let max = asker.service.limits.max_paste_size;
    let body = read_body(asker, request, payload, BodyKind::Multipart, max).await?;
    let mut form = form::multipart::parse(content_type(request), &body)?;
    if form.is_link {
        return Err(OptionError::LinkStays.into());
    }
    let wants = Wants::of(request.headers());
    let options = options.with_form(&mut form, policy, wants)?;
    // The editor shows no title of what is not for everybody: its field is empty, whatever the title is.
    let is_untitled = form.is_untitled && own.kept.is_open();
    let content = typed_in_browser(form, wants);
    change_content(asker, &own, &content, options, is_untitled).await?;
    changed(asker, request, text, own.id)
}

/// `POST /{id}` with a title or a lifetime.
pub(crate) fn by_form(
    asker: &Asker<'_>,
    request: &HttpRequest,
    segment: &str,
    form: &DeedForm,
) -> Result<HttpResponse, Problem> {
    let id = id_of(asker, segment)?;
    let kept = asker.peek(id)?;
    is_owner(asker, request, kept.token(), form.token.as_deref())?;
    if form.title.is_some() && kept.sealed().is_some() {
        return Err(OptionError::TitleIsSealed.into());
    }
    let title = |text| Title::new(text).map_or(TitleChange::Goes, TitleChange::Is);
    let change = Change {
        of: named(request, &kept)?,
        title: form.title.as_deref().map_or(TitleChange::Stays, title),
        expiry: expiry(form.expires.clone(), asker.service.limits.expiry_policy)?,
        ..Change::default()
    };
    keep(asker, id, &change)?;
    changed(asker, request, segment, id)
}

/// A paste of the asker's.
struct Own {
    id: PasteId,
    kept: StoredPaste,
    /// See [`Change::of`].
    of: Option<Timestamp>,
}

/// The paste, if it is the asker's, and what the request says that it is.
fn own(asker: &Asker<'_>, request: &HttpRequest, segment: &str) -> Result<Own, Problem> {
    // A save is no look-up, so nobody has asked yet whether this client may.
    asker.look_again()?;
    let id = id_of(asker, segment)?;
    let kept = asker.peek(id)?;
    is_owner(asker, request, kept.token(), None)?;
    let of = named(request, &kept)?;
    Ok(Own { id, kept, of })
}

/// The content that a change is of, if the request names it. Another may be in its place by the time that the change is
/// kept, so the store looks again.
fn named(request: &HttpRequest, kept: &StoredPaste) -> Result<Option<Timestamp>, Problem> {
    refuse_stale(request, kept)?;
    let is_named = request.headers().contains_key(IF_MATCH);
    Ok(is_named.then(|| kept.saved()))
}

/// Of what `is_untitled` a title goes, unless the options or a file's name give one.
async fn change_content(
    asker: &mut Asker<'_>,
    own: &Own,
    content: &[u8],
    options: Options,
    is_untitled: bool,
) -> Result<(), Problem> {
    let max = asker.service.limits.max_paste_size;
    let given = Content::new(content, max).map_err(|error| refusal(error, max))?;
    let length = content.len();
    let mut title = options.title();
    let content = match (own.kept.access(), options.password(), options.burn()) {
        (Access::Link, ..) => return Err(OptionError::LinkStays.into()),
        (_, _, Some(_)) => return Err(OptionError::ReadsStay.into()),
        (Access::Locked(_), None, None) => return Err(OptionError::StaysLocked.into()),
        (Access::Locked(_), Some(password), None) => {
            // Seldom, and large: the usual change does not carry it.
            Box::pin(locked::seal(asker, password, title.take(), given)).await?
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
    keep(asker, own.id, &change)?;
    asker.keep(length);
    Ok(())
}

fn keep(asker: &Asker<'_>, id: PasteId, change: &Change) -> Result<(), Problem> {
    let store = &asker.service.store;
    let done = store.change(asker.service.now(), id, change);
    done.map_err(|unchanged| match unchanged {
        UpdateError::NotFound(absent) => absent.into(),
        UpdateError::Other => Problem::Stale,
        UpdateError::TooLarge => Problem::TooLarge(store.largest()),
    })
}

/// A browser is led back to the paste.
fn changed(
    asker: &Asker<'_>,
    request: &HttpRequest,
    segment: &str,
    id: PasteId,
) -> Result<HttpResponse, Problem> {
    let base_url = asker.service.base_url(request)?;
    let kept = asker.peek(id)?;
    let text = segment.split('.').next().unwrap_or_default();
    let url = format!("{base_url}/{text}\n");
    let mut answer = match Wants::of(request.headers()) {
        Wants::Html => led(StatusCode::SEE_OTHER, text),
        // The script of the editor follows by itself.
        Wants::Json => led(StatusCode::OK, text),
        Wants::Text => HttpResponse::Ok(),
    };
    // As long as the paste, which may stay longer now.
    if let Some(token) = right_cookie(request, kept.token()) {
        let cookie = cookie(asker, &base_url, text, token, kept.deadline());
        answer.insert_header((SET_COOKIE, cookie));
    }
    Ok(answer
        .insert_header((CONTENT_TYPE, TEXT))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header(expires_header(asker.service, kept.deadline()))
        .body(url))
}

fn led(status: StatusCode, id: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::build(status);
    answer.insert_header((LOCATION, format!("/{id}")));
    answer
}
