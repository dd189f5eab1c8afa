//! `PATCH /api/v1/pastes/{id}`: changes the parts that the JSON object names.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::app::ForbiddenChange;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::update::{OwnedPaste, change_content, load_owned, title_change};
use crate::http::request::RequestError;
use crate::http::request::SaveOptions;
use crate::http::request::api::PasteBody;
use crate::http::response::{JSON, NO_STORE, PasteObject, expires, json_text, respond};
use crate::http::transfer::json_body;
use crate::paste::{Access, Change, TitleChange};

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
    if options.slug.is_some() {
        return Err(ForbiddenChange::Slug.into());
    }
    if options.password.is_some() {
        return Err(match owned.access {
            Access::Locked(_) => RequestError::PasswordAlone.into(),
            Access::Open | Access::Burn(_) | Access::Link => ForbiddenChange::Protect.into(),
        });
    }
    let change = Change {
        of: owned.of,
        content: None,
        title: title_change(options.title(), is_untitled),
        language: options.named_language(),
        expiry: options.expiry,
    };
    if matches!(change.title, TitleChange::Keep)
        && change.language.is_none()
        && change.expiry.is_none()
    {
        return Err(RequestError::NoChange.into());
    }
    let updating = context.state.app.update(context.now(), owned.id, &change);
    Ok(updating.await?)
}
