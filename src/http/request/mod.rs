//! The request, parsed once into one value that handlers get: route, response format, client and conditions; the options
//! of a save, the address of a paste and the credentials on demand.
//!
//! Invariants: bytes from a client become a type that cannot be wrong, or a [`error::RequestError`].

pub(crate) mod address;
pub(crate) mod body_kind;
pub(crate) mod client;
pub(crate) mod coding;
pub(crate) mod conditions;
pub(crate) mod credentials;
pub(crate) mod error;
pub(crate) mod form;
pub(crate) mod format;
pub(crate) mod forwarded;
pub(crate) mod header_names;
pub(crate) mod host;
pub(crate) mod method;
pub(crate) mod options;
pub(crate) mod query;
pub(crate) mod route;
pub(crate) mod save_option;
mod value;

pub(crate) use value::Request;
