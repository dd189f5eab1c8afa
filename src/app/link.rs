//! Short links: pastes whose content is a URL.
//!
//! Invariants: a link leads only to `http` and `https` URLs and never back to this server. So links cannot form a
//! cycle: the target is fixed before the link has an address, and never changes.

use crate::paste::{Content, Draft, Expiry, Language, LinkTarget, LinkTargetError, Title};

use super::App;

/// A short link to be saved.
#[derive(Debug)]
pub struct NewLink<'a> {
    /// The target as the client sent it.
    pub target: &'a [u8],
    /// Hosts of this server, with ports; no link may lead to them.
    pub own_hosts: [&'a str; 2],
    /// The title, if the client sent one.
    pub title: Option<Title>,
    /// When it expires.
    pub expiry: Expiry,
    /// Whether the client asked for a limited number of reads.
    pub burns: bool,
    /// Whether the client sent a password.
    pub has_password: bool,
}

/// The reason why a link was not saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkError {
    /// A link cannot burn.
    Burns,
    /// A link cannot be protected.
    Protected,
    /// The target is not a URL that a link may lead to.
    Target(LinkTargetError),
    /// The target is on this server.
    LeadsHere,
}

impl App {
    /// Makes the draft of a link, which is stored with [`crate::paste::Access::Link`].
    ///
    /// # Errors
    /// See [`LinkError`].
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
        let content = Content::new(target.as_str().as_bytes(), LinkTarget::MAX_BYTES)
            .expect("a parsed target is not empty and within its limit");
        Ok(Draft {
            content,
            title: link.title,
            language: Language::PLAIN,
            expiry: link.expiry,
        })
    }
}
