//! The access to a route: who the client is, and whether it has the right that the route needs.
//!
//! Invariants: this is the only check of the rights to save and to read, and the limiter makes it before it calls a
//! handler. So without a right, existing and unknown pastes are answered alike. Handlers check the rights to
//! operate and to read metrics with [`RequestContext::authorize_operator`]. A wrong key is charged as a miss. A client
//! that exceeded the limit of misses gets no key compared. An ambient credential, which a browser adds by itself,
//! changes nothing unless the request comes from a page of this server.

use actix_web::http::header::AUTHORIZATION;

use super::RequestContext;
use crate::account::{InstanceAccess, Principal, Right};
use crate::app::Bearer;
use crate::app::Unauthorized;
use crate::http::error::{AccessError, ApiError, Challenge};
use crate::http::problem::{ProblemType as T, Step};
use crate::http::request::{
    Audience, Claim, Cost, KeySource, Request, ResponseFormat, basic, bearer, is_same_origin,
};

/// The most users whose names the operator sees.
const MOST_USERS: usize = 10_000;

const FOR_KEYS: &str =
    "This server is private, so the person you ask could not open the link. Ask on another server.";
const NO_ANSWERS: &str = "This server takes no answers: encrypted pastes are off, or a paste has less than 65 KiB. Ask on another server.";

/// Finds out who the client is. From then on its account is charged, if it has one.
///
/// # Errors
/// If the key is wrong, or sent in a wrong way, or another site made a browser send the request.
pub(crate) fn identify(context: &mut RequestContext<'_>) -> Result<(), ApiError> {
    let accounts = &context.state.accounts;
    let (principal, is_ambient) = match accounts.claim(&context.request, &context.state.clients)? {
        Claim::Nothing => (Principal::Anonymous, false),
        Claim::User(name) => (Principal::User(name), true),
        Claim::Key {
            text,
            source: KeySource::Cookie,
        } => (holder_of_cookie(context, &text), true),
        Claim::Key { text, source } => (context.log_in(&text)?, source == KeySource::Basic),
        // On an open server, the operator's token changes nothing before a handler compares it.
        Claim::Bearer(_) if accounts.access == InstanceAccess::Open => {
            (Principal::Anonymous, false)
        }
        Claim::Bearer(token) => {
            let operator = || accounts.is_operator(token).then_some(Principal::Operator);
            let found = context.charges.guess(operator)?;
            (found.unwrap_or(Principal::Anonymous), false)
        }
    };
    let changes = !context.request.method.is_safe();
    if is_ambient && changes && principal != Principal::Anonymous && !context.is_same_origin() {
        return Err(AccessError::CrossSite.into());
    }
    if let Some(account) = principal.account() {
        let key = context.state.clients.account(&account);
        context.charges.charge_account(key, principal.multiplier());
        let is_new = || {
            let users = accounts.users.read();
            users.len() < MOST_USERS && !users.contains_key(&key.network)
        };
        if matches!(principal, Principal::User(_)) && is_new() {
            accounts.users.write().insert(key.network, account);
        }
    }
    context.principal = principal;
    Ok(())
}

/// Returns the holder of the key in a cookie. A wrong one is a miss, but is otherwise ignored: it is old, or another
/// program of this host set it, and would lock its browser out of requests that everyone may send. A route that needs a
/// right answers with the login page, which removes the cookie.
fn holder_of_cookie(context: &RequestContext<'_>, text: &str) -> Principal {
    let holder = || context.state.accounts.holder(text, context.now());
    let found = context.charges.guess(holder).ok().flatten();
    found.unwrap_or(Principal::Anonymous)
}

/// Checks that the client has the right that the route needs.
///
/// # Errors
/// If it has not.
pub(crate) fn authorize(context: &RequestContext<'_>, audience: Audience) -> Result<(), ApiError> {
    let access = context.state.accounts.access;
    match audience.right() {
        Some(_) if audience == Audience::Removers && context.may_operate() => Ok(()),
        Some(right) if !context.principal.may(right, access) => Err(match context.principal {
            _ if context.state.accounts.is_read_only(right) => AccessError::ReadOnly,
            Principal::Anonymous => AccessError::NoKey(access, Challenge::of(&context.request)),
            _ => AccessError::KeyForbids(right),
        }
        .into()),
        Some(_) | None => Ok(()),
    }
}

impl RequestContext<'_> {
    /// Checks that the server is not read-only. Routes that need no right to save ask.
    ///
    /// # Errors
    /// If it is.
    pub(crate) fn refuse_read_only(&self) -> Result<(), AccessError> {
        match self.state.accounts.is_read_only(Right::Save) {
            true => Err(AccessError::ReadOnly),
            false => Ok(()),
        }
    }

    /// Checks that a question can be answered: by anyone, within the limits of a paste.
    ///
    /// # Errors
    /// If it cannot.
    pub(crate) fn refuse_question(&self) -> Result<(), ApiError> {
        let is_private = self.state.accounts.access == InstanceAccess::Private;
        match self.state.app.limits.may_ask() {
            true if is_private => Err(T::KeyForbids.says(FOR_KEYS).step(Step::Correct).into()),
            true => Ok(()),
            false => Err(T::EncryptionOff.says(NO_ANSWERS).into()),
        }
    }

    /// Returns the holder of this key.
    ///
    /// # Errors
    /// If there is no such key, or the client exceeded the limit of misses.
    pub(crate) fn log_in(&self, text: &str) -> Result<Principal, ApiError> {
        if text.is_empty() {
            return Err(AccessError::EmptyKey(Challenge::of(&self.request)).into());
        }
        let holder = || self.state.accounts.holder(text, self.now());
        let found = self.charges.guess(holder)?;
        found.ok_or_else(|| AccessError::WrongKey(Challenge::of(&self.request)).into())
    }

    /// Returns whether the client is the operator, by the operator's token or because it has the operator's rights.
    pub(super) fn bearer(&self) -> Bearer {
        match self.principal {
            Principal::Anonymous => bearer(self.request.headers(), self.state.accounts.operator),
            _ if self.may_operate() => Bearer::Operator,
            _ => Bearer::Absent,
        }
    }

    /// Checks that the request comes from the operator, by a bearer token or by the password that a browser asked for, or
    /// from the holder of a key with this right. A browser sends that password with every request, so it changes
    /// something only from a page of this server.
    /// The routes of the operator are free; a request of anyone else is charged here, as a read. A wrong token counts
    /// as a miss.
    ///
    /// # Errors
    /// If the request has no token of the operator or a wrong one, or if a page of another site may have sent it.
    pub(crate) async fn authorize_operator(&mut self, right: Right) -> Result<(), ApiError> {
        if self.principal.may(right, self.state.accounts.access) {
            return Ok(());
        }
        let sent_authorization = self.request.headers().contains_key(AUTHORIZATION);
        if sent_authorization {
            self.charges.check_misses()?;
        }
        // A browser that has a key as a cookie may still ask its user for the operator's token.
        let sent_key = sent_authorization && matches!(self.principal, Principal::Key(_));
        let basic = basic(self.request.headers(), self.state.accounts.operator);
        let error = match (self.bearer(), basic) {
            (Bearer::Operator, _) => return Ok(()),
            (Bearer::Wrong, _) => Unauthorized::NotOperator.into(),
            (Bearer::Absent, Bearer::Absent) if sent_key => AccessError::KeyForbids(right).into(),
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

    /// Returns true if the request may come from a page of this server: no header names another origin. Without a
    /// public URL, the origin is that of the host that the client addressed. With one, that proves nothing: the page
    /// may be of the same host without TLS, or of another name that leads to this server.
    pub(crate) fn is_same_origin(&self) -> bool {
        is_same_origin(self.request.headers(), |origin| {
            if let Some(public) = self.request.public {
                return origin == public.origin();
            }
            let authority = origin.split_once("://").map(|(_, authority)| authority);
            let host = self.request.host(&self.state.local);
            host.is_ok_and(|host| authority == Some(host))
        })
    }

    /// Checks that the client may choose the address of a paste.
    ///
    /// # Errors
    /// If it is neither the holder of a key that gives the right to save, nor a user of the proxy.
    pub(super) fn authorize_slug(&self) -> Result<(), AccessError> {
        match &self.principal {
            principal if principal.may_choose_slugs() => Ok(()),
            Principal::Key(_) => Err(AccessError::KeyForbids(Right::Save)),
            Principal::Anonymous | Principal::User(_) | Principal::Operator => {
                Err(AccessError::NoKeyForSlug(Challenge::of(&self.request)))
            }
        }
    }

    /// Returns the name of the operator for the log: that of the key, or that it was the token.
    pub(crate) fn operator_name(&self) -> String {
        match &self.principal {
            Principal::Key(key) if self.may_operate() => format!("key {}", key.grant.name),
            _ => "token".to_owned(),
        }
    }

    /// Returns true if the client has the operator's rights.
    pub(crate) fn may_operate(&self) -> bool {
        self.principal
            .may(Right::Operate, self.state.accounts.access)
    }
}

impl Challenge {
    /// A program may need the challenge before it sends a password. A browser would show a dialog of its own.
    fn of(request: &Request<'_>) -> Self {
        let is_browser = request.headers().contains_key("sec-fetch-mode");
        match request.format {
            ResponseFormat::Text if !is_browser => Self::Basic,
            ResponseFormat::Text | ResponseFormat::Html | ResponseFormat::Json => Self::Bearer,
        }
    }
}
