//! The page that lists an owner's pastes.

use actix_web::HttpResponse;

use super::headers::page_or_text;
use super::json::{PasteList, json_response};
use crate::account::Principal;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::ResponseFormat;
use crate::page::MinePage;
use crate::store::ListPage;

/// Responds with a page of the list. `None` means that the visitor is no owner.
pub(crate) fn mine_page(
    context: &RequestContext<'_>,
    cursor: Option<u64>,
    list: Option<ListPage>,
) -> Result<HttpResponse, ApiError> {
    let is_owner = list.is_some();
    let list = list.unwrap_or_default();
    if context.request.format == ResponseFormat::Json {
        return json_response(&PasteList::new(context, list)?);
    }
    let state = context.state;
    let expiry = state.app.limits.expiry_policy;
    let pastes = list.pastes.into_iter().map(|paste| {
        let id = state.app.text_of(paste.id, paste.slug.as_ref());
        (id, paste)
    });
    let page = MinePage {
        base_path: context.request.base_path(),
        pastes: &pastes.collect::<Vec<_>>(),
        cursor,
        next: list.next,
        is_owner,
        is_account: context.principal.owner().is_some(),
        has_key: matches!(context.principal, Principal::Key(_)),
        takes_keys: context.state.accounts.file.is_some(),
        makes_owners: context.identity_cookie().is_some(),
        default_expiry: expiry.default,
        longest_expiry: expiry.longest,
        base_url: &state.base_url(&context.request)?,
        now: context.now(),
    };
    Ok(page_or_text(
        &mut HttpResponse::Ok(),
        context.request.format,
        &page,
    ))
}
