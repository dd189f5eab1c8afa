//! The owner of a request.
//!
//! A program shows an owner's secret as its bearer token, and a browser by its cookie. The holder of a key and a user
//! of the proxy are owners too; [`super::access`] has checked them. The cookie is ambient: browsers send it with every
//! request, whichever page caused it. So it changes nothing unless the request comes from a page of this server. A read
//! changes nothing, so a link in a chat may lead to the list.

use super::context::RequestContext;
use crate::app::random_bytes;
use crate::config::BaseUrl;
use crate::http::error::ApiError;
use crate::http::request::{IdentityCookie, Method, bearer_owner, query, saved_tokens};
use crate::paste::{OwnerHash, OwnerId, OwnerSecret, StoredPaste};
use crate::store::Saver;

impl<'a> RequestContext<'a> {
    /// Returns the owner that the request shows, or `None` if it shows none.
    ///
    /// # Errors
    /// If the bearer token begins like an owner's secret and is none.
    pub(crate) fn owner(&self) -> Result<Option<OwnerId>, ApiError> {
        let bearer = bearer_owner(self.request.headers())?.map(|secret| secret.id());
        let known = bearer.or_else(|| self.principal.owner());
        Ok(known.or_else(|| self.browser_owner().map(|secret| secret.id())))
    }

    /// Returns who saves a paste with this request.
    pub(super) fn saver(&self) -> Result<Saver, ApiError> {
        let (client, owner) = (self.request.client.key, self.owner()?);
        let slug = None;
        Ok(Saver {
            client,
            owner,
            slug,
        })
    }

    /// Returns the owner that the bearer token or the account shows.
    pub(super) fn explicit_owner(&self) -> Option<OwnerHash> {
        let secret = bearer_owner(self.request.headers()).ok().flatten();
        let owner = secret.map(|secret| secret.id());
        Some(owner.or_else(|| self.principal.owner())?.hash())
    }

    /// Returns true if the request shows its owner by the browser's cookie alone.
    pub(crate) fn is_browser_owner(&self) -> bool {
        self.explicit_owner().is_none()
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
        let shows = is_new && self.request.method == Method::Get;
        let tokens = saved_tokens(self.request.headers()).filter(|_| shows);
        Ok(self.token_among(tokens, paste.token()))
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
}
