//! Deleting a paste: `DELETE /{id}` from a terminal, `POST /{id}` with the field `delete` from a page.

use actix_web::HttpResponse;
use actix_web::http::header::SET_COOKIE;

use crate::app::{Bearer, Credentials, Removal};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::api::moderation::{REMOVAL_OPTIONS, removal};
use crate::http::request::{Request, ResponseFormat, query};
use crate::http::response::{etag_of_open, no_owner_cookie, page_or_text};
use crate::page::{MessagePage, NextStep};
use crate::store::{Note, Reason};

/// Handles `DELETE` of `/{id}`, `/raw/{id}` and `/dl/{id}`.
pub(crate) async fn delete(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    delete_with(context, context.request.address().id, None).await
}

/// Handles `GET` and `HEAD` of `/{id}/delete`, the link that programs show. The token is its fragment, which the page's
/// script writes into the form: so no log and no scanner gets it.
pub(crate) async fn ask(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    context.id(request.route.param)?;
    Ok(confirmation(&request, request.route.param, ""))
}

/// Returns the page with the button that deletes, for a GET deletes nothing. It asks for the token if it is empty.
pub(crate) fn confirmation(request: &Request<'_>, id: &str, token: &str) -> HttpResponse {
    let page = MessagePage {
        site: request.site,
        heading: "Delete this paste?",
        sentence: "It can no longer be opened after that.",
        next_step: NextStep::Delete { id, token },
        line: "To delete it, use `curl -X DELETE -H 'X-Token: TOKEN' URL/ID`.",
    };
    page_or_text(&mut HttpResponse::Ok(), request.format, &page)
}

/// Deletes the paste with this id. `token` is the token from a form, if there was one.
pub(crate) async fn delete_with(
    context: &RequestContext<'_>,
    text: &str,
    token: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    remove(context, text, token).await?;
    Ok(response(&context.request, text))
}

/// Deletes the paste with this id, without a response. The operator's query may have no other names than it reads: the
/// operator of `?blok=1` wants the content blocked.
pub(crate) async fn remove(
    context: &RequestContext<'_>,
    text: &str,
    token: Option<&str>,
) -> Result<(), ApiError> {
    let (query, credentials) = (context.request.query(), context.credentials(token)?);
    if credentials.bearer == Bearer::Operator {
        query::reject_unknown(query, &REMOVAL_OPTIONS)?;
    }
    remove_as(context, text, &credentials, &removal(query)?).await
}

/// Deletes the paste with this id by these credentials. A deletion by the operator is logged.
pub(super) async fn remove_as(
    context: &RequestContext<'_>,
    text: &str,
    credentials: &Credentials<'_>,
    removal: &Removal,
) -> Result<(), ApiError> {
    let (state, request) = (context.state, context.request);
    let id = context.id(text)?;
    let is_named = |stored: &_| {
        request
            .conditions()
            .accept(etag_of_open(stored, context.state.site.images).as_ref())
    };
    context.permit_loading(id).await?;
    let deleted = state
        .app
        .delete(context.now(), id, credentials, is_named, removal);
    let deleted = deleted.await.map_err(|error| context.charged(error))?;
    if deleted.blocked.is_some() || deleted.reason == Reason::RemovedByOperator {
        let by = context.operator_name();
        let reason = removal.note.as_ref().map_or("", Note::as_str);
        let hash = deleted.blocked.map(tracing::field::display);
        tracing::info!(by, reason, hash, "the operator removed a paste");
    }
    Ok(())
}

fn response(request: &Request<'_>, id: &str) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    if request.format == ResponseFormat::Html {
        response.insert_header((SET_COOKIE, no_owner_cookie(request, id)));
    }
    let page = MessagePage {
        site: request.site,
        heading: "Deleted",
        sentence: "This paste can no longer be opened.",
        next_step: NextStep::NewPaste,
        line: "Deleted.",
    };
    page_or_text(&mut response, request.format, &page)
}
