//! A paste as the store returns it. Its properties are public, but its content is only for permitted readers.
//!
//! Invariants: [`StoredPaste::into_paste`] is the only way to the content and title of a restricted paste. The store
//! calls it after it has counted the read. [`StoredPaste::encrypted`] returns the encrypted bytes of a
//! password-protected paste.
//! Cost: 80 bytes. A clone only increments up to three counters.

use std::marker::PhantomData;
use std::sync::Arc;

use super::timestamp::ShortMillis;
use super::{
    Access, Asked, Deadline, Draft, Encoding, Paste, PasteData, Revision, SealedMessage, Timestamp,
    Title, TokenHash,
};

/// A paste whose content is available only to permitted readers.
pub type StoredPaste = Paste<Stored>;

/// The state of a [`StoredPaste`].
#[derive(Debug, Clone)]
pub enum Stored {}

impl StoredPaste {
    /// Makes a paste of this draft, saved at `now`. The token with this hash may change it.
    pub fn new(
        draft: Draft,
        access: Access,
        revision: Revision,
        now: Timestamp,
        token: TokenHash,
    ) -> Self {
        let (bytes, encoding) = draft.content.into_parts();
        let data = PasteData {
            bytes,
            title: draft.title,
            token,
            owned: None,
            revision,
            deadline: Deadline::after(now, draft.expiry),
            saved: ShortMillis::new(now.as_millis()),
            language: draft.language,
            encoding,
            access,
        };
        data.with_reads(0)
    }

    /// Returns the paste if any client with the id may read it. What burns is the answer, not the question.
    ///
    /// # Errors
    /// Fails if the paste is restricted. The error is the access of the paste.
    pub fn open(self) -> Result<Paste, Access> {
        match self.access() {
            Access::Open | Access::Link => Ok(self.into_paste()),
            Access::Burn(_) if self.asks() => Ok(self.into_paste()),
            access @ (Access::Burn(_) | Access::Locked(_)) => Err(access),
        }
    }

    /// Returns the encrypted content, or `None` if the paste is not password-protected.
    pub fn encrypted(&self) -> Option<&Arc<[u8]>> {
        match self.access() {
            Access::Locked(_) => Some(&self.data.bytes),
            Access::Open | Access::Link | Access::Burn(_) => None,
        }
    }

    /// Returns the content as it was saved, or `None` if it is encrypted with a password.
    pub fn plain(&self) -> Option<&Arc<[u8]>> {
        match self.encrypted() {
            None => Some(&self.data.bytes),
            Some(_) => None,
        }
    }

    /// Returns whether the content was encrypted before it was sent, or is a question whose answer will be.
    pub fn is_sealed(&self) -> bool {
        self.plain().is_some_and(|content| {
            SealedMessage::of(content).is_some() || Asked::of(content).is_some()
        })
    }

    /// Returns the question or the answer that the content is, or `None` if it is neither.
    pub fn asked(&self) -> Option<Asked<'_>> {
        Asked::of(self.plain()?)
    }

    /// Returns the question that was asked, or the start of it once it is answered.
    pub fn question(&self) -> Option<&str> {
        match self.asked()? {
            Asked::Question(text) => Some(text),
            Asked::Answer => Some(self.data.title.as_ref().map_or("", Title::as_str)),
        }
    }

    /// Returns whether the content is a question that waits for its answer.
    pub fn asks(&self) -> bool {
        matches!(self.asked(), Some(Asked::Question(_)))
    }

    /// Returns the owner, or `None` if the paste was saved without one.
    pub fn owner(&self) -> Option<&TokenHash> {
        self.data.owned.as_ref().map(|owned| &owned.by)
    }

    /// Returns the bytes of the content, as it is stored.
    pub(crate) fn content_bytes(&self) -> usize {
        self.data.bytes.len()
    }

    /// Returns the data that the store keeps of the paste.
    pub(crate) fn data(&self) -> &PasteData {
        &self.data
    }

    /// Converts the paste into the data that the store keeps of it.
    pub(crate) fn into_data(self) -> PasteData {
        self.data
    }

    /// Returns the paste for a reader whose read was counted. The content of a password-protected paste is still
    /// encrypted. Of a question it is the text alone.
    pub(crate) fn into_paste(mut self) -> Paste {
        if let Some(Asked::Question(text)) = self.asked() {
            let text = Arc::from(text.as_bytes());
            (self.data.bytes, self.data.encoding) = (text, Encoding::Utf8);
        }
        Paste {
            data: self.data,
            reads: self.reads,
            state: PhantomData,
        }
    }
}

impl PasteData {
    /// Makes the paste that the store returns, from this data and a count of reads.
    pub(crate) fn with_reads(self, reads: u32) -> StoredPaste {
        StoredPaste {
            data: self,
            reads,
            state: PhantomData,
        }
    }
}
