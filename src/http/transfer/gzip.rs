//! Bodies in gzip, on the routes whose clients send them.
//!
//! Invariants: a body is unpacked only if the length that its last bytes tell may be saved, and no further than this
//! length. So a small body cannot fill the memory. The quota pays for this length before, and both forms take bytes of
//! the budget.
//!
//! Cost: a body of more than [`SMALL`] bytes, packed or not, is unpacked on a thread for blocking work.

use std::io::Read;

use actix_web::web::Bytes;
use flate2::bufread::GzDecoder;

use super::response_body::{ResponseReservation, run_blocking};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::problem::ProblemType as T;
use crate::overload::Priority;

const SMALL: usize = 64 * 1024;
/// No packed byte holds more bytes.
const BEST_RATIO: usize = 1032;
const NOT_GZIP: &str =
    "The body is not one complete member of gzip. Send it again, or without `Content-Encoding`.";

/// Unpacks the body, which may have at most `limit` bytes.
///
/// # Errors
/// [`ApiError::TooLarge`] holds `largest`, the maximum bytes of content.
pub(super) async fn unpack(
    context: &RequestContext<'_>,
    packed: Bytes,
    largest: usize,
    limit: usize,
) -> Result<Bytes, ApiError> {
    let length = packed.last_chunk().copied().map(u32::from_le_bytes);
    let length = length.map_or(0, |length| length as usize);
    // The end of a body that was cut tells any length.
    if length / BEST_RATIO > packed.len() {
        return Err(T::MalformedRequest.says(NOT_GZIP).into());
    }
    if length > limit {
        return Err(ApiError::TooLarge(largest));
    }
    context.charges.reserve(length)?;
    let plain = if packed.len().max(length) <= SMALL {
        member(&packed, length)
    } else {
        let both = packed.len() + length;
        let _reserved = ResponseReservation::new(context, Priority::Save, both).await?;
        run_blocking("could not unpack a body", move || member(&packed, length)).await?
    };
    Ok(plain.ok_or_else(|| T::MalformedRequest.says(NOT_GZIP))?)
}

/// The content of the one member, whose length is this.
fn member(packed: &[u8], length: usize) -> Option<Bytes> {
    // One byte more: the end of the member is checked when nothing follows.
    let mut plain = Vec::with_capacity(length + 1);
    let mut decoder = GzDecoder::new(packed);
    let most = length as u64 + 1;
    let read = decoder.by_ref().take(most).read_to_end(&mut plain).ok()?;
    (read == length && decoder.into_inner().is_empty()).then(|| plain.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn only_one_whole_member_of_the_told_length_is_unpacked() {
        let plain = b"a log\n".repeat(100_000);
        let one = packed(&plain);
        assert_eq!(member(&one, plain.len()).as_deref(), Some(&*plain));
        for length in [0, 1, plain.len() - 1, plain.len() + 1] {
            assert_eq!(member(&one, length), None, "{length}");
        }
        let (two, more) = ([one.clone(), one.clone()].concat(), [&*one, b"x"].concat());
        let mut damaged = one.clone();
        damaged[one.len() - 6] ^= 1;
        for wrong in [
            &two,
            &more,
            &damaged,
            &one[..one.len() - 1].to_vec(),
            &Vec::new(),
        ] {
            assert_eq!(member(wrong, plain.len()), None);
        }
    }
}
