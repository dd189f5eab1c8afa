//! Content codings (RFC 9110, section 8.4.1): compressed pages and assets.
//!
//! Invariants: bytes that would not become smaller stay as they are. No page holds both a secret and text of another
//! user, so its compressed length reveals nothing (BREACH).

use std::io::{self, Read};

use brotli::Decompressor;
use bytes::Bytes;
use flate2::read::GzDecoder;

use crate::page::encoder::Encoder;

/// The content coding of a response body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// The coding `br`.
    Brotli,
    /// The coding `gzip`.
    Gzip,
    /// No compression.
    Identity,
}

/// The effort of a compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// For a body that is made for a request. A higher quality takes twice the time and saves a tenth of the bytes.
    Dynamic,
    /// For a body that is compressed once.
    Static,
}

/// The smallest body that is compressed for a request, in bytes. A smaller one fits one packet anyway.
const MIN_LENGTH: usize = 1024;

impl Coding {
    /// Compresses the bytes. Returns them with the coding that was used: [`Self::Identity`] if compression would not
    /// make them smaller. The result takes no more memory than its length.
    pub fn encode(self, bytes: Vec<u8>, effort: Effort) -> (Self, Bytes) {
        let coded = match effort {
            Effort::Dynamic if bytes.len() < MIN_LENGTH => None,
            Effort::Dynamic => Encoder::lend(|encoder| self.encode_with(encoder, &bytes, 4, 6)),
            Effort::Static => self.encode_with(&mut Encoder::default(), &bytes, 11, 9),
        };
        let (coding, bytes) = match coded {
            Some(coded) => (self, coded),
            None => (Self::Identity, bytes),
        };
        (coding, bytes.into_boxed_slice().into())
    }

    /// Returns the text whose bytes were compressed to these.
    ///
    /// # Errors
    /// If the bytes were not compressed with this coding.
    pub fn decode(self, bytes: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        match self {
            Self::Brotli => Decompressor::new(bytes, 4096).read_to_string(&mut text),
            Self::Gzip => GzDecoder::new(bytes).read_to_string(&mut text),
            Self::Identity => (&mut &*bytes).read_to_string(&mut text),
        }?;
        Ok(text)
    }

    fn encode_with(
        self,
        encoder: &mut Encoder,
        bytes: &[u8],
        brotli: i32,
        gzip: u32,
    ) -> Option<Vec<u8>> {
        match self {
            Self::Brotli => encoder.brotli(bytes, brotli),
            Self::Gzip => encoder.gzip(bytes, gzip),
            Self::Identity => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_body_that_is_small_or_does_not_compress_is_not_encoded() {
        let small = vec![b'a'; MIN_LENGTH - 1];
        let mut state = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        })
        .take(MIN_LENGTH)
        .collect();
        for coding in [Coding::Brotli, Coding::Gzip] {
            for body in [&small, &noise] {
                let (coding, bytes) = coding.encode(body.clone(), Effort::Dynamic);
                assert_eq!((coding, &*bytes), (Coding::Identity, &**body));
            }
        }
    }

    proptest! {
        #[test]
        fn decoding_returns_the_encoded_bytes(text in "[a-f<>]{1000,2000}", times in 1..20usize) {
            for coding in [Coding::Brotli, Coding::Gzip, Coding::Identity] {
                for (effort, times) in [(Effort::Dynamic, times), (Effort::Static, 1)] {
                    let text = text.repeat(times);
                    let (coding, bytes) = coding.encode(text.clone().into_bytes(), effort);
                    prop_assert!(coding.decode(&bytes).ok() == Some(text));
                }
            }
        }
    }
}
