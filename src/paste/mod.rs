//! The values of a paste: its id or slug, content, title, language, image, expiry, token
//! and owner. Each type admits only valid values.
//!
//! This module does not know HTTP, locks, async, the clock or the environment. It does not know where random bytes come
//! from either. The caller passes the time as a [`Timestamp`].
//! Invariants: a [`Content`] is never empty and never larger than the limit passed to its constructor. A [`Title`] has
//! no control character and at most [`Title::MAX_CHARS`] characters. A [`Language`] is one of a fixed table.
//! Cost: the store keeps 72 bytes of a paste in addition to its content and title. Clones share both, so a clone only
//! increments two counters.

mod access;
mod archive;
mod asked;
mod change;
mod charset;
mod content;
mod counts;
mod data;
mod encryption;
mod expiry;
mod id;
mod image;
mod language;
mod limits;
mod lines;
mod link_target;
mod listed;
mod outline;
mod owner;
mod sealed_message;
mod slug;
mod stored_paste;
mod timestamp;
mod title;
mod token;

pub use access::{Access, ReadsLeft};
pub use archive::{Archive, ArchiveError, ArchivedFile};
pub use asked::Asked;
pub use change::{Change, Revision, TitleChange};
pub use charset::{Charset, CharsetLabel, Decoded};
pub use content::{Content, ContentSlice, Encoding, SizeError};
pub use counts::Counts;
pub use counts::Reads;
pub use data::PasteData;
pub use encryption::{KeyMemory, NoMemory, Password, decrypt, encrypt};
pub use expiry::{Expiry, ExpiryError, ExpiryPolicy};
pub use id::{IdCodec, PasteId};
pub use image::{Image, ImageFormat};
pub use language::Language;
pub use limits::PasteLimits;
pub use lines::LineRange;
pub use link_target::{LinkTarget, LinkTargetError};
pub use listed::{Listed, Summary};
pub use outline::Outline;
pub use owner::{Owned, OwnerId, OwnerSecret};
pub use sealed_message::{Encryption, SealedMessage, SealedMessageError};
pub use slug::{Slug, SlugError};
pub use stored_paste::{Stored, StoredPaste};
pub use timestamp::{Deadline, Timestamp};
pub use title::Title;
pub use token::{Token, TokenHash};

use std::marker::PhantomData;
use std::sync::Arc;

/// The values of a paste that a client wants to save. The time, the token and the access are added when the paste is
/// saved.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The content.
    pub content: Content,
    /// The title. `None` means that the client sent none.
    pub title: Option<Title>,
    /// The language that the client named. If it named none, the language is detected when the paste is shown.
    pub language: Option<Language>,
    /// The time after which the paste expires.
    pub expiry: Expiry,
    /// The address that the client chose. `None` means a random id.
    pub slug: Option<Slug>,
}

/// A paste, with its count of reads. The state says who has it: [`Readable`] is the paste of a permitted reader, and
/// [`Stored`] is a [`StoredPaste`].
#[derive(Debug, Clone)]
pub struct Paste<State = Readable> {
    data: PasteData,
    reads: u32,
    state: PhantomData<State>,
}

/// The state of a paste that may be shown to its reader. The store returns a [`StoredPaste`], which becomes readable
/// only if the reader may read it.
#[derive(Debug, Clone)]
pub enum Readable {}

impl Paste {
    /// Returns the paste with this decrypted content and title instead of the encrypted content.
    pub fn with_decrypted(mut self, content: Content, title: Option<Title>) -> Self {
        let (bytes, encoding) = content.into_parts();
        self.data.bytes = bytes;
        // The charset of another text was kept beside the encrypted bytes.
        if encoding == Encoding::Utf8 {
            self.data.encoding = encoding;
        }
        self.data.title = title;
        self
    }

    /// Returns the exact bytes of the content. The caller may share them without a copy.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.data.bytes
    }

    /// Returns the content as text, or `None` if it is not UTF-8.
    pub fn text(&self) -> Option<&str> {
        match self.data.encoding {
            Encoding::Utf8 => std::str::from_utf8(&self.data.bytes).ok(),
            Encoding::Other(_) => None,
        }
    }

    /// Returns true if a GET counts as a read. A short link is followed, not read.
    pub(crate) fn counts_on_get(&self) -> bool {
        self.data.counts_on_get()
    }

    /// Returns whether the content is UTF-8, as found when the paste was saved.
    pub fn encoding(&self) -> Encoding {
        self.data.encoding
    }

    /// Returns the content.
    pub fn content(&self) -> ContentSlice<'_> {
        ContentSlice {
            bytes: self.bytes(),
            encoding: self.data.encoding,
        }
    }

    /// Returns a file of this archive as a paste of its own, with a copy of its bytes.
    pub fn file(&self, file: &ArchivedFile<'_>) -> Self {
        let mut paste = self.clone();
        paste.data.bytes = file.content.as_ref().into();
        paste.data.encoding = ContentSlice::of(&file.content).encoding;
        paste.data.title = Title::new(&file.name);
        paste.data.language = Language::of_file(&file.name);
        paste
    }

    /// Returns the files of an archive. Returns `None` if the content is nothing that `tar` makes.
    ///
    /// # Errors
    /// If it is a tar archive, but one that has other things than files.
    pub fn archive(&self) -> Option<Result<Archive<'_>, ArchiveError>> {
        Archive::of(self.bytes())
    }

    /// Returns the title, or `None` if there is none.
    pub fn title(&self) -> Option<&Title> {
        self.data.title.as_ref()
    }
}

impl<State> Paste<State> {
    /// Returns the language that the client named, or `None` if it named none. It is public, even if the content is
    /// not.
    pub fn named_language(&self) -> Option<Language> {
        self.data.language
    }

    /// Returns the revision, which identifies this version of the paste.
    pub fn revision(&self) -> Revision {
        self.data.revision
    }

    /// Returns the hash of the token that allows changing and deleting the paste.
    pub fn token(&self) -> &TokenHash {
        &self.data.token
    }

    /// Returns when the content was saved.
    pub fn saved(&self) -> Timestamp {
        self.data.saved()
    }

    /// Returns whether the content replaced another.
    pub fn is_edited(&self) -> bool {
        self.data.is_edited()
    }

    /// Returns when the paste expires.
    pub fn deadline(&self) -> Deadline {
        self.data.deadline
    }

    /// Returns how often the paste was read. The read of a permitted reader is included.
    pub fn reads(&self) -> u32 {
        self.reads
    }

    /// Returns how the content may be read, after the read of a permitted reader.
    pub fn access(&self) -> Access {
        self.data.access
    }
}
