//! Content codings (RFC 9110, sections 8.4 and 12.5.3): compressed responses.
//!
//! The bytes of pastes are never compressed, so they and their ranges are the saved ones. Cached pages are compressed
//! in parts, by [`crate::render`].
//! Invariants: a coding is used only if the client accepts it. A body that would not become smaller stays as it is. No
//! page holds both a secret and text of another user, so its compressed length reveals nothing (BREACH).
//! Cost: brotli takes 65 µs for a page of 6 KiB and 10 ms for 1 MiB; gzip takes 50 µs and 6 ms. A higher brotli quality
//! costs twice the time for a tenth of the bytes.

use std::io::{self, Write};

use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, VARY};
use actix_web::{HttpResponse, HttpResponseBuilder};

use crate::http::request::Coding;
use crate::http::response::headers::{HTML, PRIVATE, VARY_ACCEPT_AND_CODING};
use crate::render::ContentCoding;

/// The effort of a compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// For a body that is sent once.
    Dynamic,
    /// For a body that is compressed once and sent many times.
    Static,
}

/// The smallest body that is compressed, in bytes. A smaller one fits one packet anyway.
const MIN_LENGTH: usize = 1024;

impl Coding {
    /// Sets Content-Encoding and Vary.
    pub(crate) fn set_headers(self, response: &mut HttpResponseBuilder) {
        let name = match self {
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
            Self::Identity => None,
        };
        if let Some(name) = name {
            response.insert_header((CONTENT_ENCODING, HeaderValue::from_static(name)));
        }
        response.insert_header((VARY, VARY_ACCEPT_AND_CODING));
    }

    /// Starts a response with a page in this coding.
    pub(crate) fn page(self) -> HttpResponseBuilder {
        let mut response = HttpResponse::Ok();
        response
            .insert_header((CACHE_CONTROL, PRIVATE))
            .insert_header((CONTENT_TYPE, HTML));
        self.set_headers(&mut response);
        response
    }

    /// Returns the coding of a page that is assembled from compressed parts.
    pub(crate) fn format(self) -> Option<ContentCoding> {
        match self {
            Self::Brotli => Some(ContentCoding::Brotli),
            Self::Gzip => Some(ContentCoding::Gzip),
            Self::Identity => None,
        }
    }

    /// Compresses the bytes. Returns them with the coding that was used: [`Self::Identity`] if compression would not
    /// make the body smaller.
    pub(crate) fn encode(self, bytes: Vec<u8>, effort: Effort) -> (Self, Vec<u8>) {
        if bytes.len() < MIN_LENGTH {
            return (Self::Identity, bytes);
        }
        let coded = match self {
            Self::Brotli => brotli(&bytes, effort),
            Self::Gzip => gzip(&bytes, effort),
            Self::Identity => return (self, bytes),
        };
        match coded {
            Ok(coded) if coded.len() < bytes.len() => (self, coded),
            // Writing to memory does not fail.
            Ok(_) | Err(_) => (Self::Identity, bytes),
        }
    }
}

fn brotli(bytes: &[u8], effort: Effort) -> io::Result<Vec<u8>> {
    /// Bytes of the output buffer.
    const BUFFER: usize = 4096;
    /// Base-2 logarithm of the window size in bytes.
    const WINDOW: i32 = 18;
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: match effort {
            Effort::Dynamic => 2,
            Effort::Static => 11,
        },
        lgwin: WINDOW,
        size_hint: bytes.len(),
        ..Default::default()
    };
    let mut coded = Vec::new();
    let mut writer = brotli::CompressorWriter::with_params(&mut coded, BUFFER, &parameters);
    writer.write_all(bytes)?;
    // Dropping the writer finishes the stream.
    drop(writer);
    Ok(coded)
}

fn gzip(bytes: &[u8], effort: Effort) -> io::Result<Vec<u8>> {
    let level = match effort {
        Effort::Dynamic => 3,
        Effort::Static => 9,
    };
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
    writer.write_all(bytes)?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_body_that_is_small_or_does_not_compress_is_not_encoded() {
        let small = vec![b'a'; MIN_LENGTH - 1];
        let (coding, bytes) = Coding::Brotli.encode(small.clone(), Effort::Dynamic);
        assert_eq!((coding, bytes), (Coding::Identity, small));
        let mut state = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        })
        .take(MIN_LENGTH)
        .collect();
        let (coding, bytes) = Coding::Gzip.encode(noise.clone(), Effort::Dynamic);
        assert_eq!((coding, bytes), (Coding::Identity, noise));
    }

    fn decoded(coding: Coding, bytes: &[u8]) -> Vec<u8> {
        let mut decoded = Vec::new();
        match coding {
            Coding::Brotli => _ = brotli::Decompressor::new(bytes, 4096).read_to_end(&mut decoded),
            Coding::Gzip => _ = flate2::read::GzDecoder::new(bytes).read_to_end(&mut decoded),
            Coding::Identity => decoded.extend_from_slice(bytes),
        }
        decoded
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn decoding_returns_the_encoded_bytes(text in "[a-f<>]{1000,4000}") {
            for coding in [Coding::Brotli, Coding::Gzip, Coding::Identity] {
                for effort in [Effort::Dynamic, Effort::Static] {
                    let (coding, bytes) = coding.encode(text.clone().into_bytes(), effort);
                    prop_assert_eq!(decoded(coding, &bytes), text.as_bytes());
                }
            }
        }
    }
}
