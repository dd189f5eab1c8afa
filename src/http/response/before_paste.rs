//! The pages before a paste: the target of a short link, and what asks for a click or a password before a paste that
//! burns or has a password.
//!
//! Invariants: a page shows none of the protected content, and requesting it uses up no read.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CACHE_CONTROL;

use super::created::end_saved;
use super::headers::{HTML, NO_STORE, page_or_text, respond};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{PasteAddress, query};
use crate::page::{self, LinkPage, PasteHead, PasteTimes, ProtectedPage, SealedPage};
use crate::paste::{Access, StoredPaste};

/// Responds with the page of the link with this id.
pub(crate) fn link_page(
    context: &RequestContext<'_>,
    id: &str,
    stored: StoredPaste,
) -> Result<HttpResponse, ApiError> {
    let times = PasteTimes::of(context.now(), stored.saved(), stored.deadline());
    let url = format!("{}/{id}", context.state.base_url(&context.request)?);
    let head = head(context, id, &url, &stored)?;
    let link = stored.open().map_err(ApiError::protected)?;
    let page = LinkPage {
        site: context.request.site,
        head,
        target: link.text().unwrap_or_default(),
        title: link.title().map(|title| title.as_str()),
        times,
        clicks: link.reads(),
    };
    let (request, mut response) = (&context.request, HttpResponse::Ok());
    end_saved(&mut response, request, &[id, "+"].concat(), head.saved);
    Ok(page_or_text(&mut response, request.format, &page))
}

/// Responds with the page. `complaint` is the error of the last attempt, if it failed.
pub(crate) fn protected_page(
    context: &RequestContext<'_>,
    address: PasteAddress<'_>,
    stored: &StoredPaste,
    complaint: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let url = format!(
        "{}/{}",
        context.state.base_url(&context.request)?,
        address.id
    );
    let head = head(context, address.id, &url, stored)?;
    let times = PasteTimes::of(context.now(), stored.saved(), stored.deadline());
    let file = query::value(context.request.query(), "file")?;
    let path = file.map(|name| [address.id, "?file=", &page::file_path(&name)].concat());
    let page = page::to_html(&ProtectedPage {
        site: context.request.site,
        segment: path.as_deref().unwrap_or(address.segment),
        head,
        access: stored.access(),
        expires_at: times.expires_at,
        complaint,
    });
    let status = match stored.access() {
        Access::Locked(_) => StatusCode::UNAUTHORIZED,
        Access::Open | Access::Link | Access::Burn(_) => StatusCode::OK,
    };
    let mut response = respond(status, HTML, NO_STORE);
    if status == StatusCode::UNAUTHORIZED {
        for header in ApiError::NoPassword.row().headers {
            response.insert_header(header);
        }
    }
    end_saved(&mut response, &context.request, address.id, head.saved);
    Ok(response.body(page))
}

/// Responds with the page of a paste that was encrypted in a browser.
pub(crate) fn sealed_page(
    context: &RequestContext<'_>,
    id: &str,
    stored: &StoredPaste,
) -> Result<HttpResponse, ApiError> {
    let url = format!("{}/{id}", context.state.base_url(&context.request)?);
    let head = head(context, id, &url, stored)?;
    let page = page::to_html(&SealedPage {
        site: context.request.site,
        head,
        question: stored.question(),
        asks: stored.asks(),
        access: stored.access(),
        size: stored.content_bytes(),
        times: PasteTimes::of(context.now(), stored.saved(), stored.deadline()),
        views: stored.reads(),
    });
    let coding = context.request.coding();
    let (coding, page) = coding.encode(page.into_bytes());
    let mut response = coding.page();
    response.insert_header((CACHE_CONTROL, NO_STORE));
    end_saved(&mut response, &context.request, id, head.saved);
    Ok(response.body(page))
}

/// The address of the paste, and what the client may do with it.
fn head<'a>(
    context: &RequestContext<'a>,
    id: &'a str,
    url: &'a str,
    stored: &StoredPaste,
) -> Result<PasteHead<'a>, ApiError> {
    Ok(PasteHead {
        id,
        url,
        saved: context.just_saved(stored)?,
        may_delete: context.shows_owner(stored),
    })
}
