//! Admission: what the limiter charges a request, and what it gives back.
//!
//! A 429 is made here: [`charges`] asks the limiter, and a refusal becomes [`crate::http::error::RateLimitExceeded`].

mod charges;
mod context;

pub(crate) use charges::Charges;
pub(crate) use context::RequestContext;
