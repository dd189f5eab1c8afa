//! Short links: a paste whose content is the address that it leads to.
//!
//! Invariants: a link leads to `http` and `https` alone and never back to this server, so links cannot form a circle:
//! the target is fixed before the link has an address of its own, and never changes.

use crate::paste::{Content, Draft, Expiry, Language, LinkTarget, LinkTargetError, Title};

use super::App;

/// A link that is to be saved.
#[derive(Debug)]
pub struct NewLink<'a> {
    /// The target as it was sent.
    pub target: &'a [u8],
    /// Hosts of this server, with their ports, to which no link may lead.
    pub own_hosts: [&'a str; 2],
    /// Its title.
    pub title: Option<Title>,
    /// How long it is stored.
    pub expiry: Expiry,
    /// Whether a limited number of reads was asked for.
    pub burns: bool,
    /// Whether a password was sent.
    pub has_password: bool,
}

/// Why a link was not saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkError {
    /// A link cannot burn.
    Burns,
    /// A link cannot be protected.
    Protected,
    /// The target is not an address that a link may lead to.
    Target(LinkTargetError),
    /// The target is on this server.
    LeadsHere,
}

impl App {
    /// The paste that a link is stored as, with [`crate::paste::Access::Link`].
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
