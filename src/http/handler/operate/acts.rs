//! The acts of the operator besides removing a paste. Each is one line in the log, with the operator's name,
//! without an id and without content.

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::api::moderation::content_hash;
use crate::store::Note;

/// Blocks the content with this SHA-256.
pub(in crate::http::handler) async fn block(
    context: &RequestContext<'_>,
    sha256: &str,
    note: Option<Note>,
) -> Result<(), ApiError> {
    let hash = content_hash(sha256)?;
    let reason = note.as_ref().map_or("", Note::as_str).to_owned();
    let app = &context.state.app;
    app.block(context.now(), hash, note).await?;
    let by = context.operator_name();
    tracing::info!(by, reason, %hash, "the operator blocked a content");
    Ok(())
}

/// Allows the content with this SHA-256 again.
pub(in crate::http::handler) async fn unblock(
    context: &RequestContext<'_>,
    sha256: &str,
) -> Result<(), ApiError> {
    let hash = content_hash(sha256)?;
    context.state.app.unblock(context.now(), hash).await?;
    let by = context.operator_name();
    tracing::info!(by, %hash, "the operator allowed a content again");
    Ok(())
}

/// Removes the reports about the paste with this id.
pub(in crate::http::handler) async fn dismiss(
    context: &RequestContext<'_>,
    id: &str,
) -> Result<(), ApiError> {
    let id = context.id(id)?;
    let app = &context.state.app;
    app.dismiss_reports(context.now(), id).await?;
    let by = context.operator_name();
    tracing::info!(by, "the operator dismissed the reports about a paste");
    Ok(())
}
