//! A rendered paste: the part of its page that is expensive to make and equal for all readers at all times.
//!
//! It depends on the paste and the [`RenderKey`] alone, so it can be cached and shown to every reader.

use std::sync::OnceLock;

use crate::paste::{Paste, Revision};
use crate::render::compressed_template::{CompressedTemplate, ContentCoding};
use crate::render::fragment::Fragment;
use crate::render::link_preview;
use crate::render::render_key::RenderKey;
use crate::render::time_budget::TimeBudget;

/// A rendered paste.
#[derive(Debug)]
pub struct Rendered {
    revision: Revision,
    pub(crate) fragment: Fragment,
    /// The text of its link preview.
    pub(crate) description: String,
    brotli: OnceLock<CompressedTemplate>,
    gzip: OnceLock<CompressedTemplate>,
}

impl Rendered {
    /// Renders a paste.
    #[must_use]
    pub fn new(paste: &Paste, key: RenderKey, budget: TimeBudget<'_>) -> Self {
        Self {
            revision: paste.revision(),
            fragment: Fragment::of(paste, key, budget),
            description: link_preview::description(paste),
            brotli: OnceLock::new(),
            gzip: OnceLock::new(),
        }
    }

    /// Returns whether this was rendered from the same revision of the paste.
    #[must_use]
    pub fn same_revision(&self, paste: &Paste) -> bool {
        self.revision == paste.revision()
    }

    /// Returns whether the page contains the whole text, character by character.
    #[must_use]
    pub fn shows_all(&self) -> bool {
        self.fragment.can_copy
    }

    /// Returns whether more time would not have made a better page. If not, the budget was used up and the page is
    /// plainer; a second try may do better, because grammars that had to be prepared are ready by then.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.fragment.is_complete
    }

    /// Returns the compressed page in this coding. The first call makes it.
    pub(crate) fn compressed(
        &self,
        coding: ContentCoding,
        make: impl FnOnce() -> CompressedTemplate,
    ) -> &CompressedTemplate {
        match coding {
            ContentCoding::Brotli => self.brotli.get_or_init(make),
            ContentCoding::Gzip => self.gzip.get_or_init(make),
        }
    }

    /// Allocated bytes, with the compressed pages. It grows when the page is compressed in another coding.
    #[must_use]
    pub fn memory_size(&self) -> usize {
        let compressed = self.brotli.get().into_iter().chain(self.gzip.get());
        self.size()
            + compressed
                .map(CompressedTemplate::memory_size)
                .sum::<usize>()
    }

    /// Allocated bytes without the compressed pages: about the size of the page.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.fragment.memory_size() + self.description.capacity()
    }
}

#[cfg(test)]
mod tests;
