//! The page that shows the target of a short link without following it.

use actix_web::HttpResponse;

use super::owner_cookie::end_saved;
use super::page_or_text::page_or_text;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::page::{LinkPage, PasteHead, PasteTimes};
use crate::paste::StoredPaste;

/// Responds with the page of the link with this id.
pub(crate) fn link_page(
    context: &RequestContext<'_>,
    id: &str,
    stored: StoredPaste,
) -> Result<HttpResponse, ApiError> {
    let state = context.state;
    let times = PasteTimes::of(context.now(), stored.saved(), stored.deadline());
    let may_delete = context.shows_owner(&stored);
    let saved = context.just_saved(&stored)?;
    let link = stored.open().map_err(ApiError::protected)?;
    let page = LinkPage {
        base_path: context.request.base_path(),
        head: PasteHead {
            id,
            url: &format!("{}/{id}", state.base_url(&context.request)?),
            can_report: state.contact.is_some(),
            may_delete,
            saved,
        },
        target: link.text().unwrap_or_default(),
        title: link.title().map(|title| title.as_str()),
        times,
        clicks: link.reads(),
    };
    let mut response = page_or_text(&mut HttpResponse::Ok(), context.request.format, &page);
    if saved.is_some() {
        end_saved(&mut response, &context.request, &[id, "+"].concat());
    }
    Ok(response)
}
