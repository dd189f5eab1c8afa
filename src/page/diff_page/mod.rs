//! The comparison of two pastes, and the page that asks which ones.

use std::borrow::Cow;
use std::fmt;

use askama::Template;

use crate::page::template;
use crate::render::{Body, Rendered, visible};

/// One of the two pastes.
#[derive(Clone, Copy)]
pub struct DiffSide<'a> {
    /// The id as text.
    pub id: &'a str,
    /// The title, or the id if the paste has none.
    pub name: &'a str,
}

/// The values that the page of a comparison shows.
#[derive(Clone, Copy)]
pub struct DiffPage<'a> {
    /// The path before every link: empty, or such as `/paste`.
    pub base_path: &'a str,
    /// The paste whose lines are shown as removed.
    pub old: DiffSide<'a>,
    /// The paste whose lines are shown as added.
    pub new: DiffSide<'a>,
    /// The unified diff of both.
    pub rendered: &'a Rendered,
    /// Whether the contents are equal.
    pub is_equal: bool,
    /// Whether the time was too short to find the shortest diff.
    pub is_coarse: bool,
}

/// The values that the page shows which asks for two pastes.
#[derive(Clone, Copy)]
pub struct ComparePage<'a> {
    /// The path before every link: empty, or such as `/paste`.
    pub base_path: &'a str,
    /// The reader's entry for the first paste.
    pub old: &'a str,
    /// The reader's entry for the second paste.
    pub new: &'a str,
    /// Whether one of them cannot be the address of a paste.
    pub is_wrong: bool,
}

/// Omits the ids, which must not be logged.
impl fmt::Debug for DiffPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DiffPage(secret)")
    }
}

/// Omits the id, which must not be logged.
impl fmt::Debug for DiffSide<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DiffSide(secret)")
    }
}

/// Omits the addresses, which must not be logged.
impl fmt::Debug for ComparePage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ComparePage(secret)")
    }
}

#[derive(Template)]
#[template(path = "diff.html", config = "src/page/askama.toml")]
struct DiffTemplate<'a> {
    page: &'a DiffPage<'a>,
    old: Cow<'a, str>,
    new: Cow<'a, str>,
}

#[derive(Template)]
#[template(path = "compare.html", config = "src/page/askama.toml")]
struct CompareTemplate<'a> {
    page: &'a ComparePage<'a>,
}

/// Returns the page of a comparison as HTML.
#[must_use]
pub fn diff(page: &DiffPage<'_>) -> String {
    let template = DiffTemplate {
        page,
        old: visible(page.old.name),
        new: visible(page.new.name),
    };
    template::write(&template, page.rendered.size())
}

/// Returns the page that asks for two pastes as HTML.
#[must_use]
pub fn compare(page: &ComparePage<'_>) -> String {
    template::write(&CompareTemplate { page }, 0)
}

#[cfg(test)]
mod tests;
