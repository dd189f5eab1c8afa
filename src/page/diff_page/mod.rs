//! The comparison of two pastes, and the page that asks which ones.

use askama::Template;

use crate::page::site::Site;
use crate::page::template::{self, Page};
use crate::render::{Body, Rendered, visible};

/// One of the two pastes, or a file of it.
#[derive(Clone, Copy)]
pub(crate) struct DiffSide<'a> {
    /// The id as text, and the file.
    pub(crate) path: &'a str,
    /// The name, or the id if the paste has none.
    pub(crate) name: &'a str,
}

/// The values that the page of a comparison shows.
#[derive(Clone, Copy, Template)]
#[template(path = "diff.html", config = "src/page/askama.toml")]
pub(crate) struct DiffPage<'a> {
    pub(crate) site: &'a Site,
    /// The paste whose lines are shown as removed.
    pub(crate) old: DiffSide<'a>,
    /// The paste whose lines are shown as added.
    pub(crate) new: DiffSide<'a>,
    /// The start of the query that names files.
    pub(crate) files: &'a str,
    /// The unified diff of both.
    pub(crate) rendered: &'a Rendered,
    /// Whether the contents are equal.
    pub(crate) is_equal: bool,
    /// Whether the time was too short to find the shortest diff.
    pub(crate) is_coarse: bool,
}

/// The values that the page shows which asks for two pastes.
#[derive(Clone, Copy, Template)]
#[template(path = "compare.html", config = "src/page/askama.toml")]
pub(crate) struct ComparePage<'a> {
    pub(crate) site: &'a Site,
    /// The reader's entry for the first paste.
    pub(crate) old: &'a str,
    /// The reader's entry for the second paste.
    pub(crate) new: &'a str,
    /// Whether one of them cannot be the address of a paste.
    pub(crate) is_wrong: bool,
    /// The server's URL.
    pub(crate) base_url: &'a str,
}

impl Page for ComparePage<'_> {
    fn text(&self) -> String {
        let base_url = self.base_url;
        format!(
            "Compare two pastes with `curl {base_url}/diff/A/B`, where A and B are their ids.\n"
        )
    }
}

/// Returns the page of a comparison as HTML.
pub(crate) fn diff(page: &DiffPage<'_>) -> String {
    template::write(page, page.rendered.size())
}

#[cfg(test)]
mod tests;
