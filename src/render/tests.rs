//! What the tests of fragments and pages read HTML with: a browser's parser, and lists of the allowed elements.

mod allowed;
mod parsed;
mod properties;
mod snapshots;

pub(crate) use allowed::{DOCUMENT, FORMULA, LISTING};
pub(crate) use parsed::Parsed;
