//! JSON that the API returns.

mod paste_counts;
mod paste_list;
mod paste_object;
mod problem;

pub(crate) use paste_counts::PasteCounts;
pub(crate) use paste_list::PasteList;
pub(crate) use paste_object::PasteObject;
pub(crate) use problem::Problem;
