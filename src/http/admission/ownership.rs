//! The owner of a request.
//!
//! A program shows an owner's secret as its bearer token, and a browser by its cookie. The holder of a key and a user
//! of the proxy are owners too; [`super::access`] has checked them. The cookie is ambient: browsers send it with every
//! request, whichever page caused it. So it changes nothing unless the request comes from a page of this server. A read
//! changes nothing, so a link in a chat may lead to the list.

use actix_web::http::header::COOKIE;

use super::context::RequestContext;
use crate::app::{Credentials, random_bytes};
use crate::config::BaseUrl;
use crate::http::error::ApiError;
use crate::http::request::{
    IdentityCookie, Method, bearer_owner, cookie_tokens, header_token, query,
};
use crate::paste::{OwnerId, OwnerSecret, StoredPaste, TokenHash};
use crate::store::Saver;

impl<'a> RequestContext<'a> {
    /// Returns the owner that the request shows, or `None` if it shows none.
    ///
    /// # Errors
    /// If the bearer token starts like an owner's secret but is not one.
    pub(crate) fn owner(&self) -> Result<Option<OwnerId>, ApiError> {
        let bearer = bearer_owner(self.request.headers())?.map(|secret| secret.id());
        let known = bearer.or_else(|| self.principal.owner());
        Ok(known.or_else(|| self.browser_owner().map(|secret| secret.id())))
    }

    /// Returns who saves a paste with this request.
    pub(super) fn saver(&self) -> Result<Saver, ApiError> {
        Ok(Saver {
            client: self.charges.client(),
            owner: self.owner()?,
            slug: None,
        })
    }

    /// Returns the owner that the bearer token or the account shows.
    pub(crate) fn explicit_owner(&self) -> Option<TokenHash> {
        let secret = bearer_owner(self.request.headers()).ok().flatten();
        let owner = secret.map(|secret| secret.id());
        Some(owner.or_else(|| self.principal.owner())?.hash())
    }

    /// Returns the secret of the browser, if the request is a read or comes from a page of this server.
    pub(crate) fn browser_owner(&self) -> Option<OwnerSecret> {
        if self.adopted.is_some() {
            return self.adopted.clone();
        }
        let secret = self.identity_cookie()?.read(self.request.headers());
        secret.filter(|_| self.request.is_read() || self.is_same_origin())
    }

    /// Makes the browser an owner if it is none yet, before it saves its first paste. [`Self::adopted_cookie`] tells
    /// it.
    pub(crate) fn adopt_browser(&mut self) -> Result<(), ApiError> {
        if self.identity_cookie().is_some() && self.is_same_origin() && self.owner()?.is_none() {
            self.adopted = Some(OwnerSecret::from_random(random_bytes()?));
        }
        Ok(())
    }

    /// Returns the `Set-Cookie` for a browser that was just made an owner.
    pub(crate) fn adopted_cookie(&self) -> Option<String> {
        Some(self.identity_cookie()?.set(self.adopted.as_ref()?))
    }

    /// Returns the cookie of this server, if it has a public URL with TLS.
    pub(crate) fn identity_cookie(&self) -> Option<IdentityCookie<'a>> {
        let is_https = self.request.public.is_some_and(BaseUrl::is_https);
        IdentityCookie::of(is_https, self.request.base_path())
    }

    /// Returns the token of a paste that this browser has just saved. The page shows it and removes its cookie, so that
    /// it is shown once. A `HEAD` has no page.
    pub(crate) fn just_saved(&self, paste: &StoredPaste) -> Result<Option<&'a str>, ApiError> {
        let query = self.request.query();
        let is_new = !query.is_empty() && query::pairs(query)?.any(|(name, _)| name == "saved");
        if !is_new || self.request.method != Method::Get {
            return Ok(None);
        }
        let tokens = cookie_tokens(self.request.headers(), "saved=");
        Ok(self.token_among(tokens, paste.token()))
    }

    /// Returns true if the client has what an owner of a paste has: the cookie of a token or of an owner, or a key.
    pub(crate) fn may_own(&self) -> bool {
        let headers = self.request.headers();
        let has_cookie = || {
            let owner = self.identity_cookie().and_then(|it| it.read(headers));
            owner.is_some() || cookie_tokens(headers, "token=").next().is_some()
        };
        self.principal.owner().is_some() || headers.contains_key(COOKIE) && has_cookie()
    }

    /// Returns true if the browser holds the paste's token or is its owner, so that its page offers the actions of an
    /// owner. It changes nothing, so it does not matter which page led here.
    pub(crate) fn shows_owner(&self, paste: &StoredPaste) -> bool {
        let owns = |owner: OwnerId| {
            let of_paste = paste.owner();
            of_paste.is_some_and(|of_paste| of_paste.matches(&owner.hash()))
        };
        let cookie = || self.identity_cookie()?.read(self.request.headers());
        self.owner_cookie(paste.token()).is_some()
            || self.principal.owner().is_some_and(owns)
            || cookie().is_some_and(|secret| owns(secret.id()))
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
        let mut cookies: Vec<&str> = cookie_tokens(headers, "token=").collect();
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

    /// Returns the paste's token from the request's cookies. Returns `None` if no cookie has it.
    pub(crate) fn owner_cookie(&self, paste: &TokenHash) -> Option<&'a str> {
        self.token_among(cookie_tokens(self.request.headers(), "token="), paste)
    }

    /// Returns the token of the paste, if one of these cookies is it. Together they are one guess.
    fn token_among(
        &self,
        cookies: impl Iterator<Item = &'a str>,
        paste: &TokenHash,
    ) -> Option<&'a str> {
        let mut cookies = cookies.peekable();
        cookies.peek()?;
        let token = || cookies.find(|cookie| paste.matches(&TokenHash::of(cookie)));
        self.charges.guess(token).ok().flatten()
    }
}
