//! The entity tags of a paste's bytes and of its page (RFC 9110, section 8.8.3).
//!
//! Invariants: tags are strong. Under one address, a tag always means the same bytes.

use actix_web::http::header::HeaderValue;

use crate::page::CachedPage;
use crate::paste::{ContentSlice, StoredPaste, Timestamp};

/// Returns the tag of a stored paste. Returns `None` if the paste burns or has a password.
pub(crate) fn etag_of_open(stored: &StoredPaste, shows_images: bool) -> Option<HeaderValue> {
    let paste = stored.clone().open().ok()?;
    Some(etag(paste.content(), paste.saved(), shows_images))
}

/// The tag of a paste's bytes or of a file in it: their length and the time of their save. Tags are only compared under the same address.
/// No two pastes get the same address, except a slug that is free again: a day lies between the saves of those. Two
/// contents of one address never have the same save time. An image that may be shown has another tag than the same one
/// as an octet stream: a browser would keep the old type after a 304.
pub(crate) fn etag(content: ContentSlice<'_>, saved: Timestamp, shows_images: bool) -> HeaderValue {
    // Every read makes a tag, so this does not use `format!`, which is slower.
    let (length, saved) = (content.bytes().len() as u64, saved.as_millis());
    match shows_images && content.image().is_some() {
        true => tag(length | 1 << 63, saved),
        false => tag(length, saved),
    }
}

/// The tag of a page.
pub(crate) fn etag_of_page(page: &CachedPage) -> HeaderValue {
    HeaderValue::from_bytes(&page.etag).unwrap_or(HeaderValue::from_static("\"\""))
}

fn tag(first: u64, second: u64) -> HeaderValue {
    let mut tag = Tag::new();
    tag.put(b'"');
    tag.put_hexadecimal(first);
    tag.put(b'-');
    tag.put_hexadecimal(second);
    tag.put(b'"');
    HeaderValue::from_bytes(tag.text()).unwrap_or(HeaderValue::from_static("\"\""))
}

/// A buffer that is filled from its end to its start.
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
        let mut rest = number;
        loop {
            self.put(b"0123456789abcdef"[usize::from(rest.to_le_bytes()[0] & 0xf)]);
            rest >>= 4;
            if rest == 0 {
                break;
            }
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
    fn numbers_in_a_tag_are_lowercase_hexadecimal() {
        for number in [0, 1, 9, 15, 16, 0xab_cdef, u64::MAX] {
            let mut tag = Tag::new();
            tag.put_hexadecimal(number);
            assert_eq!(tag.text(), format!("{number:x}").as_bytes());
        }
    }
}
