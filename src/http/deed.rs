//! `POST /{id}`: what a form asks to be done with a paste: delete it, change it, read it.
//!
//! What it must not know: how any of it is done.
//! Invariants: a request that is not understood, or that asks for more than to read, reads nothing: no read is used up by
//! a mistake. One that asks for more than a form can change changes nothing: nobody believes a paste locked that is not.

use actix_web::http::header::HeaderName;
use actix_web::{HttpRequest, HttpResponse, dev};

use super::asker::Asker;
use super::body::collect;
use super::form::{Deed, DeedForm};
use super::headers::{LIFETIME, X_BURN, X_LANG, X_PASSWORD, X_TITLE, X_TOKEN};
use super::options::{header_password, password, query_pairs};
use super::problem::Problem;
use super::read::Representation;
use super::save::content_type;
use super::{change, delete, reveal};

/// A form to a paste holds a few short fields.
const LIMIT: usize = 16 * 1024;

/// `POST` of `/{id}`, `/raw/{id}` and `/dl/{id}`.
pub(crate) async fn post(
    asker: &mut Asker<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
    segment: &str,
    representation: Representation,
) -> Result<HttpResponse, Problem> {
    let form = form(asker, request, payload).await?;
    let token = form.token.as_deref();
    match form.deed() {
        Deed::Delete => delete::delete(asker, request, segment, token),
        Deed::Change if form.password.is_some() || has_options(request, &X_PASSWORD)? => {
            Err(Problem::BesideAChange)
        }
        Deed::Change => change::by_form(asker, request, segment, &form),
        Deed::Read if has_options(request, &X_TOKEN)? => Err(Problem::NothingToDo),
        Deed::Read => {
            let password = match &form.password {
                Some(typed) => Some(password(typed)?),
                None => header_password(request)?,
            };
            reveal::reveal(asker, request, segment, representation, password).await
        }
        Deed::Nothing => Err(Problem::NothingToDo),
    }
}

/// Whether headers, this one among them, or the query ask for more than the form does: to read may use a paste up, and
/// what was meant otherwise had better be refused.
fn has_options(request: &HttpRequest, also: &HeaderName) -> Result<bool, Problem> {
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
    asker: &mut Asker<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
) -> Result<DeedForm, Problem> {
    let body = collect(asker, request, payload, LIMIT, |_| LIMIT).await?;
    asker.look_again()?;
    Ok(DeedForm::parse(content_type(request), &body)?)
}
