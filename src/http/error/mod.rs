//! Errors: every reason to reject a request, with its status, its sentence and its headers.
//!
//! Invariants: each error has one type with its status, one sentence and its headers, each by an exhaustive match. If
//! the server causes an error, the cause is logged where it happens.

mod access_error;
mod api_error;
mod conversions;
mod headers;
mod problem_type;
mod rate_limit;
mod sentence;

pub(crate) use access_error::{AccessError, Challenge};
pub(crate) use api_error::{ApiError, NotComparable};
pub(crate) use problem_type::ProblemType;
pub(crate) use rate_limit::{Header, RateLimitExceeded, policies, remaining_quota_headers};
