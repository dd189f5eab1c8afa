//! Exact admissions: a request is admitted only after the engine has stored its charge.
//!
//! Invariants: nodes that share an engine together admit no more than one limiter would. A denial is based on a state
//! that was read after the request came. A future that is dropped refunds the request, unless the engine has stored it
//! already. While the engine fails, and for a client that has to use a shared entry of the table, this node decides
//! alone and settles the charge later.
//! Cost: one call if this node was the last to change both entries, else two. Each other node that charges the same
//! entries in between costs one more. A denial costs one call, and denials that wait for each other share it.

use std::time::Duration;

use super::engine::LimitExchange;
use super::exchange::{Attempt, ids};
use super::sharing::Sharing;
use crate::limit::limiter::Limiter;
use crate::limit::limiter::decision::{LimitDenied, LimitGrant};
use crate::limit::limiter::request::{LimitRequest, Subject};

/// The most exchanges for one request.
const TRIES: usize = 16;

/// The reason why a request was not admitted exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAdmitted {
    /// A rule denies the request.
    Denied(LimitDenied),
    /// Other requests changed the entries each time before this one could, or it waited for them for too long. Nothing
    /// was charged.
    Contended,
}

/// The next step of an exact admission.
enum Step<'a> {
    /// This node decides alone.
    Decided(Result<LimitGrant, NotAdmitted>),
    /// The state may be outdated and has to be read.
    Read(Attempt),
    /// The request was charged here. The engine has to store the charge.
    Store(Tentative<'a>, Attempt),
}

/// A grant whose charge the engine has not stored. Dropping this takes it back.
struct Tentative<'a> {
    limiter: &'a Limiter,
    grant: Option<LimitGrant>,
}

impl Limiter {
    /// Charges a request like [`Self::admit`]. If several nodes share the limiter, it charges the request on all nodes
    /// before it returns.
    ///
    /// # Errors
    /// Returns an error if a rule denies the request, or if other nodes prevent the charge. Then nothing is charged.
    pub async fn admit_exact(
        &self,
        now: Duration,
        subject: Subject,
        request: LimitRequest,
    ) -> Result<LimitGrant, NotAdmitted> {
        let has_rules = !self.layout.of(request.action).is_empty();
        let Some(sharing) = self.sharing.as_ref().filter(|_| has_rules) else {
            let decided = self.admit(now, subject, request);
            return decided.map_err(NotAdmitted::Denied);
        };
        let network = subject.client.network;
        let arrived = self.state.lock().tracking().next_event();
        let Some(_turn) = sharing.turn_soon(network).await else {
            return Err(NotAdmitted::Contended);
        };
        for _ in 0..TRIES {
            let (grant, attempt) = match self.step(sharing, now, subject, request, arrived) {
                Step::Decided(decided) => return decided,
                Step::Read(attempt) => (None, attempt),
                Step::Store(grant, attempt) => (Some(grant), attempt),
            };
            let answer = sharing.exchange(network, &attempt.entries).await;
            let stored = match answer {
                Ok(LimitExchange::Conflict(answers)) => {
                    drop(grant);
                    self.state.lock().rebase(&self.layout, &attempt, &answers);
                    continue;
                }
                Ok(LimitExchange::Stored) => Some(&attempt),
                Err(_) => None,
            };
            return self.conclude(now, subject, request, grant, stored);
        }
        Err(NotAdmitted::Contended)
    }

    fn step(
        &self,
        sharing: &Sharing,
        now: Duration,
        subject: Subject,
        request: LimitRequest,
        arrived: u64,
    ) -> Step<'_> {
        let (layout, ids) = (&self.layout, ids(subject));
        let state = &mut *self.state.lock();
        let now = state.advance(self.nanos(now));
        let are_tracked = ids.map(|id| state.tracking().track(id, subject).is_some());
        if are_tracked != [true; 2] || !state.tracking().may_ask(now) {
            let decided = state.admit(layout, now, subject, request);
            return Step::Decided(decided.map_err(NotAdmitted::Denied));
        }
        match state.decide_uncounted(layout, now, subject, request) {
            Ok(grant) => {
                let own = ids.map(|id| state.table(id.tier).own_entry(id.key));
                if own.contains(&None) {
                    state.count_admitted(&request);
                    return Step::Decided(Ok(grant));
                }
                let attempt = state.attempt(layout, sharing.ttl(), &ids, true);
                let grant = Some(grant);
                Step::Store(
                    Tentative {
                        limiter: self,
                        grant,
                    },
                    attempt,
                )
            }
            Err(denied) if state.is_fresh(&ids, arrived) => {
                state.count_denied(&denied);
                Step::Decided(Err(NotAdmitted::Denied(denied)))
            }
            Err(_) => Step::Read(state.attempt(layout, sharing.ttl(), &ids, true).reading()),
        }
    }

    /// Ends an admission whose charge was stored, or whose exchange failed. Then this node decides alone.
    fn conclude(
        &self,
        now: Duration,
        subject: Subject,
        request: LimitRequest,
        grant: Option<Tentative<'_>>,
        stored: Option<&Attempt>,
    ) -> Result<LimitGrant, NotAdmitted> {
        let state = &mut *self.state.lock();
        match stored {
            Some(attempt) => state.commit(attempt),
            None => {
                let latest = state.advance(self.nanos(now));
                state.tracking().failed(latest);
            }
        }
        let now = self.nanos(now);
        match grant.and_then(Tentative::keep) {
            Some(grant) => {
                state.count_admitted(&request);
                Ok(grant)
            }
            None => {
                let decided = state.admit(&self.layout, now, subject, request);
                decided.map_err(NotAdmitted::Denied)
            }
        }
    }
}

impl Tentative<'_> {
    fn keep(mut self) -> Option<LimitGrant> {
        self.grant.take()
    }
}

impl Drop for Tentative<'_> {
    fn drop(&mut self) {
        if let Some(grant) = self.grant.take() {
            self.limiter.cancel(Duration::ZERO, grant.charge);
        }
    }
}
