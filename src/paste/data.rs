//! The data of a paste, as the store keeps it in 72 bytes.
//!
//! The layout makes an entry of the store's map fit an allocation of 120 bytes. So this type has the fields of
//! [`Content`](super::Content) itself instead of nesting it. Each timestamp has six bytes instead of eight. The count
//! of reads is in the store's entry.

use std::sync::Arc;

use super::timestamp::ShortMillis;
use super::{
    Access, Change, Deadline, Encoding, Language, Owned, Revision, Slug, Timestamp, Title,
    TitleChange, TokenHash,
};

/// The bit of [`PasteData::saved`] that tells that the content replaced another.
const EDITED: u64 = 1 << 47;

/// Everything about a paste except its id and its count of reads.
#[derive(Clone)]
pub struct PasteData {
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) title: Option<Title>,
    pub(crate) token: TokenHash,
    /// One pointer, since most pastes have no owner.
    pub(crate) owned: Option<Arc<Owned>>,
    pub(crate) revision: Revision,
    pub(crate) deadline: Deadline,
    pub(super) saved: ShortMillis,
    pub(crate) language: Option<Language>,
    pub(crate) encoding: Encoding,
    pub(crate) access: Access,
}

impl PasteData {
    /// Returns the paste with this owner and this slug. The memory tier gives it its place.
    pub(crate) fn with_owner(mut self, by: TokenHash, slug: Option<Slug>) -> Self {
        self.owned = Some(Arc::new(Owned {
            by,
            place: 0,
            slug,
            outline: None,
        }));
        self
    }

    /// Returns whether the paste was given a slug since the start. A paste that was loaded from disk keeps its slug
    /// there.
    pub(crate) fn has_slug(&self) -> bool {
        self.owned
            .as_ref()
            .is_some_and(|owned| owned.slug.is_some())
    }

    /// Returns whether the paste got an outline since the start. One that was loaded from disk has it there.
    pub(crate) fn has_outline(&self) -> bool {
        self.owned
            .as_ref()
            .is_some_and(|owned| owned.outline.is_some())
    }

    /// Returns when the content was saved.
    pub(crate) fn saved(&self) -> Timestamp {
        Timestamp::from_millis(self.saved.get() & !EDITED)
    }

    /// Returns whether the content replaced another.
    pub(crate) fn is_edited(&self) -> bool {
        self.saved.get() & EDITED != 0
    }

    /// Returns both as one number to store.
    pub(crate) fn saved_bits(&self) -> u64 {
        self.saved.get()
    }

    /// Returns true if a GET counts as a read. A short link is followed, not read. Restricted pastes are read by POST.
    pub(crate) fn counts_on_get(&self) -> bool {
        self.access == Access::Open
    }

    /// Returns the paste after a change at `now`. The paste gets this revision, unless only its expiry changes.
    ///
    /// New content always gets a later `saved` than the old content. So `saved` and the length together identify the
    /// content.
    pub(crate) fn changed(&self, change: &Change, revision: Revision, now: Timestamp) -> Self {
        let mut data = self.clone();
        if change.makes_revision() {
            data.revision = revision;
        }
        if let Some(content) = &change.content {
            let after = data.saved().next();
            (data.bytes, data.encoding) = content.clone().into_parts();
            data.saved = ShortMillis::new(now.max(after).as_millis() | EDITED);
        }
        let of_title = |title: &Title| Language::from_sure_title(title.as_str());
        let is_of_title =
            data.language.is_none() || data.language == data.title.as_ref().and_then(of_title);
        match &change.title {
            TitleChange::Keep => {}
            TitleChange::Remove => data.title = None,
            TitleChange::Set(title) => {
                data.title = Some(title.clone());
                if is_of_title {
                    data.language = of_title(title);
                }
            }
        }
        data.language = change.language.or(data.language);
        if let Some(expiry) = change.expiry {
            data.deadline = Deadline::after(now, expiry);
        }
        data
    }
}

/// The debug text has no content: text of users must never reach a log.
impl std::fmt::Debug for PasteData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PasteData({} bytes)", self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_is_stored_in_72_bytes_so_that_the_memory_budget_is_exact() {
        assert_eq!(size_of::<PasteData>(), 72);
    }
}
