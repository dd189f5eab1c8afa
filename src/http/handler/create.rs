//! Creating a paste from a raw body, a named file or a form.
//!
//! Invariants: nothing is stored unless the request arrived whole and was fully understood. The token is returned once,
//! to the client that saved.

use std::borrow::Cow;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, LOCATION, SET_COOKIE};
use actix_web::{HttpResponse, HttpResponseBuilder};

use crate::app::{Created, UseCases, random_bytes};
use crate::config::BaseUrl;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::problem::ProblemType as T;
use crate::http::request::form::SaveForm;
use crate::http::request::{BodyKind, ResponseFormat, SaveOptions};
use crate::http::response::{
    JSON, PasteObject, created_response, json_text, owner_cookie, saved_cookie,
};
use crate::http::transfer::{content_of, encrypt, form_content, reject_form, save_body};
use crate::paste::{Access, Asked, Draft, Language};

const NOT_A_QUESTION: &str =
    "A question has 1 to 300 characters and no `://` or `www.`. Change it.";

/// Handles `PUT /` and `PUT /NAME`.
pub(crate) async fn create(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    let options = SaveOptions::of(&request, context.expiry_rules())?;
    let options = options.with_file_name(request.path);
    let base_url = context.state.base_url(&request)?;
    let body = save_body(context, BodyKind::Raw).await?;
    reject_form(request.content_type(), &body)?;
    raw(context, &base_url, &body, &options).await
}

/// Saves a raw body.
pub(crate) async fn raw(
    context: &mut RequestContext<'_>,
    base_url: &str,
    body: &[u8],
    options: &SaveOptions,
) -> Result<HttpResponse, ApiError> {
    let (draft, access) = draft(context, body.into(), options).await?;
    let created = context.create(draft, access).await?;
    let mut response = created_response(context, &created, StatusCode::CREATED);
    response.append_header((LOCATION, url(base_url, &created)));
    finish(context, response, base_url, &created)
}

/// Makes the draft of a form's paste or link. `options` are those outside the form.
pub(crate) async fn draft_of_form(
    context: &RequestContext<'_>,
    form: SaveForm<'_>,
    options: SaveOptions,
) -> Result<(Draft, Access), ApiError> {
    let format = context.request.format;
    let options = options.with_form(&form.options, context.expiry_rules(), format)?;
    match form.is_link {
        true => Ok((link(context, &form, options)?, Access::Link)),
        false if form.is_question => question(context, &form, options).await,
        false => draft(context, form_content(form, format), &options).await,
    }
}

/// Makes the draft of a paste and decides how it may be read.
pub(crate) async fn draft(
    context: &RequestContext<'_>,
    content: Cow<'_, [u8]>,
    options: &SaveOptions,
) -> Result<(Draft, Access), ApiError> {
    let limits = context.state.app.limits;
    // What was made of a form is not kept while the request waits.
    let copy = content_of(context, &content, options)?;
    drop(content);
    let mut draft = Draft {
        content: copy,
        title: options.title(),
        language: options.language(),
        expiry: options.expiry.unwrap_or(limits.expiry_policy.default),
        slug: options.slug.clone(),
    };
    let access = match (&options.password, options.burn) {
        (None, None) => Access::Open,
        (None, Some(reads)) => Access::Burn(reads),
        (Some(password), reads) => {
            // Boxed: this future is large, and most saves do not need it.
            let title = draft.title.take();
            let encrypting = Box::pin(encrypt(context, password.clone(), title, draft.content));
            draft.content = encrypting.await?;
            Access::Locked(reads)
        }
    };
    Ok((draft, access))
}

/// Makes the draft of a question. Its title is the question too, which its page shows once it is answered.
async fn question(
    context: &RequestContext<'_>,
    form: &SaveForm<'_>,
    mut options: SaveOptions,
) -> Result<(Draft, Access), ApiError> {
    let text = String::from_utf8_lossy(&form.content).into_owned();
    let question = Asked::question(&text, random_bytes()?);
    let question = question.ok_or_else(|| T::InvalidValue.says(NOT_A_QUESTION))?;
    context.charges.reserve(question.len())?;
    options.title = Some(text);
    draft(context, question.into(), &options).await
}

/// Makes the draft of a short link.
fn link(
    context: &RequestContext<'_>,
    form: &SaveForm<'_>,
    options: SaveOptions,
) -> Result<Draft, ApiError> {
    let state = context.state;
    if !state.site.shortens() {
        return Err(ApiError::NoLinks);
    }
    let host = context.request.host(&state.local)?;
    let public = context.request.public.map_or(host, BaseUrl::authority);
    let (burns, has_password) = (options.burn.is_some(), options.password.is_some());
    let content = UseCases::link_content(&form.content, [public, host], burns, has_password)?;
    let default_expiry = state.app.limits.expiry_policy.default;
    Ok(Draft {
        content,
        title: options.title(),
        language: Some(Language::PLAIN),
        expiry: options.expiry.unwrap_or(default_expiry),
        slug: options.slug,
    })
}

/// Responds to a form. A browser is redirected to the page of the paste. For a short link it is redirected to the
/// preview, because the link itself would redirect to the target.
pub(crate) fn form_response(
    context: &RequestContext<'_>,
    base_url: &str,
    created: &Created,
    access: Access,
) -> Result<HttpResponse, ApiError> {
    let page = if access == Access::Link { "+" } else { "" };
    let response = match context.request.format {
        ResponseFormat::Html => redirect(context, created, page, StatusCode::SEE_OTHER),
        // The editor's script reads the address from the response and opens that address itself.
        ResponseFormat::Json => redirect(context, created, page, StatusCode::OK),
        ResponseFormat::Text => created_response(context, created, StatusCode::OK),
    };
    finish(context, response, base_url, created)
}

/// Redirects a browser to the page, with the token as cookies for that page alone. The address is relative, because
/// the content security policy allows only the origin that the browser used. That origin may differ from the public
/// one.
fn redirect(
    context: &RequestContext<'_>,
    created: &Created,
    page: &str,
    status: StatusCode,
) -> HttpResponseBuilder {
    let (id, token) = (&*created.id, created.token.as_str());
    let (base_path, page) = (context.request.base_path(), [id, page].concat());
    // The browser of an owner needs the token only until it was shown.
    let owner_cookie = match context.browser_owner() {
        Some(_) => None,
        None => Some(owner_cookie(context, id, token, created.paste.deadline())),
    };
    let saved_cookie = saved_cookie(&context.request, &page, token);
    let cookies = [owner_cookie, Some(saved_cookie), context.adopted_cookie()];
    let mut response = created_response(context, created, status);
    response.append_header((LOCATION, format!("{base_path}/{page}?saved")));
    for cookie in cookies.into_iter().flatten() {
        response.append_header((SET_COOKIE, cookie));
    }
    response
}

/// Returns the paste's address.
pub(crate) fn url(base_url: &str, created: &Created) -> String {
    [base_url, "/", &created.id].concat()
}

/// Returns the paste's address and a line feed.
pub(crate) fn url_line(base_url: &str, created: &Created) -> String {
    url(base_url, created) + "\n"
}

/// Adds the body: the object of the paste for a client that accepts JSON, otherwise its address in one line.
pub(crate) fn finish(
    context: &RequestContext<'_>,
    mut response: HttpResponseBuilder,
    base_url: &str,
    created: &Created,
) -> Result<HttpResponse, ApiError> {
    Ok(match context.request.format {
        ResponseFormat::Html | ResponseFormat::Text => response.body(url_line(base_url, created)),
        ResponseFormat::Json => {
            let object = PasteObject::of_created(context, created)?;
            response
                .insert_header((CONTENT_TYPE, JSON))
                .body(json_text(&object)?)
        }
    })
}
