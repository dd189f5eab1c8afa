//! JSON that the API returns.

mod paste_counts;
mod paste_object;

pub(crate) use paste_counts::PasteCounts;
pub(crate) use paste_object::PasteObject;
