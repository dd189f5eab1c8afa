//! A paste: its id, content, title, language, lifetime and token, as values that cannot be wrong.
//!
//! What it must not know: HTTP, locks, async, the clock, the environment. Time comes in as a [`Timestamp`].
//! Invariants: a [`Content`] is never empty and never larger than the limit it was made with; a [`Title`] holds no
//! control character and at most [`Title::MAX_CHARS`] characters; a [`Language`] is one of a closed table.
//! Cost: a [`Paste`] is 64 bytes, so that a node of the store's map fits 112 bytes of the allocator's. Its content and
//! title are shared, so a clone is two counter increments.

mod access;
mod content;
mod counts;
mod expiry;
mod id;
mod language;
mod lines;
mod link_target;
mod lock;
mod stored_paste;
mod timestamp;
mod title;
mod token;

pub use access::{Access, ReadsLeft};
pub use content::{Content, ContentError, Encoding};
pub use counts::Counts;
pub use expiry::{Expiry, ExpiryError, ExpiryPolicy};
pub use id::{IdCodec, PasteId};
pub use language::Language;
pub use lines::{LineRange, LineRangeError};
pub use link_target::{LinkTarget, LinkTargetError};
pub use lock::{
    DecryptError, KeyMemory, NoMemory, Opened, Password, PasswordError, SealError, open, seal,
};
pub use stored_paste::{Change, StoredPaste, TitleChange};
pub use timestamp::{Deadline, Timestamp};
pub use title::Title;
pub use token::{Token, TokenHash};

use std::fmt;
use std::sync::Arc;

use timestamp::ShortTimestamp;

/// What somebody asks to be kept: everything of a paste but when and under which token.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The bytes, not empty and within the limit.
    pub content: Content,
    /// What the saver called it, if anything.
    pub title: Option<Title>,
    /// What to read it as; [`Language::PLAIN`] when not said.
    pub language: Language,
    /// How long it stays.
    pub expiry: Expiry,
}

/// A paste that may be shown. As it is kept it is a [`StoredPaste`], which gives it to who may read it.
///
/// The fields of [`Content`] lie here one by one, and the count of reads and the access too, because together they are
/// 64 bytes and nested they would be 72: see the module's cost.
#[derive(Clone)]
pub struct Paste {
    bytes: Arc<[u8]>,
    title: Option<Title>,
    token: TokenHash,
    deadline: Deadline,
    saved: ShortTimestamp,
    reads: u32,
    language: Language,
    encoding: Encoding,
    access: Access,
}

impl Paste {
    /// The draft as saved at `now` under the token of this hash, for everybody who has the id.
    #[must_use]
    pub fn new(draft: Draft, now: Timestamp, token: TokenHash) -> Self {
        let (bytes, encoding) = draft.content.into_parts();
        Self {
            bytes,
            title: draft.title,
            token,
            saved: now.into(),
            deadline: Deadline::after(now, draft.expiry),
            reads: 0,
            language: draft.language,
            encoding,
            access: Access::Open,
        }
    }

    /// The paste with what was sealed in it.
    #[must_use]
    pub fn unlocked(self, content: Content, title: Option<Title>) -> Self {
        let (bytes, encoding) = content.into_parts();
        Self {
            bytes,
            encoding,
            title,
            ..self
        }
    }

    /// The exact bytes, shared.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// The content as text, unless it is not UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self.encoding {
            Encoding::Utf8 => std::str::from_utf8(&self.bytes).ok(),
            Encoding::Binary => None,
        }
    }

    /// Whether the content is UTF-8; known since it was saved.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The title, if it has one.
    #[must_use]
    pub fn title(&self) -> Option<&Title> {
        self.title.as_ref()
    }

    /// What to read it as.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The hash of the token that may delete it.
    #[must_use]
    pub fn token(&self) -> &TokenHash {
        &self.token
    }

    /// When it was saved.
    #[must_use]
    pub fn saved(&self) -> Timestamp {
        self.saved.into()
    }

    /// When it goes out.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// How often it was read, the present read included.
    #[must_use]
    pub fn reads(&self) -> u32 {
        self.reads
    }

    /// How its content may be had, the present read taken into account.
    #[must_use]
    pub fn access(&self) -> Access {
        self.access
    }
}

/// What a user wrote never reaches a log, not through a debugging print either.
impl fmt::Debug for Paste {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Paste({} bytes)", self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_is_64_bytes_so_that_the_memory_budget_holds_what_it_promises() {
        assert_eq!([size_of::<Paste>(), size_of::<StoredPaste>()], [64, 64]);
    }
}
