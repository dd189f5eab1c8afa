//! Tools for the tests of renderers: a browser's HTML parser, and lists of allowed elements.

mod allow_lists;
mod listed;
mod parsed;
mod snapshots;

pub(super) use allow_lists::{DOCUMENT, FORMULA, JSON, LISTING, PATCH, TABLE};
pub(super) use listed::{listed, listed_in_a_patch};
pub(super) use parsed::{AllowList, Element, Parsed, Value};
