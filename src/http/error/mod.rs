//! Errors: every reason to reject a request, as a row with its status, its sentence and its headers.
//!
//! Invariants: each error has one row, by an exhaustive match. If the server causes an error, the cause is logged where
//! it happens.

mod access_error;
mod api_error;
mod rate_limit;

pub(crate) use access_error::{AccessError, Challenge};
pub(crate) use api_error::{ApiError, NotComparable};
pub(crate) use rate_limit::{RateLimitExceeded, policies, remaining_quota_headers};
