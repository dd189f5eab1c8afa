//! The files of an archive on one page, each as it would be shown alone.
//!
//! Invariants: all files together are within the limits of one text, in bytes, lines and time. One that does not fit is
//! a link. The ids of a file's lines and headings begin with its number, so that no two files of a page share one.
//! Relative links of a document lead to files of the same archive, on this page. On the page of one file they lead to
//! the pages of others, whether these exist or not.
//! Cost: that of the files, and a copy of each fragment.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::page::name::name_of_archive;
use crate::paste::{Archive, ArchivedFile, Image, Paste};
use crate::render::{
    BUSY, Body, Excerpt, Fragment, RenderKey, Rendered, ShownFile, TimeBudget, beginning, visible,
};

/// Maximum bytes of the HTML of all files. One that would exceed it is a link.
const MAX_HTML: usize = 8 * 1024 * 1024;

/// The start of the id of a file on the page. No id in a file begins with it.
const ANCHOR: &str = "file-";

const LINKED: &str = "Not all files are shown here: together they are too long for a page.";

/// The characters of a path that a URL has as they are.
const PATH: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// Renders a paste: its files if it is an archive, whatever the key says. Without a budget, the server is busy, and the
/// paste is shown at the least cost. The relative links of a document lead where `link` says.
pub(crate) fn render(
    paste: &Paste,
    key: RenderKey,
    budget: Option<TimeBudget<'_>>,
    link: &dyn Fn(&str) -> Option<String>,
) -> Rendered {
    let archive = paste.archive();
    if let Some(Ok(archive)) = archive {
        return files(paste, &archive, budget);
    }
    let mut whole = match budget {
        Some(budget) => Rendered::with_links(paste, key, budget, Some(link)),
        None => Rendered::plain(paste, key),
    };
    if let Some(Err(error)) = archive {
        let note = format!("This archive is not shown as files: {error}.");
        whole.fragment = whole.fragment.with_note(Some(&note));
    }
    whole
}

/// Shows the files of an archive. Without a budget, all of them are links.
fn files(paste: &Paste, archive: &Archive<'_>, budget: Option<TimeBudget<'_>>) -> Rendered {
    let mut room = Room {
        bytes: Excerpt::MAX_BYTES,
        lines: Excerpt::MAX_LINES,
        html: MAX_HTML,
    };
    let show = |(number, file): (usize, &ArchivedFile<'_>)| {
        let render = || {
            let budget = budget.filter(|budget| budget.check().is_ok())?;
            let link = |written: &str| link(archive, &file.name, written);
            let file = paste.file(file);
            let key = RenderKey::new(file.named_language(), false);
            Some(Rendered::with_links(&file, key, budget, Some(&link)).fragment)
        };
        ShownFile {
            name: visible(&file.name).into_owned(),
            path: path(&file.name),
            bytes: file.content.len(),
            pixels: Image::of(&file.content).map(|image| image.pixels(&file.content)),
            fragment: room.fragment(number, &file.content, render),
        }
    };
    let files: Vec<_> = (1..).zip(archive.files()).map(show).collect();
    let mut fragments = files.iter().map(|file| file.fragment.as_ref());
    let note = match budget {
        None => Some(BUSY),
        Some(_) => fragments.clone().any(|it| it.is_none()).then_some(LINKED),
    };
    let is_complete = fragments.all(|it| it.is_none_or(|fragment| fragment.is_complete))
        && budget.is_some_and(|budget| budget.check().is_ok());
    let fragment = Fragment {
        is_complete,
        ..Fragment::new("Files", Body::Files(files))
    };
    // Whoever sent it may not know that it has their name.
    let owner = archive.owner().map(visible);
    let owner = owner.map(|owner| format!("The archive names its owner: {owner}."));
    Rendered {
        fragment: fragment.with_note(note).with_note(owner.as_deref()),
        name: name_of_archive(paste, archive),
        description: beginning(&archive.names()),
        decoded: None,
    }
}

/// Returns the link to the file at this address, which a document called `from` wrote.
fn link(archive: &Archive<'_>, from: &str, written: &str) -> Option<String> {
    let name = named(from, written)?;
    let is_there = archive.files().iter().any(|file| file.name == name);
    is_there.then(|| format!("#{ANCHOR}{}", path(&name)))
}

/// Returns the name of the file at this address, which a document called `from` wrote.
pub(crate) fn named(from: &str, written: &str) -> Option<String> {
    let address = written.split(['#', '?']).next()?;
    let address = percent_decode_str(address).decode_utf8().ok()?;
    let (folder, address) = match (address.strip_prefix('/'), from.rsplit_once('/')) {
        (Some(address), _) => ("", address),
        (None, folder) => (folder.map_or("", |(folder, _)| folder), &*address),
    };
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in address.split('/') {
        match part {
            "" => return None,
            "." => {}
            ".." => drop(parts.pop()?),
            part if part.contains(':') => return None,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns the name of a file as a URL has it.
pub(crate) fn path(name: &str) -> String {
    utf8_percent_encode(name, &PATH).to_string()
}

/// What the files may still take.
struct Room {
    bytes: usize,
    lines: usize,
    html: usize,
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
