//! Short links: pastes whose content is a URL.
//!
//! Invariants: a link leads only to `http` and `https` URLs, and never back to this server. So links cannot form a
//! cycle on this server. The target is fixed before the link gets its id, and it never changes.

use crate::paste::{Content, LinkTarget, LinkTargetError};

use super::UseCases;

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

impl UseCases {
    /// Returns the content of a link to this target, as the client sent it. No link may lead to the own hosts, which
    /// are names with ports. The caller stores it with [`crate::paste::Access::Link`].
    ///
    /// # Errors
    /// Returns a [`LinkError`] if the link is not allowed.
    pub fn link_content(
        target: &[u8],
        own_hosts: [&str; 2],
        burns: bool,
        has_password: bool,
    ) -> Result<Content, LinkError> {
        if burns {
            return Err(LinkError::Burns);
        }
        if has_password {
            return Err(LinkError::Protected);
        }
        let text = std::str::from_utf8(target).unwrap_or_default();
        let target = LinkTarget::parse(text).map_err(LinkError::Target)?;
        if own_hosts.iter().any(|host| target.leads_to(host)) {
            return Err(LinkError::LeadsHere);
        }
        Ok(Content::from_text(target.as_str(), LinkTarget::MAX_BYTES)
            .expect("a parsed target is not empty and within its limit"))
    }
}
