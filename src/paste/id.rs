//! Ids. An id has 64 random bits, written as twelve characters of `A-Za-z0-9-_`. That of a paste with a slug is a keyed
//! hash of the slug, so the store finds both kinds of pastes in one index.
//!
//! Invariants: decoding reverses encoding. Under one key, each text has at most one id and each id has exactly one
//! text.
//! ShortCrypt is an encoding with a five-bit checksum, **not** a cipher: two ids and their texts reveal its key. Only
//! the random bits prevent guessing an id. The checksum rejects 31 of 32 mistyped ids before the store is asked.
//! ShortCrypt encodes every id and so defines its text. Every request decodes an id, so decoding is written out here
//! for ids of eight bytes. It takes a third of the instructions of ShortCrypt, and no allocation. A test compares both.

use crc_any::{CRCu8, CRCu64};
use sha2::{Digest, Sha256};
use short_crypt::ShortCrypt;

use crate::hidden::Hidden;

/// The id of a paste: 64 random bits, or 64 bits of a keyed hash of its slug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PasteId(Hidden<u64>);

impl PasteId {
    /// Makes an id of these random bytes.
    pub fn from_random(random: [u8; 8]) -> Self {
        Self(Hidden(u64::from_be_bytes(random)))
    }

    /// Returns the bits. They are random, so hash tables can use them as hashes.
    pub fn bits(self) -> u64 {
        *self.0
    }
}

/// Encodes and decodes ids with the operator's key.
pub struct IdCodec {
    encoder: ShortCrypt,
    /// The checksum of the key, as ShortCrypt makes it.
    key: [u8; 8],
    /// The sum of the key's bytes, with its bits in reverse order.
    key_sum: u64,
    /// The start of the hash of a slug.
    slugs: Sha256,
}

impl IdCodec {
    /// The number of characters of an id. No fixed route with a single segment has this length, so no id is equal to
    /// such a route.
    pub const LENGTH: usize = 12;

    /// Makes a codec with this key. Under another key every id has another text, so old links work only with the old
    /// key.
    pub fn new(key: &str) -> Self {
        let sum: u64 = key.bytes().map(u64::from).sum();
        Self {
            encoder: ShortCrypt::new(key),
            key: crc64(&[key.as_bytes()]),
            key_sum: sum.reverse_bits(),
            slugs: Sha256::new_with_prefix("tidebin slug\0").chain_update(Sha256::digest(key)),
        }
    }

    /// Returns the id that the text of a slug stands for. Without the key, no slug can be found for a given id.
    pub(super) fn id_of_slug(&self, slug: &str) -> PasteId {
        let digest = self.slugs.clone().chain_update(slug).finalize();
        let (bits, _) = digest.split_at(8);
        PasteId::from_random(bits.try_into().unwrap_or_default())
    }

    /// Returns the text of an id.
    pub fn encode(&self, id: PasteId) -> String {
        self.encoder
            .encrypt_to_url_component(&id.bits().to_be_bytes())
    }

    /// Returns the id of a text, or `None` if the text is not an id under this key.
    pub fn decode(&self, text: &str) -> Option<PasteId> {
        let text: &[u8; Self::LENGTH] = text.as_bytes().try_into().ok()?;
        // One of the characters is the checksum. The others are the scrambled id.
        let at = (self.key_sum ^ sum(text)) % text.len() as u64;
        let (before, rest) = text.split_at(usize::try_from(at).ok()?);
        let (check, after) = rest.split_first()?;
        let check = match check {
            b'0'..=b'9' => check - b'0',
            b'A'..=b'V' => check - b'A' + 10,
            _ => return None,
        };
        let mut scrambled = [0; Self::LENGTH - 1];
        scrambled[..before.len()].copy_from_slice(before);
        scrambled[before.len()..].copy_from_slice(after);
        let mut bytes = bytes_of_base64(scrambled)?;
        self.unscramble(check, &mut bytes);
        (checksum(&bytes) == check).then_some(PasteId::from_random(bytes))
    }

    /// Reverses the permutation of the bytes, and then the XOR of the bytes with the key.
    fn unscramble(&self, check: u8, bytes: &mut [u8; 8]) {
        let parity = bytes.iter().fold(check, |parity, byte| parity ^ byte);
        let sum = u64::from(check) + sum(bytes);
        let swaps = crc64(&[&[parity], &sum.to_be_bytes()]);
        for i in (0..bytes.len()).rev() {
            bytes.swap(i, usize::from((swaps[i] ^ self.key[i]) % 8));
        }
        for (byte, key) in bytes.iter_mut().zip(self.key) {
            *byte ^= key ^ check;
        }
    }
}

/// The characters of base64 for URLs (RFC 4648, section 5), by their values.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The value of each character, and 64 for bytes that are none. Random characters would mislead branches.
const VALUES: [u8; 256] = {
    let (mut values, mut value) = ([64; 256], 0);
    while value < 64 {
        values[ALPHABET[value as usize] as usize] = value;
        value += 1;
    }
    values
};

/// Decodes eight bytes. The last character has two bits more, which have to be zero.
fn bytes_of_base64(text: [u8; 11]) -> Option<[u8; 8]> {
    let values = text.map(|character| VALUES[usize::from(character)]);
    let bits = values
        .iter()
        .fold(0_u128, |bits, value| bits << 6 | u128::from(value & 63));
    let is_text = values.iter().all(|value| *value < 64) && bits & 3 == 0;
    let number = u64::try_from(bits >> 2).ok().filter(|_| is_text)?;
    Some(number.to_be_bytes())
}

fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte)).sum()
}

/// The five bits that a text has in addition to the id.
fn checksum(bytes: &[u8]) -> u8 {
    let mut crc = CRCu8::crc8cdma2000();
    crc.update(bytes);
    crc.get_crc() % 32
}

fn crc64(parts: &[&[u8]]) -> [u8; 8] {
    let mut crc = CRCu64::crc64we();
    for part in parts {
        crc.update(part);
    }
    crc.get_crc().to_be_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_id_has_twelve_url_characters_and_reads_back(bits: u64, key in ".{0,40}") {
            let codec = IdCodec::new(&key);
            let text = codec.encode(PasteId(Hidden(bits)));
            prop_assert_eq!(text.len(), IdCodec::LENGTH);
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
            prop_assert_eq!(codec.decode(&text), Some(PasteId(Hidden(bits))));
        }

        #[test]
        fn a_text_has_the_id_that_shortcrypt_gives_it(
            key in ".{0,40}",
            bits: u64,
            text in "[A-Za-z0-9_-]{12}|.{0,16}",
            typo in "[A-Za-z0-9_-]",
            at in 0..IdCodec::LENGTH,
        ) {
            let codec = IdCodec::new(&key);
            let mut mistyped = codec.encode(PasteId(Hidden(bits)));
            mistyped.replace_range(at..=at, &typo);
            for text in [text, mistyped] {
                let bytes = codec.encoder.decrypt_url_component(&text).ok();
                let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
                let id = bytes.map(PasteId::from_random);
                prop_assert_eq!(codec.decode(&text), id.filter(|_| text.len() == IdCodec::LENGTH));
            }
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
    fn the_id_of_a_slug_depends_on_the_key_and_stays_the_same() {
        let id = |key: &str, slug: &str| IdCodec::new(key).id_of_slug(slug);
        let known = id("correct-horse", "my-notes");
        assert_eq!(known.bits(), 6_634_048_742_180_128_375);
        for (key, slug) in [("correct-horse", "my-note"), ("correct-hors", "my-notes")] {
            assert_ne!(id(key, slug), known);
        }
    }

    #[test]
    fn the_id_in_an_old_link_stays_the_same_under_the_same_key() {
        let codec = IdCodec::new("correct-horse");
        let text = codec.encode(PasteId(Hidden(0x0123_4567_89ab_cdef)));
        assert_eq!(text, "6_vTCpEuSGts");
    }

    #[test]
    fn most_single_mistypings_are_refused() {
        let codec = IdCodec::new("key");
        let text = codec.encode(PasteId(Hidden(0x0123_4567_89ab_cdef)));
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
