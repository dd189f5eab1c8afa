//! Images: shown on their page and in the editor, protected ones, and hostile ones.

use serde_json::json;

use super::open_closed;
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit, visit_server};
use crate::folder::Folder;
use crate::images::{IMAGES, image, with_dimensions};
use crate::server::{Saved, TestServer};

fn showing() -> TestServer {
    TestServer::with(&["--images", "on"])
}

/// Saves an image under a title, with this header. Returns its path.
fn put(visitor: &Visitor, bytes: &[u8], header: [&str; 2]) -> String {
    let request = visitor.server.request("PUT", "/high%20tide");
    Saved::of(&request.header(header[0], header[1]).body(bytes).send()).path
}

fn open_image(visitor: &Visitor, bytes: &[u8]) -> String {
    put(visitor, bytes, ["X-Expires", "1h"])
}

/// The dimensions of the decoded image, and of its place on the page.
const SIDES: &str = "(it => [it.naturalWidth, it.naturalHeight, it.width, it.height])\
    (document.querySelector('#image'))";

/// Whether the image has been decoded, or cannot be.
const IS_LOADED: &str = "document.querySelector('#image').complete";

#[test]
#[ignore = "needs chromium"]
fn an_image_is_shown_on_its_page_and_alone_behind_a_click() {
    visit_server(showing(), On, |visitor| {
        for (name, _, label) in IMAGES {
            let path = open_image(visitor, &image(name));
            visitor.open(&path);
            visitor.until(IS_LOADED);
            visitor.finds(SIDES, json!([48, 32, 48, 32]));
            visitor.tells(".head", label);
            visitor.tells(".facts", "48 × 32 pixels");
            visitor.finds("document.querySelector('#image').alt", "high tide");
            visitor.follow("#image");
            visitor.is_at(&format!("/raw{path}"));
            let alone = "(it => it.complete && it.naturalWidth)(document.images[0])";
            visitor.finds(alone, 48);
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn nothing_moves_when_an_image_arrives_and_no_page_is_too_wide() {
    visit_server(showing(), On, |visitor| {
        let png = image("tide.png");
        for (wide, high) in [(4000, 3000), (65535, 1000), (1, 65535), (1000, 65535)] {
            // The stated dimensions reserve the place; these bytes have no such image.
            let path = open_image(visitor, &with_dimensions(&png, wide, high));
            for window in [390, 1280] {
                visitor.be_wide(window, 844);
                visitor.open(&path);
                visitor.element("#image");
                let sticks_out = "document.documentElement.scrollWidth > innerWidth";
                visitor.finds(sticks_out, false);
                let height = visitor.evaluate("document.documentElement.scrollHeight");
                assert!(height.as_u64() < Some(11_000), "{wide} × {high}");
            }
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_protected_image_is_shown_by_one_view_and_can_be_kept() {
    visit_server(showing(), On, |visitor| {
        let bytes = image("tide.png");
        for (header, password) in [
            (["X-Burn", "1"], ""),
            (["X-Burn", "2"], ""),
            (["X-Password", "dead reckoning"], "dead reckoning"),
        ] {
            let path = put(visitor, &bytes, header);
            visitor.open(&path);
            open_closed(visitor, password);
            visitor.until(IS_LOADED);
            visitor.finds(SIDES, json!([48, 32, 48, 32]));
            visitor.is_at(&path);
            if header[0] == "X-Burn" {
                let left = if header[1] == "1" {
                    "last view"
                } else {
                    "1 view left"
                };
                visitor.tells(".note", left);
            }

            let saved = "(it => (it.addEventListener('click', event => event.preventDefault()), \
                        it.click(), [it.download, it.href === document.querySelector('#image').src]))\
                        (document.querySelector('.actions #download'))";
            visitor.finds(saved, json!(["high tide.png", true]));
        }
    });
}

/// The dimensions of the image in the editor, if it is shown.
const THUMBNAIL: &str = "(it => it && !it.hidden && [it.naturalWidth, it.naturalHeight])\
    (document.querySelector('#thumbnail'))";

/// Pastes this image into the text, as a screenshot tool leaves it in the clipboard.
pub(super) fn paste(visitor: &Visitor, bytes: &[u8]) {
    let event = format!(
        "(data => (data.items.add(new File([new Uint8Array({bytes:?})], 'image.png', {{ type: 'image/png' }})), \
         document.querySelector('#content').dispatchEvent(new ClipboardEvent('paste', \
         {{ clipboardData: data, cancelable: true }}))))(new DataTransfer())"
    );
    visitor.evaluate(&event);
}

#[test]
#[ignore = "needs chromium"]
fn an_image_that_is_pasted_dropped_or_chosen_is_seen_and_saved_as_it_is() {
    let folder = Folder::new("files");
    let bytes = image("tide.png");
    folder.write("image.png", &bytes);
    for way in ["paste", "drop", "choose"] {
        visit_server(showing(), On, |visitor| {
            visitor.open("/");
            match way {
                "paste" => paste(visitor, &bytes),
                "drop" => visitor.drop_file(&folder.path().join("image.png")),
                _ => {
                    let path = folder.path().join("image.png");
                    visitor.choose_file("#file", &path);
                }
            }
            visitor.finds(THUMBNAIL, json!([48, 32]));
            visitor.shows("#notice", "image.png will be uploaded unchanged. Remove");
            visitor.click("#notice button");
            visitor.finds(THUMBNAIL, false);
            paste(visitor, &bytes);
            visitor.finds(THUMBNAIL, json!([48, 32]));
            visitor.click(".submit button");
            visitor.shows(".title", "image.png");
            visitor.until(IS_LOADED);
            let raw = format!("/raw{}", visitor.path());
            assert_eq!(visitor.server.get(&raw).body, bytes);
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn without_scripts_the_file_field_takes_an_image() {
    let folder = Folder::new("files");
    folder.write("tide.webp", image("tide.webp"));
    visit_server(showing(), Off, |visitor| {
        visitor.open("/");
        let path = folder.path().join("tide.webp");
        visitor.choose_file("#file", &path);
        visitor.click(".submit button");
        visitor.shows(".title", "tide.webp");
        visitor.finds(SIDES, json!([48, 32, 48, 32]));
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_editor_shows_no_file_that_will_not_be_shown() {
    let bytes = image("tide.png");
    let (none, broken) = (TestServer::start(), b"\x89PNG\r\n\x1a\n\0");
    for (server, bytes) in [(none, &*bytes), (showing(), &broken[..])] {
        visit_server(server, On, |visitor| {
            visitor.open("/");
            paste(visitor, bytes);
            visitor.tells("#notice", "image.png will be uploaded unchanged.");
            visitor.until(&format!("!{THUMBNAIL}"));
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_server_that_shows_no_images_offers_the_download() {
    visit(On, |visitor| {
        let path = open_image(visitor, &image("tide.png"));
        visitor.open(&path);
        visitor.tells(".note", "this server does not show images.");
        visitor.tells(".head", "PNG image");
        visitor.tells(".facts", "48 × 32 pixels");
        visitor.finds("document.images.length", 1);
        let link = "document.querySelector('.actions .button').getAttribute('href')";
        visitor.finds(link, format!("/dl{path}"));
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_hostile_image_runs_nothing_on_its_page_and_alone() {
    let html = b"<script>alert(1)</script><img src=x onerror=alert(1)>\xff";
    let [png, gif, jpeg] = ["tide.png", "tide.gif", "tide.jpg"].map(image);
    let script = b"\xff\xfe\x00\x11*/alert(1)//<b>";
    visit_server(showing(), On, |visitor| {
        for bytes in [
            [&*png, html].concat(),
            [&*gif, html].concat(),
            [b"GIF89a/*\x01\x01*/=alert(1);", &html[..]].concat(),
            [&jpeg[..2], script, &jpeg[2..]].concat(),
            with_dimensions(&png, 9, 9),
            png[..40].to_vec(),
        ] {
            let path = open_image(visitor, &bytes);
            visitor.open(&path);
            visitor.until(IS_LOADED);
            visitor.finds("document.scripts.length", 1);
            visitor.finds("frames.length", 0);
            visitor.open(&format!("/raw{path}"));
            visitor.finds("document.contentType.split('/')[0]", "image");
            visitor.finds("document.scripts.length", 0);
        }
    });
}
