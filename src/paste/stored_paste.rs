//! A paste as the store returns it: its properties are open to everyone, its content only to those who may read it.
//!
//! Invariants: the content and title of a protected paste leave through [`StoredPaste::into_paste`] alone, which the
//! store calls after it has counted the read. Encrypted bytes leave through [`StoredPaste::encrypted`].
//! Cost: 72 bytes; a clone is two counter increments.

use std::fmt;
use std::sync::Arc;

use super::{Access, Deadline, Draft, Language, Paste, PasteData, Revision, Timestamp, TokenHash};

/// A paste and how it may be read.
#[derive(Clone)]
pub struct StoredPaste(Paste);

impl StoredPaste {
    /// The draft as it is saved at `now`, under the token with this hash.
    #[must_use]
    pub fn new(
        draft: Draft,
        access: Access,
        revision: Revision,
        now: Timestamp,
        token: TokenHash,
    ) -> Self {
        PasteData::new(draft, access, revision, now, token).with_reads(0)
    }

    /// How the content may be read.
    #[must_use]
    pub fn access(&self) -> Access {
        self.0.data.access
    }

    /// The paste, if everyone who has the id may read it.
    ///
    /// # Errors
    /// How it may be read otherwise.
    pub fn open(self) -> Result<Paste, Access> {
        match self.is_open() {
            true => Ok(self.0),
            false => Err(self.access()),
        }
    }

    /// The encrypted content, if it is encrypted.
    #[must_use]
    pub fn encrypted(&self) -> Option<&Arc<[u8]>> {
        match self.access() {
            Access::Locked(_) => Some(&self.0.data.bytes),
            Access::Open | Access::Link | Access::Burn(_) => None,
        }
    }

    /// Which version of the paste this is.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.0.revision()
    }

    /// Returns whether everyone who has the id may still read this version of the paste.
    #[must_use]
    pub fn is_still(&self, paste: &Paste) -> bool {
        self.is_open() && self.revision() == paste.revision()
    }

    /// The hash of the token that may change and delete the paste.
    #[must_use]
    pub fn token(&self) -> &TokenHash {
        self.0.token()
    }

    /// When the content was saved.
    #[must_use]
    pub fn saved(&self) -> Timestamp {
        self.0.saved()
    }

    /// When the paste expires.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        self.0.deadline()
    }

    /// The language of the content, which is not a secret.
    #[must_use]
    pub fn language(&self) -> Language {
        self.0.language()
    }

    /// How often the paste was read.
    #[must_use]
    pub fn reads(&self) -> u32 {
        self.0.reads()
    }

    /// Returns whether everyone who has the id may read the content.
    pub(crate) fn is_open(&self) -> bool {
        match self.access() {
            Access::Open | Access::Link => true,
            Access::Burn(_) | Access::Locked(_) => false,
        }
    }

    /// Bytes of the content, as they are stored.
    pub(crate) fn content_bytes(&self) -> usize {
        self.0.data.content_bytes()
    }

    /// What the store keeps of the paste.
    pub(crate) fn data(&self) -> &PasteData {
        &self.0.data
    }

    /// The same, by value.
    pub(crate) fn into_data(self) -> PasteData {
        self.0.data
    }

    /// The paste for the reader whose read was counted; still encrypted if it is.
    pub(crate) fn into_paste(self) -> Paste {
        self.0
    }
}

impl PasteData {
    /// The paste with its count of reads.
    pub(crate) fn with_reads(self, reads: u32) -> StoredPaste {
        StoredPaste(Paste { data: self, reads })
    }
}

impl From<Paste> for StoredPaste {
    fn from(paste: Paste) -> Self {
        Self(paste)
    }
}

/// Written without the content: user text never reaches a log, not even by a debug print.
impl fmt::Debug for StoredPaste {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredPaste({} bytes)", self.content_bytes())
    }
}
