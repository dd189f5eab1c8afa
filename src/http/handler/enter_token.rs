//! `POST` of `/{id}/stats` and `/{id}/edit` with a token in a form: a browser gets the token as a cookie and requests
//! the page again.

use actix_web::HttpResponse;
use actix_web::http::header::SET_COOKIE;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::RequestError;
use crate::http::response::{ask_for_token, owner_cookie, see_other};
use crate::http::transfer::action_form;

/// `POST` of `/{id}/stats` and `/{id}/edit`.
pub(crate) async fn enter_token(
    context: &mut RequestContext<'_>,
) -> Result<HttpResponse, ApiError> {
    let form = action_form(context).await.map_err(|error| match error {
        // The fields of the editor, encoded as the body of a form for the token.
        ApiError::Request(RequestError::UnknownActionField(_)) => RequestError::NotMultipart.into(),
        error => error,
    })?;
    let request = context.request;
    let id = request.route.param;
    let stored = context.peek(context.id(id)?).await?;
    let token = form.text("token");
    let token = token.as_deref();
    if let Err(error) = context.authorize_owner(&stored, token) {
        return ask_for_token(&request, request.path, error);
    }
    let mut response = see_other(&[request.base_path(), request.path].concat());
    // A page of another origin must not store the token of a paste in a browser.
    if let Some(token) = token.filter(|_| context.is_same_origin()) {
        let cookie = owner_cookie(context, id, token, stored.deadline());
        response.insert_header((SET_COOKIE, cookie));
    }
    Ok(response.body("Token accepted.\n"))
}
