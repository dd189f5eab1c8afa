//! A batch of reads: the bytes that the HTTP library gets before it has to answer.
//!
//! The library decodes all that it can read into requests, however many are queued. At the end of a batch, the library
//! answers the requests of the batch before it reads more.

use std::sync::LazyLock;

use memchr::memmem;

/// A batch ends when it has this many bytes. The number is half of the library's read buffer, which must never be full
/// of bytes that the library does not look at. Most bodies that are sent together with their heads fit in a batch.
const MAX_BYTES: usize = 64 * 1024;

/// A batch ends when it has more requests than this.
const MAX_REQUESTS: usize = 16;

/// Finds the HTTP version, which the first line of every request contains.
static VERSION: LazyLock<memmem::Finder> = LazyLock::new(|| memmem::Finder::new(b"HTTP/1."));

/// The bytes and requests read since the library could last answer.
#[derive(Debug, Default)]
pub(crate) struct ReadBatch {
    bytes: usize,
    requests: usize,
}

impl ReadBatch {
    pub(crate) fn record(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.requests += VERSION.find_iter(bytes).count();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes >= MAX_BYTES || self.requests > MAX_REQUESTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_ends_after_64_kib_or_with_the_17th_request() {
        for (piece, pieces) in [
            (&[b'x'; 1024][..], 64),
            (b"GET / HTTP/1.1\r\n\r\n", 17),
            (b"GET / HTTP/1.0\r\n\r\n", 17),
        ] {
            let mut batch = ReadBatch::default();
            assert!(batch.is_empty());
            for _ in 1..pieces {
                batch.record(piece);
                assert!(!batch.is_empty() && !batch.is_full());
            }
            batch.record(piece);
            assert!(batch.is_full());
        }
    }
}
