//! `/{id}/report`: a reader reports a paste to the operator.
//!
//! Invariants: without an address of the operator there is no such page. A report is charged as a save. It keeps the
//! keyed hash of the reader's network, and no address.

use actix_web::HttpResponse;

use crate::http::admission::RequestContext;
use crate::http::error::{AccessError, ApiError};
use crate::http::request::RequestError;
use crate::http::response::page_or_text;
use crate::http::transfer::short_form;
use crate::page::{MessagePage, NextStep, ReportPage};
use crate::paste::Slug;
use crate::store::{ModerationChange, Note, Report};

/// The response to a report that changes nothing.
const REPORTED_BEFORE: &str =
    "Your network has reported this paste already. The first report is kept.";

/// Handles `GET` and `HEAD` of `/{id}/report`: the form.
pub(crate) async fn form(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    let contact = state.site.contact.as_ref().ok_or(ApiError::NothingHere)?;
    let id = request.route.param;
    context.peek(context.id(id)?).await?;
    let page = ReportPage {
        site: request.site,
        id,
        url: &format!("{}/{id}", state.base_url(&request)?),
        contact,
        max_chars: Note::MAX_CHARS,
    };
    Ok(page_or_text(&mut HttpResponse::Ok(), request.format, &page))
}

/// Handles `POST /{id}/report`: stores the report.
pub(crate) async fn send(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    if context.state.site.contact.is_none() {
        return Err(ApiError::NothingHere);
    }
    // A page of another site could make its readers report a paste, each from a network of its own.
    if !context.is_same_origin() {
        return Err(AccessError::CrossSite.into());
    }
    let form = short_form(context, &["reason"]).await?;
    let (state, request) = (context.state, context.request);
    let paste = context.id(request.route.param)?;
    let slug = Slug::parse(request.route.param).ok();
    let note = Note::new(&form.text("reason").unwrap_or_default()).map_err(RequestError::Note)?;
    let now = context.now();
    let change = ModerationChange::Report(Report {
        paste,
        slug,
        client: context.charges.client(),
        at: now,
        note,
    });
    let (sentence, line) = match state.app.store.moderate(now, change).await {
        Ok(true) => (
            "Thank you. The operator of this server will read your report.",
            "Reported.",
        ),
        Ok(false) => (REPORTED_BEFORE, REPORTED_BEFORE),
        Err(error) => return Err(context.charged(error)),
    };
    let page = MessagePage {
        site: request.site,
        heading: "Reported",
        sentence,
        next_step: NextStep::OpenPaste {
            id: request.route.param,
        },
        line,
    };
    Ok(page_or_text(&mut HttpResponse::Ok(), request.format, &page))
}
