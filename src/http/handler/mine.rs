//! The list of an owner's pastes.

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{RequestError, query};
use crate::paste::OwnerId;
use crate::store::ListPage;

/// The most pastes of a page.
const PAGE: usize = 50;

/// Returns the page of the list that the query names, by default the first.
pub(super) async fn page_of(
    context: &RequestContext<'_>,
    owner: &OwnerId,
) -> Result<ListPage, ApiError> {
    let before = cursor(context.request.query())?;
    context.permit_listing().await?;
    let app = &context.state.app;
    Ok(app.list(context.now(), owner, before, PAGE).await?)
}

/// Returns the cursor of the query. Other names are ignored.
fn cursor(query: &str) -> Result<Option<u64>, RequestError> {
    let cursor = query::pairs(query)?.find(|(name, _)| name == "cursor");
    let cursor = cursor.map(|(_, value)| value.parse());
    cursor.transpose().map_err(|_| RequestError::Cursor)
}
