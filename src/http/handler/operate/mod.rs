//! `/operate`: one page for the operator, with what happens now, the reports, and the blocked contents.
//!
//! Invariants: only the operator gets the page. A form changes something only if it was sent from a page of this server.
//! The page is complete without a script, and is never stored.

pub(super) mod acts;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};

use super::delete::remove_as;
use crate::app::Credentials;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::api::moderation::{Removal, note};
use crate::http::request::form::ShortForm;
use crate::http::request::{RequestError, query};
use crate::http::response::{NO_STORE, ReportedPastes, ServerStatus, TEXT, page_or_text};
use crate::http::transfer::short_form;
use crate::page::{self, BlockLine, Done, OperatePage, ReportLine, ReportedPasteLine};
use crate::paste::IdCodec;
use crate::store::Note;

/// The fields of a form of the page.
const FIELDS: [&str; 5] = ["act", "paste", "reason", "block", "sha256"];

/// Handles `GET` and `HEAD` of `/operate`.
pub(crate) async fn page(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    let (state, request) = (context.state, context.request);
    let (store, now) = (state.app.store(), context.now());
    let base_url = state.base_url(&request)?;
    let reported = store.reports(now);
    let reported =
        ReportedPastes::new(&reported, &base_url, |id, slug| state.app.text_of(id, slug));
    let blocks = store.blocks();
    let status = ServerStatus::new(state, now);
    let mut done = query::pairs(request.query())?.filter(|(name, _)| name == "done");
    let page = OperatePage {
        base_path: request.base_path(),
        done: done.next().and_then(|(_, name)| Done::named(&name)),
        now: status.now(),
        facts: &status.facts(),
        by_minute: status.by_minute.lines(),
        by_hour: status.by_hour.lines(),
        takes_reports: state.contact.is_some(),
        reported: &reported_lines(&reported),
        number: page_number(request.query())?,
        blocks: &blocks
            .iter()
            .map(|block| BlockLine {
                sha256: block.hash.to_string(),
                since: block.since.as_millis(),
                note: block.note.as_ref().map_or("", Note::as_str),
            })
            .collect::<Vec<_>>(),
        max_chars: Note::MAX_CHARS,
    };
    Ok(page_or_text(
        &mut HttpResponse::Ok(),
        request.format,
        || page::operate(&page),
        || page::operate_text(&page),
    ))
}

/// Handles `POST /operate`: carries out a form of the page, and shows the page again.
pub(crate) async fn act(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    query::reject_unknown(context.request.query(), &["page"])?;
    let number = page_number(context.request.query())?;
    let form = short_form(context, &FIELDS).await?;
    let field = |name| form.get(name).unwrap_or_default();
    let done = match form.get("act") {
        Some("remove") => {
            let removal = Removal {
                blocks: form.get("block").is_some(),
                note: note(form.get("reason"))?,
            };
            let id = id_in(context, &form)?;
            remove_as(context, &id, &Credentials::of_operator(), &removal).await?;
            match removal.blocks {
                true => Done::RemovedAndBlocked,
                false => Done::Removed,
            }
        }
        Some("dismiss") => {
            acts::dismiss(context, &id_in(context, &form)?).await?;
            Done::Dismissed
        }
        Some("block") => {
            acts::block(context, field("sha256"), note(form.get("reason"))?).await?;
            Done::Blocked
        }
        Some("unblock") => {
            acts::unblock(context, field("sha256")).await?;
            Done::Unblocked
        }
        _ => return Err(RequestError::Act.into()),
    };
    let (base_path, name) = (context.request.base_path(), done.name());
    let page = match number {
        1 => String::new(),
        number => format!("&page={number}"),
    };
    let location = format!("{base_path}/operate?done={name}{page}");
    Ok(HttpResponse::SeeOther()
        .insert_header((LOCATION, location))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((CONTENT_TYPE, TEXT))
        .body(format!("{}\n", done.sentence())))
}

/// Returns the page of the reports that a query names. A text that is no number names the first.
fn page_number(query: &str) -> Result<usize, RequestError> {
    let mut numbers = query::pairs(query)?.filter(|(name, _)| name == "page");
    let number = numbers.next().and_then(|(_, number)| number.parse().ok());
    Ok(number.unwrap_or(1))
}

/// Finds the id or the slug in the address of a paste, as people copy it: with the server or without, and with an
/// extension or a view. If there is none, the whole text is returned, which is then refused.
fn id_in(context: &RequestContext<'_>, form: &ShortForm) -> Result<String, ApiError> {
    let address = form.get("paste").unwrap_or_default().trim();
    let (has_scheme, rest) = match address.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (false, address),
    };
    let base_url = context.state.base_url(&context.request)?;
    let own = base_url.split_once("://").map_or("", |(_, own)| own);
    let path = match (rest.strip_prefix(own), has_scheme) {
        (Some(path), _) => path,
        (None, true) => rest.split_once('/').map_or("", |(_, path)| path),
        (None, false) => rest,
    };
    let mut parts = path
        .split(['/', '.', '+', '?', '#'])
        .filter(|part| context.state.app.id(part).is_some());
    // A part of the host may look like a slug, but hardly ever like an id.
    let id = parts.clone().find(|part| part.len() == IdCodec::LENGTH);
    Ok(id.or_else(|| parts.next()).unwrap_or(address).to_owned())
}

fn reported_lines(reported: &ReportedPastes) -> Vec<ReportedPasteLine<'_>> {
    let pastes = reported.pastes.iter();
    pastes
        .map(|paste| ReportedPasteLine {
            id: &paste.id,
            networks: paste.networks,
            reports: paste
                .reports
                .iter()
                .map(|report| ReportLine {
                    at: report.at,
                    network: &report.network,
                    note: &report.reason,
                })
                .collect(),
        })
        .collect()
}
