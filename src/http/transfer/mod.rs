//! Transfers: bodies in and out, and work that takes a core, under the budgets of [`crate::overload`].

pub(crate) mod encryption;
pub(crate) mod forms;
pub(crate) mod request_body;
pub(crate) mod resource_wait;
pub(crate) mod response_body;
mod upload;
