//! `GET /{id}/stats`: the counts of reads of a paste or clicks on a link, for the owner.
//!
//! Invariants: only the owner sees the counts. Requesting them is not a read.

use actix_web::HttpResponse;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::ResponseFormat;
use crate::http::response::{PasteCounts, ask_for_token, json_response, page_or_text};
use crate::page::{PasteTimes, StatsPage};
use crate::paste::{Access, ReadsLeft};

/// Handles `GET` and `HEAD` of `/{id}/stats`.
pub(crate) async fn stats(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (state, request, now) = (context.state, context.request, context.now());
    let text = request.route.param;
    let id = context.id(text)?;
    let stored = context.peek(id).await?;
    if let Err(error) = context.authorize_owner(&stored, None) {
        return ask_for_token(&request, &format!("/{text}/stats"), error);
    }
    let counts = state.app.store().counts(now, id).await?;
    if request.format == ResponseFormat::Json {
        return json_response(&PasteCounts::new(&stored, &counts, now));
    }
    let page = StatsPage {
        base_path: request.base_path(),
        id: text,
        url: &format!("{}/{text}", state.base_url(&request)?),
        is_link: stored.access() == Access::Link,
        total: stored.reads(),
        by_hour: &counts.by_hour(now),
        by_day: &counts.by_day(now),
        times: PasteTimes::of(now, stored.saved(), stored.deadline()),
        reads_left: stored.access().reads_left().map(ReadsLeft::get),
    };
    Ok(page_or_text(&mut HttpResponse::Ok(), request.format, &page))
}
