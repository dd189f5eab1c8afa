//! The context of one request: it holds the shared state, the request, its body, and its charges.
//!
//! Slugs, tokens, keys and owners' secrets can be guessed, also in cookies. They are looked up and compared only
//! for a client that has misses left, and a wrong one is charged as a miss. An id has 64 random bits, so asking for one
//! is a read and no guess. A request that loads a paste from the disk holds a permit for it.

use std::cell::Cell;
use std::pin::pin;

use actix_web::dev;
use actix_web::http::header::AUTHORIZATION;

use super::charges::Charges;
use super::load_permit;
use crate::account::{Principal, Right};
use crate::app::{App, Bearer, Created, Credentials};
use crate::clock::RequestClock;
use crate::http::error::{AccessError, ApiError};
use crate::http::request::{
    Cost, ExpiryRules, Method, Request, basic, bearer, cookie_tokens, header_token, is_same_origin,
};
use crate::http::state::AppState;
use crate::overload::Turn;
use crate::paste::{
    Access, Draft, IdCodec, OwnerSecret, PasteId, StoredPaste, Timestamp, TokenHash,
};

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
    load_permit: Cell<Option<Turn>>,
    /// Whether the client asked for a paste by its slug.
    names_slug: Cell<bool>,
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
            policy: self.state.app.limits().expiry_policy,
            now: self.now(),
        }
    }

    /// Decodes an id or a slug.
    ///
    /// # Errors
    /// If the text is neither, or a slug and the client has no misses left.
    pub(crate) fn id(&self, text: &str) -> Result<PasteId, ApiError> {
        let id = self.state.app.id(text).ok_or(ApiError::Missing)?;
        if text.len() != IdCodec::LENGTH {
            self.charges.check_misses()?;
            self.names_slug.set(true);
        }
        Ok(id)
    }

    /// Returns the paste without counting a read.
    pub(crate) async fn peek(&self, id: PasteId) -> Result<StoredPaste, ApiError> {
        self.permit_loading(id).await?;
        let found = self.state.app.peek(self.now(), id).await;
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

    /// Counts a read of an open paste that was peeked at. A HEAD is no read.
    pub(crate) fn count_read(&self, id: PasteId) {
        if self.request.method != Method::Head {
            self.state.app.count_read(self.now(), id);
        }
    }

    /// Waits for a permit to load the paste, if it must be loaded and this request has none yet.
    pub(crate) async fn permit_loading(&self, id: PasteId) -> Result<(), ApiError> {
        match self.state.app.store().must_load(id) {
            true => self.permit_listing().await,
            false => Ok(()),
        }
    }

    /// Waits for a permit to read from the disk or the engine, if the store has one and this request has no permit yet.
    pub(crate) async fn permit_listing(&self) -> Result<(), ApiError> {
        if self.state.app.store().loads() {
            let permit = match self.load_permit.take() {
                Some(permit) => permit,
                // Boxed: this future is large, and most reads do not need it.
                None => Box::pin(load_permit::acquire(self.state, self.charges.client())).await?,
            };
            self.load_permit.set(Some(permit));
        }
        Ok(())
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

    /// Returns the credentials of the request. `field` is the token in its form. Cookies are used only if the request
    /// comes from a page of this server.
    ///
    /// # Errors
    /// If the client has no misses left.
    pub(crate) fn credentials<'c>(
        &'c self,
        field: Option<&'c str>,
    ) -> Result<Credentials<'c>, ApiError> {
        self.charges.check_misses()?;
        let headers = self.request.headers();
        let mut cookies: Vec<&str> = cookie_tokens(headers).collect();
        if !cookies.is_empty() && !self.is_same_origin() {
            cookies.clear();
        }
        Ok(Credentials {
            token: field.or_else(|| header_token(headers)),
            cookies,
            owner: self.explicit_owner(),
            browser: self.browser_owner().map(|secret| secret.id().hash()),
            bearer: self.bearer(),
        })
    }

    /// Checks that the client owns the paste. `field` is the token in the request's form.
    ///
    /// # Errors
    /// If the request has no token, or a wrong one.
    pub(crate) fn authorize_owner(
        &self,
        paste: &StoredPaste,
        field: Option<&str>,
    ) -> Result<(), ApiError> {
        let credentials = self.credentials(field)?;
        let result = credentials.authorize_owner(paste.token(), paste.owner());
        result.map_err(|error| self.charged(error))
    }

    /// Returns whether the client is the operator, by the operator's token or because it has the operator's rights.
    fn bearer(&self) -> Bearer {
        match self.principal {
            Principal::Anonymous => bearer(self.request.headers(), self.state.accounts.operator),
            _ if self.may_operate() => Bearer::Operator,
            _ => Bearer::Absent,
        }
    }

    /// Checks that the request comes from the operator, by a bearer token or by the password that a browser asked for.
    /// A browser sends that password with every request, so it changes something only from a page of this server.
    /// The routes of the operator are free; a request of anyone else is charged here, as a read. A wrong token counts
    /// as a miss.
    ///
    /// # Errors
    /// If the request has no token of the operator or a wrong one, or if a page of another site may have sent it.
    pub(crate) async fn authorize_operator(&mut self) -> Result<(), ApiError> {
        if self.request.headers().contains_key(AUTHORIZATION) {
            self.charges.check_misses()?;
        }
        let basic = basic(self.request.headers(), self.state.accounts.operator);
        let error = match (self.bearer(), basic) {
            (Bearer::Operator, _) => return Ok(()),
            (Bearer::Wrong, _) => ApiError::NotOperator,
            (Bearer::Absent, Bearer::Absent) if self.sent_key() => {
                AccessError::KeyForbids(Right::Operate).into()
            }
            (Bearer::Absent, Bearer::Absent) => ApiError::OperatorOnly,
            (Bearer::Absent, Bearer::Wrong) => ApiError::WrongOperatorPassword,
            (Bearer::Absent, Bearer::Operator)
                if self.request.is_read() || self.is_same_origin() =>
            {
                return Ok(());
            }
            (Bearer::Absent, Bearer::Operator) => AccessError::CrossSite.into(),
        };
        self.charges.admit(Cost::Read, None).await?;
        Err(self.charged(error))
    }

    /// Returns true if the client sent its key in a header, as a program does. A browser that has one as a cookie may
    /// still ask its user for the operator's password.
    fn sent_key(&self) -> bool {
        matches!(self.principal, Principal::Key(_))
            && self.request.headers().contains_key(AUTHORIZATION)
    }

    /// Returns the paste's token from the request's cookies. Returns `None` if no cookie has it.
    pub(crate) fn owner_cookie(&self, paste: &TokenHash) -> Option<&'a str> {
        self.token_among(cookie_tokens(self.request.headers()), paste)
    }

    /// Returns the token of the paste, if one of these cookies is it. Together they are one guess.
    pub(super) fn token_among(
        &self,
        cookies: impl Iterator<Item = &'a str>,
        paste: &TokenHash,
    ) -> Option<&'a str> {
        let mut cookies = cookies.peekable();
        cookies.peek()?;
        self.charges.check_misses().ok()?;
        let found = cookies.find(|cookie| paste.matches(&TokenHash::of(cookie)));
        if found.is_none() {
            self.charges.charge_miss();
        }
        found
    }

    /// Returns true if the request may come from a page of this server: no header names another origin. Without a
    /// public URL, the origin is that of the host that the client addressed. With one, that proves nothing: the page
    /// may be of the same host without TLS, or of another name that leads to this server.
    pub(crate) fn is_same_origin(&self) -> bool {
        is_same_origin(self.request.headers(), |origin| {
            if let Some(public) = self.request.public {
                return origin == public.origin();
            }
            let authority = origin.split_once("://").map(|(_, authority)| authority);
            let host = self.request.host(self.state.local);
            host.is_ok_and(|host| authority == Some(&*host))
        })
    }

    /// Returns whether the error answers a wrong guess. Browsers show their owner with every request, but one that
    /// changes a paste of another owner may be guessing.
    pub(crate) fn is_guess(&self, error: &ApiError) -> bool {
        match error {
            ApiError::Missing | ApiError::Gone(_) => self.names_slug.get(),
            ApiError::NoToken => self.browser_owner().is_some(),
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

/// Deletes the pastes that were saved before another one failed.
async fn remove(app: &App, now: Timestamp, saved: &[Created]) {
    for created in saved {
        let credentials = Credentials {
            token: Some(created.token.as_str()),
            cookies: Vec::new(),
            owner: None,
            browser: None,
            bearer: Bearer::Absent,
        };
        if let Some(id) = app.id(&created.id) {
            // If it fails, the paste was evicted, or the disk has failed, which is in the log.
            let _ = app.delete(now, id, &credentials, |_| true, None).await;
        }
    }
}
