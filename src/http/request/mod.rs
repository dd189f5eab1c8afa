//! The request, parsed once: route, response format, client, options and conditions.

pub(crate) mod bearer;
pub(crate) mod client;
pub(crate) mod conditions;
pub(crate) mod form;
pub(crate) mod format;
pub(crate) mod forwarded;
pub(crate) mod host;
pub(crate) mod options;
pub(crate) mod owner;
pub(crate) mod route;
