//! Admission: who a client is, what it may do, and what its request is charged. [`RequestContext`] is the argument of
//! every handler.
//!
//! [`access`] finds out who a client is and checks its rights, and [`ownership`] whose a paste is. [`charges`] charges
//! the rate limiter and refunds what was not used. [`floods`] slows clients down that go on after refusals.
//!
//! Every rate limit error is made here: [`charges`] asks the limiter, and a denial becomes
//! [`crate::http::error::RateLimitExceeded`]. Load shedding has errors with status 429, too, which are not made here.
//! `transfer/resource_wait.rs` makes [`OverShare`](crate::http::error::ApiError::OverShare), and
//! `transfer/request_body.rs` makes [`TooManyPauses`](crate::http::error::ApiError::TooManyPauses).

mod access;
mod charges;
mod context;
mod floods;
mod ownership;
mod pastes;

pub(crate) use access::{authorize, identify};
pub(crate) use charges::Charges;
pub(crate) use context::RequestContext;
pub(crate) use floods::{Floods, is_refused_read, may_flood};
pub(crate) use pastes::LOAD_USE;
