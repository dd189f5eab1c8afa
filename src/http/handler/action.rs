//! `POST /{id}`: a form that deletes, changes or reads a paste.
//!
//! Invariants: a form that is malformed, or has options that a read does not have, uses up no read. A form with options
//! that a change does not have changes nothing. Otherwise a client could wrongly believe that its paste is protected.

use actix_web::HttpResponse;

use super::{delete, read, update};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::form::PasteAction;
use crate::http::request::{
    Request, SaveOption, X_PASSWORD, X_TOKEN, header_password, parse_password, query,
};
use crate::http::transfer::action_form;
use crate::paste::IdCodec;

/// Handles `POST` of a paste's routes.
pub(crate) async fn post(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let form = match action_form(context).await {
        Ok(form) => form,
        Err(error) => return Err(explained(context, error).await),
    };
    let request = context.request;
    let headers = request.headers();
    match form.action() {
        PasteAction::Delete => {
            delete::delete_with(context, request.address().id, form.text("token").as_deref()).await
        }
        PasteAction::Change
            if form.password().is_some()
                || headers.contains_key(X_PASSWORD)
                || has_other_options(&request)? =>
        {
            Err(ApiError::ExtraFields)
        }
        PasteAction::Change => update::change_by_form(context, &form).await,
        PasteAction::Read if headers.contains_key(X_TOKEN) || has_other_options(&request)? => {
            Err(ApiError::NoAction)
        }
        PasteAction::Read => {
            let password = match form.password() {
                Some(typed) => Some(parse_password(typed)?),
                None => header_password(headers)?,
            };
            read::post(context, password).await
        }
        PasteAction::Nothing => Err(ApiError::NoAction),
    }
}

/// Returns the error of a body that is not a form for a paste. If the URL has neither an id nor the slug of a paste,
/// the client probably wanted to save the body.
async fn explained(context: &RequestContext<'_>, error: ApiError) -> ApiError {
    if !matches!(error, ApiError::FormTooLarge | ApiError::Request(_)) {
        return error;
    }
    let text = context.request.address().id;
    match context.id(text) {
        Ok(_) if text.len() == IdCodec::LENGTH => error,
        Ok(id) if context.peek(id).await.is_ok() => error,
        Ok(_) | Err(_) => ApiError::NothingSaved,
    }
}

/// Returns whether the headers or the query contain options that a form sent to a paste does not support. Without this
/// check, a mistaken request could use up the paste.
fn has_other_options(request: &Request<'_>) -> Result<bool, ApiError> {
    let is_more =
        |name: &str| SaveOption::of_header(name).is_some_and(|option| option.name != "password");
    let is_known = |name: &str| matches!(name, "lines" | "view" | "download" | "file");
    let mut query = query::pairs(request.query())?;
    Ok(request.headers().keys().any(|name| is_more(name.as_str()))
        || query.any(|(name, _)| !is_known(&name)))
}
