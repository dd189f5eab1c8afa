//! Short links: pastes whose content is a URL.
//!
//! Invariants: a link leads only to `http` and `https` URLs, and never back to this server. So links cannot form a
//! cycle on this server. The target is fixed before the link gets its id, and it never changes.

use crate::paste::{Content, Draft, Expiry, Language, LinkTarget, LinkTargetError, Title};

use super::App;

/// A short link that a client wants to save.
pub struct NewLink<'a> {
    /// The target URL as the client sent it.
    pub target: &'a [u8],
    /// The host names of this server, with ports. No link may lead to them.
    pub own_hosts: [&'a str; 2],
    /// The title, if the client sent one.
    pub title: Option<Title>,
    /// The time after which the link expires.
    pub expiry: Expiry,
    /// True if the client asked for a limited number of reads.
    pub burns: bool,
    /// True if the client sent a password.
    pub has_password: bool,
}

/// The reason why a link was not saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkError {
    /// The client limited the number of reads, which a link does not support.
    Burns,
    /// The client sent a password, which a link does not support.
    Protected,
    /// The target is not a URL that a link may lead to.
    Target(LinkTargetError),
    /// The target URL leads to this server.
    LeadsHere,
}

impl App {
    /// Creates the draft of a link. The caller stores it with [`crate::paste::Access::Link`].
    ///
    /// # Errors
    /// Returns a [`LinkError`] if the link is not allowed.
    pub fn draft_of_link(link: NewLink<'_>) -> Result<Draft, LinkError> {
        if link.burns {
            return Err(LinkError::Burns);
        }
        if link.has_password {
            return Err(LinkError::Protected);
        }
        let text = std::str::from_utf8(link.target).unwrap_or_default();
        let target = LinkTarget::parse(text).map_err(LinkError::Target)?;
        if link.own_hosts.iter().any(|host| target.leads_to(host)) {
            return Err(LinkError::LeadsHere);
        }
        let content = Content::from_text(target.as_str(), LinkTarget::MAX_BYTES)
            .expect("a parsed target is not empty and within its limit");
        Ok(Draft {
            content,
            title: link.title,
            language: Some(Language::PLAIN),
            slug: None,
            expiry: link.expiry,
        })
    }
}
