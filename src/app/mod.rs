//! The use cases, without HTTP: create, read, consume, update and delete a paste, and who may do it.
//!
//! A command comes in as values that cannot be wrong, a result or a closed set of errors goes back. Every protocol calls
//! these and nothing below them.
//! What it must not know: HTTP, headers, pages, limits, the clock (every call is passed `now`).
//! Invariants: a refused command changes nothing; how a paste may be read never changes after it was created.

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

/// What a saver may ask for.
#[derive(Debug, Clone, Copy)]
pub struct PasteLimits {
    /// Bytes of content.
    pub max_paste_size: usize,
    /// Default and longest expiry.
    pub expiry_policy: ExpiryPolicy,
}

/// The use cases over one store; shared by all workers.
#[derive(Debug)]
pub struct App {
    store: Arc<Store>,
    ids: IdCodec,
    limits: PasteLimits,
}

impl App {
    /// The use cases over this store.
    #[must_use]
    pub fn new(store: Arc<Store>, ids: IdCodec, limits: PasteLimits) -> Self {
        Self { store, ids, limits }
    }

    /// The store, for counters and for the page cache.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// What a saver may ask for.
    #[must_use]
    pub fn limits(&self) -> PasteLimits {
        self.limits
    }
}
