//! A paste as it is kept: anybody may know what it is, and only who may read it gets to its content.
//!
//! What it must not know: who asks, and whether a password is right.
//! Invariants: content and title of what is neither open nor a link leave through [`StoredPaste::read`] alone, which the store
//! calls when it has counted the read, and sealed bytes through [`StoredPaste::sealed`]. No reader has to think of it: a
//! [`Paste`] is what may be shown.
//! Cost: as large as a paste, and as cheap to clone.

use std::fmt;
use std::sync::Arc;

use super::timestamp::ShortTimestamp;
use super::{
    Access, Content, Deadline, Draft, Expiry, Language, Paste, Timestamp, Title, TokenHash,
};

/// A paste and how it may be had.
#[derive(Clone)]
pub struct StoredPaste(Paste);

/// What somebody who may do so asks to be otherwise; what is none stays.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Nothing is changed but the content of this moment, which names it; none if whatever is there is meant.
    pub of: Option<Timestamp>,
    /// Other bytes; sealed ones where they were.
    pub content: Option<Content>,
    /// What becomes of its title.
    pub title: TitleChange,
    /// What to read it as.
    pub language: Option<Language>,
    /// How long it stays, from now on.
    pub expiry: Option<Expiry>,
}

/// What becomes of a title.
#[derive(Debug, Clone, Default)]
pub enum TitleChange {
    /// It stays as it is.
    #[default]
    Stays,
    /// It goes.
    Goes,
    /// It is this one from now on.
    Is(Title),
}

impl StoredPaste {
    /// The draft as saved at `now` under the token of this hash.
    #[must_use]
    pub fn new(draft: Draft, access: Access, now: Timestamp, token: TokenHash) -> Self {
        Self(Paste {
            access,
            ..Paste::new(draft, now, token)
        })
    }

    /// How its content may be had.
    #[must_use]
    pub fn access(&self) -> Access {
        self.0.access
    }

    /// The paste, if it may be shown to whoever has the id; else how it may be had.
    pub fn open(self) -> Result<Paste, Access> {
        match self.is_open() {
            true => Ok(self.0),
            false => Err(self.0.access),
        }
    }

    /// The sealed bytes, if they are sealed.
    #[must_use]
    pub fn sealed(&self) -> Option<&Arc<[u8]>> {
        match self.0.access {
            Access::Locked(_) => Some(&self.0.bytes),
            Access::Open | Access::Link | Access::Burn(_) => None,
        }
    }

    /// Whether both have the same content, and not only the same bytes.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0.bytes, &other.0.bytes)
    }

    /// Whether this paste is still what anybody may read of it: the same content under the same title.
    #[must_use]
    pub fn is_still(&self, paste: &Paste) -> bool {
        self.is_open() && Arc::ptr_eq(&self.0.bytes, &paste.bytes) && self.0.title == paste.title
    }

    /// The hash of the token that may delete and change it.
    #[must_use]
    pub fn token(&self) -> &TokenHash {
        self.0.token()
    }

    /// When its content was saved.
    #[must_use]
    pub fn saved(&self) -> Timestamp {
        self.0.saved()
    }

    /// When it goes out.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        self.0.deadline()
    }

    /// What to read it as, which is no secret.
    #[must_use]
    pub fn language(&self) -> Language {
        self.0.language
    }

    /// How often it was read.
    #[must_use]
    pub fn reads(&self) -> u32 {
        self.0.reads()
    }

    /// Whether to look at it is to read it: a link is followed, and not read.
    pub(crate) fn is_read_by_look(&self) -> bool {
        self.0.access == Access::Open
    }

    /// Whether whoever has the id may have the content.
    pub(crate) fn is_open(&self) -> bool {
        match self.0.access {
            Access::Open | Access::Link => true,
            Access::Burn(_) | Access::Locked(_) => false,
        }
    }

    /// Bytes that are kept of its content.
    pub(crate) fn content_bytes(&self) -> usize {
        self.0.bytes.len()
    }

    /// Bytes of its title; none if there is none.
    pub(crate) fn title_bytes(&self) -> Option<usize> {
        self.0.title.as_ref().map(|title| title.as_str().len())
    }

    /// Counts one read, of those that are left if they are counted; stays at the largest count instead of starting
    /// anew. Says whether it was the last.
    pub(crate) fn count_read(&mut self) -> bool {
        self.0.reads = self.0.reads.saturating_add(1);
        match self.0.access.after_read() {
            Some(access) => {
                self.0.access = access;
                false
            }
            None => true,
        }
    }

    /// The paste for whoever the read was counted for; still sealed if it is.
    pub(crate) fn read(self) -> Paste {
        self.0
    }

    /// The paste as it is after a change at `now`. New content is never of the moment of the old one, nor before:
    /// moment and length name it.
    pub(crate) fn changed(&self, change: &Change, now: Timestamp) -> Self {
        let mut paste = self.0.clone();
        if let Some(content) = &change.content {
            let after = paste.saved().next();
            (paste.bytes, paste.encoding) = content.clone().into_parts();
            paste.saved = ShortTimestamp::from(now.max(after));
        }
        match &change.title {
            TitleChange::Stays => {}
            TitleChange::Goes => paste.title = None,
            TitleChange::Is(title) => paste.title = Some(title.clone()),
        }
        paste.language = change.language.unwrap_or(paste.language);
        if let Some(expiry) = change.expiry {
            paste.deadline = Deadline::after(now, expiry);
        }
        Self(paste)
    }
}

/// The paste, which may be had as it says.
impl From<Paste> for StoredPaste {
    fn from(paste: Paste) -> Self {
        Self(paste)
    }
}

/// What a user wrote never reaches a log, not through a debugging print either.
impl fmt::Debug for StoredPaste {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({} bytes)", self.0.bytes.len())
    }
}
