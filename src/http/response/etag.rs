//! The entity tag of a paste's bytes (RFC 9110, section 8.8.3).
//!
//! Invariants: a tag is strong: it names exactly these bytes.

use actix_web::http::header::HeaderValue;

use crate::paste::{Paste, StoredPaste};

/// The tag of a stored paste, if everybody with its id may read it.
pub(crate) fn etag_of_open(stored: &StoredPaste) -> Option<HeaderValue> {
    stored.clone().open().map(|paste| etag(&paste)).ok()
}

/// The tag of a paste's bytes. The moment they were saved and their length do for it: an address is given once and no
/// two contents that it had one after another are of the same moment, so tags only ever meet under the same address.
pub(crate) fn etag(paste: &Paste) -> HeaderValue {
    // Every read has one, so it is not written by the machinery of `format!`.
    let mut tag = Tag::new();
    tag.put(b'"');
    tag.put_hexadecimal(paste.bytes().len() as u64);
    tag.put(b'-');
    tag.put_hexadecimal(paste.saved().as_millis());
    tag.put(b'"');
    HeaderValue::from_bytes(tag.text()).unwrap_or(HeaderValue::from_static("\"\""))
}

/// A tag in the making, from its end to its beginning.
struct Tag {
    text: [u8; Self::LONGEST],
    start: usize,
}

impl Tag {
    /// Two numbers of 64 bits, two quotes and a dash.
    const LONGEST: usize = 2 * 16 + 3;

    fn new() -> Self {
        Self {
            text: [0; Self::LONGEST],
            start: Self::LONGEST,
        }
    }

    fn put(&mut self, character: u8) {
        self.start -= 1;
        self.text[self.start] = character;
    }

    fn put_hexadecimal(&mut self, number: u64) {
        let digits = (number.max(1).ilog2() / 4) + 1;
        for nth in 0..digits {
            let digit = usize::from((number >> (4 * nth)).to_le_bytes()[0] & 0xf);
            self.put(b"0123456789abcdef"[digit]);
        }
    }

    fn text(&self) -> &[u8] {
        &self.text[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_tag_are_hexadecimal_as_they_are_usually_written() {
        for number in [0, 1, 9, 15, 16, 0xab_cdef, u64::MAX] {
            let mut tag = Tag::new();
            tag.put_hexadecimal(number);
            assert_eq!(tag.text(), format!("{number:x}").as_bytes());
        }
    }
}
