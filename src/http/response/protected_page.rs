//! The page shown before a paste that burns or has a password: it asks for a click, or for the password.
//!
//! Invariants: the page shows none of the content, and requesting it uses up no read.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::headers::{HTML, NO_STORE, respond};
use super::owner_cookie::end_saved;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::PasteAddress;
use crate::page::{self, PasteHead, PasteTimes, ProtectedPage};
use crate::paste::{Access, StoredPaste};

/// Responds with the page. `complaint` is the error of the last attempt, if it failed.
pub(crate) fn protected_page(
    context: &RequestContext<'_>,
    address: PasteAddress<'_>,
    stored: &StoredPaste,
    complaint: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let state = context.state;
    let saved = context.just_saved(stored)?;
    let times = PasteTimes::of(context.now(), stored.saved(), stored.deadline());
    let page = page::to_html(&ProtectedPage {
        base_path: context.request.base_path(),
        segment: address.segment,
        head: PasteHead {
            id: address.id,
            url: &format!("{}/{}", state.base_url(&context.request)?, address.id),
            can_report: state.contact.is_some(),
            may_delete: context.shows_owner(stored),
            saved,
        },
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
    let mut response = response.body(page);
    if saved.is_some() {
        end_saved(&mut response, &context.request, address.id);
    }
    Ok(response)
}
