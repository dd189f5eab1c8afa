//! Ids. An id has 64 random bits, written as twelve characters of `A-Za-z0-9-_`.
//!
//! Invariants: decoding reverses encoding. Under one key, each text has at most one id and each id has exactly one
//! text.
//! ShortCrypt is an encoding with a five-bit checksum, **not** a cipher: two ids and their texts reveal its key. Only
//! the random bits prevent guessing an id. The checksum rejects 31 of 32 mistyped ids before the store is asked.
//! Cost: encoding or decoding takes 0.1 to 0.3 µs and three small allocations.

use std::fmt;

use short_crypt::ShortCrypt;

/// The id of a paste: 64 random bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PasteId(u64);

impl PasteId {
    /// Makes an id of these random bytes.
    #[must_use]
    pub fn from_random(random: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(random))
    }

    /// Returns the bits. They are random, so hash tables can use them as hashes.
    #[must_use]
    pub fn bits(self) -> u64 {
        self.0
    }
}

/// The debug text has no bits: an id gives access to its paste, so it must never reach a log.
impl fmt::Debug for PasteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasteId(secret)")
    }
}

/// Encodes and decodes ids with the operator's key.
pub struct IdCodec(ShortCrypt);

impl IdCodec {
    /// The number of characters of an id. No fixed route with a single segment has this length, so no id is equal to
    /// such a route.
    pub const LENGTH: usize = 12;

    /// Makes a codec with this key. Under another key every id has another text, so old links work only with the old
    /// key.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self(ShortCrypt::new(key))
    }

    /// Returns the text of an id.
    #[must_use]
    pub fn encode(&self, id: PasteId) -> String {
        self.0.encrypt_to_url_component(&id.0.to_be_bytes())
    }

    /// Returns the id of a text, or `None` if the text is not an id under this key.
    #[must_use]
    pub fn decode(&self, text: &str) -> Option<PasteId> {
        if text.len() != Self::LENGTH {
            return None;
        }
        // ShortCrypt checks its checksum but not the length.
        let bytes: [u8; 8] = self.0.decrypt_url_component(text).ok()?.try_into().ok()?;
        Some(PasteId(u64::from_be_bytes(bytes)))
    }
}

impl fmt::Debug for IdCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdCodec(secret)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_id_has_twelve_url_characters_and_reads_back(bits: u64, key in ".{0,40}") {
            let codec = IdCodec::new(&key);
            let text = codec.encode(PasteId(bits));
            prop_assert_eq!(text.len(), IdCodec::LENGTH);
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
            prop_assert_eq!(codec.decode(&text), Some(PasteId(bits)));
        }

        #[test]
        fn no_text_makes_the_decoder_panic_and_a_decoded_id_encodes_to_the_same_text(text in ".{0,16}|[A-Za-z0-9_-]{12}") {
            let codec = IdCodec::new("key");
            if let Some(id) = codec.decode(&text) {
                prop_assert_eq!(codec.encode(id), text);
            }
        }
    }

    #[test]
    fn the_id_in_an_old_link_stays_the_same_under_the_same_key() {
        let codec = IdCodec::new("correct-horse");
        let text = codec.encode(PasteId(0x0123_4567_89ab_cdef));
        assert_eq!(text, "6_vTCpEuSGts");
    }

    #[test]
    fn most_single_mistypings_are_refused() {
        let codec = IdCodec::new("key");
        let text = codec.encode(PasteId(0x0123_4567_89ab_cdef));
        let mistyped = (0..text.len()).flat_map(|at| {
            let text = &text;
            ('a'..='z')
                .map(move |c| format!("{}{c}{}", &text[..at], &text[at + 1..]))
                .filter(move |new| new != text)
        });
        let (mut all, mut read) = (0, 0);
        for text in mistyped {
            all += 1;
            read += usize::from(codec.decode(&text).is_some());
        }
        assert!(
            read * 10 < all,
            "{read} of {all} mistyped ids were taken for ids"
        );
    }
}
