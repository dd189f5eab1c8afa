//! Admission: the limiter's charges for a request, and their refunds.
//!
//! Every 429 of the rate limits is made here: [`charges`] asks the limiter, and a denial becomes
//! [`crate::http::error::RateLimitExceeded`].

mod charges;
mod context;

pub(crate) use charges::Charges;
pub(crate) use context::RequestContext;
