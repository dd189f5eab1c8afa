//! Content codings (RFC 9110, section 8.4.1): compressed pages and assets.
//!
//! A page is compressed by gzip alone. Brotli at a speed for pages saves at most a tenth of its bytes, takes longer, and
//! needs 700 KiB of buffers.
//! Invariants: bytes that would not become smaller stay as they are. No page holds both a secret and text of another
//! user, so its compressed length reveals nothing (BREACH). At most one compressor per core waits for its next page, with
//! 260 KiB. The allocator would map and unmap them for each page, which takes longer than the compression.
//! Cost: 0.07 ms for a page of 10 KiB and 1.5 ms for 160 KiB.

use std::io::{self, Read};
use std::num::NonZero;
use std::thread::available_parallelism;

use brotli::enc::BrotliEncoderParams;
use brotli::{BrotliCompress, Decompressor};
use bytes::Bytes;
use flate2::read::GzDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use parking_lot::Mutex;

/// The content coding of a response body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// The coding `br`, for assets.
    Brotli,
    /// The coding `gzip`.
    Gzip,
    /// No compression.
    Identity,
}

/// The smallest page that is compressed, in bytes. A smaller one fits one packet anyway.
const MIN_LENGTH: usize = 1024;

/// The binary logarithm of the window of gzip, in bytes.
const GZIP_WINDOW: u8 = 15;

/// The compressors of pages that wait for their next use.
static IDLE: Mutex<Vec<Compress>> = Mutex::new(Vec::new());

impl Coding {
    /// Compresses a page. Returns it with the coding that was used: [`Self::Identity`] if compression would not make it
    /// smaller. The result takes no more memory than its length.
    pub fn encode(self, page: Vec<u8>) -> (Self, Bytes) {
        let is_coded = self == Self::Gzip && page.len() >= MIN_LENGTH;
        match is_coded.then(|| gzip_page(&page)).flatten() {
            Some(coded) => (self, coded.into_boxed_slice().into()),
            None => (Self::Identity, page.into_boxed_slice().into()),
        }
    }

    /// Compresses an asset, with all effort, because it is done once.
    pub(super) fn encode_asset(self, asset: &'static [u8]) -> (Self, Bytes) {
        let coded = match self {
            Self::Brotli => brotli(asset),
            Self::Gzip => gzip(
                &mut Compress::new_gzip(Compression::best(), GZIP_WINDOW),
                asset,
            ),
            Self::Identity => None,
        };
        match coded {
            Some(coded) => (self, coded.into_boxed_slice().into()),
            None => (Self::Identity, Bytes::from_static(asset)),
        }
    }

    /// Returns the text that was compressed.
    ///
    /// # Errors
    /// If the bytes are damaged.
    pub fn decode(self, bytes: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        match self {
            Self::Brotli => Decompressor::new(bytes, 4096).read_to_string(&mut text),
            Self::Gzip => GzDecoder::new(bytes).read_to_string(&mut text),
            Self::Identity => (&mut &*bytes).read_to_string(&mut text),
        }?;
        Ok(text)
    }
}

/// Compresses a page with an idle compressor.
fn gzip_page(page: &[u8]) -> Option<Vec<u8>> {
    let idle = IDLE.lock().pop();
    let new = || Compress::new_gzip(Compression::default(), GZIP_WINDOW);
    let mut deflate = idle.unwrap_or_else(new);
    let coded = gzip(&mut deflate, page);
    deflate.reset();
    let cores = available_parallelism().map_or(1, NonZero::get);
    let mut idle = IDLE.lock();
    if idle.len() < cores {
        idle.push(deflate);
    }
    coded
}

/// Returns `None` if the result would not be smaller.
fn gzip(deflate: &mut Compress, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut coded = Vec::with_capacity(bytes.len());
    let status = deflate.compress_vec(bytes, &mut coded, FlushCompress::Finish);
    matches!(status, Ok(Status::StreamEnd)).then_some(coded)
}

/// Returns `None` if the result would not be smaller.
fn brotli(bytes: &[u8]) -> Option<Vec<u8>> {
    let (mut coded, params) = (Vec::new(), BrotliEncoderParams::default());
    BrotliCompress(&mut &*bytes, &mut coded, &params).ok()?;
    Some(coded).filter(|coded| coded.len() < bytes.len())
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
        for body in [&small, &noise] {
            let (coding, bytes) = Coding::Gzip.encode(body.clone());
            assert_eq!((coding, &*bytes), (Coding::Identity, &**body));
        }
        let noise: &'static [u8] = noise.leak();
        for coding in [Coding::Brotli, Coding::Gzip] {
            let (coding, bytes) = coding.encode_asset(noise);
            assert_eq!((coding, &*bytes), (Coding::Identity, noise));
        }
    }

    proptest! {
        #[test]
        fn decoding_returns_the_encoded_bytes(text in "[a-f<>]{1000,2000}", times in 1..20usize) {
            for coding in [Coding::Brotli, Coding::Gzip, Coding::Identity] {
                let page = text.repeat(times);
                let (of_page, bytes) = coding.encode(page.clone().into_bytes());
                prop_assert!(of_page.decode(&bytes).ok() == Some(page));
                let asset = text.clone().leak();
                let (of_asset, bytes) = coding.encode_asset(asset.as_bytes());
                prop_assert!(of_asset.decode(&bytes).ok().as_deref() == Some(asset));
            }
        }
    }

    #[test]
    fn a_used_compressor_compresses_as_a_new_one_does() {
        let texts = [
            "abc".repeat(9000),
            "<b>12</b>".repeat(300),
            "xy".repeat(70_000),
        ];
        for text in texts.iter().chain(&texts) {
            let mut new = Compress::new_gzip(Compression::default(), GZIP_WINDOW);
            assert_eq!(gzip_page(text.as_bytes()), gzip(&mut new, text.as_bytes()));
        }
    }
}
