//! Errors: everything that a request may be refused for, with a status and a sentence that says what to do next.
//!
//! Invariants: each error has one status, one sentence and its headers, each by an exhaustive match. The cause of an
//! error that is not the client's is logged where it is met.

mod api_error;
mod conversions;
mod headers;

mod rate_limit;
mod sentence;

pub(crate) use api_error::ApiError;
pub(crate) use rate_limit::{Header, RateLimitExceeded, policies, standing_headers};
