//! The files of an archive on one page, each as it would be shown alone.
//!
//! Invariants: all files together are within the limits of one text, in bytes, lines and time. One that does not fit is
//! a link. The ids of a file's lines and headings begin with its number, so that no two files of a page share one.
//! Cost: that of the files, and a copy of each fragment.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::paste::{Archive, ArchivedFile, Image, Paste};
use crate::render::excerpt::Excerpt;
use crate::render::fragment::{Body, Fragment};
use crate::render::render_key::RenderKey;
use crate::render::rendered::Rendered;
use crate::render::time_budget::TimeBudget;
use crate::render::unsafe_char::visible;

/// Maximum bytes of the HTML of all files. One that would exceed it is a link.
const MAX_HTML: usize = 8 * 1024 * 1024;

/// The characters of a path that a URL has as they are.
const PATH: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// A file on the page of an archive.
pub(crate) struct ShownFile {
    /// The name, as a page shows it.
    pub(crate) name: String,
    /// The name, as a URL has it.
    pub(crate) path: String,
    pub(crate) bytes: usize,
    /// The pixels of an image.
    pub(crate) pixels: Option<u64>,
    /// `None` if the page has no room for the file.
    pub(crate) fragment: Option<Fragment>,
}

/// What the files may still take.
struct Room {
    bytes: usize,
    lines: usize,
    html: usize,
}

/// Renders the files of a paste. Without a budget, all of them are links.
pub(super) fn files(
    paste: &Paste,
    archive: &Archive<'_>,
    budget: Option<TimeBudget<'_>>,
) -> Vec<ShownFile> {
    let mut room = Room {
        bytes: Excerpt::MAX_BYTES,
        lines: Excerpt::MAX_LINES,
        html: MAX_HTML,
    };
    let show = |(number, file): (usize, &ArchivedFile<'_>)| ShownFile {
        name: visible(&file.name).into_owned(),
        path: path(&file.name),
        bytes: file.content.len(),
        pixels: Image::of(&file.content).map(|image| image.pixels(&file.content)),
        fragment: budget.and_then(|budget| room.fragment(paste, number, file, budget)),
    };
    (1..).zip(archive.files()).map(show).collect()
}

/// Returns the name of a file as a URL has it.
pub(crate) fn path(name: &str) -> String {
    utf8_percent_encode(name, &PATH).to_string()
}

impl Room {
    fn fragment(
        &mut self,
        paste: &Paste,
        number: usize,
        file: &ArchivedFile<'_>,
        budget: TimeBudget<'_>,
    ) -> Option<Fragment> {
        let lines = memchr::memchr_iter(b'\n', &file.content).count() + 1;
        self.bytes = self.bytes.checked_sub(file.content.len())?;
        self.lines = self.lines.checked_sub(lines)?;
        budget.check().ok()?;
        let (paste, _) = paste.file(file);
        let mut fragment = Rendered::of_one(&paste, RenderKey::new(None, false), budget).fragment;
        if let Some(html) = fragment.body.html_mut() {
            *html = with_prefix(html, &format!("f{number}-"));
        }
        if let Body::Document(document) = &mut fragment.body {
            document.contents = None;
        }
        self.html = self.html.checked_sub(fragment.body.size())?;
        Some(fragment)
    }
}

/// Puts this before each id, and before each link to one. Text of users has no tag, so it is not changed.
fn with_prefix(html: &str, prefix: &str) -> String {
    let mut prefixed = String::with_capacity(html.len() + html.len() / 8);
    let mut rest = html;
    while let Some((text, tag)) = rest.split_once('<') {
        let (tag, behind) = tag.split_once('>').unwrap_or((tag, ""));
        let tag = tag.replace(" id=\"", &format!(" id=\"{prefix}"));
        let tag = tag.replace(" href=\"#", &format!(" href=\"#{prefix}"));
        prefixed.extend([text, "<", &tag, ">"]);
        rest = behind;
    }
    prefixed.push_str(rest);
    prefixed
}

#[cfg(test)]
mod tests;
