//! The files beside a file: where the relative links of a document lead.
//!
//! Invariants: a link leads to a file of the same archive, on the page that shows all of them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::paste::Archive;

/// The start of the id of a file on the page. No id in a file begins with it.
pub(super) const ANCHOR: &str = "file-";

/// The characters of a path that a URL has as they are.
const PATH: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// The files of an archive, as one of them links to them.
#[derive(Clone, Copy)]
pub(super) struct Neighbours<'a> {
    pub(super) archive: &'a Archive<'a>,
    /// The name of the file that has the links.
    pub(super) name: &'a str,
}

impl Neighbours<'_> {
    /// Returns the link to the file at this relative address.
    pub(super) fn link(self, written: &str) -> Option<String> {
        let address = written.split(['#', '?']).next()?;
        let address = percent_decode_str(address).decode_utf8().ok()?;
        let (folder, address) = match (address.strip_prefix('/'), self.name.rsplit_once('/')) {
            (Some(address), _) => ("", address),
            (None, folder) => (folder.map_or("", |(folder, _)| folder), &*address),
        };
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in address.split('/') {
            match part {
                "." => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        let name = parts.join("/");
        let mut files = self.archive.files().iter();
        let is_there = files.any(|file| file.name == name);
        is_there.then(|| format!("#{ANCHOR}{}", path(&name)))
    }
}

/// Returns the name of a file as a URL has it.
pub(crate) fn path(name: &str) -> String {
    utf8_percent_encode(name, &PATH).to_string()
}
