//! `/mine`: the list of an owner's pastes, and the owner's actions on several at once.
//!
//! Invariants: a request looks at no more pastes than a page has, and changes no more than [`MOST_FORGOTTEN`]. A paste
//! that was removed meanwhile is skipped.
//! Cost: a named paste is loaded once, to compare its owner. The pastes of the list are not loaded.

pub(crate) mod device;

use std::cmp::Reverse;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};

use crate::account::Principal;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::form::OwnerAction;
use crate::http::request::{RequestError, ResponseFormat, query};
use crate::http::response::{NO_STORE, PasteList, TEXT, json_response, page_or_text};
use crate::http::transfer::owner_form;
use crate::page::{MessagePage, MinePage, NextStep};
use crate::paste::{Change, Expiry, OwnerId, PasteId};
use crate::store::{End, ListPage, Reason, Receipt, StoreError};

/// The most pastes of a page.
const PAGE: usize = 50;

/// The most pastes that one request deletes.
const MOST_FORGOTTEN: usize = 250;

/// Handles `GET` and `HEAD` of `/mine`. A browser that is not an owner learns how to become one.
pub(crate) async fn list(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let cursor = cursor(context.request.query())?;
    let list = match context.owner()? {
        Some(owner) => Some(page_of(context, &owner, cursor).await?),
        None if context.request.format == ResponseFormat::Html => None,
        None => return Err(ApiError::NoOwner),
    };
    let is_owner = list.is_some();
    let list = list.unwrap_or_default();
    let (state, request) = (context.state, context.request);
    if request.format == ResponseFormat::Json {
        return json_response(&PasteList::new(context, list)?);
    }
    let pastes = list.pastes.into_iter().map(|paste| {
        let id = state.app.text_of(paste.id, paste.slug.as_ref());
        (id, paste)
    });
    let mut pastes: Vec<_> = pastes.collect();
    pastes.sort_by_key(|(_, paste)| Reverse(paste.summary.saved));
    let page = MinePage {
        site: request.site,
        pastes: &pastes,
        cursor,
        next: list.next,
        is_owner,
        is_account: context.principal.owner().is_some(),
        has_key: matches!(context.principal, Principal::Key(_)),
        takes_keys: state.accounts.file.is_some(),
        makes_owners: context.identity_cookie().is_some(),
        expiry_policy: state.app.limits.expiry_policy,
        base_url: &state.base_url(&request)?,
        now: context.now(),
    };
    Ok(page_or_text(&mut HttpResponse::Ok(), request.format, &page))
}

/// Handles `POST /mine`: extends or deletes the named pastes.
pub(crate) async fn change(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let form = owner_form(context).await?;
    context.owner()?.ok_or(ApiError::NoOwner)?;
    let cursor = cursor(context.request.query())?;
    let (ids, action) = form.action()?;
    let expiry = match &action {
        OwnerAction::Delete => None,
        OwnerAction::Extend(expires) => context.expiry_rules().parse(Some(expires))?,
    };
    let mut done = 0;
    for id in owned(context, &ids).await? {
        let is_done = match &action {
            OwnerAction::Delete => delete(context, id).await?,
            OwnerAction::Extend(_) => extend(context, id, expiry).await?,
        };
        done += usize::from(is_done);
    }
    let base_path = context.request.base_path();
    let query = cursor.map_or(String::new(), |cursor| format!("?cursor={cursor}"));
    let mut response = match context.request.format {
        ResponseFormat::Html => HttpResponse::SeeOther(),
        ResponseFormat::Json | ResponseFormat::Text => HttpResponse::Ok(),
    };
    Ok(response
        .insert_header((LOCATION, format!("{base_path}/mine{query}")))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((CONTENT_TYPE, TEXT))
        .body(told(&action, done, ids.len() - done)))
}

/// Returns the line that tells how many pastes were changed, and how many were removed before.
fn told(action: &OwnerAction, done: usize, gone: usize) -> String {
    let (verb, past) = match action {
        OwnerAction::Delete => ("delete", "deleted"),
        OwnerAction::Extend(_) => ("change", "changed"),
    };
    let s = if done == 1 { "" } else { "s" };
    let were = if gone == 1 { "was" } else { "were" };
    match (done, gone) {
        (0, _) => format!("Nothing to {verb}: all of them were already removed.\n"),
        (_, 0) => format!("{done} paste{s} {past}.\n"),
        (_, _) => format!("{done} paste{s} {past}, {gone} {were} already removed.\n"),
    }
}

/// Handles `POST /mine/forget`: makes the browser no owner any more, and deletes all pastes if the form asks for it.
/// The holder of a key or of a secret stays an owner.
pub(crate) async fn forget(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let form = owner_form(context).await?;
    let owner = context.owner()?.ok_or(ApiError::NoOwner)?;
    let is_browser = context.explicit_owner().is_none();
    if !is_browser && !form.deletes_all() {
        return Err(RequestError::Forget.into());
    }
    let is_done = !form.deletes_all() || delete_all(context, &owner).await?;
    let (heading, sentence, next_step) = forgotten(is_done, form.deletes_all(), is_browser);
    let mut response = HttpResponse::Ok();
    if let Some(cookie) = context.identity_cookie()
        && is_done
        && is_browser
    {
        response.insert_header((SET_COOKIE, cookie.remove()));
    }
    let page = MessagePage {
        site: context.request.site,
        heading,
        sentence,
        next_step,
        line: sentence,
    };
    Ok(page_or_text(&mut response, context.request.format, &page))
}

/// Returns the heading, the sentence and the next step of the page after [`forget`].
fn forgotten(
    is_done: bool,
    deletes_all: bool,
    is_browser: bool,
) -> (&'static str, &'static str, NextStep<'static>) {
    let (heading, sentence) = match (is_done, deletes_all, is_browser) {
        (false, _, _) => {
            let sentence =
                "Many pastes are deleted, but not all yet. Go back and press the button again.";
            return ("Not finished", sentence, NextStep::Return);
        }
        (true, true, true) => (
            "Forgotten",
            "All your pastes are deleted, and this browser is no longer their owner.",
        ),
        (true, _, false) => ("Deleted", "All your pastes are deleted."),
        (true, false, true) => (
            "Forgotten",
            "This browser no longer knows which pastes are yours.",
        ),
    };
    (heading, sentence, NextStep::NewPaste)
}

/// Returns the page of the list after this cursor, by default the first. A secret that owns nothing may be a guess.
pub(super) async fn page_of(
    context: &RequestContext<'_>,
    owner: &OwnerId,
    before: Option<u64>,
) -> Result<ListPage, ApiError> {
    let is_account = context.principal.owner().is_some();
    if !is_account {
        context.charges.check_misses()?;
    }
    context.permit_listing().await?;
    let store = &context.state.app.store;
    let page = store.list(context.now(), owner, before, PAGE).await?;
    if !is_account && before.is_none() && page.pastes.is_empty() {
        context.charges.charge_miss();
    }
    Ok(page)
}

/// Returns the cursor of the query. Other names are ignored.
pub(super) fn cursor(query: &str) -> Result<Option<u64>, RequestError> {
    let cursor = query::value(query, "cursor")?;
    cursor
        .map(|it| it.parse())
        .transpose()
        .map_err(|_| RequestError::Cursor)
}

/// Deletes all pastes of the owner. Returns false if there may be more.
async fn delete_all(context: &RequestContext<'_>, owner: &OwnerId) -> Result<bool, ApiError> {
    let mut before = None;
    for _ in 0..MOST_FORGOTTEN / PAGE {
        let page = page_of(context, owner, before).await?;
        for paste in page.pastes {
            delete(context, paste.id).await?;
        }
        before = page.next;
        if before.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Deletes a paste of the client. Returns false if it was removed meanwhile.
async fn delete(context: &RequestContext<'_>, id: PasteId) -> Result<bool, ApiError> {
    let store = &context.state.app.store;
    let now = context.now();
    let owner = context.owner()?.map(|owner| owner.hash());
    let receipt = owner.map_or(Receipt::default(), |owner| Receipt::of_owner(now, &owner));
    let reason = Reason::Deleted;
    match store.remove(now, id, End { reason, receipt }).await {
        Ok(_) => Ok(true),
        Err(StoreError::Gone(_)) => Ok(false),
        Err(error) => Err(context.charged(error)),
    }
}

/// Finds the named pastes that are still there. All of them must belong to the client, before the first one changes.
async fn owned(context: &RequestContext<'_>, texts: &[String]) -> Result<Vec<PasteId>, ApiError> {
    let mut ids = Vec::with_capacity(texts.len());
    for text in texts {
        let id = context.id(text)?;
        match context.peek(id).await {
            Ok(stored) => context.authorize_owner(&stored, None)?,
            Err(ApiError::Store(StoreError::Gone(_))) => continue,
            Err(error) => return Err(error),
        }
        ids.push(id);
    }
    Ok(ids)
}

/// Changes the expiry of a paste. Returns false if it was removed meanwhile.
async fn extend(
    context: &RequestContext<'_>,
    id: PasteId,
    expiry: Option<Expiry>,
) -> Result<bool, ApiError> {
    let change = Change {
        expiry,
        ..Change::default()
    };
    let updated = context.state.app.update(context.now(), id, &change).await;
    match updated.map_err(ApiError::from) {
        Ok(_) => Ok(true),
        Err(ApiError::Store(StoreError::Gone(_))) => Ok(false),
        Err(error) => Err(error),
    }
}
