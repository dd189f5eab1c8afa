//! Reading a paste with its content: `GET /api/v1/pastes/{id}`, and `POST /api/v1/pastes/{id}/read` for a paste that
//! burns or has a password.
//!
//! Invariants: a GET uses up no read of a paste that burns. Every step that can fail comes before the read is counted.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::read::{Unlocked, unlock};
use crate::http::request::RequestError;
use crate::http::request::api::options_of_read;
use crate::http::request::{header_password, parse_password};
use crate::http::response::{JSON, NO_STORE, PasteObject, json_text, respond};
use crate::http::transfer::{ResponseReservation, collect, made_body};
use crate::overload::Priority;
use crate::paste::{Access, Password, PasteId, StoredPaste};

/// The largest body of a read: a password of 1024 bytes, escaped.
const MAX_BODY: usize = 16 * 1024;

/// Handles `GET` and `HEAD` of `/api/v1/pastes/{id}`. Of a paste that burns or has a password, it shows only public
/// facts, which is no read.
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
    let object = PasteObject::new(context, context.request.route.param, stored)?;
    let estimate = json_size(stored);
    let reserved = ResponseReservation::new(context, Priority::Read, estimate).await?;
    let unlocked = unlock(context, id, stored, &reserved, false, password).await;
    let Unlocked { paste, left, .. } = unlocked.map_err(|error| match error {
        ApiError::NoPassword => ApiError::NoPasswordMember,
        error => error,
    })?;
    let object = object.with_reads_left(left).with_content(&paste);
    let json = json_text(&object)?;
    Ok(respond(StatusCode::OK, JSON, NO_STORE).body(reserved.fill_regardless(json.into()).await))
}

/// Estimates the bytes of the object with its content.
fn json_size(stored: &StoredPaste) -> usize {
    stored.content_bytes().saturating_mul(2)
}
