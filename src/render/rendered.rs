//! A rendered paste: the part of a paste's page that is slow to make, and the same for all readers at all times.
//!
//! A rendered paste depends only on the paste and the [`RenderKey`], so it can be cached and shown to every reader.

use std::sync::OnceLock;

use crate::paste::{Paste, Revision};
use crate::render::compressed_template::{CompressedTemplate, ContentCoding};
use crate::render::fragment::Fragment;
use crate::render::link_preview;
use crate::render::render_key::RenderKey;
use crate::render::time_budget::TimeBudget;

/// The rendered form of a paste.
#[derive(Debug)]
pub struct Rendered {
    revision: Revision,
    pub(crate) fragment: Fragment,
    /// The description that a link preview of the paste shows.
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

    /// Returns false if the time budget ran out, so that the page is plainer. Rendering it again may succeed, because
    /// the grammars are then already prepared.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.fragment.is_complete
    }

    /// Returns the compressed page in this coding. The first call compresses it; later calls reuse the result.
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

    /// Returns the allocated bytes, including the compressed pages. The number grows when the page is compressed in
    /// another coding.
    #[must_use]
    pub fn memory_size(&self) -> usize {
        let compressed = self.brotli.get().into_iter().chain(self.gzip.get());
        self.size()
            + compressed
                .map(CompressedTemplate::memory_size)
                .sum::<usize>()
    }

    /// Returns the allocated bytes without the compressed pages. This is about the size of the page.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.fragment.memory_size() + self.description.capacity()
    }
}

#[cfg(test)]
mod tests;
