//! Content codings (RFC 9110, sections 8.4 and 12.5.3): what is sent smaller than it is.
//!
//! What it must not know: what is sent. Pastes are never sent coded: their bytes and ranges are what was saved.
//! Invariants: a coding is used only by leave of the client; a body that would not gain is left as it is. No page holds
//! a secret beside what a stranger wrote, so its length tells nobody anything (BREACH).
//! Pages of pastes that many see are coded in parts, elsewhere.
//! Cost: for a page of 6 KiB 65 µs with brotli, 50 with gzip; a MiB of page 10 and 6 ms. A higher quality of brotli
//! costs twice the time for a tenth of the bytes.

use std::io::{self, Write};

use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, VARY};
use actix_web::{HttpResponse, HttpResponseBuilder};

use crate::http::request::Coding;
use crate::http::response::headers::{BY_ACCEPT_AND_CODING, HTML, PRIVATE};
use crate::render::ContentCoding;

/// How much work a body is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// It is sent once.
    Dynamic,
    /// It is sent for as long as the program runs.
    Static,
}

/// What is smaller fits one packet as it is.
const LEAST: usize = 1024;

impl Coding {
    /// Says how the body is coded, and that another client may get it otherwise.
    pub(crate) fn tell(self, answer: &mut HttpResponseBuilder) {
        let name = match self {
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
            Self::Identity => None,
        };
        if let Some(name) = name {
            answer.insert_header((CONTENT_ENCODING, HeaderValue::from_static(name)));
        }
        answer.insert_header((VARY, BY_ACCEPT_AND_CODING));
    }

    /// The beginning of an answer with a page that is so coded.
    pub(crate) fn page(self) -> HttpResponseBuilder {
        let mut answer = HttpResponse::Ok();
        answer
            .insert_header((CACHE_CONTROL, PRIVATE))
            .insert_header((CONTENT_TYPE, HTML));
        self.tell(&mut answer);
        answer
    }

    /// As what a page is coded that is put together of parts.
    pub(crate) fn format(self) -> Option<ContentCoding> {
        match self {
            Self::Brotli => Some(ContentCoding::Brotli),
            Self::Gzip => Some(ContentCoding::Gzip),
            Self::Identity => None,
        }
    }

    /// The bytes so coded, and the coding that they have then.
    pub(crate) fn code(self, bytes: Vec<u8>, effort: Effort) -> (Self, Vec<u8>) {
        if bytes.len() < LEAST {
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
    /// Bytes that are handed on at once.
    const BUFFER: usize = 4096;
    /// Two to this power bytes are looked back on.
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
    // Dropped, it writes its end.
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
    fn what_is_small_or_would_not_gain_is_left_as_it_is() {
        let small = vec![b'a'; LEAST - 1];
        let (coding, bytes) = Coding::Brotli.code(small.clone(), Effort::Dynamic);
        assert_eq!((coding, bytes), (Coding::Identity, small));
        let mut state = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        })
        .take(LEAST)
        .collect();
        let (coding, bytes) = Coding::Gzip.code(noise.clone(), Effort::Dynamic);
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
        fn what_is_decoded_is_what_was_coded(text in "[a-f<>]{1000,4000}") {
            for coding in [Coding::Brotli, Coding::Gzip, Coding::Identity] {
                for effort in [Effort::Dynamic, Effort::Static] {
                    let (coding, bytes) = coding.code(text.clone().into_bytes(), effort);
                    prop_assert_eq!(decoded(coding, &bytes), text.as_bytes());
                }
            }
        }
    }
}
