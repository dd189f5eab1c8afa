//! `POST /`, which many pastebins share: the body tells for which of them it was written.
//!
//! A raw body gets 201, a form 200 with one URL in a line. A urlencoded form of a pastebin for browsers gets a redirect
//! to the paste instead, because its clients read the URL from there. A form in JSON gets JSON, as from wastebin.
//! Invariants: a form is saved as it asks or refused, and any other body is stored as it is.

mod ix;
mod wastebin;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;

use crate::app::Created;
use crate::http::admission::{RequestContext, authorize};
use crate::http::error::ApiError;
use crate::http::handler::{create, delete, update};
use crate::http::request::form::{self, Form, Origin};
use crate::http::request::{Audience, BodyKind, ResponseFormat, SaveOptions};
use crate::http::response::created_response;
use crate::http::transfer::save_body;
use crate::paste::Access;

/// Handles `POST /`.
pub(crate) async fn save(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    let options = SaveOptions::of(&request, context.expiry_rules())?;
    let base_url = context.state.base_url(&request)?;
    let kind = request.body_kind();
    let body = save_body(context, kind).await?;
    let form = form::parse(kind, request.content_type(), &body).map_err(ApiError::from);
    Ok(match form.map_err(|error| of_form(kind, error))? {
        None => create::raw(context, &base_url, &body, &options).await?,
        Some(form) => {
            // Boxed: this future is large, and most saves have a raw body.
            let answered = Box::pin(answer(context, &base_url, kind, form, options));
            answered.await.map_err(|error| of_form(kind, error))?
        }
    })
}

/// Adds how to save the body as it is, if the client may have labelled it as a form by default.
fn of_form(kind: BodyKind, error: ApiError) -> ApiError {
    match (kind, &error) {
        (BodyKind::Urlencoded | BodyKind::Json, ApiError::Request(of_form)) => {
            let row = of_form.row();
            let sentence = row.sentence.trim_end_matches('.');
            let sentence = format!("{sentence}; `curl -T - URL` saves the body as it is.");
            row.problem_type.says(sentence).into()
        }
        (_, _) => error,
    }
}

/// Carries out the request of the form.
async fn answer(
    context: &mut RequestContext<'_>,
    base_url: &str,
    kind: BodyKind,
    form: Form<'_>,
    options: SaveOptions,
) -> Result<HttpResponse, ApiError> {
    match form {
        Form::SaveSeveral(forms) => ix::save(context, base_url, forms, &options).await,
        Form::Replace(paste, form) => update::replace(context, &paste, form, options).await,
        Form::Remove(paste) => {
            authorize(context, Audience::Readers)?;
            delete::delete_with(context, &paste.id, paste.token.as_deref()).await
        }
        Form::Save(form) if kind == BodyKind::Json => wastebin::save(context, form, options).await,
        Form::Save(form) => {
            let origin = form.origin;
            let (draft, access) = create::draft_of_form(context, form, options).await?;
            if context.request.format != ResponseFormat::Text {
                context.adopt_browser()?;
            }
            let created = context.create(draft, access).await?;
            let is_redirected = kind == BodyKind::Urlencoded
                && origin != Origin::Terminal
                && context.request.format == ResponseFormat::Text;
            match is_redirected {
                true => Ok(redirect(context, base_url, &created, access)),
                false => create::form_response(context, base_url, &created, access),
            }
        }
    }
}

/// Redirects a program to the paste. Some programs do not resolve a relative address.
fn redirect(
    context: &RequestContext<'_>,
    base_url: &str,
    created: &Created,
    access: Access,
) -> HttpResponse {
    let preview = if access == Access::Link { "+" } else { "" };
    created_response(context, created, StatusCode::SEE_OTHER)
        .append_header((LOCATION, create::url(base_url, created) + preview))
        .body(create::url_line(base_url, created))
}
