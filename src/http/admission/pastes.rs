//! What a request does with the store: it finds, loads, reads and saves pastes.
//!
//! Invariants: a request that loads a paste from the disk or the engine holds a permit for it. A slug can be guessed,
//! so it is looked up only for a client that has misses left. An id has 64 random bits, so asking for one is a read and
//! no guess.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};

use super::RequestContext;
use crate::app::Created;
use crate::http::connection::wait_until;
use crate::http::error::ApiError;
use crate::http::request::Method;
use crate::http::state::MAX_WAIT;
use crate::overload::{Priority, Turn};
use crate::paste::{Access, Draft, IdCodec, PasteId, StoredPaste};
use crate::store::{Reason, StoreError};

/// The use of each permit. So the network that loaded least lately is next.
pub(crate) const LOAD_USE: Duration = Duration::from_millis(1);

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
        match self.state.app.store.peek(self.now(), id).await {
            Ok(found) => Ok(found),
            Err(error) => Err(Box::pin(self.ended(id, error)).await),
        }
    }

    /// Returns the error of a paste that is not there. The owner of one that burned or was deleted learns when. That is
    /// no guess, since 64 bits would have to be right.
    async fn ended(&self, id: PasteId, error: StoreError) -> ApiError {
        if let StoreError::Gone(reason @ (Reason::Burned | Reason::Deleted)) = error
            && self.request.is_read()
            && let Ok(credentials) = self.credentials(None)
            && let mut hashes = credentials.hashes().peekable()
            && hashes.peek().is_some()
        {
            let receipt = self.state.app.store.receipt(id).await;
            if let Some(at) = hashes.find_map(|hash| receipt.shown_to(&hash)) {
                return ApiError::Ended(reason, at);
            }
        }
        self.charged(error)
    }

    /// Returns the paste. A GET or POST counts as a read if the paste is public; a HEAD does not.
    pub(crate) async fn read(&self, id: PasteId) -> Result<StoredPaste, ApiError> {
        if self.request.method == Method::Head {
            return self.peek(id).await;
        }
        self.permit_loading(id).await?;
        match self.state.app.read(self.now(), id).await {
            Ok(found) => Ok(found),
            Err(error) => Err(Box::pin(self.ended(id, error)).await),
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
        let turn = (state.overload.loads).enter(now, self.charges.client(), LOAD_USE);
        match select(turn, pin!(wait_until(&state.clock, now + MAX_WAIT))).await {
            Either::Left((Ok(mut turn), _)) => {
                turn.set_use(LOAD_USE);
                Ok(turn)
            }
            // It does not come in time, or too many requests of the network wait.
            Either::Left((Err(_), _)) | Either::Right(_) => Err(state.shed(Priority::Read)),
        }
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
}
