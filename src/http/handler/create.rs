//! Saving a paste: from a raw body, a named file or a form, to an answer with its address.
//!
//! Invariants: nothing is stored unless the request came whole and all of it was understood. The token is told once, to
//! the saver alone.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{LOCATION, SET_COOKIE};

use crate::app::{App, Created, NewLink};
use crate::config::Redirect;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::form::SaveForm;
use crate::http::request::{BodyKind, ResponseFormat, SaveOptions};
use crate::http::response::{created_answer, owner_cookie};
use crate::http::transfer::{encrypt, form_content, reject_ignored_json, save_body, save_form};
use crate::paste::{Access, Content, Draft};

/// `POST /`, `PUT /` and `PUT /NAME`.
pub(crate) async fn create(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    let policy = state.app.limits().expiry_policy;
    let options = SaveOptions::of(&request, policy)?.with_file_name(request.path());
    let base_url = state.base_url(&request)?;
    let kind = request.body_kind();
    let body = save_body(context, kind).await?;
    match save_form(kind, request.content_type(), &body)? {
        None => {
            if kind == BodyKind::Raw {
                reject_ignored_json(request.content_type(), &body, &options)?;
            }
            let (draft, access) = draft(context, &body, &options).await?;
            let created = context.create(draft, access)?;
            let line = line(&base_url, &created);
            Ok(created_answer(context, &created, StatusCode::CREATED)
                .insert_header((LOCATION, line.trim_end()))
                .body(line))
        }
        Some(mut form) => {
            let options = options.with_form(&mut form, policy, request.format)?;
            let (draft, access) = match form.is_link {
                true => (link(context, &form, &base_url, options)?, Access::Link),
                false => draft(context, &form_content(form, request.format), &options).await?,
            };
            let created = context.create(draft, access)?;
            Ok(form_answer(context, &base_url, &created, access))
        }
    }
}

/// The paste of a content, and how it may be read.
async fn draft(
    context: &RequestContext<'_>,
    content: &[u8],
    options: &SaveOptions,
) -> Result<(Draft, Access), ApiError> {
    let limits = context.state.app.limits();
    let mut draft = Draft {
        content: Content::new(content, limits.max_paste_size)
            .map_err(|error| ApiError::content(error, limits.max_paste_size))?,
        title: options.title(),
        language: options.language(content),
        expiry: options
            .expiry
            .unwrap_or(limits.expiry_policy.default_expiry()),
    };
    let access = match (&options.password, options.burn) {
        (None, None) => Access::Open,
        (None, Some(reads)) => Access::Burn(reads),
        (Some(password), reads) => {
            // Rare, and large: the usual save does not carry it.
            let title = draft.title.take();
            let encrypting = Box::pin(encrypt(context, password.clone(), title, draft.content));
            draft.content = encrypting.await?;
            Access::Locked(reads)
        }
    };
    Ok((draft, access))
}

/// The paste of a short link.
fn link(
    context: &RequestContext<'_>,
    form: &SaveForm<'_>,
    base_url: &str,
    options: SaveOptions,
) -> Result<Draft, ApiError> {
    let state = context.state;
    if state.redirect == Redirect::Off {
        return Err(ApiError::NoLinks);
    }
    let public = base_url
        .split_once("://")
        .map_or(base_url, |(_, host)| host);
    let host = context.request.host(state.local)?;
    let default_expiry = state.app.limits().expiry_policy.default_expiry();
    Ok(App::draft_of_link(NewLink {
        target: &form.content,
        own_hosts: [public, &host],
        title: options.title(),
        expiry: options.expiry.unwrap_or(default_expiry),
        burns: options.burn.is_some(),
        has_password: options.password.is_some(),
    })?)
}

/// The answer to a form: a browser is led to the page. A link's page is its preview, or the browser would leave at once.
fn form_answer(
    context: &RequestContext<'_>,
    base_url: &str,
    created: &Created,
    access: Access,
) -> HttpResponse {
    let page = if access == Access::Link { "+" } else { "" };
    match context.request.format {
        ResponseFormat::Html => led(context, base_url, created, page, StatusCode::SEE_OTHER),
        // The script of the editor follows by itself.
        ResponseFormat::Json => led(context, base_url, created, page, StatusCode::OK),
        ResponseFormat::Text => {
            created_answer(context, created, StatusCode::OK).body(line(base_url, created))
        }
    }
}

/// Leads a browser to the page, with the token as a cookie that goes back to that page alone. The address is relative: a
/// page may only lead to its own origin, and the public one may be another than the browser used.
fn led(
    context: &RequestContext<'_>,
    base_url: &str,
    created: &Created,
    page: &str,
    status: StatusCode,
) -> HttpResponse {
    let Created {
        id,
        token,
        deadline,
        ..
    } = created;
    let cookie = owner_cookie(context.state, base_url, id, token.as_str(), *deadline);
    created_answer(context, created, status)
        .insert_header((LOCATION, format!("/{id}{page}")))
        .insert_header((SET_COOKIE, cookie))
        .body(line(base_url, created))
}

/// The paste's address, in a line.
fn line(base_url: &str, created: &Created) -> String {
    [base_url, "/", &created.id, "\n"].concat()
}
