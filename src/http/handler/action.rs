//! `POST /{id}`: what a form asks to be done with a paste: delete it, change it, read it.
//!
//! What it must not know: how any of it is done.
//! Invariants: a request that is not understood, or that asks for more than to read, reads nothing: no read is used up by
//! a mistake. One that asks for more than a form can change changes nothing: nobody believes a paste locked that is not.

use actix_web::http::header::HeaderName;
use actix_web::{HttpRequest, HttpResponse, dev};

use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::handler::create::content_type;
use crate::http::handler::read::Representation;
use crate::http::handler::{delete, read_protected, update};
use crate::http::request::form::{ActionForm, PasteAction};
use crate::http::request::options::{header_password, password, query_pairs};
use crate::http::response::headers::{LIFETIME, X_BURN, X_LANG, X_PASSWORD, X_TITLE, X_TOKEN};
use crate::http::transfer::request_body::collect;

/// A form to a paste holds a few short fields.
const LIMIT: usize = 16 * 1024;

/// `POST` of `/{id}`, `/raw/{id}` and `/dl/{id}`.
pub(crate) async fn post(
    context: &mut RequestContext<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
    segment: &str,
    representation: Representation,
) -> Result<HttpResponse, ApiError> {
    let form = form(context, request, payload).await?;
    let token = form.token.as_deref();
    match form.deed() {
        PasteAction::Delete => delete::delete(context, request, segment, token),
        PasteAction::Change if form.password.is_some() || has_options(request, &X_PASSWORD)? => {
            Err(ApiError::BesideAChange)
        }
        PasteAction::Change => update::by_form(context, request, segment, &form),
        PasteAction::Read if has_options(request, &X_TOKEN)? => Err(ApiError::NothingToDo),
        PasteAction::Read => {
            let password = match &form.password {
                Some(typed) => Some(password(typed)?),
                None => header_password(request)?,
            };
            read_protected::reveal(context, request, segment, representation, password).await
        }
        PasteAction::Nothing => Err(ApiError::NothingToDo),
    }
}

/// Whether headers, this one among them, or the query ask for more than the form does: to read may use a paste up, and
/// what was meant otherwise had better be refused.
fn has_options(request: &HttpRequest, also: &HeaderName) -> Result<bool, ApiError> {
    let headers = [&X_TITLE, &X_LANG, &X_BURN, also];
    let is_known = |name: &str| name == "lines" || name == "view";
    let mut query = query_pairs(request.query_string())?;
    Ok(headers
        .into_iter()
        .chain(&LIFETIME)
        .any(|name| request.headers().contains_key(name))
        || query.any(|(name, _)| !is_known(&name)))
}

/// The form in the body; the client may still look ids up when it has come.
pub(crate) async fn form(
    context: &mut RequestContext<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
) -> Result<ActionForm, ApiError> {
    let body = collect(context, request, payload, LIMIT, |_| LIMIT).await?;
    context.recheck_miss_limit()?;
    Ok(ActionForm::parse(content_type(request), &body)?)
}
