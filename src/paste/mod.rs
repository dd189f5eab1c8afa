//! A paste: its id, content, title, language, lifetime and token, as values that cannot be wrong.
//!
//! What it must not know: HTTP, locks, async, the clock, the environment. Time comes in as a [`Moment`].
//! Invariants: a [`Content`] is never empty and never larger than the limit it was made with; a [`Title`] holds no
//! control character and at most [`Title::MAX_CHARS`] characters; a [`Language`] is one of a closed table.
//! Cost: a [`Paste`] is 64 bytes, so that a node of the store's map fits 96 bytes of the allocator's; four of them are
//! for a mark of whoever keeps it. Its content and title are shared, so a clone is two counter increments.

mod content;
mod id;
mod language;
mod lifetime;
mod lines;
mod moment;
mod title;
mod token;

pub use content::{Content, ContentError, Encoding};
pub use id::{IdCodec, PasteId};
pub use language::Language;
pub use lifetime::{Lifetime, LifetimeError, LifetimePolicy};
pub use lines::{LineRange, LineRangeError};
pub use moment::{Deadline, Moment};
pub use title::Title;
pub use token::{Token, TokenHash};

use std::fmt;
use std::sync::Arc;

use moment::ShortMoment;

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
    pub lifetime: Lifetime,
}

/// A paste as it is kept.
///
/// The fields of [`Content`] lie here one by one, and the count of reads too, because together they are 64 bytes and
/// nested they would be 72: see the module's cost. For the same reason a mark of its keeper lies among them, and not
/// beside them: it fills the last four bytes. Who only reads a paste has it without one.
#[derive(Clone)]
pub struct Paste<Mark = ()> {
    bytes: Arc<[u8]>,
    title: Option<Title>,
    token: TokenHash,
    deadline: Deadline,
    saved: ShortMoment,
    reads: u32,
    language: Language,
    encoding: Encoding,
    mark: Mark,
}

impl Paste {
    /// The draft as saved at `now` under the token of this hash.
    #[must_use]
    pub fn new(draft: Draft, now: Moment, token: TokenHash) -> Self {
        let (bytes, encoding) = draft.content.into_parts();
        Self {
            bytes,
            title: draft.title,
            token,
            saved: now.into(),
            deadline: Deadline::after(now, draft.lifetime),
            reads: 0,
            language: draft.language,
            encoding,
            mark: (),
        }
    }
}

impl<Mark> Paste<Mark> {
    /// The paste with another mark.
    pub(crate) fn marked<Other>(self, mark: Other) -> Paste<Other> {
        Paste {
            bytes: self.bytes,
            title: self.title,
            token: self.token,
            deadline: self.deadline,
            saved: self.saved,
            reads: self.reads,
            language: self.language,
            encoding: self.encoding,
            mark,
        }
    }

    /// What its keeper marked it with.
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
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
    pub fn saved(&self) -> Moment {
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

    /// Counts one read; stays at the largest count instead of starting anew.
    pub(crate) fn count_read(&mut self) {
        self.reads = self.reads.saturating_add(1);
    }
}

/// What a user wrote never reaches a log, not through a debugging print either.
impl<Mark> fmt::Debug for Paste<Mark> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Paste({} bytes)", self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_is_64_bytes_so_that_the_memory_budget_holds_what_it_promises() {
        assert_eq!([size_of::<Paste>(), size_of::<Paste<u32>>()], [64, 64]);
    }
}
