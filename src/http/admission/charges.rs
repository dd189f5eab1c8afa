//! The charges of one request.
//!
//! Invariants: bytes that were reserved and not stored are given back when this is dropped, however the request ends. A
//! client of a network without limits is charged nothing.
//! Cost: one decision of the limiter for a request that is not free, and one more for a miss or a password attempt.

use std::time::Duration;

use crate::http::connection::wait;
use crate::http::error::{ApiError, Header, RateLimitExceeded, policies, standing_headers};
use crate::http::request::{ClientIdentity, Cost};
use crate::http::state::AppState;
use crate::limit::{Action, Charge, LimitDenied, LimitRequest, Multiplier, NetworkPolicy, Subject};
use crate::overload::Priority;

/// Bytes of a body of unknown length are reserved in steps of this size, while the quota has as many.
const STEP: u64 = 16 * 1024;

/// What one request was charged.
pub(crate) struct Charges<'a> {
    state: &'a AppState,
    client: ClientIdentity,
    /// Charges that may have to be given back.
    charges: Vec<Charge>,
    /// Bytes reserved, if the request is a save.
    reserved: Option<u64>,
}

/// What an attempt at a password was charged; nothing for a client without limits.
#[derive(Debug)]
#[must_use = "the charge for a right password is given back"]
pub(crate) struct PasswordAttempt(Option<Charge>);

impl<'a> Charges<'a> {
    pub(crate) fn new(state: &'a AppState, client: ClientIdentity) -> Self {
        Self {
            state,
            client,
            charges: Vec::new(),
            reserved: None,
        }
    }

    /// Charges a request of this cost, whose body says that it has so many bytes; waits for its turn where a rule says
    /// so.
    pub(crate) async fn admit(
        &mut self,
        cost: Cost,
        declared: Option<usize>,
    ) -> Result<(), ApiError> {
        let ask = match cost {
            Cost::Free => return Ok(()),
            Cost::Read => LimitRequest::one(Action::Read),
            Cost::LookUp => LimitRequest::one(Action::Read).looking_up(),
            Cost::Save => {
                // A body that is larger will be refused for that.
                let largest = self.state.app.limits().max_paste_size;
                let bytes = declared.unwrap_or(0).min(largest) as u64;
                self.reserved = Some(bytes);
                LimitRequest::one(Action::Save).with_bytes(bytes)
            }
        };
        let Some(subject) = self.subject() else {
            return Ok(());
        };
        let state = self.state;
        let now = state.clock.elapsed();
        let admitted = state.limiter.admit(now, subject, ask);
        let admitted = admitted.map_err(|limited| self.refusal(limited))?;
        if cost == Cost::Save || !admitted.wait.is_zero() {
            self.charges.push(admitted.charge);
        }
        if !admitted.wait.is_zero() {
            self.wait_for_turn(admitted.wait).await?;
            if cost == Cost::LookUp {
                self.recheck_miss_limit()?;
            }
        }
        Ok(())
    }

    async fn wait_for_turn(&self, length: Duration) -> Result<(), ApiError> {
        let state = self.state;
        let Some(_turn) = state.overload.wait_permit() else {
            state.overload.count_shed(Priority::Read);
            return Err(ApiError::Overloaded);
        };
        wait(&state.clock, length).await;
        Ok(())
    }

    /// Asks once more whether the client may look an id up: while it waited it may have missed too often elsewhere, and
    /// a thousand requests that were let in together would each get an answer.
    pub(crate) fn recheck_miss_limit(&self) -> Result<(), ApiError> {
        let Some(subject) = self.subject() else {
            return Ok(());
        };
        let now = self.state.clock.elapsed();
        let look = LimitRequest::more_bytes(Action::Read, 0).looking_up();
        let may = self.state.limiter.admit(now, subject, look);
        may.map(|_| ()).map_err(|limited| self.refusal(limited))
    }

    /// Takes back what the request was charged: it was turned away for others' sake.
    pub(crate) fn cancel(&mut self) {
        let now = self.state.clock.elapsed();
        for charge in self.charges.drain(..) {
            self.state.limiter.cancel(now, charge);
        }
    }

    /// Sees to it that so many bytes of a body are reserved.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(), ApiError> {
        let (Some(reserved), Some(subject)) = (self.reserved, self.subject()) else {
            return Ok(());
        };
        let wanted = bytes.min(self.state.app.limits().max_paste_size) as u64;
        if wanted <= reserved {
            return Ok(());
        }
        let now = self.state.clock.elapsed();
        let exact = wanted - reserved;
        let bytes = [exact, exact.max(STEP)];
        let charge = self
            .state
            .limiter
            .reserve(now, subject, Action::Save, bytes)
            .map_err(|limited| self.refusal(limited))?;
        self.reserved = Some(reserved + charge.bytes());
        self.charges.push(charge);
        Ok(())
    }

    /// So many bytes were kept of those that were reserved; the others are given back.
    pub(crate) fn keep(&mut self, bytes: usize) {
        let mut kept = bytes as u64;
        for mut charge in self.charges.drain(..) {
            let unused = charge.bytes().saturating_sub(kept);
            kept = kept.saturating_sub(charge.bytes());
            if unused > 0 {
                self.state.limiter.refund(&mut charge, unused);
            }
        }
    }

    /// The headers that tell a client where it stands with each rule for saves; none if there are no rules for it.
    pub(crate) fn standing(&self) -> Option<[Header; 2]> {
        let subject = self.subject()?;
        let (now, limiter) = (self.state.clock.elapsed(), &self.state.limiter);
        let policies = match subject.multiplier {
            Multiplier::ONE => self.state.save_policies.clone(),
            times => policies(Action::Save, limiter.rules(Action::Save), times.into()),
        };
        let standings = limiter.remaining_quotas(now, subject, Action::Save);
        standing_headers(Action::Save, policies?, &standings)
    }

    /// Charges a read that was refused before it became a request. The refusal is the same whether the rules would have
    /// admitted it or not.
    pub(crate) fn charge_read(&self) {
        if let Some(subject) = self.subject() {
            let (now, read) = (self.state.clock.elapsed(), LimitRequest::one(Action::Read));
            let _ = self.state.limiter.admit(now, subject, read);
        }
    }

    /// Charges having asked for what is not there, or having guessed what is not so.
    pub(crate) fn charge_miss(&self) {
        if let Some(subject) = self.subject() {
            let now = self.state.clock.elapsed();
            self.state.limiter.charge_miss(now, subject);
        }
    }

    /// Charges a guess at a password. To be called before the guess is looked at: of a thousand that come together each
    /// would get an answer otherwise.
    pub(crate) fn charge_password_attempt(&self) -> Result<PasswordAttempt, ApiError> {
        let Some(subject) = self.subject() else {
            return Ok(PasswordAttempt(None));
        };
        let (now, ask) = (
            self.state.clock.elapsed(),
            LimitRequest::one(Action::Password),
        );
        match self.state.limiter.admit(now, subject, ask) {
            Ok(admitted) => Ok(PasswordAttempt(Some(admitted.charge))),
            Err(limited) => Err(self.refusal(limited)),
        }
    }

    /// Takes back what the guess was charged: it was right.
    pub(crate) fn refund_password_attempt(&self, charge_password_attempt: PasswordAttempt) {
        if let PasswordAttempt(Some(charge)) = charge_password_attempt {
            let now = self.state.clock.elapsed();
            self.state.limiter.cancel(now, charge);
        }
    }

    /// As the limiter knows the client; none for one that it is not asked about.
    fn subject(&self) -> Option<Subject> {
        match self.client.policy {
            NetworkPolicy::Allow | NetworkPolicy::Deny => None,
            NetworkPolicy::Limit(multiplier) => Some(Subject {
                client: self.client.key,
                multiplier,
            }),
        }
    }

    /// The factor that the operator gave the client's network.
    fn times(&self) -> u64 {
        self.subject()
            .map_or(1, |subject| subject.multiplier.into())
    }

    fn refusal(&self, limited: LimitDenied) -> ApiError {
        let state = self.state;
        let rules = state.limiter.rules(limited.action);
        let Some(over) = RateLimitExceeded::new(limited, rules, self.times()) else {
            return ApiError::Crowded;
        };
        if state.limiting.record(state.clock.elapsed()) {
            tracing::warn!(policy = over.policy(), rule = %over.rule(), "limiting begins");
        }
        ApiError::RateLimitExceeded(over)
    }
}

impl Drop for Charges<'_> {
    fn drop(&mut self) {
        for charge in self.charges.drain(..) {
            let now = self.state.clock.elapsed();
            self.state.limiter.abandon(now, charge);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::config::Invocation;
    use crate::fairness::ClientKey;
    use crate::http::Server;

    /// A server that lets nobody guess more than twice at once; it is not run.
    fn server(clock: &Clock) -> Server {
        let args = [
            "tidebin",
            "--addr=127.0.0.1:0",
            "--limit-password=rate 1/10s burst 2",
        ];
        match Invocation::from_parts(args.map(Into::into), [], Vec::new()) {
            Ok(Invocation::Serve(config)) => Server::bind(*config, clock.clone()).unwrap(),
            other => panic!("not a configuration: {other:?}"),
        }
    }

    fn context(server: &Server, policy: NetworkPolicy) -> Charges<'_> {
        let key = ClientKey {
            network: 1,
            client: 2,
        };
        Charges::new(&server.state, ClientIdentity { key, policy })
    }

    const LIMITED: NetworkPolicy = NetworkPolicy::Limit(Multiplier::ONE);

    #[test]
    fn who_guesses_too_often_is_told_when_to_guess_again_in_whichever_request() {
        let clock = Clock::manual();
        let server = server(&clock);
        let guesses = [
            context(&server, LIMITED).charge_password_attempt(),
            context(&server, LIMITED).charge_password_attempt(),
        ];
        assert!(guesses.iter().all(Result::is_ok));
        match context(&server, LIMITED).charge_password_attempt() {
            Err(ApiError::RateLimitExceeded(over)) => assert_eq!(over.policy(), "password-1"),
            other => panic!("not over a limit: {other:?}"),
        }
        clock.advance(Duration::from_secs(10));
        assert!(context(&server, LIMITED).charge_password_attempt().is_ok());
        assert!(context(&server, LIMITED).charge_password_attempt().is_err());
    }

    #[test]
    fn a_right_guess_costs_nothing() {
        let server = server(&Clock::manual());
        for _ in 0..10 {
            let context = context(&server, LIMITED);
            let right = context.charge_password_attempt().unwrap();
            context.refund_password_attempt(right);
        }
    }

    #[test]
    fn a_client_that_is_let_in_without_limits_guesses_as_often_as_it_likes_and_is_not_counted() {
        let server = server(&Clock::manual());
        for _ in 0..10 {
            assert!(
                context(&server, NetworkPolicy::Allow)
                    .charge_password_attempt()
                    .is_ok()
            );
        }
        assert!(context(&server, LIMITED).charge_password_attempt().is_ok());
        let admitted = server.limiter().stats().admitted;
        assert!(admitted.contains(&(Action::Password, 1)), "{admitted:?}");
    }
}
