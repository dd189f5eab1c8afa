//! Tests of images: real ones, other bytes, and damaged headers.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../../tests/api/fixtures/images/", $name))
    };
}

/// Images of 48 × 32 pixels.
const IMAGES: [(ImageFormat, &[u8]); 10] = [
    (ImageFormat::Png, file!("tide.png")),
    (ImageFormat::Png, file!("moving.png")),
    (ImageFormat::Jpeg, file!("tide.jpg")),
    (ImageFormat::Gif, file!("tide.gif")),
    (ImageFormat::Gif, file!("moving.gif")),
    (ImageFormat::WebP, file!("tide.webp")),
    (ImageFormat::WebP, file!("lossless.webp")),
    (ImageFormat::WebP, file!("moving.webp")),
    (ImageFormat::Avif, file!("tide.avif")),
    (ImageFormat::Avif, file!("moving.avif")),
];

#[test]
fn an_image_is_known_by_its_bytes_and_states_its_dimensions() {
    for (format, bytes) in IMAGES {
        let image = Image::of(bytes).expect("an image");
        assert_eq!(image.format, format);
        assert_eq!([image.width, image.height], [48, 32], "{format:?}");
    }
}

#[test]
fn what_follows_the_header_makes_no_difference() {
    for (_, bytes) in IMAGES {
        let longer = [bytes, b"<script>alert(1)</script>"].concat();
        assert_eq!(Image::of(&longer), Image::of(bytes));
    }
    let cut = &IMAGES[0].1[..40];
    assert_eq!(Image::of(cut), Image::of(IMAGES[0].1));
}

#[test]
fn other_bytes_are_no_image() {
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>\xff";
    let heic = [&b"\0\0\0\x18ftypheic"[..], &IMAGES[8].1[12..]].concat();
    let no_signature = [&b"\x89PNGxxxxxxxxxxxx"[..], &[0, 0, 0, 1, 0, 0, 0, 1]].concat();
    for bytes in [
        &b""[..],
        b"\xff",
        b"\xff\xd8\xff",
        b"GIF89a",
        b"GIF88a\x01\0\x01\0\xff\xff",
        b"BM\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"RIFF\xff\xff\xff\xffWAVEfmt ",
        b"%PDF-1.7\xff\xff\xff\xff\xff\xff\xff\xff",
        svg,
        &heic,
        &no_signature,
    ] {
        assert_eq!(Image::of(bytes), None, "{bytes:?}");
    }
}

#[test]
fn an_image_without_pixels_is_none() {
    let mut png = IMAGES[0].1.to_vec();
    png[16..20].fill(0);
    assert_eq!(Image::of(&png), None);
    png[16..24].fill(0xff);
    let largest = Image::of(&png).expect("an image");
    assert_eq!(largest.pixels(&png), u64::from(u32::MAX).pow(2));
}

#[test]
fn dimensions_behind_very_many_parts_are_not_looked_for() {
    let (_, jpeg) = IMAGES[2];
    let with_segments = |count: usize| {
        let segments = b"\xff\xff\xfe\0\x02".repeat(count);
        [&jpeg[..2], &segments, &jpeg[2..]].concat()
    };
    assert!(Image::of(&with_segments(200)).is_some());
    assert_eq!(Image::of(&with_segments(100_000)), None);
    let (_, avif) = IMAGES[8];
    let start = usize::from(avif[3]);
    let with_boxes = |count: usize| {
        let boxes = b"\0\0\0\x09free\xff".repeat(count);
        [&avif[..start], &boxes, &avif[start..]].concat()
    };
    assert!(Image::of(&with_boxes(200)).is_some());
    assert_eq!(Image::of(&with_boxes(100_000)), None);
}

#[test]
fn a_turned_image_has_the_sides_that_are_seen() {
    let (_, avif) = IMAGES[8];
    // A property of another kind, which no reader needs, becomes the rotation.
    let at = avif
        .windows(4)
        .position(|kind| kind == b"pixi")
        .expect("a box");
    let turned = |angle| {
        let mut turned = avif.to_vec();
        turned[at..at + 4].copy_from_slice(b"irot");
        turned[at + 4] = angle;
        Image::of(&turned).map(|image| [image.width, image.height])
    };
    assert_eq!(turned(1), Some([32, 48]));
    assert_eq!(turned(2), Some([48, 32]));
}

#[test]
fn the_largest_frame_of_a_gif_and_the_largest_track_of_an_avif_count() {
    let pixels = |bytes: &[u8]| Image::of(bytes).map(|image| image.pixels(bytes));
    for (_, bytes) in IMAGES {
        assert_eq!(pixels(bytes), Some(48 * 32));
    }
    // A screen of one pixel, tables of two colours, a comment, and frames of which the second one is large
    let small = b",\0\0\0\0\x01\0\x01\0\x80\0\0\0\xff\xff\xff\x02\x02L\x01\0";
    let large = b",\x01\0\0\0\x20\x4e\x20\x4e\0\x02\0;";
    let screen = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff";
    let comment = b"!\xfe\x03abc\x02de\0";
    let gif = [&screen[..], comment, small, comment, large].concat();
    assert_eq!(pixels(&gif), Some(20_001 * 20_000));
    let (_, avif) = IMAGES[9];
    let at = avif.windows(4).position(|kind| kind == b"tkhd");
    let at = at.expect("a track") + 4;
    let sides = at + if avif[at] == 0 { 76 } else { 88 };
    let mut avif = avif.to_vec();
    avif[sides..sides + 2].fill(0x4e);
    assert_eq!(pixels(&avif), Some(0x4e4e * 32));
}

proptest! {
    #[test]
    fn a_damaged_image_has_sides_or_is_none(
        which in 0..IMAGES.len(),
        changes in vec((any::<Index>(), any::<u8>()), 0..8),
        end in any::<Index>(),
        is_cut: bool,
    ) {
        let mut bytes = IMAGES[which].1.to_vec();
        for (at, byte) in changes {
            // Most of a header is at the start.
            let at = at.index(bytes.len().min(320));
            bytes[at] = byte;
        }
        if is_cut {
            bytes.truncate(end.index(bytes.len()));
        }
        let image = Image::of(&bytes);
        prop_assert!(image.is_none_or(|image| image.pixels(&bytes) > 0));
    }

    #[test]
    fn any_bytes_after_a_signature_have_sides_or_are_none(
        which in 0..IMAGES.len(),
        bytes in vec(any::<u8>(), 0..400),
    ) {
        let bytes = [&IMAGES[which].1[..16], &bytes].concat();
        prop_assert!(Image::of(&bytes).is_none_or(|image| image.pixels(&bytes) > 0));
    }
}

#[test]
fn a_photo_has_the_sides_that_are_seen_when_the_camera_was_turned() {
    // Given a JPEG with the note of a camera that its image is turned
    let (_, jpeg) = IMAGES[2];
    let [width, height] = sides(jpeg);
    assert_ne!(width, height);
    let noted = |tiff: &[u8]| {
        let length = u16::try_from(8 + tiff.len()).expect("it is short");
        let segment = [b"\xff\xe1", &length.to_be_bytes()[..], b"Exif\0\0", tiff].concat();
        sides(&[&jpeg[..2], &segment, &jpeg[2..]].concat())
    };
    for orientation in 1..=9_u8 {
        let little = [
            &b"II*\0\x08\0\0\0\x02\0"[..],
            &[7; 12],
            b"\x12\x01\x03\0\x01\0\0\0",
            &[orientation, 0, 0, 0],
        ];
        let big = [
            b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".as_slice(),
            &[orientation, 0, 0],
        ];
        // Then its sides are swapped if that is a quarter
        let seen = match orientation {
            5..=8 => [height, width],
            _ => [width, height],
        };
        assert_eq!(
            (noted(&little.concat()), noted(&big.concat())),
            (seen, seen)
        );
    }
    // And a note that is no note changes nothing
    for rubbish in [
        &b""[..],
        b"II*\0",
        b"II*\0\xff\xff\xff\xff",
        b"MM\0*\0\0\0\x08\xff\xff\x01\x12",
    ] {
        assert_eq!(noted(rubbish), [width, height]);
    }
}

fn sides(bytes: &[u8]) -> [u32; 2] {
    let image = Image::of(bytes).expect("an image");
    [image.width, image.height]
}
