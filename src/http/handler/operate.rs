//! `/operate`: one page for the operator, with the present numbers, the reports, and the blocked contents.
//!
//! Invariants: only the operator gets the page. A form changes something only if it was sent from a page of this
//! server. The page is complete without a script, and is never stored.
//!
//! `/metrics`: all counters of the server for Prometheus. A scrape is not limited, takes no permit and no bytes of a
//! budget, and waits for nothing. So it works during overload. Cost: the locks of the store, the limiter and the
//! others, each for some integers, and a text of at most some hundred KiB.
//!
//! `/api/v1/operate`: the same numbers and decisions for programs.

use std::collections::{BTreeMap, HashMap};

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;

use crate::account::{Principal, Right};
use crate::app::{Bearer, Credentials, Removal};
use crate::http::admission::{RequestContext, authorize};
use crate::http::error::ApiError;
use crate::http::handler::delete::remove_as;
use crate::http::request::api::moderation::{content_hash, note, removal};
use crate::http::request::form::Fields;
use crate::http::request::{Audience, RequestError, ResponseFormat, id_in, query};
use crate::http::response::{
    NO_STORE, json_response, no_content, page_or_text, respond, see_other,
};
use crate::http::transfer::short_form;
use crate::limit::Action;
use crate::operate::{self, MEDIA_TYPE};
use crate::page::{
    Act, BlockedContent, NetworkReport, OperatePage, Preview, ReportedPaste, ServerStatus,
};
use crate::paste::{PasteId, Slug, Timestamp};
use crate::store::{ModerationChange, Note, Report, StoreError};

/// The fields of a form of the page.
const FIELDS: [&str; 5] = ["act", "paste", "reason", "block", "sha256"];

/// The most reported pastes whose beginning is shown. Each is loaded as a whole.
const MOST_PREVIEWS: usize = 20;

/// Handles `GET` and `HEAD` of `/operate`.
pub(crate) async fn page(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator(Right::Operate).await?;
    let (state, request) = (context.state, context.request);
    let paste = query::value(request.query(), "paste")?.filter(|text| state.app.id(text).is_some());
    let mut page = OperatePage {
        site: request.site,
        done: query::value(request.query(), "done")?.and_then(|name| Act::done_by_name(&name)),
        paste: paste.as_deref(),
        status: &server_status(context),
        reported: &reported(context).await?,
        previews: &[],
        number: page_number(request.query())?,
        blocks: &blocked(context),
        max_chars: Note::MAX_CHARS,
    };
    // A key may have the right to operate without that to read. Without a key, it is the operator's token.
    let may_read =
        context.principal == Principal::Anonymous || authorize(context, Audience::Readers).is_ok();
    let is_shown = may_read && request.format == ResponseFormat::Html;
    let shown = if is_shown { page.shown() } else { &[] };
    let previews = previews(context, shown).await;
    page.previews = &previews;
    Ok(page_or_text(&mut HttpResponse::Ok(), request.format, &page))
}

/// Handles `POST /operate`: carries out a form of the page, and shows the page again.
pub(crate) async fn act(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator(Right::Operate).await?;
    query::reject_unknown(context.request.query(), &["page"])?;
    let number = page_number(context.request.query())?;
    let form = short_form(context, &FIELDS).await?;
    let act = match form.text("act").as_deref() {
        Some("remove") => {
            let blocks = form.text("block").map(|it| query::flag("block", &it));
            match blocks.unwrap_or(Ok(false))? {
                true => Act::RemoveAndBlock,
                false => Act::Remove,
            }
        }
        Some("dismiss") => Act::Dismiss,
        Some("block") => Act::Block,
        Some("unblock") => Act::Unblock,
        _ => return Err(RequestError::Act.into()),
    };
    let note = match act {
        Act::Remove | Act::RemoveAndBlock | Act::Block => note(form.text("reason").as_deref())?,
        Act::Dismiss | Act::Unblock => None,
    };
    let paste = match act {
        Act::Remove | Act::RemoveAndBlock | Act::Dismiss => Some(named(context, &form)?),
        Act::Block | Act::Unblock => None,
    };
    let hash = form.text("sha256");
    let subject = paste.as_deref().or(hash.as_deref()).unwrap_or_default();
    carry_out(context, act, subject, note).await?;
    let (base_path, [name, sentence]) = (context.request.base_path(), act.done());
    let mut location = format!("{base_path}/operate?done={name}");
    if let Some(paste) = paste {
        location += &format!("&paste={paste}");
    }
    if number != 1 {
        location += &format!("&page={number}");
    }
    Ok(see_other(&location).body([sentence, "\n"].concat()))
}

/// Returns the page of the reports that a query names. A text that is not a number names the first.
fn page_number(query: &str) -> Result<usize, RequestError> {
    let number = query::value(query, "page")?;
    Ok(number.and_then(|it| it.parse().ok()).unwrap_or(1))
}

/// Returns the id or the slug in the address of a paste, as people copy it.
///
/// # Errors
/// If no paste can have this address. Nothing is guessed: a guess may hit the paste of someone else.
fn named(context: &RequestContext<'_>, form: &Fields<'_>) -> Result<String, ApiError> {
    let base_url = context.state.base_url(&context.request)?;
    let text = form.text("paste").unwrap_or_default();
    let id = id_in(&text, &base_url, context.request.base_path());
    let id = id.filter(|id| context.state.app.id(id).is_some());
    Ok(id.ok_or(RequestError::Address)?.to_owned())
}

/// Carries out an act on a paste, by its id or slug, or on a content, by its SHA-256. It is one line in the log, with
/// the operator's name, without an id and without content. Only a removal and a block have a note.
async fn carry_out(
    context: &RequestContext<'_>,
    act: Act,
    subject: &str,
    note: Option<Note>,
) -> Result<(), ApiError> {
    let (app, now, by) = (&context.state.app, context.now(), context.operator_name());
    match act {
        Act::Remove | Act::RemoveAndBlock => {
            let blocks = act == Act::RemoveAndBlock;
            let removal = Removal { blocks, note };
            let operator = Credentials {
                bearer: Bearer::Operator,
                ..Credentials::default()
            };
            remove_as(context, subject, &operator, &removal).await?;
        }
        Act::Dismiss => {
            let change = ModerationChange::Dismiss(context.id(subject)?);
            app.store.moderate(now, change).await?;
            tracing::info!(by, "the operator dismissed the reports about a paste");
        }
        Act::Block => {
            let hash = content_hash(subject)?;
            let reason = note.as_ref().map_or("", Note::as_str).to_owned();
            app.block(now, hash, note).await?;
            tracing::info!(by, reason, %hash, "the operator blocked a content");
        }
        Act::Unblock => {
            let hash = content_hash(subject)?;
            let change = ModerationChange::Unblock(hash);
            app.store.moderate(now, change).await?;
            tracing::info!(by, %hash, "the operator allowed a content again");
        }
    }
    Ok(())
}

/// Handles `GET /metrics`.
pub(crate) async fn metrics(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator(Right::Metrics).await?;
    let counters = context.state.counters();
    Ok(respond(
        StatusCode::OK,
        HeaderValue::from_static(MEDIA_TYPE),
        NO_STORE,
    )
    .body(operate::metrics(&counters)))
}

/// Handles `GET` and `HEAD` of `/api/v1/operate`.
pub(crate) async fn status(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator(Right::Operate).await?;
    json_response(&server_status(context))
}

/// Handles `GET` and `HEAD` of `/api/v1/operate/reports`.
pub(crate) async fn reports(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator(Right::Operate).await?;
    let pastes = reported(context).await?;
    json_response(&BTreeMap::from([("pastes", pastes)]))
}

/// Handles `DELETE /api/v1/operate/reports/{id}`.
pub(crate) async fn dismiss(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    act_by_path(context, Act::Dismiss, &[]).await
}

/// Handles `GET` and `HEAD` of `/api/v1/operate/blocks`.
pub(crate) async fn blocks(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator(Right::Operate).await?;
    json_response(&BTreeMap::from([("blocks", blocked(context))]))
}

/// Handles `PUT /api/v1/operate/blocks/{sha256}`.
pub(crate) async fn block(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    act_by_path(context, Act::Block, &["reason"]).await
}

/// Handles `DELETE /api/v1/operate/blocks/{sha256}`.
pub(crate) async fn unblock(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    act_by_path(context, Act::Unblock, &[]).await
}

/// Carries out an act on what the path names, with these names in the query.
async fn act_by_path(
    context: &mut RequestContext<'_>,
    act: Act,
    names: &[&'static str],
) -> Result<HttpResponse, ApiError> {
    context.authorize_operator(Right::Operate).await?;
    let request = context.request;
    query::reject_unknown(request.query(), names)?;
    let note = removal(request.query())?.note;
    carry_out(context, act, request.route.param, note).await?;
    Ok(no_content())
}

/// The vote of a network, in parts that are small enough to divide.
const VOTE: u64 = 1 << 32;

/// Returns what is stored, and what happened.
fn server_status(context: &RequestContext<'_>) -> ServerStatus {
    let state = context.state;
    let (limits, load) = (state.limiter.stats(), state.overload.load());
    let store = &state.app.store;
    let stats = store.stats(context.now());
    let (usage, removed, is_counted) = (stats.usage(), stats.removed, stats.engine.is_none());
    let totals = state.totals();
    let [by_minute, by_hour] = state.history.recent(context.now(), totals);
    let admitted = limits.admitted.iter();
    let misses = admitted.filter(|(action, _)| *action == Action::Miss);
    ServerStatus {
        pastes: is_counted.then_some(usage.used.pastes),
        bytes: usage.used.bytes,
        budget: usage.room,
        requests: totals.requests,
        saves: totals.saves,
        misses: misses.map(|(_, count)| count).sum(),
        limited: limits.denied.iter().map(|denied| denied.count).sum(),
        shed: load.shed.iter().sum::<u64>() + load.over_share + load.cancelled,
        transfers: load.transfers,
        last_backup: state.last_backup().map(Timestamp::as_millis),
        expired: is_counted.then_some(removed.expired),
        burned: removed.burned,
        deleted: removed.deleted,
        removed_by_operator: removed.removed_by_operator,
        evicted: is_counted.then_some(removed.evicted),
        by_minute,
        by_hour,
    }
}

/// Returns all blocked contents, the latest first.
fn blocked(context: &RequestContext<'_>) -> Vec<BlockedContent> {
    let blocks = context.state.app.store.blocks();
    let blocks = blocks.iter().map(|block| BlockedContent {
        sha256: block.hash.to_string(),
        since: block.since.as_millis(),
        reason: block.note.as_ref().map(|note| note.as_str().to_owned()),
    });
    blocks.collect()
}

/// Returns all reported pastes. Each network has one vote, divided among the pastes that it reported. Those with the
/// most votes are first, then those that were reported last. So a network that reports many pastes hides the report of
/// no other.
async fn reported(context: &RequestContext<'_>) -> Result<Vec<ReportedPaste>, ApiError> {
    let app = &context.state.app;
    let base_url = context.state.base_url(&context.request)?;
    let reports = app.store.reports(context.now()).await?;
    let address = |id, slug: Option<&Slug>| app.text_of(id, slug);
    Ok(by_paste(&reports, &base_url, address))
}

/// Returns the previews of the first of these pastes, without a view. They are loaded one after the other, and no more
/// after a failure: the page is also for the time when the server or the engine is too busy.
async fn previews(context: &RequestContext<'_>, pastes: &[ReportedPaste]) -> Vec<Option<Preview>> {
    let mut previews = Vec::new();
    for paste in pastes.iter().take(MOST_PREVIEWS) {
        let finding = async { context.peek(context.id(&paste.id)?).await };
        previews.push(match finding.await {
            Ok(stored) => Some(Preview::of(stored)),
            Err(
                ApiError::Store(StoreError::NotFound | StoreError::Gone(_)) | ApiError::Ended(..),
            ) => None,
            Err(_) => break,
        });
    }
    previews
}

/// Groups these reports by paste. `address` returns the id or the slug of a paste.
fn by_paste(
    reports: &[Report],
    base_url: &str,
    address: impl Fn(PasteId, Option<&Slug>) -> String,
) -> Vec<ReportedPaste> {
    let mut reports_of: HashMap<u64, u64> = HashMap::new();
    for report in reports {
        *reports_of.entry(report.client.network).or_default() += 1;
    }
    let mut places: HashMap<PasteId, usize> = HashMap::new();
    let mut pastes: Vec<(u64, ReportedPaste)> = Vec::new();
    for report in reports {
        let place = *places.entry(report.paste).or_insert_with(|| {
            let id = address(report.paste, report.slug.as_ref());
            let paste = ReportedPaste {
                url: format!("{base_url}/{id}"),
                id,
                networks: 0,
                reports: Vec::new(),
            };
            pastes.push((0, paste));
            pastes.len() - 1
        });
        let (votes, paste) = &mut pastes[place];
        *votes += VOTE / reports_of[&report.client.network];
        paste.networks += 1;
        paste.reports.push(NetworkReport {
            at: report.at.as_millis(),
            network: format!("{:016x}", report.client.network),
            reason: report.note.as_str().to_owned(),
        });
    }
    // The sort is stable, so the latest stay first.
    pastes.sort_by_key(|(votes, _)| std::cmp::Reverse(*votes));
    pastes.into_iter().map(|(_, paste)| paste).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fairness::ClientKey;
    use crate::store::Note;

    /// Lists these reports, each a paste and a network, the latest first. Returns the pastes in their order.
    fn order(reports: &[(u64, u64)]) -> Vec<u64> {
        let report = |&(paste, network): &(u64, u64)| Report {
            paste: PasteId::from_random(paste.to_be_bytes()),
            slug: None,
            client: ClientKey { network, client: 1 },
            at: Timestamp::default(),
            note: Note::new("spam").unwrap(),
        };
        let reports: Vec<_> = reports.iter().map(report).collect();
        let listed = by_paste(&reports, "", |id, _| {
            let is_id = |number: &u64| PasteId::from_random(number.to_be_bytes()) == id;
            (0..).find(is_id).unwrap().to_string()
        });
        let ids = listed.into_iter().map(|paste| paste.id.parse());
        ids.collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn each_network_has_one_vote_divided_among_the_pastes_that_it_reported() {
        // Network 9 reports three pastes, and network 8 two of them.
        let reports = [(4, 9), (3, 9), (2, 9), (3, 8), (2, 8), (1, 1)];
        assert_eq!(order(&reports), [1, 3, 2, 4]);
        // Two networks agree on a paste.
        assert_eq!(order(&[(3, 3), (2, 2), (1, 1), (2, 4)]), [2, 3, 1]);
    }

    #[test]
    fn networks_that_report_many_pastes_together_come_after_one_that_reports_one() {
        let flood = (2..102).flat_map(|paste| [(paste, 8), (paste, 9)]);
        let reports: Vec<_> = flood.chain([(1, 1)]).collect();
        assert_eq!(order(&reports)[..2], [1, 2]);
    }
}
