//! The JSON API: `/api/v1/pastes`, and `/api/v1/operate` for the operator.
//!
//! Invariants: every response and every error is JSON, whatever the client accepts. Saves, reads, changes and deletes
//! have the same limits and rules as on the other routes, and share their code.

use std::pin::pin;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;

use crate::app::ForbiddenChange;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create::{draft, finish};
use crate::http::handler::delete::remove;
use crate::http::handler::mine::{cursor, page_of};
use crate::http::handler::read::{Unlocked, unlock};
use crate::http::handler::update::{
    OwnedPaste, change_content, load_owned, refuse_slug, title_change,
};
use crate::http::problem::ProblemType as T;
use crate::http::request::api::moderation::REMOVAL_OPTIONS;
use crate::http::request::api::{PasteBody, options_of_read};
use crate::http::request::{RequestError, SaveOptions, header_password, parse_password, query};
use crate::http::response::{
    JSON, NO_CACHE, NO_STORE, PasteList, PasteObject, created_response, expires, json_response,
    json_size, json_text, no_content, respond,
};
use crate::http::transfer::{ResponseReservation, collect, json_body, made_body};
use crate::overload::Priority;
use crate::paste::{Access, Asked, Change, Password, PasteId, StoredPaste};

/// Handles `POST /api/v1/pastes`. A member overrides the query, and the query overrides a header.
pub(crate) async fn create(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    let rules = context.expiry_rules();
    let options = SaveOptions::of(&request, rules)?;
    let base_url = state.base_url(&request)?;
    let body = json_body(context).await?;
    let object = PasteBody::parse(&body)?;
    let content = object.content.ok_or(RequestError::NoContentMember)?;
    let options = options.with_form(&object.options, rules, request.format)?;
    let (draft, access) = draft(context, content.into(), &options).await?;
    let created = context.create(draft, access).await?;
    let location = format!("{base_url}/api/v1/pastes/{}", created.id);
    let mut response = created_response(context, &created, StatusCode::CREATED);
    response.insert_header((LOCATION, location));
    finish(context, response, &base_url, &created)
}

/// Handles `DELETE /api/v1/pastes/{id}`.
pub(crate) async fn delete(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    query::reject_unknown(context.request.query(), &REMOVAL_OPTIONS)?;
    remove(context, context.request.route.param, None).await?;
    Ok(no_content())
}

/// Handles `GET` and `HEAD` of `/api/v1/pastes`.
pub(crate) async fn list(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let owner = context.owner()?.ok_or(ApiError::NoOwner)?;
    let before = cursor(context.request.query())?;
    let page = page_of(context, &owner, before).await?;
    json_response(&PasteList::new(context, page)?)
}

/// The document. Tests hold it equal to the routes, to the members that requests may have, and to every response.
pub(crate) const DOCUMENT: &str = include_str!("openapi.json");

/// The URL of the server in [`DOCUMENT`], as JSON.
const SERVER: &str = "\"https://server.example\"";

/// Handles `GET` and `HEAD` of `/api/openapi.json`.
pub(crate) async fn openapi(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let base_url = json_text(&context.state.base_url(&context.request)?)?;
    Ok(respond(StatusCode::OK, JSON, NO_CACHE).body(DOCUMENT.replacen(SERVER, &base_url, 1)))
}

/// Handles `POST /api/v1/pastes/{id}/answer`: a save of the client that sends it, which needs no right to save.
pub(crate) async fn answer(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.request.reject_query()?;
    context.refuse_read_only()?;
    let id = context.id(context.request.route.param)?;
    let message = collect(context, Asked::MAX_ANSWER, |_| Asked::MAX_MESSAGE).await?;
    let answer = Asked::answer(&message).ok_or_else(|| T::InvalidValue.says(NOT_AN_ANSWER))?;
    let stored = context.peek(id).await?;
    let answering = context.state.app.answer(context.now(), id, &stored, answer);
    let size = message.len();
    context.charges.settle_after(size, pin!(answering)).await?;
    let mut response = no_content();
    let quota = context.charges.remaining_quota_headers();
    for (name, value) in quota.into_iter().flatten() {
        response.headers_mut().append(name, value);
    }
    Ok(response)
}

/// Handles `PATCH /api/v1/pastes/{id}`. Options in the query or in headers are changes too.
pub(crate) async fn update(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let owned = load_owned(context, context.request.route.param, None).await?;
    let (request, rules) = (context.request, context.expiry_rules());
    let options = SaveOptions::of(&request, rules)?;
    let body = json_body(context).await?;
    let object = PasteBody::parse(&body)?;
    let options = options.with_form(&object.options, rules, request.format)?;
    match object.content {
        Some(content) => {
            change_content(context, &owned, &content, options, object.is_untitled).await?;
        }
        None => change_details(context, &owned, &options, object.is_untitled).await?,
    }
    let stored = context.peek(owned.id).await?;
    let object = PasteObject::new(context, request.route.param, &stored)?;
    Ok(respond(StatusCode::OK, JSON, NO_STORE)
        .insert_header(expires(stored.deadline()))
        .body(json_text(&object)?))
}

/// Changes title, language and expiry.
async fn change_details(
    context: &RequestContext<'_>,
    owned: &OwnedPaste,
    options: &SaveOptions,
    is_untitled: bool,
) -> Result<(), ApiError> {
    if options.burn.is_some() {
        return Err(ForbiddenChange::Reads.into());
    }
    refuse_slug(options)?;
    if options.password.is_some() {
        return Err(match owned.access {
            Access::Locked(_) => RequestError::PasswordAlone.into(),
            Access::Open | Access::Burn(_) | Access::Link => ForbiddenChange::Protect.into(),
        });
    }
    let change = Change {
        of: owned.of,
        token: Some(owned.token),
        content: None,
        title: title_change(options.title(), is_untitled),
        language: options.language,
        expiry: options.expiry,
    };
    if !change.makes_revision() && change.expiry.is_none() {
        return Err(RequestError::NoChange.into());
    }
    let updating = context.state.app.update(context.now(), owned.id, &change);
    updating.await?;
    Ok(())
}

const NOT_AN_ANSWER: &str =
    "An answer is a public key of 32 bytes and a ciphertext of at least 17, as they are.";

/// The largest body of a read: a password of 1024 bytes, escaped.
const MAX_BODY: usize = 16 * 1024;

/// Handles `GET` and `HEAD` of `/api/v1/pastes/{id}`. Of a paste that burns or has a password, it shows only public
/// facts, which is not a read.
pub(crate) async fn read(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.request.reject_query()?;
    let id = context.id(context.request.route.param)?;
    let stored = context.read(id).await?;
    object(context, stored).await
}

/// Handles `POST /api/v1/pastes/{id}/read`. The password is in the body or in `X-Password`. Of an open paste, this does
/// the same as a GET.
pub(crate) async fn read_protected(
    context: &mut RequestContext<'_>,
) -> Result<HttpResponse, ApiError> {
    context.request.reject_query()?;
    let body = collect(context, MAX_BODY, |_| MAX_BODY).await;
    let body = body.map_err(|error| match error {
        ApiError::TooLarge(_) => RequestError::NotAPassword.into(),
        error => error,
    })?;
    let password = match options_of_read(&body)?.get("password") {
        Some(password) => Some(parse_password(password)?),
        None => header_password(context.request.headers())?,
    };
    let id = context.id(context.request.route.param)?;
    let stored = context.peek(id).await?;
    match stored.access() {
        Access::Burn(_) if stored.asks() => object(context, stored).await,
        Access::Open => {
            context.count_read(id);
            object(context, stored).await
        }
        Access::Link => object(context, stored).await,
        Access::Burn(_) | Access::Locked(_) => unlocked(context, id, &stored, password).await,
    }
}

/// Responds with the object of a paste, and with its content if it is open.
async fn object(
    context: &RequestContext<'_>,
    stored: StoredPaste,
) -> Result<HttpResponse, ApiError> {
    let object = PasteObject::new(context, context.request.route.param, &stored)?;
    let estimate = json_size(&stored);
    let make = || match stored.open() {
        Ok(paste) => json_text(&object.with_content(&paste)),
        Err(_) => json_text(&object),
    };
    let body = made_body(context, Priority::Read, estimate, make).await?;
    Ok(respond(StatusCode::OK, JSON, NO_STORE).body(body))
}

/// Reads a paste that burns or has a password.
async fn unlocked(
    context: &RequestContext<'_>,
    id: PasteId,
    stored: &StoredPaste,
    password: Option<Password>,
) -> Result<HttpResponse, ApiError> {
    let mut object = PasteObject::new(context, context.request.route.param, stored)?;
    let estimate = json_size(stored);
    let reserved = ResponseReservation::new(context, Priority::Read, estimate).await?;
    let unlocked = unlock(context, id, stored, &reserved, false, password).await;
    let Unlocked { paste, left, .. } = unlocked.map_err(|error| match error {
        ApiError::NoPassword => ApiError::NoPasswordMember,
        error => error,
    })?;
    object.reads_left = left;
    let object = object.with_content(&paste);
    let json = json_text(&object)?;
    Ok(respond(StatusCode::OK, JSON, NO_STORE).body(reserved.fill_regardless(json.into()).await))
}
