//! How a page shows the image of a paste.
//!
//! Invariants: an image comes from this server or is in the page itself, so that a paste that burns is not read twice
//! and no address has a password. The page reserves its place. An image that could take much memory is not shown.
//! Cost: an image in the page takes 4 bytes for 3, at most 1.4 MiB.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::PastePage;
use crate::paste::Image;
use crate::render::ShownFile;

/// Maximum bytes of an image that is in its page. Browsers refuse to download longer URLs than those of 2 MiB.
const MAX_EMBEDDED: usize = 1024 * 1024;

/// Maximum pixels of a shown image. A browser takes 4 bytes for each, whatever the size of the file is.
const MAX_PIXELS: u64 = 64 * 1024 * 1024;

impl PastePage<'_> {
    /// Returns why the page does not show this image, or `None` if it does.
    pub(super) fn reason_to_hide(&self, image: Image) -> Option<&'static str> {
        let is_embedded = !self.availability.is_open();
        match self.site.images {
            false => Some("This is an image, and this server does not show images."),
            true if image.pixels(self.paste.bytes()) > MAX_PIXELS => {
                Some("This image has too many pixels to be shown here.")
            }
            true if is_embedded && self.paste.bytes().len() > MAX_EMBEDDED => {
                Some("This image is too large to be shown here.")
            }
            true => None,
        }
    }

    /// Returns the URL from which the page of an archive loads the image that this file is.
    pub(super) fn image_of(&self, file: &ShownFile) -> Option<String> {
        let is_shown = self.site.images && file.pixels.is_some_and(|it| it <= MAX_PIXELS);
        let (base_path, id, path) = (&self.site.base_path, self.head.id, &file.path);
        is_shown.then(|| format!("{base_path}/raw/{id}/{path}?embedded"))
    }

    /// Returns the URL from which the page loads the image: a link that counts no view, or the image itself.
    pub(super) fn source_of(&self, image: Image) -> Option<String> {
        if self.reason_to_hide(image).is_some() {
            return None;
        }
        if self.availability.is_open() {
            return Some(format!(
                "{}/raw/{}?embedded",
                self.site.base_path, self.head.id
            ));
        }
        let media_type = image.format.media_type();
        let mut source = format!("data:{media_type};base64,");
        BASE64_STANDARD.encode_string(self.paste.bytes(), &mut source);
        Some(source)
    }
}
