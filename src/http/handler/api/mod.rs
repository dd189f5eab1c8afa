//! The JSON API: `/api/v1/pastes`, and `/api/v1/operate` for the operator.
//!
//! Invariants: every response and every error is JSON, whatever the client accepts. Saves, reads, changes and deletes
//! have the same limits and rules as on the other routes, and share their code.

mod create;
mod delete;
mod list;
mod openapi;
pub(crate) mod operate;
mod read;
mod stats;
mod update;

pub(crate) use create::create;
pub(crate) use delete::delete;
pub(crate) use list::list;
#[cfg(test)]
pub(crate) use openapi::DOCUMENT;
pub(crate) use openapi::openapi;
pub(crate) use read::{read, read_protected};
pub(crate) use stats::stats;
pub(crate) use update::update;
