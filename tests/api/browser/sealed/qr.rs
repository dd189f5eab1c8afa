//! The QR code of an encrypted paste, which the browser makes.

use qrcodegen::{DataTooLong, Mask, QrCode, QrCodeEcc, QrSegment, Version};

use super::super::checker::node_module;
use super::super::open_menu;
use super::{LINES, recorded, save, type_sealed};
use crate::chromium::Scripts::On;
use crate::chromium::input::ESCAPE;
use crate::chromium::{Visitor, visit, visit_server};

/// What a scanner reads: the code is drawn as on a screen, black on white, with squares of four pixels.
const SCANNED: &str = "(svg => {
    const side = svg.viewBox.baseVal.width * 4;
    const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
    for (const [, x, y] of svg.lastChild.getAttribute('d').matchAll(/M(\\d+) (\\d+)h1v1h-1z/g)) {
        for (let at = 0; at < 16; at++) pixels.fill(0, ((y * 4 + (at >> 2)) * side + x * 4 + at % 4) * 4, ((y * 4 + (at >> 2)) * side + x * 4 + at % 4) * 4 + 3);
    }
    return jsQR(pixels, side, side)?.data;
})(document.querySelector('#qr svg'))";

/// The dark modules of the code of a text, as the page draws them.
fn drawn(visitor: &Visitor, text: &str) -> serde_json::Value {
    visitor.awaited(&format!(
        "import(document.querySelector('#qr').dataset.module).then(({{ picture }}) => \
         /<path d=\"(.*?)\"/.exec(picture({text:?}))?.[1] ?? '')"
    ))
}

/// The same by another encoder.
fn expected(text: &str) -> Result<String, DataTooLong> {
    let segments = [QrSegment::make_bytes(text.as_bytes())];
    let (least, most) = (Version::new(1), Version::new(10));
    let (level, mask) = (QrCodeEcc::Medium, Some(Mask::new(0)));
    let code = QrCode::encode_segments_advanced(&segments, level, least, most, mask, false)?;
    let places = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
    let dark = places.filter(|(x, y)| code.get_module(*x, *y));
    Ok(dark
        .map(|(x, y)| format!("M{} {}h1v1h-1z", x + 4, y + 4))
        .collect())
}

#[test]
#[ignore = "needs chromium and npm"]
fn the_qr_code_of_an_encrypted_paste_has_its_key_and_is_made_in_the_browser() {
    let (server, record) = recorded();
    visit_server(server, On, |visitor| {
        type_sealed(visitor, "a secret");
        let path = save(visitor);
        let link = format!("http://{}{path}", visitor.server.addr);
        visitor.finds(LINES, "a secret");
        visitor.finds("document.querySelector('#qr').checkVisibility()", false);
        let is_loaded =
            "performance.getEntriesByType('resource').some(it => it.name.includes('/qr.'))";
        visitor.finds(is_loaded, false);
        // After the save, and in the menu of every other visit
        visitor.click(".saved [popovertarget=qr]");
        visitor.element("#qr svg");
        visitor.open("/help");
        visitor.open(&path);
        visitor.finds(LINES, "a secret");
        open_menu(visitor);
        visitor.click("#menu [popovertarget=qr]");
        visitor.shows("#qr p", &link);
        visitor.finds("document.querySelector('#menu').checkVisibility()", false);
        visitor.element("#qr svg");
        visitor
            .run(&node_module("jsqr/dist/jsQR.js"), false)
            .unwrap();
        visitor.finds(SCANNED, &*link);
        visitor.press(ESCAPE);
        visitor.finds("document.querySelector('#qr').checkVisibility()", false);
        visitor.press("q");
        visitor.finds("document.querySelectorAll('#qr svg').length", 1);
        let (_, key) = path.split_once('#').unwrap();
        let sent = record.lock().unwrap().clone();
        assert!(!String::from_utf8_lossy(&sent).contains(key));
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_link_of_any_length_has_the_code_that_another_encoder_makes_or_none() {
    visit(On, |visitor| {
        type_sealed(visitor, "a secret");
        save(visitor);
        visitor.element("#qr");
        for length in [
            14, 15, 26, 27, 42, 43, 62, 63, 84, 85, 106, 107, 122, 123, 152, 153, 180, 181, 213,
            214,
        ] {
            let text = &"https://bin.example/#4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi"
                .repeat(4)[..length];
            assert_eq!(
                drawn(visitor, text),
                expected(text).unwrap_or_default(),
                "{length}"
            );
        }
    });
}
