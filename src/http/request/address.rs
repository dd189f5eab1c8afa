//! The address of a paste: its id and an optional language extension.
//!
//! Invariants: an address names the paste that a request to it would reach, or none.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::paste::Language;

/// The parsed address of a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PasteAddress<'a> {
    /// The part of the path that varies, as the client sent it.
    pub(crate) segment: &'a str,
    /// The id, still unparsed. Each id has exactly one spelling.
    pub(crate) id: &'a str,
    /// The language of the extension; `None` if there is no extension or it is unknown.
    pub(crate) language: Option<Language>,
}

impl<'a> PasteAddress<'a> {
    /// Splits a segment such as `Abc.rs` at its first dot. `Abc/rs` (ix.io) means the same, and in `Abc.rs/main.rs`
    /// (0x0.st) the second segment is the reader's own file name.
    pub(crate) fn of(segment: &'a str) -> Self {
        let (id, ending) = match segment.split_once(['.', '/']) {
            Some((id, ending)) => (id, ending.split('/').next()),
            None => (segment, None),
        };
        Self {
            segment,
            id,
            language: ending.and_then(Language::from_name),
        }
    }
}

/// The part before the id in the paths that do not start with it.
const BEFORE_ID: [&str; 7] = [
    "api/v1/pastes/",
    "documents/",
    "dl/",
    "qr/",
    "raw/",
    "record/",
    "share/",
];

/// Returns the id or the slug, still unparsed, in an address that a person copied: an id or a slug alone, a path, or a
/// URL under any name of this server. `base_url` is the URL of the server, and `base_path` the end of it. Returns
/// `None` if no paste can have this address.
pub(crate) fn id_in<'a>(text: &'a str, base_url: &str, base_path: &str) -> Option<&'a str> {
    let text = text.trim();
    let address = text.split(['?', '#']).next()?;
    if !address.contains('/') {
        return id_in_path(address);
    }
    if let Some(path) = address.strip_prefix('/') {
        return id_in_path(below(base_path, address).unwrap_or(path));
    }
    let (first, rest) = address.split_at(address.find('/')?);
    let is = |other: &str| first.eq_ignore_ascii_case(other);
    if is("http:") || is("https:") {
        let rest = rest.strip_prefix("//")?;
        return id_in_path(below(base_path, &rest[rest.find('/')?..])?);
    }
    let (_, own) = base_url.split_once("://")?;
    if own.strip_suffix(base_path).is_some_and(is) {
        return id_in_path(below(base_path, rest)?);
    }
    // Another host and the name of a file look alike here.
    let is_path = BEFORE_ID.iter().any(|before| address.starts_with(before));
    is_path.then(|| id_in_path(address))?
}

/// Returns the path below the base path, without its first slash.
fn below<'a>(base_path: &str, path: &'a str) -> Option<&'a str> {
    path.strip_prefix(base_path)?.strip_prefix('/')
}

fn id_in_path(path: &str) -> Option<&str> {
    let mut before = BEFORE_ID.iter();
    let segment = match before.find_map(|before| path.strip_prefix(before)) {
        Some(rest) => rest,
        None => path.strip_suffix('+').unwrap_or(path),
    };
    Some(PasteAddress::of(segment).id)
}

/// Returns the name of the file in such an address, behind this id.
pub(crate) fn file_in<'a>(text: &'a str, id: &str) -> Option<Cow<'a, str>> {
    let address = text.trim().split(['?', '#']).next()?;
    let (_, path) = address.split_once(&format!("{id}/"))?;
    percent_decode_str(path).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_address_names_what_a_request_to_it_would_reach() {
        const OWN: &str = "https://paste.example/bin";
        for (text, id) in [
            ("notes", "notes"),
            (" notes\n", "notes"),
            ("notes.rs", "notes"),
            ("notes#abcdefghijkl", "notes"),
            ("/notes", "notes"),
            ("/bin/notes", "notes"),
            ("/notes.rs", "notes"),
            ("/notes+", "notes"),
            ("/notes/rs", "notes"),
            ("/notes/abcdefghijkl", "notes"),
            ("/notes.abcdefghijkl", "notes"),
            ("/notes?abcdefghijkl", "notes"),
            ("/notes#abcdefghijkl", "notes"),
            ("/notes/d/a.c", "notes"),
            ("raw/notes", "notes"),
            ("/raw/notes/d/a.c", "notes"),
            ("/bin/raw/notes.txt?lines=1/2", "notes"),
            ("https://paste.example/bin/notes", "notes"),
            ("HTTPS://PASTE.Example/bin/notes#L1", "notes"),
            ("http://alias.example:81/bin/dl/notes", "notes"),
            ("http://abcdefghijkl/bin/api/v1/pastes/notes", "notes"),
            ("/api/v1/pastes/notes/stats", "notes"),
            ("paste.example/bin/notes", "notes"),
            ("Paste.example/bin/bin", "bin"),
            ("http://paste.example/bin/abcdefghijkl", "abcdefghijkl"),
        ] {
            assert_eq!(id_in(text, OWN, "/bin"), Some(id), "{text:?}");
        }
        for text in [
            "http://paste.example",
            "http://paste.example/notes",
            "http://paste.example/binary/notes",
            "http://paste.example/?bin/notes",
            "ftp://paste.example/bin/notes",
            "www.paste.example/notes",
            "www.paste.example/bin/notes",
            "paste.example-2/bin/notes",
        ] {
            assert_eq!(id_in(text, OWN, "/bin"), None, "{text:?}");
        }
        let host = "http://pastebin";
        assert_eq!(id_in("pastebin/notes", host, ""), Some("notes"));
        assert_eq!(id_in("pastebin-2/notes", host, ""), None);
        assert_eq!(id_in("pastebin-2", host, ""), Some("pastebin-2"));
        assert_eq!(id_in("http://pastebin/", host, ""), Some(""));
    }
}
