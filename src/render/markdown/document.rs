//! A rendered Markdown document.

/// The HTML of a document.
pub(crate) struct Document {
    /// The HTML, which contains only allowed elements and attributes.
    pub(crate) html: String,
    /// The table of contents as HTML, if the document has several headings.
    pub(crate) contents: Option<String>,
    /// Whether highlighting of a code block stopped at a limit.
    pub(in crate::render) has_unhighlighted_code: bool,
}
