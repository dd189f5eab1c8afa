//! `/operate/pastes`: who holds how much, and the removal of all pastes of one. `/api/v1/operate/pastes`: the same for
//! programs.
//!
//! Invariants: the addresses of pastes are shown only of an account, whose name opens them. A removal may end
//! early, and what was removed stays so. A hang-up is not noticed, so that of a program has short parts.
//! Cost: the lock of the store, for each client of twenty networks. A removal lets other requests in after each part.

use std::collections::HashMap;

use actix_web::HttpResponse;

use crate::account::Right;
use crate::config::ListFile;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::api::moderation::{account, network, note};
use crate::http::request::{RequestError, ResponseFormat, query};
use crate::http::response::{json_response, page_or_text};
use crate::http::transfer::short_form;
use crate::page::{Held, HoldersPage};
use crate::paste::{Access, OwnerId};
use crate::store::{Note, Reason, Unnamed};

/// The most networks that are listed, and the most pastes of one holder.
const MOST_NETWORKS: usize = 20;
const MOST_PASTES: usize = 100;

/// The most pastes that one request of a program removes, and some more. A browser removes more, because a person repeats
/// it.
const MOST_REMOVED: usize = 10_000;
const MOST_REMOVED_BY_PAGE: usize = 500_000;

/// One who holds pastes.
struct Holder<'a> {
    /// How it is called.
    of: &'a str,
    network: u64,
    /// The owner of the pastes, if it is an account.
    owner: Option<OwnerId>,
}

/// Handles `GET` and `HEAD`.
pub(crate) async fn list(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator(Right::Operate).await?;
    let of = query::value(context.request.query(), "of")?;
    let holder = of.as_deref().map(|of| holder(context, of)).transpose()?;
    page(context, holder, None, false).await
}

/// Handles `POST`: removes all pastes of one, and shows what is left.
pub(crate) async fn remove(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator(Right::Operate).await?;
    let form = short_form(context, &["of", "reason"]).await?;
    let of = form.text("of").unwrap_or_default();
    let reason = note(form.text("reason").as_deref())?;
    let holder = holder(context, &of)?;
    // A key that was just revoked saves nothing more.
    let accounts = &context.state.accounts;
    if let Some(Ok(keys)) = accounts.file.as_ref().map(ListFile::read) {
        *accounts.keys.write() = keys;
    }
    let (store, mut removed, mut part) = (&context.state.app.store, 0, 1);
    let most = match context.request.format {
        ResponseFormat::Html => MOST_REMOVED_BY_PAGE,
        ResponseFormat::Json | ResponseFormat::Text => MOST_REMOVED,
    };
    while part > 0 && removed < most {
        let (now, reason) = (context.now(), Reason::RemovedByOperator);
        let removing = store.remove_of(now, holder.network, holder.owner.as_ref(), reason);
        part = removing.await?;
        removed += part;
    }
    let by = context.operator_name();
    let reason = reason.as_ref().map_or("", Note::as_str);
    let of = holder.owner.map_or("a network", |_| &*of);
    tracing::info!(
        by,
        reason,
        of,
        removed,
        "the operator removed pastes of one"
    );
    page(context, Some(holder), Some(removed), part > 0).await
}

fn holder<'a>(context: &RequestContext<'_>, of: &'a str) -> Result<Holder<'a>, ApiError> {
    let account = account(of);
    let network = match &account {
        Some(name) => context.state.clients.account(name).network,
        None => network(of).ok_or(RequestError::Holder)?,
    };
    if account.is_none() && context.state.app.store.share(network).is_none() {
        return Err(RequestError::UnknownNetworks.into());
    }
    let owner = account.map(|name| OwnerId::of_name(&name));
    Ok(Holder { of, network, owner })
}

/// Returns the page about one who holds pastes, or about all.
async fn page(
    context: &RequestContext<'_>,
    holder: Option<Holder<'_>>,
    removed: Option<usize>,
    more: bool,
) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    let (holders, pastes) = match holder {
        Some(it) => (
            vec![held(context, it.network, it.of.to_owned())],
            Some(pastes(context, &it).await?),
        ),
        None => (heaviest(context), None),
    };
    let page = HoldersPage {
        site: request.site,
        max_chars: Note::MAX_CHARS,
        removed,
        more,
        holders,
        pastes,
    };
    match request.route.pattern.starts_with("/api/") || request.format == ResponseFormat::Json {
        true => json_response(&page),
        false => Ok(page_or_text(&mut HttpResponse::Ok(), request.format, &page)),
    }
}

/// Returns the heaviest networks, those of accounts by their names. That of a user is known from the first request after
/// a start on.
fn heaviest(context: &RequestContext<'_>) -> Vec<Held> {
    let (state, store) = (context.state, &context.state.app.store);
    let networks = store.heaviest(MOST_NETWORKS);
    let keys = state.accounts.keys.read();
    let keys = keys.iter().map(|key| format!("key {}", key.grant.name));
    let keys = keys.map(|name| (state.clients.account(&name).network, name));
    let names: HashMap<u64, String> = keys.chain(state.accounts.users.read().clone()).collect();
    let one = |network| {
        let name = names.get(&network).map(|name| name.replacen(' ', ":", 1));
        held(
            context,
            network,
            name.unwrap_or_else(|| format!("network:{network:016x}")),
        )
    };
    networks.into_iter().map(one).collect()
}

fn held(context: &RequestContext<'_>, network: u64, of: String) -> Held {
    let share = context.state.app.store.share(network);
    Held {
        of,
        pastes: share.map(|share| share.pastes),
        bytes: share.map(|share| share.bytes),
        saved: share.map(|share| share.saved).filter(|saved| *saved > 0),
        ..Held::default()
    }
}

/// Returns the latest pastes of an account, or pastes of a network, which have no addresses.
async fn pastes(context: &RequestContext<'_>, holder: &Holder<'_>) -> Result<Vec<Held>, ApiError> {
    let (app, now) = (&context.state.app, context.now());
    let Some(owner) = &holder.owner else {
        let pastes = app.store.unnamed(holder.network, MOST_PASTES).await?;
        return Ok(pastes
            .into_iter()
            .map(|it| one(String::new(), it))
            .collect());
    };
    let list = app.store.list(now, owner, None, MOST_PASTES).await?;
    let pastes = list.pastes.into_iter().map(|paste| {
        let facts = Unnamed {
            bytes: paste.summary.size,
            saved: paste.summary.saved,
            access: paste.access,
            reads: paste.reads,
        };
        one(app.text_of(paste.id, paste.slug.as_ref()), facts)
    });
    Ok(pastes.collect())
}

fn one(address: String, paste: Unnamed) -> Held {
    Held {
        of: address,
        pastes: None,
        bytes: Some(paste.bytes),
        saved: Some(paste.saved.as_millis()).filter(|saved| *saved > 0),
        access: Some(match paste.access {
            Access::Open => "open",
            Access::Link => "link",
            Access::Burn(_) => "burns",
            Access::Locked(_) => "password",
        }),
        views: Some(paste.reads),
    }
}
