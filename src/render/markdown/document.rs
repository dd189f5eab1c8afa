//! A rendered Markdown document.

/// The HTML of a document.
pub(crate) struct Document {
    html: String,
    contents: Option<String>,
    has_unhighlighted_code: bool,
}

impl Document {
    pub(super) fn new(
        html: String,
        contents: Option<String>,
        has_unhighlighted_code: bool,
    ) -> Self {
        Self {
            html,
            contents,
            has_unhighlighted_code,
        }
    }

    /// Returns the HTML, which contains only allowed elements and attributes.
    pub(crate) fn html(&self) -> &str {
        &self.html
    }

    /// Returns the table of contents as HTML, if the document has several headings.
    pub(crate) fn contents(&self) -> Option<&str> {
        self.contents.as_deref()
    }

    /// Returns whether highlighting of a code block stopped at a limit.
    pub(in crate::render) fn has_unhighlighted_code(&self) -> bool {
        self.has_unhighlighted_code
    }

    /// Returns the allocated bytes.
    pub(in crate::render) fn memory_size(&self) -> usize {
        self.html.capacity() + self.contents.as_ref().map_or(0, String::capacity)
    }
}
