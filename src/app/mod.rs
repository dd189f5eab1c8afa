//! The use cases, without HTTP: create, read, consume, update and delete a paste, with authorization.
//!
//! Commands take validated types and return a result or a closed set of errors. Every protocol calls these and nothing
//! below them.
//! What it must not know: HTTP, headers, pages, limits, the clock (every call is passed `now`).
//! Invariants: a rejected command changes nothing. The access mode of a paste never changes after its creation.

mod consume;
mod create;
mod credentials;
mod delete;
mod encryption;
mod link;
mod read;
mod update;

pub use create::{CreateError, Created};
pub use credentials::{Bearer, Credentials, Unauthorized};
pub use delete::DeleteError;
pub use encryption::{DecryptionFailed, EncryptionFailed, KeyMemories};
pub use link::{LinkError, NewLink};
pub use update::{ForbiddenChange, NewContent, UpdateError};

pub(crate) use create::random_bytes;

use std::sync::Arc;

use crate::paste::{ExpiryPolicy, IdCodec};
use crate::store::Store;

/// The limits for new and changed pastes.
#[derive(Debug, Clone, Copy)]
pub struct PasteLimits {
    /// The most bytes of content.
    pub max_paste_size: usize,
    /// The default and the longest expiry.
    pub expiry_policy: ExpiryPolicy,
}

/// The use cases of one store; shared by all workers.
#[derive(Debug)]
pub struct App {
    store: Arc<Store>,
    ids: IdCodec,
    limits: PasteLimits,
}

impl App {
    /// Makes the use cases of this store.
    #[must_use]
    pub fn new(store: Arc<Store>, ids: IdCodec, limits: PasteLimits) -> Self {
        Self { store, ids, limits }
    }

    /// The store, for counters and for the page cache.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The limits for new and changed pastes.
    #[must_use]
    pub fn limits(&self) -> PasteLimits {
        self.limits
    }
}
