//! `/mine/code` and `/mine/device`: an owner takes the list to another device by a code.
//!
//! Invariants: a code is used up only by a POST, and only if the browser has no list or its user agrees to replace it.
//! A wrong code is charged as a miss. A page of another site can neither ask for a code nor use one: it would make the
//! browser save into the list of a stranger.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};

use crate::account::{DeviceCode, DeviceCodes};
use crate::app::random_bytes;
use crate::http::admission::RequestContext;
use crate::http::error::{AccessError, ApiError};
use crate::http::request::query;
use crate::http::request::{IdentityCookie, ResponseFormat};
use crate::http::response::{NO_STORE, TEXT, page_or_text};
use crate::http::transfer::short_form;
use crate::page::{self, DevicePage, DeviceStep};
use crate::paste::OwnerSecret;
use crate::store::Store;

const HAS_LIST: &str = "This browser has a list meanwhile. Check the box to replace it.";

/// Handles `POST /mine/code`: shows a new code.
pub(crate) async fn show(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    short_form(context, &[]).await?;
    let secret = context.owner_secret()?;
    let code = DeviceCode::from_random(random_bytes()?);
    let client = context.request.client.key;
    let now = context.now();
    let add = |codes: &mut DeviceCodes| codes.add(now, client, secret.clone(), code);
    update(context, add).await?;
    let code = &code.to_string();
    respond(context, StatusCode::OK, DeviceStep::Show { code })
}

/// Handles `GET` and `HEAD` of `/mine/device`: asks for a code.
pub(crate) async fn form(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    reject_account(context)?;
    let step = match context.identity_cookie() {
        Some(_) => DeviceStep::Enter {
            has_list: context.browser_owner().is_some(),
            code: "",
            complaint: None,
        },
        None => DeviceStep::NeedsHttps,
    };
    respond(context, StatusCode::OK, step)
}

/// Handles `POST /mine/device`: a browser gets the owner's cookie, any other client the secret.
pub(crate) async fn enter(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    if !context.is_same_origin() {
        return Err(AccessError::CrossSite.into());
    }
    reject_account(context)?;
    let form = short_form(context, &["code", "replace"]).await?;
    let code = form.get("code").unwrap_or_default();
    if context.request.format != ResponseFormat::Html {
        let secret = take(context, code).await?;
        return Ok(HttpResponse::Ok()
            .insert_header((CACHE_CONTROL, NO_STORE))
            .insert_header((CONTENT_TYPE, TEXT))
            .body([secret.as_str(), "\n"].concat()));
    }
    let Some(cookie) = context.identity_cookie() else {
        return respond(context, StatusCode::FORBIDDEN, DeviceStep::NeedsHttps);
    };
    let has_list = context.browser_owner().is_some();
    let again = |status, complaint: &str| {
        let complaint = Some(complaint);
        let step = DeviceStep::Enter {
            has_list,
            code,
            complaint,
        };
        respond(context, status, step)
    };
    let replaces = form.get("replace").map(|it| query::flag("replace", it));
    if has_list && !replaces.unwrap_or(Ok(false))? {
        return again(StatusCode::CONFLICT, HAS_LIST);
    }
    match take(context, code).await {
        Ok(secret) => Ok(lead_to_list(context, cookie, &secret)),
        Err(error @ ApiError::WrongCode) => again(error.status(), &error.sentence()),
        Err(error) => Err(error),
    }
}

/// Uses up the code, which is read as people type it.
async fn take(context: &RequestContext<'_>, code: &str) -> Result<OwnerSecret, ApiError> {
    context.charges.check_misses()?;
    let now = context.now();
    let secret = match code.parse() {
        Ok(code) => update(context, |codes| codes.take(now, code)).await?,
        Err(_) => None,
    };
    secret.ok_or_else(|| context.charged(ApiError::WrongCode))
}

/// Changes the codes of this server, or those that several machines share.
async fn update<T>(
    context: &RequestContext<'_>,
    change: impl Fn(&mut DeviceCodes) -> T,
) -> Result<T, ApiError> {
    let state = context.state;
    let Store::Valkey(engine) = &**state.app.store() else {
        return Ok(change(&mut state.device_codes.lock()));
    };
    let updating = engine.update_codes(DeviceCodes::MOST_BYTES, DeviceCodes::LIFETIME, |bytes| {
        // Codes that cannot be read are forgotten, as after a restart of a single machine.
        let mut codes = DeviceCodes::from_bytes(bytes).unwrap_or_default();
        let result = change(&mut codes);
        *bytes = codes.to_bytes();
        result
    });
    Ok(updating.await?)
}

fn lead_to_list(
    context: &RequestContext<'_>,
    cookie: IdentityCookie<'_>,
    secret: &OwnerSecret,
) -> HttpResponse {
    let list = [context.request.base_path(), "/mine"].concat();
    HttpResponse::SeeOther()
        .insert_header((LOCATION, list))
        .insert_header((SET_COOKIE, cookie.set(secret)))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((CONTENT_TYPE, TEXT))
        .body("Done.\n")
}

/// Rejects the holder of a key and a user of the proxy. Their list is not that of a cookie.
fn reject_account(context: &RequestContext<'_>) -> Result<(), ApiError> {
    match context.principal.owner() {
        Some(_) => Err(ApiError::NoCodeNeeded),
        None => Ok(()),
    }
}

fn respond(
    context: &RequestContext<'_>,
    status: StatusCode,
    step: DeviceStep<'_>,
) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    let url = format!("{}/mine/device", context.state.base_url(&request)?);
    let page = DevicePage {
        base_path: request.base_path(),
        url: &url,
        step,
    };
    Ok(page_or_text(
        &mut HttpResponse::build(status),
        request.format,
        || page::device(&page),
        || page::device_text(&page),
    ))
}
