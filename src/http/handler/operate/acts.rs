//! The acts of the operator, by a form of the page or by a request of the API. Each is one line in the log, with the
//! operator's name, without an id and without content.

use crate::app::Credentials;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::delete::remove_as;
use crate::http::request::api::moderation::{Removal, content_hash};
use crate::page::Done;
use crate::store::{ModerationChange, Note};

/// An act on a paste, by its id or slug, or on a content, by its SHA-256.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::http::handler) enum Act {
    /// Removes a paste, and may block its content.
    Remove { blocks: bool },
    /// Removes the reports about a paste.
    Dismiss,
    /// Refuses to save a content from now on.
    Block,
    /// Allows a content again.
    Unblock,
}

/// Carries out an act. Only a removal and a block have a note.
pub(in crate::http::handler) async fn carry_out(
    context: &RequestContext<'_>,
    act: Act,
    subject: &str,
    note: Option<Note>,
) -> Result<Done, ApiError> {
    let (app, now, by) = (&context.state.app, context.now(), context.operator_name());
    match act {
        Act::Remove { blocks } => {
            let removal = Removal { blocks, note };
            remove_as(context, subject, &Credentials::of_operator(), &removal).await?;
            Ok(match blocks {
                true => Done::RemovedAndBlocked,
                false => Done::Removed,
            })
        }
        Act::Dismiss => {
            let change = ModerationChange::Dismiss(context.id(subject)?);
            app.store().moderate(now, change).await?;
            tracing::info!(by, "the operator dismissed the reports about a paste");
            Ok(Done::Dismissed)
        }
        Act::Block => {
            let hash = content_hash(subject)?;
            let reason = note.as_ref().map_or("", Note::as_str).to_owned();
            app.block(now, hash, note).await?;
            tracing::info!(by, reason, %hash, "the operator blocked a content");
            Ok(Done::Blocked)
        }
        Act::Unblock => {
            let hash = content_hash(subject)?;
            let change = ModerationChange::Unblock(hash);
            app.store().moderate(now, change).await?;
            tracing::info!(by, %hash, "the operator allowed a content again");
            Ok(Done::Unblocked)
        }
    }
}
