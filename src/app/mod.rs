//! The application: it creates, reads, consumes, updates and deletes pastes, checks who may do so, and carries out what
//! the operator decides. It is independent of HTTP.
//!
//! Each operation takes validated types, and returns a result or one of a fixed set of errors. Protocol code calls only
//! these operations and never the layers below them.
//! This module must not know about HTTP, headers, pages, rate limits or the clock: the caller passes `now`.
//! Invariants: a rejected operation changes nothing. The access mode of a paste never changes after its creation.

mod create;
mod credentials;
mod delete;
mod encryption;
mod error;
mod link;
mod moderation;
mod read;
mod totals;
mod update;

pub use create::Created;
pub use credentials::{Bearer, Credentials, Unauthorized};
pub use delete::Deleted;
pub use encryption::KeyMemoryPool;
pub use error::{AppError, ForbiddenChange};
pub use link::{LinkError, NewLink};
pub use moderation::BlockContent;
pub use totals::Activity;
pub use update::NewContent;

pub(crate) use create::random_bytes;

use std::sync::Arc;

use crate::paste::{ExpiryPolicy, IdCodec};
use crate::store::Store;
use totals::Totals;

/// The limits for new and changed pastes.
#[derive(Debug, Clone, Copy)]
pub struct PasteLimits {
    /// Maximum bytes of content.
    pub max_paste_size: usize,
    /// The default expiry and the longest expiry.
    pub expiry_policy: ExpiryPolicy,
}

/// The operations on one store. All workers share this.
pub struct App {
    store: Arc<Store>,
    ids: IdCodec,
    limits: PasteLimits,
    totals: Totals,
}

impl App {
    /// Creates the application for this store.
    pub fn new(store: Arc<Store>, ids: IdCodec, limits: PasteLimits) -> Self {
        Self {
            store,
            ids,
            limits,
            totals: Totals::default(),
        }
    }

    /// Returns the store, for what needs no rule and no count of the use cases.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Returns how often pastes were saved, changed and read since the start.
    pub fn activity(&self) -> Activity {
        self.totals.activity()
    }

    /// Returns the limits for new and changed pastes.
    pub fn limits(&self) -> PasteLimits {
        self.limits
    }
}
