//! Images: which binary contents browsers show as images, and their dimensions.
//!
//! Invariants: an image is known by its first bytes alone, never by a name or by a type that a client sent. It states
//! its dimensions, and neither is zero. Nothing is decoded. SVG is text, and stays text. A frame of a GIF may be larger
//! than the image; in the other formats, decoders refuse that.
//! Cost: a few comparisons for a content that is no image; see `dimensions` for an image.

mod boxes;
mod dimensions;
mod format;

pub use format::ImageFormat;

use dimensions::{dimensions, gif_frames};

/// The format of an image, and the dimensions that it states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    pub(crate) format: ImageFormat,
    /// The stated width in pixels.
    pub(crate) width: u32,
    /// The stated height in pixels.
    pub(crate) height: u32,
}

impl Image {
    /// Returns the image that these bytes are, or `None` if they are none.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let format = ImageFormat::of(bytes)?;
        let [width, height] = dimensions(format, bytes)?;
        (width > 0 && height > 0).then_some(Self {
            format,
            width,
            height,
        })
    }

    /// Returns the number of pixels for which a browser makes room. `bytes` are those of the image.
    pub fn pixels(self, bytes: &[u8]) -> u64 {
        let frames = (self.format == ImageFormat::Gif).then(|| gif_frames(bytes));
        let sides = frames.into_iter().flatten();
        let sides = sides.chain([[self.width, self.height]]);
        let pixels = sides.map(|[width, height]| u64::from(width) * u64::from(height));
        pixels.max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
