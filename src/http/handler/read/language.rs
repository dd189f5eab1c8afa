//! `GET /{id}/language`: the languages in which a paste can be shown.
//!
//! Invariants: it is no read, and shows nothing of the paste. A paste that is not shown as text has no such page.

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::NO_STORE;
use crate::page::{self, Effort, LanguagePage};
use crate::paste::{Encoding, Title};

/// Handles `GET` and `HEAD` of `/{id}/language`.
pub(crate) async fn languages(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (request, id) = (context.request, context.request.route.param);
    let stored = context.peek(context.id(id)?).await?;
    let is_owner = context.shows_owner(&stored);
    let Ok(paste) = stored.open() else {
        return Err(ApiError::NothingHere);
    };
    if paste.encoding() != Encoding::Utf8 {
        return Err(ApiError::NothingHere);
    }
    let page = page::languages(&LanguagePage {
        base_path: request.base_path(),
        id,
        title: paste.title().map(Title::as_str),
        named: paste.named_language(),
        is_owner,
    });
    let (coding, body) = request.coding().encode(page.into_bytes(), Effort::Dynamic);
    let mut response = coding.page();
    response.insert_header((CACHE_CONTROL, NO_STORE));
    Ok(response.body(body))
}
