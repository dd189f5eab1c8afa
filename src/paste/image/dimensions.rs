//! The dimensions that an image states in its header.
//!
//! Invariants: any bytes give dimensions or none. Nothing is allocated.
//! Cost: a step for each 255 bytes of a GIF whose frames are looked at. Else at most [`MAX_SEGMENTS`] segments of a
//! JPEG, [`MAX_NOTES`] notes of a camera in each, and as many boxes of an AVIF as segments are looked at, whatever its
//! size is.

use super::boxes::{array, be32, boxes, within};
use super::format::ImageFormat;

/// Maximum segments of a JPEG that are looked at. Colour profiles and previews take some dozens.
const MAX_SEGMENTS: usize = 1000;

/// Maximum number of notes of a camera that are looked at in a segment. Cameras write fewer.
const MAX_NOTES: usize = 64;

/// Returns the width and the height in pixels, or `None` if the header states none.
pub(super) fn dimensions(format: ImageFormat, bytes: &[u8]) -> Option<[u32; 2]> {
    match format {
        ImageFormat::Png => Some([be32(bytes, 16)?, be32(bytes, 20)?]),
        ImageFormat::Jpeg => jpeg(bytes),
        ImageFormat::Gif => Some([le16(bytes, 6)?, le16(bytes, 8)?]),
        ImageFormat::WebP => webp(bytes),
        ImageFormat::Avif => avif(bytes),
    }
}

/// Walks over the segments to the one that starts a frame (ITU-T T.81, section B.2.2).
fn jpeg(bytes: &[u8]) -> Option<[u32; 2]> {
    let (mut at, mut is_turned) = (2, None);
    for _ in 0..MAX_SEGMENTS {
        let [0xff, marker] = *array(bytes, at)? else {
            return None;
        };
        match marker {
            // A byte that fills the space before a marker.
            0xff => at += 1,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                let sides = [be16(bytes, at + 7)?, be16(bytes, at + 5)?];
                return Some(seen(sides, is_turned == Some(true)));
            }
            // Markers without a length, and the start of a scan, do not come before a frame.
            0x00 | 0x01 | 0xd0..=0xda => return None,
            _ => {
                if marker == 0xe1 && is_turned.is_none() {
                    is_turned = is_turned_by_exif(&bytes[at + 2..]);
                }
                at += 2 + usize::try_from(be16(bytes, at + 2)?).ok()?.max(2);
            }
        }
    }
    None
}

/// Returns whether a camera noted that the image is turned by a quarter (Exif 2.32, section 4.6.4, tag Orientation).
fn is_turned_by_exif(segment: &[u8]) -> Option<bool> {
    let tiff = segment.get(2..)?.strip_prefix(b"Exif\0\0")?;
    let is_little = match array(tiff, 0)? {
        b"II" => true,
        b"MM" => false,
        _ => return None,
    };
    let short = |at| match is_little {
        true => le16(tiff, at),
        false => be16(tiff, at),
    };
    let first = match is_little {
        true => u32::from_le_bytes(*array(tiff, 4)?),
        false => u32::from_be_bytes(*array(tiff, 4)?),
    };
    let first = usize::try_from(first).ok()?;
    let count = usize::try_from(short(first)?).ok()?.min(MAX_NOTES);
    let mut entries = (0..count).filter_map(|index| first.checked_add(2 + 12 * index));
    let entry = entries.find(|entry| short(*entry) == Some(0x0112))?;
    Some((5..=8).contains(&short(entry.checked_add(8)?)?))
}

/// Reads the first chunk, whose form depends on the codec (RFC 9649, section 2).
fn webp(bytes: &[u8]) -> Option<[u32; 2]> {
    match array(bytes, 12)? {
        b"VP8 " if array(bytes, 23)? == b"\x9d\x01\x2a" => {
            Some([le16(bytes, 26)? & 0x3fff, le16(bytes, 28)? & 0x3fff])
        }
        b"VP8L" if array(bytes, 20)? == b"\x2f" => {
            let sides = u32::from_le_bytes(*array(bytes, 21)?);
            Some([(sides & 0x3fff) + 1, (sides >> 14 & 0x3fff) + 1])
        }
        b"VP8X" => Some([le24(bytes, 24)? + 1, le24(bytes, 27)? + 1]),
        _ => None,
    }
}

/// The sides of the frames of a GIF, each with its distance from the corner of the screen (GIF89a, section 20).
pub(super) fn gif_frames(bytes: &[u8]) -> impl Iterator<Item = [u32; 2]> {
    let mut at = 13 + gif_colors(bytes, 10);
    std::iter::from_fn(move || {
        while bytes.get(at) == Some(&b'!') {
            at = end_of_gif_blocks(bytes, at + 2);
        }
        if bytes.get(at) != Some(&b',') {
            return None;
        }
        let far = |side| Some(le16(bytes, side)? + le16(bytes, side + 4)?);
        let sides = [far(at + 1)?, far(at + 3)?];
        at = end_of_gif_blocks(bytes, at + 11 + gif_colors(bytes, at + 9));
        Some(sides)
    })
}

/// Returns the size of the table of colours that these flags announce.
fn gif_colors(bytes: &[u8], flags: usize) -> usize {
    match bytes.get(flags) {
        Some(flags @ 0x80..) => 6 << (flags & 7),
        _ => 0,
    }
}

/// Returns the place after a sequence of blocks, of which the last one is empty.
fn end_of_gif_blocks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(length @ 1..) = bytes.get(at) {
        at += 1 + usize::from(*length);
    }
    at + 1
}

/// Finds the largest of the images in the file, and whether it is turned by a quarter (ISO/IEC 23008-12, section 6.5).
/// Tiles and previews are smaller than the image. An animation states its sides as a track does.
fn avif(bytes: &[u8]) -> Option<[u32; 2]> {
    let properties = within(within(within(bytes, b"meta")?.get(4..)?, b"iprp")?, b"ipco")?;
    let (mut largest, mut is_turned) = (None, false);
    let mut state = |sides: [u32; 2]| {
        largest = largest.max(Some((sides.map(u64::from).iter().product::<u64>(), sides)));
    };
    for (kind, payload) in boxes(properties) {
        match (kind, payload) {
            (b"ispe", _) => state([be32(payload, 4)?, be32(payload, 8)?]),
            (b"irot", [angle, ..]) => is_turned = angle % 2 == 1,
            _ => {}
        }
    }
    for (_, track) in boxes(within(bytes, b"moov").unwrap_or_default()) {
        let Some(header @ [version, ..]) = within(track, b"tkhd") else {
            continue;
        };
        // Times have 32 bits in the first version, and 64 in the second. The sides have 16 bits after the point.
        let at = if *version == 0 { 76 } else { 88 };
        state([be32(header, at)? >> 16, be32(header, at + 4)? >> 16]);
    }
    let (_, sides) = largest?;
    Some(seen(sides, is_turned))
}

/// Returns the sides as they are seen.
fn seen([width, height]: [u32; 2], is_turned: bool) -> [u32; 2] {
    match is_turned {
        true => [height, width],
        false => [width, height],
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(|bytes| u16::from_be_bytes(*bytes).into())
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(|bytes| u16::from_le_bytes(*bytes).into())
}

fn le24(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(|[low, middle, high]| u32::from_le_bytes([*low, *middle, *high, 0]))
}
