//! The rate limiter's charges for one request.
//!
//! Invariants: when [`Charges`] is dropped, it refunds the reserved bytes that were not stored, however the request
//! ended. Bytes that may still be stored are not refunded. A client of a network without limits is charged nothing. What
//! the holder of a key or a user of the proxy reads and saves is charged to the account alone, and what it guesses to its
//! address.
//! Cost: a request that is not free takes one decision of the limiter. A password attempt takes one more, a miss
//! two. If several nodes share an engine, a save waits for one call of it before it is stored.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use crate::clock::RequestClock;
use crate::fairness::ClientKey;
use crate::http::connection::{ConnectionState, wait_until};
use crate::http::error::{ApiError, RateLimitExceeded, policies, remaining_quota_headers};
use crate::http::problem::Header;
use crate::http::request::{ClientIdentity, Cost};
use crate::http::state::WorkerState;
use crate::limit::{
    Action, Charge, CountersError, LimitDenied, LimitRequest, Multiplier, NetworkPolicy,
    NotCharged, SharedCharge, SharedLimits, Subject,
};
use crate::overload::Priority;
use crate::paste::Timestamp;
use crate::store::StoreError;

/// The bytes that one reservation adds for a body of unknown length. A reservation is smaller if the quota has fewer
/// bytes left.
const RESERVATION_STEP: u64 = 16 * 1024;

/// The charges of one request. Dropping this refunds the reserved bytes that were not settled.
///
/// The limiter keeps it until the request is answered, and the handler uses it meanwhile. So it changes behind shared
/// references.
pub(crate) struct Charges {
    pub(crate) state: WorkerState,
    pub(crate) clock: RequestClock,
    address: ClientIdentity,
    /// The account, or the client at the address.
    client: Cell<ClientIdentity>,
    /// The connection, for the bytes that the request holds.
    pub(crate) connection: Rc<ConnectionState>,
    /// Charges that may have to be refunded.
    charges: RefCell<Vec<Charge>>,
    /// The bytes reserved so far. `None` unless the request is a save.
    reserved: Cell<Option<u64>>,
}

impl Charges {
    pub(crate) fn new(
        state: WorkerState,
        address: ClientIdentity,
        connection: Rc<ConnectionState>,
    ) -> Self {
        Self {
            state,
            clock: RequestClock::default(),
            address,
            client: Cell::new(address),
            connection,
            charges: RefCell::default(),
            reserved: Cell::default(),
        }
    }

    /// The time of the request since the clock was made.
    pub(crate) fn elapsed(&self) -> Duration {
        self.clock.elapsed(&self.state.clock)
    }

    /// The time of the request.
    pub(crate) fn now(&self) -> Timestamp {
        self.state.clock.timestamp_at(self.elapsed())
    }

    /// The client whose limits and shares the request uses.
    pub(crate) fn client(&self) -> ClientKey {
        self.client.get().key
    }

    /// Charges an account with this factor from now on. A network without limits exempts it too.
    pub(crate) fn charge_account(&self, key: ClientKey, factor: Multiplier) {
        let policy = match self.address.policy {
            NetworkPolicy::Limit(_) => NetworkPolicy::Limit(factor),
            without @ (NetworkPolicy::Allow | NetworkPolicy::Deny) => without,
        };
        self.client.set(ClientIdentity { key, policy });
    }

    /// Charges a request of this cost. `declared` is the declared length of its body in bytes. Waits if a rule delays
    /// the request.
    pub(crate) async fn admit(&self, cost: Cost, declared: Option<usize>) -> Result<(), ApiError> {
        match cost {
            Cost::Free => Ok(()),
            Cost::Read => self.charge(Action::Read, 0).await,
            Cost::Save => {
                // A larger body is rejected for its size later.
                let largest = self.state.app.limits.max_paste_size;
                let bytes = declared.unwrap_or(0).min(largest) as u64;
                self.reserved.set(Some(bytes));
                self.charge(Action::Save, bytes).await
            }
        }
    }

    /// Charges this to the client and waits if a rule delays it.
    async fn charge(&self, action: Action, bytes: u64) -> Result<(), ApiError> {
        let Some(subject) = self.subject(action) else {
            return Ok(());
        };
        let state = &self.state;
        let (now, request) = (self.elapsed(), LimitRequest::one(action).with_bytes(bytes));
        let admitted = state.limiter.admit(now, subject, request);
        let permit = admitted.map_err(|denied| self.rate_limit_error(denied))?;
        let has_to_wait = !permit.wait.is_zero();
        // Nothing else can be refunded.
        if action == Action::Save || has_to_wait {
            // Most requests have one charge. A vector that grows would get a block for four.
            let mut charges = self.charges.borrow_mut();
            charges.reserve_exact(1);
            charges.push(permit.charge);
        }
        if has_to_wait {
            let Some(_permit) = state.overload.wait_permit() else {
                return Err(state.shed(Priority::Read));
            };
            let until = state.clock.elapsed().saturating_add(permit.wait);
            wait_until(&state.clock, until).await;
        }
        Ok(())
    }

    /// Checks that the client may guess. To be called before anything that can be guessed is looked up or compared: a
    /// slug, a token, a key or an owner's secret.
    pub(crate) fn check_misses(&self) -> Result<(), ApiError> {
        let Some(subject) = self.subject(Action::Miss) else {
            return Ok(());
        };
        let checked = (self.state.limiter).check_misses(self.elapsed(), subject);
        checked.map_err(|denied| self.rate_limit_error(denied))
    }

    /// Refunds all charges of the request. To be called if the server rejects the request because of load, not because
    /// of its client.
    pub(crate) fn cancel(&self) {
        let now = self.elapsed();
        for charge in self.charges.borrow_mut().drain(..) {
            self.state.limiter.cancel(now, charge);
        }
    }

    /// Reserves quota until `bytes` bytes are reserved for the body in total.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<(), ApiError> {
        let (Some(reserved), Some(subject)) = (self.reserved.get(), self.subject(Action::Save))
        else {
            return Ok(());
        };
        let total = bytes.min(self.state.app.limits.max_paste_size) as u64;
        if total <= reserved {
            return Ok(());
        }
        let now = self.elapsed();
        let exact = total - reserved;
        let bytes = [exact, exact.max(RESERVATION_STEP)];
        let charge = self
            .state
            .limiter
            .reserve(now, subject, Action::Save, bytes)
            .map_err(|denied| match self.rate_limit_error(denied) {
                ApiError::RateLimitExceeded(exceeded) => {
                    ApiError::RateLimitExceeded(exceeded.for_body(total))
                }
                error => error,
            })?;
        self.reserved.set(Some(reserved + charge.bytes()));
        self.charges.borrow_mut().push(charge);
        Ok(())
    }

    /// Charges a save of `bytes` bytes on all nodes that share an engine. Then waits for the save, and settles the
    /// charges if it succeeds. If the request is dropped meanwhile, because its client disconnected, everything stays
    /// charged: the store may complete the save. The caller pins the future, because this one would have room for it
    /// twice.
    ///
    /// # Errors
    /// If a rule denies the save on all nodes together, if the engine does not answer, or if the save fails.
    pub(crate) async fn settle_after<T, E: Into<ApiError>>(
        &self,
        bytes: usize,
        save: Pin<&mut impl Future<Output = Result<T, E>>>,
    ) -> Result<T, ApiError> {
        let shared = match (&self.state.shared_limits, self.subject(Action::Save)) {
            (Some(limits), Some(subject)) => {
                // Boxed, because the futures of all saves would have room for it otherwise.
                let charge = Box::pin(self.charge_shared(limits, subject, bytes)).await?;
                Some((limits, Box::new(charge)))
            }
            _ => None,
        };
        let charges = self.charges.take();
        let saved = save.await;
        self.charges.replace(charges);
        match (&saved, shared) {
            (Ok(_), _) => self.settle(bytes),
            (Err(_), Some((limits, charge))) => limits.give_back(&charge),
            (Err(_), None) => {}
        }
        saved.map_err(Into::into)
    }

    /// Charges a save on all nodes together. If that fails, nothing stays charged on this node either.
    async fn charge_shared(
        &self,
        limits: &SharedLimits,
        subject: Subject,
        bytes: usize,
    ) -> Result<SharedCharge, ApiError> {
        let now = Duration::from_millis(self.now().as_millis());
        let charged = limits.charge(now, subject, [1, bytes as u64]).await;
        charged.map_err(|reason| {
            self.cancel();
            match reason {
                NotCharged::Denied(denied) => {
                    self.state.limiter.count_denied(&denied);
                    self.rate_limit_error(denied)
                }
                NotCharged::Uncounted(CountersError::Full) => StoreError::DiskFull.into(),
                NotCharged::Uncounted(CountersError::Unavailable) => StoreError::Unavailable.into(),
            }
        })
    }

    /// Keeps the charge for the `bytes` bytes that were stored, and refunds the rest of the reservation.
    fn settle(&self, bytes: usize) {
        let mut stored = bytes as u64;
        for mut charge in self.charges.borrow_mut().drain(..) {
            let unused = charge.bytes().saturating_sub(stored);
            stored = stored.saturating_sub(charge.bytes());
            if unused > 0 {
                self.state.limiter.refund(&mut charge, unused);
            }
        }
    }

    /// Returns the headers that tell the client its remaining quota for saves. Returns `None` if no rules apply.
    pub(crate) fn remaining_quota_headers(&self) -> Option<[Header; 2]> {
        let subject = self.subject(Action::Save)?;
        let (now, limiter) = (self.elapsed(), &self.state.limiter);
        let policies = match subject.multiplier {
            Multiplier::ONE => self.state.save_policies.clone(),
            multiplier => policies(Action::Save, limiter.rules(Action::Save), multiplier.into()),
        };
        let quotas = limiter.remaining_quotas(now, subject, Action::Save);
        remaining_quota_headers(Action::Save, policies?, &quotas)
    }

    /// Charges a read for a request head that was rejected. The response is the same whether or not the limiter admits
    /// it.
    pub(crate) fn charge_read(&self) {
        if let Some(subject) = self.subject(Action::Read) {
            let (now, read) = (self.elapsed(), LimitRequest::one(Action::Read));
            let _ = self.state.limiter.admit(now, subject, read);
        }
    }

    /// Charges a miss: a slug that no paste has, or a wrong token, key, secret or code.
    pub(crate) fn charge_miss(&self) {
        if let Some(subject) = self.subject(Action::Miss) {
            let now = self.elapsed();
            self.state.limiter.charge_miss(now, subject);
        }
    }

    /// Looks up what a client may be guessing. If it is not found, a miss is charged.
    ///
    /// # Errors
    /// If the client has no misses left. Then nothing is looked up.
    pub(crate) fn guess<T>(
        &self,
        look_up: impl FnOnce() -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        self.check_misses()?;
        let found = look_up();
        if found.is_none() {
            self.charge_miss();
        }
        Ok(found)
    }

    /// Charges a password attempt. To be called before the password is checked. Otherwise any number of attempts sent
    /// at the same time would all be checked.
    pub(crate) fn charge_password_attempt(&self) -> Result<Option<Charge>, ApiError> {
        let Some(subject) = self.subject(Action::Password) else {
            return Ok(None);
        };
        let (now, attempt) = (self.elapsed(), LimitRequest::one(Action::Password));
        let granted = self.state.limiter.admit(now, subject, attempt);
        let granted = granted.map_err(|denied| self.rate_limit_error(denied))?;
        Ok(Some(granted.charge))
    }

    /// Refunds a password attempt whose password was right.
    pub(crate) fn refund_password_attempt(&self, attempt: Option<Charge>) {
        if let Some(charge) = attempt {
            self.state.limiter.cancel(self.elapsed(), charge);
        }
    }

    /// Returns who is charged for an action. Returns `None` if the network has no limits.
    fn subject(&self, action: Action) -> Option<Subject> {
        let charged = match action {
            Action::Save | Action::Read => self.client.get(),
            Action::Miss | Action::Password => self.address,
        };
        match charged.policy {
            NetworkPolicy::Allow | NetworkPolicy::Deny => None,
            NetworkPolicy::Limit(multiplier) => Some(Subject {
                client: charged.key,
                multiplier,
            }),
        }
    }

    /// Returns the error for a denial. The error names the rule that denied the request.
    ///
    /// [`RateLimitExceeded::new`] returns `None` if there is no such rule. The limiter names only rules that exist, so
    /// this should not happen. The client still has to get a 429 then: [`ApiError::OverShare`] is one that names no
    /// rule.
    fn rate_limit_error(&self, denied: LimitDenied) -> ApiError {
        let state = &self.state;
        let rules = state.limiter.rules(denied.action);
        let subject = self.subject(denied.action);
        let factor = subject.map_or(1, |it| it.multiplier.into());
        let Some(exceeded) = RateLimitExceeded::new(denied, rules, factor) else {
            return ApiError::OverShare;
        };
        if state.limiting.record(self.elapsed()) {
            tracing::warn!(policy = exceeded.policy(), rule = %exceeded.rule, "rate limiting started");
        }
        ApiError::RateLimitExceeded(exceeded)
    }
}

impl Drop for Charges {
    fn drop(&mut self) {
        for charge in self.charges.get_mut().drain(..) {
            // The client may have disconnected long after the request was last polled.
            let now = self.state.clock.elapsed();
            self.state.limiter.abandon(now, charge);
        }
    }
}

#[cfg(test)]
mod tests;
