//! Content codings (RFC 9110, section 8.4.1): compressed pages and assets.
//!
//! Invariants: bytes that would not become smaller stay as they are. No page holds both a secret and text of another
//! user, so its compressed length reveals nothing (BREACH).
//!
//! Encoders of brotli and gzip that reuse their buffers.
//!
//! Why: brotli needs 700 KiB of buffers for a small page, and the allocator maps and unmaps each one of 256 KiB or
//! more. That takes twice as long as the compression itself.
//! Invariants: at most one encoder per core waits for its next use. It keeps at most [`MAX_KEPT`] bytes for brotli, and
//! 260 KiB for gzip.
//! Cost: brotli takes 0.12 ms for a page of 10 KiB and 1.4 ms for 160 KiB; gzip takes 0.07 ms and 1.5 ms.

use std::any::Any;
use std::io::{self, Read};
use std::num::NonZero;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use brotli::Decompressor;
use brotli::enc::encode::{
    BrotliEncoderDestroyInstance, BrotliEncoderOperation, BrotliEncoderStateStruct,
};
use brotli::enc::interface::{InputPair, PredictionModeContextMap};
use brotli::enc::{
    Allocator, BrotliAlloc, BrotliEncoderParams, InputReferenceMut, SliceWrapper, SliceWrapperMut,
    StaticCommand,
};
use bytes::Bytes;
use flate2::read::GzDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use parking_lot::Mutex;

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
        let encode = |encoder: &mut Encoder, brotli, gzip| match self {
            Self::Brotli => encoder.brotli(&bytes, brotli),
            Self::Gzip => encoder.gzip(&bytes, gzip),
            Self::Identity => None,
        };
        let coded = match effort {
            Effort::Dynamic if bytes.len() < MIN_LENGTH => None,
            Effort::Dynamic => Encoder::lend(|encoder| encode(encoder, 4, 6)),
            Effort::Static => encode(&mut Encoder::default(), 11, 9),
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
}

/// Maximum bytes of brotli's buffers that an encoder keeps. A page of 160 KiB needs all of them.
const MAX_KEPT: usize = 3 << 20;

/// The smallest buffer that is kept, in bytes. The allocator is fast for smaller ones.
const MIN_KEPT: usize = 16 << 10;

/// Base-2 logarithm of the window size in bytes, of brotli and of gzip.
const BROTLI_WINDOW: i32 = 18;
const GZIP_WINDOW: u8 = 15;

/// The encoders that wait for their next use, and how many may wait.
static IDLE: LazyLock<(Mutex<Vec<Encoder>>, usize)> = LazyLock::new(|| {
    let cores = available_parallelism().map_or(1, NonZero::get);
    (Mutex::new(Vec::with_capacity(cores)), cores)
});

/// The buffers of one encoder. A thread owns them while it compresses.
#[derive(Default)]
struct Encoder {
    buffers: Buffers,
    deflate: Option<Compress>,
}

impl Encoder {
    /// Lends an encoder to `work`.
    fn lend<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        let (idle, cores) = &*IDLE;
        let lent = idle.lock().pop();
        let mut encoder = lent.unwrap_or_default();
        let result = work(&mut encoder);
        let mut idle = idle.lock();
        if idle.len() < *cores {
            idle.push(encoder);
        }
        result
    }

    /// Compresses to gzip, at the level of the first call. Returns `None` if the result would not be smaller.
    fn gzip(&mut self, bytes: &[u8], level: u32) -> Option<Vec<u8>> {
        let level = Compression::new(level);
        let idle = self.deflate.take();
        let mut deflate = idle.unwrap_or_else(|| Compress::new_gzip(level, GZIP_WINDOW));
        deflate.reset();
        let mut coded = Vec::with_capacity(bytes.len());
        let status = deflate.compress_vec(bytes, &mut coded, FlushCompress::Finish);
        let is_finished = matches!(status, Ok(Status::StreamEnd));
        // After it ran out of room, a compressor of zlib-rs 0.6 keeps output of the old stream even if it is reset.
        self.deflate = is_finished.then_some(deflate);
        is_finished.then_some(coded)
    }

    /// Compresses to brotli. Returns `None` if the result would not be smaller.
    fn brotli(&mut self, bytes: &[u8], quality: i32) -> Option<Vec<u8>> {
        let mut state = BrotliEncoderStateStruct::new(&mut self.buffers);
        state.params = BrotliEncoderParams {
            quality,
            lgwin: BROTLI_WINDOW,
            size_hint: bytes.len(),
            ..Default::default()
        };
        let mut coded = vec![0; bytes.len()];
        let (mut unread, mut read, mut room, mut written) = (bytes.len(), 0, coded.len(), 0);
        while room > 0
            && !state.is_finished()
            && state.compress_stream(
                BrotliEncoderOperation::BROTLI_OPERATION_FINISH,
                &mut unread,
                bytes,
                &mut read,
                &mut room,
                &mut coded,
                &mut written,
                &mut None,
                &mut ignore,
            )
        {}
        let is_finished = state.is_finished();
        BrotliEncoderDestroyInstance(&mut state);
        coded.truncate(written);
        is_finished.then_some(coded)
    }
}

/// The encoder offers its parse of the text. Nothing needs it.
fn ignore(
    _: &mut PredictionModeContextMap<InputReferenceMut<'_>>,
    _: &mut [StaticCommand],
    _: InputPair<'_>,
    _: &mut &mut Buffers,
) {
}

/// Freed buffers: vectors of any type.
#[derive(Default)]
struct Buffers {
    kept: Vec<Box<dyn Any + Send>>,
    bytes: usize,
}

/// A buffer that the encoder uses.
struct Buffer<T>(Vec<T>);

impl<T: Clone + Default + Send + 'static> Allocator<T> for &mut Buffers {
    type AllocatedMemory = Buffer<T>;

    fn alloc_cell(&mut self, length: usize) -> Buffer<T> {
        let capacity = |kept: &dyn Any| kept.downcast_ref::<Vec<T>>().map(Vec::capacity);
        let kept = self.kept.iter().enumerate();
        let fitting = kept
            .filter_map(|(at, kept)| Some((capacity(&**kept)?, at)))
            .filter(|(capacity, _)| *capacity >= length);
        let smallest = fitting
            .min()
            .filter(|_| size_of::<T>() * length >= MIN_KEPT);
        let kept = smallest.map(|(_, at)| self.kept.swap_remove(at).downcast::<Vec<T>>());
        let Some(Ok(mut buffer)) = kept else {
            return Buffer(vec![T::default(); length]);
        };
        self.bytes -= size_of::<T>() * buffer.capacity();
        // The encoder relies on hash tables that are zero.
        buffer.clear();
        buffer.resize(length, T::default());
        Buffer(*buffer)
    }

    fn free_cell(&mut self, Buffer(buffer): Buffer<T>) {
        let bytes = size_of::<T>() * buffer.capacity();
        if bytes >= MIN_KEPT && self.bytes + bytes <= MAX_KEPT {
            self.bytes += bytes;
            self.kept.push(Box::new(buffer));
        }
    }
}

impl BrotliAlloc for &mut Buffers {}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> SliceWrapper<T> for Buffer<T> {
    fn slice(&self) -> &[T] {
        &self.0
    }
}

impl<T> SliceWrapperMut<T> for Buffer<T> {
    fn slice_mut(&mut self) -> &mut [T] {
        &mut self.0
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

    #[test]
    fn an_encoder_keeps_the_buffers_of_a_small_page_and_not_those_of_a_huge_one() {
        let mut encoder = Encoder::default();
        let small = "fn main() {}\n".repeat(800);
        let fresh = encoder.brotli(small.as_bytes(), 4);
        let kept = encoder.buffers.bytes;
        assert!(kept > 512 << 10, "{kept} bytes");
        for text in [small.repeat(600), small] {
            encoder.brotli(text.as_bytes(), 4);
            let capacity = encoder.buffers.bytes;
            assert!(capacity >= kept && capacity <= MAX_KEPT, "{capacity} bytes");
        }
        assert!(fresh.is_some());
    }

    #[test]
    fn a_used_encoder_compresses_as_a_new_one_does() {
        let mut used = Encoder::default();
        for text in [
            "abc".repeat(9000),
            "<b>12</b>".repeat(300),
            "xy".repeat(70_000),
        ] {
            let (bytes, mut new) = (text.as_bytes(), Encoder::default());
            assert_eq!(used.brotli(bytes, 4), new.brotli(bytes, 4));
            assert_eq!(used.gzip(bytes, 6), new.gzip(bytes, 6));
        }
    }
}
