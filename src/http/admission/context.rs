//! The context of one request: the shared state, the request, its body and its charges.
//!
//! [`super::access`] and [`super::ownership`] tell who the client is and what it may do, [`Charges`] what it is
//! charged, and [`super::pastes`] what the request does with the store.
//!
//! Slugs, tokens, keys and owners' secrets can be guessed, also in cookies. They are looked up and compared only for a
//! client that has misses left, and a wrong one is charged as a miss. An id has 64 random bits, so asking for one is a
//! read and no guess.

use std::cell::Cell;

use actix_web::dev;

use super::charges::Charges;
use crate::account::Principal;
use crate::app::Unauthorized;
use crate::http::error::ApiError;
use crate::http::request::{ExpiryRules, Request};
use crate::http::state::AppState;
use crate::overload::Turn;
use crate::paste::{OwnerSecret, Timestamp};
use crate::store::StoreError;

/// The argument of every handler.
pub(crate) struct RequestContext<'a> {
    pub(crate) state: &'a AppState,
    pub(crate) request: Request<'a>,
    /// Whom the request comes from. Anonymous until [`super::identify`] has found out.
    pub(crate) principal: Principal,
    pub(crate) charges: &'a Charges,
    /// The unread part of the request body.
    pub(crate) payload: dev::Payload,
    /// Held from the first time that a paste is loaded from the disk, while its content may be held.
    pub(crate) load_permit: Cell<Option<Turn>>,
    /// Whether the client asked for a paste by its slug.
    pub(super) names_slug: Cell<bool>,
    /// The secret that the response gives to a browser that had none.
    pub(super) adopted: Option<OwnerSecret>,
}

impl<'a> RequestContext<'a> {
    pub(crate) fn new(
        charges: &'a Charges,
        request: Request<'a>,
        principal: Principal,
        payload: dev::Payload,
    ) -> Self {
        Self {
            state: &charges.state,
            request,
            principal,
            charges,
            payload,
            load_permit: Cell::default(),
            names_slug: Cell::default(),
            adopted: None,
        }
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        self.charges.now()
    }

    /// Returns the rules for the expiry in the request.
    pub(crate) fn expiry_rules(&self) -> ExpiryRules {
        ExpiryRules {
            policy: self.state.app.limits.expiry_policy,
            now: self.now(),
        }
    }

    /// Returns whether the error answers a wrong guess. Browsers show their owner with every request, but one that
    /// changes a paste of another owner may be guessing.
    pub(crate) fn is_guess(&self, error: &ApiError) -> bool {
        match error {
            ApiError::Store(StoreError::NotFound | StoreError::Gone(_)) => self.names_slug.get(),
            ApiError::Unauthorized(Unauthorized::NoToken) => self.browser_owner().is_some(),
            error => error.is_wrong_guess(),
        }
    }

    /// Returns the error. If it answers a wrong guess, a miss is charged to the client. A client that exceeded the
    /// limit of misses while this request waited for the store is told that instead.
    pub(crate) fn charged(&self, error: impl Into<ApiError>) -> ApiError {
        let error = error.into();
        if self.is_guess(&error) {
            if let Err(exceeded) = self.charges.check_misses() {
                return exceeded;
            }
            self.charges.charge_miss();
        }
        error
    }
}
