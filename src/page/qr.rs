//! QR codes (ISO/IEC 18004): pictures of a URL that phones can scan. A module is one square of the code.
//!
//! Invariants: the picture is black on white in light and dark mode. Around it is the quiet zone of four modules that
//! scanners need. The picture is one SVG path, so it is small and has no gaps between modules.
//! Cost: a URL of 40 characters takes about 0.1 ms and 3 KiB.

use std::fmt::Write;

use qrcodegen::{QrCode, QrCodeEcc};

/// Width of the quiet zone on each side, in modules.
const QUIET_ZONE: i32 = 4;

/// The attribute that makes an SVG element a document.
const DOCUMENT: &str = "xmlns=\"http://www.w3.org/2000/svg\"";

/// Returns the QR code of a text as an SVG document. Returns `None` if the text exceeds 2,331 bytes, the capacity of a
/// code.
pub fn qr(text: &str) -> Option<String> {
    qr_element(text, DOCUMENT)
}

/// Returns the QR code of a text as an SVG element with these attributes, for a page.
pub(crate) fn qr_element(text: &str, attributes: &str) -> Option<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let size = code.size() + 2 * QUIET_ZONE;
    let mut svg = format!(
        "<svg {attributes} viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\">\
         <path fill=\"#fff\" d=\"M0 0h{size}v{size}H0z\"/><path d=\""
    );
    for y in 0..code.size() {
        write_row(&code, y, &mut svg);
    }
    svg.push_str("\"/></svg>\n");
    Some(svg)
}

/// Appends each run of dark modules in a row to the path, as a rectangle one module high.
fn write_row(code: &QrCode, y: i32, path: &mut String) {
    let mut x = 0;
    while x < code.size() {
        let run = (x..code.size())
            .take_while(|x| code.get_module(*x, y))
            .map(|_| 1)
            .sum::<i32>();
        if run > 0 {
            let (x, y) = (x + QUIET_ZONE, y + QUIET_ZONE);
            write!(path, "M{x} {y}h{run}v1h-{run}z").expect("a string takes everything");
        }
        x += run + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the positions of the dark modules back from the picture.
    fn modules(svg: &str) -> Vec<(i32, i32)> {
        let path = svg
            .split("<path d=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let runs = path
            .expect("a path")
            .split('M')
            .filter(|run| !run.is_empty());
        runs.flat_map(|run| {
            let (place, length) = run.split_once('h').expect("a run");
            let (x, y) = place.split_once(' ').expect("a place");
            let length = length.split('v').next().expect("a length");
            let [x, y, length] =
                [x, y, length].map(|number| number.parse::<i32>().expect("a number"));
            (x..x + length).map(move |x| (x - QUIET_ZONE, y - QUIET_ZONE))
        })
        .collect()
    }

    #[test]
    fn the_picture_has_the_dark_modules_of_the_code_and_no_others() {
        let text = "https://bin.example/0123456789AB";
        let code = QrCode::encode_text(text, QrCodeEcc::Medium).expect("short enough");
        let places = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
        let dark: Vec<_> = places.filter(|(x, y)| code.get_module(*x, *y)).collect();
        assert_eq!(modules(&qr(text).expect("short enough")), dark);
    }

    #[test]
    fn no_markup_comes_from_the_text_and_one_too_long_has_no_code() {
        let svg = qr("https://bin.example/\"><script>").expect("short enough");
        assert_eq!(svg.matches('<').count(), 4);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(qr(&"x".repeat(3000)), None);
    }
}
