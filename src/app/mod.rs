//! The use cases: to create, read, consume, update and delete pastes, to check who may do so, and to carry out what the
//! operator decides. They are independent of HTTP.
//!
//! Each operation takes validated types, and returns a result or one of a fixed set of errors. Protocol code calls only
//! these operations and never the layers below them.
//! This module must not know about HTTP, headers, pages, rate limits or the clock: the caller passes `now`.
//! Invariants: a rejected operation changes nothing. The access mode of a paste never changes after its creation.

mod block;
mod create;
mod credentials;
mod delete;
mod encryption;
mod link;
mod totals;
mod update;

pub use create::Created;
pub use credentials::{Bearer, Credentials, Unauthorized};
pub use delete::{Deleted, Removal};
pub use encryption::KeyMemoryPool;
pub use link::LinkError;
pub use totals::Activity;

pub(crate) use create::random_bytes;

use std::sync::Arc;

use crate::paste::{IdCodec, PasteId, PasteLimits, Slug, StoredPaste, Timestamp};
use crate::store::{Consumed, Store, StoreError};
use totals::Totals;

/// Why a use case failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::From)]
pub enum AppError {
    /// The store refused or failed. `IdTaken` means that all ids that were tried were already in use.
    #[from]
    Store(StoreError),
    /// Another paste has the slug, or had it until a day ago.
    SlugTaken,
    /// The operating system did not return random bytes.
    NoRandomBytes,
    /// The operator blocks the content.
    Blocked,
    /// The content is a sealed message, and the operator wants none.
    EncryptionOff,
    /// The operator wants to block the content, but it is encrypted, so it is not known.
    ContentUnknown,
    /// The client may not act on the paste.
    #[from]
    Unauthorized(Unauthorized),
    /// The paste does not allow this change.
    #[from]
    Forbidden(ForbiddenChange),
}

/// An update that a paste does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForbiddenChange {
    /// The target of a short link never changes.
    LinkTarget,
    /// The number of reads is fixed when the paste is created.
    Reads,
    /// The address is fixed when the paste is created.
    Slug,
    /// The paste was created without a password, but the update has one.
    Protect,
    /// The paste is protected by a password, but the update with new content has none.
    Unprotect,
    /// The title of a protected paste is encrypted with its content, so it cannot change alone.
    EncryptedTitle,
    /// The content is no question, or not any more. Only a question can be answered.
    Answered,
    /// A sealed message is saved once: an editor here would show its ciphertext, and a paste that exists would not begin
    /// to burn with it.
    Sealed,
}

/// The operations on one store. All workers share this.
pub struct UseCases {
    pub(crate) store: Arc<Store>,
    ids: IdCodec,
    pub(crate) limits: PasteLimits,
    pub(crate) totals: Totals,
}

impl UseCases {
    /// Creates the use cases of this store.
    pub fn new(store: Arc<Store>, ids: IdCodec, limits: PasteLimits) -> Self {
        Self {
            store,
            ids,
            limits,
            totals: Totals::default(),
        }
    }

    /// Returns the id that a text or a slug stands for. Returns `None` if the text is neither.
    pub fn id(&self, text: &str) -> Option<PasteId> {
        match text.len() {
            IdCodec::LENGTH => self.ids.decode(text),
            _ => Some(Slug::parse(text).ok()?.id(&self.ids)),
        }
    }

    /// Returns the text under which a paste is found: its slug, or else that of its id.
    pub fn text_of(&self, id: PasteId, slug: Option<&Slug>) -> String {
        match slug {
            Some(slug) => slug.as_str().to_owned(),
            None => self.ids.encode(id),
        }
    }

    /// Returns the paste. A read is counted if the paste is public.
    ///
    /// # Errors
    /// Returns an error if the paste does not exist or cannot be read.
    pub async fn read(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        let paste = self.store.get(now, id).await?;
        if paste.data().counts_on_get() {
            self.totals.count_read();
        }
        Ok(paste)
    }

    /// Counts a read of an open paste that the caller peeked at.
    pub fn count_read(&self, now: Timestamp, id: PasteId) {
        self.store.count_read(now, id);
        self.totals.count_read();
    }

    /// Counts a read of the paste and returns its content. `seen` is the paste as the caller last saw it. The last
    /// allowed read also removes the paste, in the same step. So concurrent readers never get the content more often
    /// than allowed.
    ///
    /// # Errors
    /// Returns an error if the paste does not exist, if its revision differs from `seen`, or if the storage failed.
    pub async fn consume(
        &self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<Consumed, StoreError> {
        // It waits for its answer. No route asks for this.
        if seen.asks() {
            return Err(StoreError::Changed);
        }
        let consumed = self.store.consume(now, id, seen).await?;
        self.totals.count_read();
        Ok(consumed)
    }
}
