//! Transfers: bodies in and out, under the memory budget for bodies in progress.

pub(crate) mod request_body;
pub(crate) mod resource_wait;
pub(crate) mod response_body;
pub(crate) mod upload;
