//! The files of an archive on one page, each as it would be shown alone.
//!
//! Invariants: all files together are within the limits of one text, in bytes, lines and time. One that does not fit is
//! a link. The ids of a file's lines and headings begin with its number, so that no two files of a page share one.
//! Cost: that of the files, and a copy of each fragment.

use crate::paste::{Archive, ArchivedFile, Image, Paste};
use crate::render::excerpt::Excerpt;
use crate::render::fragment::{BUSY, Body, Fragment, ShownFile};
use crate::render::neighbours::{ANCHOR, Neighbours, path};
use crate::render::time_budget::TimeBudget;
use crate::render::unsafe_char::visible;

/// Maximum bytes of the HTML of all files. One that would exceed it is a link.
const MAX_HTML: usize = 8 * 1024 * 1024;

const LINKED: &str = "Not all files are shown here: together they are too long for a page.";

/// What the files may still take.
struct Room {
    bytes: usize,
    lines: usize,
    html: usize,
}

/// Shows the files of a paste with this function. What it returns `None` for is a link.
pub(super) fn files(
    paste: &Paste,
    archive: &Archive<'_>,
    render: impl Fn(&Paste, Neighbours<'_>) -> Option<Fragment>,
) -> Vec<ShownFile> {
    let mut room = Room {
        bytes: Excerpt::MAX_BYTES,
        lines: Excerpt::MAX_LINES,
        html: MAX_HTML,
    };
    let show = |(number, file): (usize, &ArchivedFile<'_>)| {
        let name = &*file.name;
        let render = || render(&paste.file(file), Neighbours { archive, name });
        ShownFile {
            name: visible(name).into_owned(),
            path: path(name),
            bytes: file.content.len(),
            pixels: Image::of(&file.content).map(|image| image.pixels(&file.content)),
            fragment: room.fragment(number, &file.content, render),
        }
    };
    (1..).zip(archive.files()).map(show).collect()
}

/// Returns the fragment of these files. Without a budget, the server is busy.
pub(super) fn fragment(files: Vec<ShownFile>, budget: Option<TimeBudget<'_>>) -> Fragment {
    let mut shown = files.iter().filter_map(|file| file.fragment.as_ref());
    let is_complete = shown.all(|fragment| fragment.is_complete);
    let note = match budget {
        None => Some(BUSY),
        Some(_) if files.iter().any(|file| file.fragment.is_none()) => Some(LINKED),
        Some(_) => None,
    };
    Fragment {
        note: note.map(str::to_owned),
        is_complete: is_complete && budget.is_some_and(|budget| budget.check().is_ok()),
        ..Fragment::new("Files", Body::Files(files))
    }
}

impl Room {
    /// Renders a file if there is room for it.
    fn fragment(
        &mut self,
        number: usize,
        content: &[u8],
        render: impl Fn() -> Option<Fragment>,
    ) -> Option<Fragment> {
        let lines = memchr::memchr_iter(b'\n', content).count() + 1;
        self.bytes = self.bytes.checked_sub(content.len())?;
        self.lines = self.lines.checked_sub(lines)?;
        let mut fragment = render()?;
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
        let tag = tag.replace(&format!("\"#{prefix}{ANCHOR}"), &format!("\"#{ANCHOR}"));
        prefixed.extend([text, "<", &tag, ">"]);
        rest = behind;
    }
    prefixed.push_str(rest);
    prefixed
}

#[cfg(test)]
mod tests;
