//! `/mine/device`: an owner takes the list to another device by the secret.
//!
//! Invariants: a browser gets another list only by a POST, and only if it has none or its user agrees to replace it. A
//! secret without pastes may be a guess: it is refused, and charged as a miss. A page of another site can neither ask
//! for the secret nor send one: it would make the browser save into the list of a stranger. No response is stored.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::SET_COOKIE;

use super::page_of;
use crate::http::admission::RequestContext;
use crate::http::error::{AccessError, ApiError};
use crate::http::request::query;
use crate::http::response::{page_or_text, see_other};
use crate::http::transfer::short_form;
use crate::page::{DevicePage, DeviceStep};
use crate::paste::OwnerSecret;

const HAS_LIST: &str = "This browser has a list meanwhile. Check the box to replace it.";
const NO_PASTES: &str = "No pastes belong to this secret. Check it for typos.";

/// Handles `GET` and `HEAD` of `/mine/device`: asks for the secret.
pub(crate) async fn form(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (status, step) = match obstacle(context) {
        Some(DeviceStep::NeedsHttps) => (StatusCode::OK, DeviceStep::NeedsHttps),
        Some(step) => (StatusCode::FORBIDDEN, step),
        None => {
            let step = DeviceStep::Enter {
                has_list: context.browser_owner().is_some(),
                secret: "",
                complaint: None,
            };
            (StatusCode::OK, step)
        }
    };
    respond(context, status, step)
}

/// Handles `POST /mine/device`: shows the browser its secret, or makes it the owner with the secret in the form.
pub(crate) async fn pass_on(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    if !context.is_same_origin() {
        return Err(AccessError::CrossSite.into());
    }
    let form = short_form(context, &["show", "secret", "replace"]).await?;
    let has = |name| {
        form.text(name)
            .map_or(Ok(false), |it| query::flag(name, &it))
    };
    let (shows, replaces) = (has("show")?, has("replace")?);
    if let Some(step) = obstacle(context) {
        return respond(context, StatusCode::FORBIDDEN, step);
    }
    let own = context.browser_owner();
    if shows {
        let own = own.ok_or(ApiError::NoOwner)?;
        let secret = own.as_str();
        return respond(context, StatusCode::OK, DeviceStep::Show { secret });
    }
    let text = form.text("secret").unwrap_or_default();
    let text = text.trim();
    let refuse = |status, complaint| {
        let step = DeviceStep::Enter {
            has_list: own.is_some(),
            secret: text,
            complaint: Some(complaint),
        };
        respond(context, status, step)
    };
    if own.is_some() && !replaces {
        return refuse(StatusCode::CONFLICT, HAS_LIST);
    }
    let secret = OwnerSecret::parse(text);
    match (secret, context.identity_cookie()) {
        (Some(secret), Some(cookie)) if owns(context, &secret).await? => {
            let list = [context.request.base_path(), "/mine"].concat();
            Ok(see_other(&list)
                .insert_header((SET_COOKIE, cookie.set(&secret)))
                .body("Done.\n"))
        }
        _ => refuse(StatusCode::FORBIDDEN, NO_PASTES),
    }
}

/// Returns whether pastes belong to this secret.
async fn owns(context: &RequestContext<'_>, secret: &OwnerSecret) -> Result<bool, ApiError> {
    let page = page_of(context, &secret.id(), None).await?;
    Ok(!page.pastes.is_empty())
}

/// Returns why no list can be taken here. That of the holder of a key and of a user of the proxy is not that of a
/// cookie.
fn obstacle(context: &RequestContext<'_>) -> Option<DeviceStep<'static>> {
    match (context.principal.owner(), context.identity_cookie()) {
        (Some(_), _) => Some(DeviceStep::LogIn),
        (None, None) => Some(DeviceStep::NeedsHttps),
        (None, Some(_)) => None,
    }
}

fn respond(
    context: &RequestContext<'_>,
    status: StatusCode,
    step: DeviceStep<'_>,
) -> Result<HttpResponse, ApiError> {
    let (request, mut response) = (context.request, HttpResponse::build(status));
    let page = DevicePage {
        site: request.site,
        url: &format!("{}/mine", context.state.base_url(&request)?),
        step,
    };
    Ok(page_or_text(&mut response, request.format, &page))
}
