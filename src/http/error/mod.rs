//! Errors: everything that a request may be refused for, with a status and a sentence that says what to do next.

pub(crate) mod api_error;
pub(crate) mod option_error;
pub(crate) mod rate_limit;
