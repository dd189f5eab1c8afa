//! The formats of images.
//!
//! Invariants: a format is known by its signature alone.

use super::boxes::boxes;

/// A format of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// PNG, animated or not.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF, animated or not.
    Gif,
    /// WebP, animated or not.
    WebP,
    /// AVIF, animated or not.
    Avif,
}

impl ImageFormat {
    /// Returns the media type, the extension of a file's name without a dot, and the format as readers see it.
    fn names(self) -> [&'static str; 3] {
        match self {
            Self::Png => ["image/png", "png", "PNG image"],
            Self::Jpeg => ["image/jpeg", "jpg", "JPEG image"],
            Self::Gif => ["image/gif", "gif", "GIF image"],
            Self::WebP => ["image/webp", "webp", "WebP image"],
            Self::Avif => ["image/avif", "avif", "AVIF image"],
        }
    }

    pub(crate) fn media_type(self) -> &'static str {
        self.names()[0]
    }

    pub(crate) fn extension(self) -> &'static str {
        self.names()[1]
    }

    pub(crate) fn label(self) -> &'static str {
        self.names()[2]
    }

    /// Returns the format that the first bytes name, or `None` if they name none.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let has =
            |at: usize, part: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(part));
        if has(0, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") {
            Some(Self::Png)
        } else if has(0, b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if has(0, b"GIF87a") || has(0, b"GIF89a") {
            Some(Self::Gif)
        } else if has(0, b"RIFF") && has(8, b"WEBP") {
            Some(Self::WebP)
        } else {
            is_avif(bytes).then_some(Self::Avif)
        }
    }
}

/// Returns whether the file is an AVIF by the brands in its first box.
fn is_avif(bytes: &[u8]) -> bool {
    const MAX_BRANDS: usize = 32;
    let Some((b"ftyp", brands)) = boxes(bytes).next() else {
        return false;
    };
    // The number after the first brand is a version.
    let brands = brands.chunks_exact(4).take(MAX_BRANDS);
    brands
        .enumerate()
        .any(|(nth, brand)| nth != 1 && (brand == b"avif" || brand == b"avis"))
}
