//! The context of one request: the shared state, the request, its body and its charges, and what the request does with
//! the store: it finds, loads, reads and saves pastes.
//!
//! [`super::access`] and [`super::ownership`] tell who the client is and what it may do, and [`Charges`] what it is
//! charged.
//!
//! Slugs, tokens, keys and owners' secrets can be guessed, also in cookies. They are looked up and compared only for a
//! client that has misses left, and a wrong one is charged as a miss. An id has 64 random bits, so asking for one is a
//! read and no guess.
//! Invariants: a request that loads a paste from the disk or the engine holds a permit for it.

use std::cell::Cell;
use std::pin::pin;
use std::time::Duration;

use actix_web::dev;

use super::charges::Charges;
use crate::account::Principal;
use crate::app::{App, Created, Credentials, Unauthorized};
use crate::clock::RequestClock;
use crate::http::error::ApiError;
use crate::http::request::{ExpiryRules, Method, Request};
use crate::http::state::AppState;
use crate::overload::{Priority, Turn};
use crate::paste::{Access, Draft, IdCodec, OwnerSecret, PasteId, StoredPaste, Timestamp};
use crate::store::StoreError;

/// The argument of every handler.
pub(crate) struct RequestContext<'a> {
    pub(crate) state: &'a AppState,
    clock: &'a RequestClock<'a>,
    pub(crate) request: Request<'a>,
    /// Whom the request comes from. Anonymous until [`super::identify`] has found out.
    pub(crate) principal: Principal,
    pub(crate) charges: Charges<'a>,
    /// The unread part of the request body.
    pub(crate) payload: dev::Payload,
    /// Held from the first time that a paste is loaded from the disk, while its content may be held.
    pub(super) load_permit: Cell<Option<Turn>>,
    /// Whether the client asked for a paste by its slug.
    pub(super) names_slug: Cell<bool>,
    /// The secret that the response gives to a browser that had none.
    pub(super) adopted: Option<OwnerSecret>,
}

impl<'a> RequestContext<'a> {
    pub(crate) fn new(
        state: &'a AppState,
        clock: &'a RequestClock<'a>,
        request: Request<'a>,
        payload: dev::Payload,
    ) -> Self {
        Self {
            state,
            clock,
            request,
            principal: Principal::Anonymous,
            charges: Charges::new(state, clock, request.client),
            payload,
            load_permit: Cell::default(),
            names_slug: Cell::default(),
            adopted: None,
        }
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.timestamp()
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

/// The longest wait for a permit to load pastes. It is as long as the wait for bytes of the budget.
const MAX_WAIT: Duration = Duration::from_millis(500);

/// The use of each permit. So the network that loaded least lately is next.
const USE: Duration = Duration::from_millis(1);

impl RequestContext<'_> {
    /// Decodes an id or a slug.
    ///
    /// # Errors
    /// If the text is neither, or a slug and the client has no misses left.
    pub(crate) fn id(&self, text: &str) -> Result<PasteId, ApiError> {
        let id = self.state.app.id(text).ok_or(StoreError::NotFound)?;
        if text.len() != IdCodec::LENGTH {
            self.charges.check_misses()?;
            self.names_slug.set(true);
        }
        Ok(id)
    }

    /// Returns the paste without counting a read.
    pub(crate) async fn peek(&self, id: PasteId) -> Result<StoredPaste, ApiError> {
        self.permit_loading(id).await?;
        let found = self.state.app.store.peek(self.now(), id).await;
        found.map_err(|error| self.charged(error))
    }

    /// Returns the paste. A GET or POST counts as a read if the paste is public; a HEAD does not.
    pub(crate) async fn read(&self, id: PasteId) -> Result<StoredPaste, ApiError> {
        match self.request.method {
            Method::Head => self.peek(id).await,
            _ => {
                self.permit_loading(id).await?;
                let found = self.state.app.read(self.now(), id).await;
                found.map_err(|error| self.charged(error))
            }
        }
    }

    /// Counts a read of an open paste that was peeked at. Returns false for a HEAD, which is not a read.
    pub(crate) fn count_read(&self, id: PasteId) -> bool {
        let is_read = self.request.method != Method::Head;
        if is_read {
            self.state.app.count_read(self.now(), id);
        }
        is_read
    }

    /// Waits for a permit to load the paste, if it must be loaded and this request has none yet.
    pub(crate) async fn permit_loading(&self, id: PasteId) -> Result<(), ApiError> {
        match self.state.app.store.must_load(id) {
            true => self.permit_listing().await,
            false => Ok(()),
        }
    }

    /// Waits for a permit to read from the disk or the engine, if the store has one and this request has no permit yet.
    pub(crate) async fn permit_listing(&self) -> Result<(), ApiError> {
        if self.state.app.store.loads() {
            let permit = match self.load_permit.take() {
                Some(permit) => permit,
                // Boxed: this future is large, and most reads do not need it.
                None => Box::pin(self.acquire_load_permit()).await?,
            };
            self.load_permit.set(Some(permit));
        }
        Ok(())
    }

    /// A loaded paste is held by its request. So without a bound, many requests that wait for bytes of the budget would
    /// hold as many pastes that no budget counts. A client has a quarter of the permits at most, and a network half.
    async fn acquire_load_permit(&self) -> Result<Turn, ApiError> {
        let (state, now) = (self.state, self.state.clock.elapsed());
        let turn = (state.overload.loads).enter(now, self.charges.client.key, USE);
        let mut turn = state
            .wait_for_turn(turn, now + MAX_WAIT, Priority::Read)
            .await?;
        turn.set_use(USE);
        Ok(turn)
    }

    /// Gives the permit back that loading a paste took. The caller has dropped the content. A request that waits for
    /// its client must not keep the permit.
    pub(crate) fn release_load_permit(&self) {
        self.load_permit.take();
    }

    /// Saves a paste for the client. Reserved bytes that the paste does not need are refunded.
    pub(crate) async fn create(
        &mut self,
        draft: Draft,
        access: Access,
    ) -> Result<Created, ApiError> {
        if draft.slug.is_some() {
            self.authorize_slug()?;
            self.charges.check_misses()?;
        }
        let saver = self.saver()?;
        let size = draft.content.bytes().len();
        let creating = self.state.app.create(self.now(), saver, draft, access);
        let created = self.charges.settle_after(size, pin!(creating)).await;
        created.map_err(|error| self.charged(error))
    }

    /// Saves all of these pastes for the client, or none. Their saves were admitted.
    pub(crate) async fn create_all(
        &mut self,
        drafts: Vec<(Draft, Access)>,
    ) -> Result<Vec<Created>, ApiError> {
        let (saver, now) = (self.saver()?, self.now());
        let sizes = drafts.iter().map(|(draft, _)| draft.content.bytes().len());
        let total = sizes.sum();
        let app = &self.state.app;
        let creating = async {
            let mut saved = Vec::with_capacity(drafts.len());
            for (draft, access) in drafts {
                match app.create(now, saver.clone(), draft, access).await {
                    Ok(created) => saved.push(created),
                    Err(error) => {
                        remove(app, now, &saved).await;
                        return Err(error);
                    }
                }
            }
            Ok(saved)
        };
        Ok(self.charges.settle_after(total, pin!(creating)).await?)
    }
}

/// Deletes the pastes that were saved before another one failed.
async fn remove(app: &App, now: Timestamp, saved: &[Created]) {
    for created in saved {
        let credentials = Credentials {
            token: Some(created.token.as_str()),
            ..Credentials::default()
        };
        if let Some(id) = app.id(&created.id) {
            // If it fails, the paste was evicted, or the disk has failed, which is in the log.
            let _ = app.delete(now, id, &credentials, |_| true, None).await;
        }
    }
}
