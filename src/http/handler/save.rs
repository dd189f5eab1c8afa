//! `POST /`, which many pastebins share: the body tells for which of them it was written.
//!
//! A raw body gets 201, a form 200 with one URL in a line. A urlencoded form of a pastebin for browsers gets a redirect
//! to the paste instead, because its clients read the URL from there. A form in JSON gets JSON, as from wastebin.
//! Invariants: a form is saved as it asks or refused, and any other body is stored as it is.
//!
//! ix.io: `rm` and `id:1` act on a paste that exists and need its token, as every change does.
//!
//! wastebin: a JSON object has the text and its options. Its members are the fields of a form.

use std::borrow::Cow;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;

use crate::http::admission::{RequestContext, authorize};
use crate::http::error::ApiError;
use crate::http::handler::editor::{give_text_back, gives_back};
use crate::http::handler::{create, delete, update};
use crate::http::request::form::{self, Form, Origin, SaveForm};
use crate::http::request::{Audience, BodyKind, ResponseFormat, SaveOptions};
use crate::http::response::{created_json, created_response};
use crate::http::transfer::save_body;
use crate::paste::{Access, Language};

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
            let is_link = matches!(&form, Form::Save(form) if form.is_link);
            // Boxed: this future is large, and most saves have a raw body.
            let answered = Box::pin(answer(context, &base_url, kind, form, options));
            match answered.await {
                Err(error) if is_link && gives_back(context, &error) => {
                    Box::pin(give_text_back(context, error, None, &body)).await?
                }
                answered => answered.map_err(|error| of_form(kind, error))?,
            }
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
        Form::Replace(paste, form) => update::replace(context, &paste, form, options).await,
        Form::Remove(paste) => {
            authorize(context, Audience::Readers)?;
            delete::delete_with(context, &paste.id, paste.token.as_deref()).await
        }
        Form::Save(form) if kind == BodyKind::Json => {
            save_for_wastebin(context, form, options).await
        }
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
            if !is_redirected {
                return create::form_response(context, base_url, &created, access);
            }
            // Some programs do not resolve a relative address.
            let preview = if access == Access::Link { "+" } else { "" };
            Ok(created_response(context, &created, StatusCode::SEE_OTHER)
                .append_header((LOCATION, create::url(base_url, &created) + preview))
                .body(create::url_line(base_url, &created)))
        }
    }
}

/// Saves the paste of a form in JSON. `options` are those outside the body.
async fn save_for_wastebin(
    context: &mut RequestContext<'_>,
    form: SaveForm<'_>,
    options: SaveOptions,
) -> Result<HttpResponse, ApiError> {
    let extension = form.options.text("lang").filter(|it| is_path_ending(it));
    let extension = extension.map(Cow::into_owned);
    let (draft, access) = create::draft_of_form(context, form, options).await?;
    let created = context.create(draft, access).await?;
    let ending = extension.map_or(String::new(), |extension| format!(".{extension}"));
    let path = format!("{}/{}{ending}", context.request.base_path(), created.id);
    let answer = serde_json::json!({ "path": path });
    Ok(created_json(context, &created, &answer))
}

/// Returns whether this is a language that can stand in a path as it is, unlike `c#`.
fn is_path_ending(extension: &str) -> bool {
    let stands_in_path = |byte: u8| byte.is_ascii_alphanumeric() || b"+-_".contains(&byte);
    extension.bytes().all(stands_in_path) && Language::from_name(extension).is_some()
}
