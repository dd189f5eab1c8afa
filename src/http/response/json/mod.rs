//! JSON that the API returns.

mod blocked_content;
mod paste_counts;
mod paste_list;
mod paste_object;
mod problem;
mod reported_paste;
mod server_status;

pub(crate) use blocked_content::BlockedContents;
pub(crate) use paste_counts::PasteCounts;
pub(crate) use paste_list::PasteList;
pub(crate) use paste_object::PasteObject;
pub(crate) use problem::Problem;
pub(crate) use reported_paste::ReportedPastes;
pub(crate) use server_status::ServerStatus;

use serde::Serialize;

use crate::http::error::ApiError;

/// Returns the JSON text of one of these values.
pub(crate) fn json_text(value: &impl Serialize) -> Result<String, ApiError> {
    serde_json::to_string(value).map_err(|_| ApiError::Unavailable)
}
