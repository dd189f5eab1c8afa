//! A paste: its id, content, title, language, expiry and token, as values that cannot be wrong.
//!
//! What it must not know: HTTP, locks, async, the clock, the environment, where random bytes come from. The time is
//! passed in as a [`Timestamp`].
//! Invariants: a [`Content`] is never empty and never larger than the limit that it was made with; a [`Title`] has no
//! control character and at most [`Title::MAX_CHARS`] characters; a [`Language`] is one of a closed table.
//! Cost: the store keeps 64 bytes of a paste besides its content and title. Those two are shared, so a clone is two
//! counter increments.

mod access;
mod change;
mod content;
mod counts;
mod data;
mod encryption;
mod expiry;
mod id;
mod language;
mod lines;
mod link_target;
mod stored_paste;
mod timestamp;
mod title;
mod token;

pub use access::{Access, ReadsLeft};
pub use change::{Change, Revision, TitleChange};
pub use content::{Content, ContentError, Encoding};
pub use counts::Counts;
pub(crate) use data::PasteData;
pub use encryption::{
    DecryptError, Decrypted, EncryptError, KeyMemory, NoMemory, Password, PasswordError, decrypt,
    encrypt,
};
pub use expiry::{Expiry, ExpiryError, ExpiryPolicy};
pub use id::{IdCodec, PasteId};
pub use language::Language;
pub use lines::{LineRange, LineRangeError};
pub use link_target::{LinkTarget, LinkTargetError};
pub use stored_paste::StoredPaste;
pub use timestamp::{Deadline, Timestamp};
pub use title::Title;
pub use token::{Token, TokenHash};

use std::fmt;
use std::sync::Arc;

/// What a client asks to be saved: everything of a paste except its time, its token and who may read it.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The bytes.
    pub content: Content,
    /// The title, if the client gave one.
    pub title: Option<Title>,
    /// The language; [`Language::PLAIN`] if the client gave none.
    pub language: Language,
    /// How long the paste stays.
    pub expiry: Expiry,
}

/// A paste that may be shown to its reader. The store returns pastes as [`StoredPaste`], which decides who that is.
#[derive(Clone)]
pub struct Paste {
    data: PasteData,
    reads: u32,
}

impl Paste {
    /// The draft as it is saved at `now` under the token with this hash, open to everyone who has the id.
    #[must_use]
    pub fn new(draft: Draft, revision: Revision, now: Timestamp, token: TokenHash) -> Self {
        StoredPaste::new(draft, Access::Open, revision, now, token).into_paste()
    }

    /// The paste with its content and title decrypted.
    #[must_use]
    pub fn with_decrypted(mut self, content: Content, title: Option<Title>) -> Self {
        (self.data.bytes, self.data.encoding) = content.into_parts();
        self.data.title = title;
        self
    }

    /// The exact bytes, shared.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.data.bytes
    }

    /// The content as text. Returns `None` if it is not UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self.data.encoding {
            Encoding::Utf8 => std::str::from_utf8(&self.data.bytes).ok(),
            Encoding::Binary => None,
        }
    }

    /// Whether the content is UTF-8, as it was found when it was saved.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.data.encoding
    }

    /// The title, if there is one.
    #[must_use]
    pub fn title(&self) -> Option<&Title> {
        self.data.title.as_ref()
    }

    /// The language of the content.
    #[must_use]
    pub fn language(&self) -> Language {
        self.data.language
    }

    /// Which version of the paste this is.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.data.revision
    }

    /// The hash of the token that may change and delete the paste.
    #[must_use]
    pub fn token(&self) -> &TokenHash {
        &self.data.token
    }

    /// When the content was saved.
    #[must_use]
    pub fn saved(&self) -> Timestamp {
        self.data.saved()
    }

    /// When the paste expires.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        self.data.deadline()
    }

    /// How often the paste was read, this read included.
    #[must_use]
    pub fn reads(&self) -> u32 {
        self.reads
    }

    /// How the content may be read after this read.
    #[must_use]
    pub fn access(&self) -> Access {
        self.data.access
    }
}

/// Written without the content: user text never reaches a log, not even by a debug print.
impl fmt::Debug for Paste {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Paste({} bytes)", self.data.content_bytes())
    }
}
