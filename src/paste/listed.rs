//! A paste in the list of its owner, without its content.

use super::{
    Access, Deadline, Encoding, Language, Outline, PasteData, PasteId, Slug, Timestamp, Title,
};

/// A paste of an owner's list.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The id.
    pub id: PasteId,
    /// The slug, if it has one.
    pub slug: Option<Slug>,
    /// The summary of its content.
    pub summary: Summary,
    /// How the content may be read.
    pub access: Access,
    /// When the paste expires.
    pub deadline: Deadline,
    /// How often the paste was read.
    pub reads: u32,
}

/// The summary of a content, for a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The title, unless there is none or it is encrypted with the content.
    pub title: Option<Title>,
    /// The language that was named.
    pub language: Option<Language>,
    /// Whether the content is text.
    pub encoding: Encoding,
    /// The bytes of the content as it is stored. Encryption makes it longer.
    pub size: usize,
    /// When the content was saved.
    pub saved: Timestamp,
    /// What it shows of the content. `None` if nothing may be derived from it, or if nothing was yet.
    pub outline: Option<Outline>,
}

impl Summary {
    /// Returns the title, or else the name that was derived from the content.
    pub(crate) fn name(&self) -> Option<&Title> {
        let derived = || self.outline.as_ref()?.name.as_ref();
        self.title.as_ref().or_else(derived)
    }

    /// Returns the language that was named, or else the one that was detected.
    pub(crate) fn language(&self) -> Option<Language> {
        let outlined = || self.outline.as_ref()?.language;
        self.language.or_else(outlined)
    }

    pub(crate) fn of(paste: &PasteData) -> Self {
        Self {
            title: paste.title.clone(),
            language: paste.language,
            encoding: paste.encoding,
            size: paste.bytes.len(),
            saved: paste.saved(),
            outline: paste.owned.as_ref().and_then(|owned| owned.outline.clone()),
        }
    }
}
