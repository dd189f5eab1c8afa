//! Images: their page, their bytes, and protected ones, where the operator shows images and where not.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::client::Response;
use crate::every_tier::counts::stats;
use crate::forms::Forms;
use crate::server::{Saved, TestServer, Tier};

/// The file below `tests/api/fixtures/images` with this name.
pub fn image(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/api/fixtures/images");
    std::fs::read(format!("{folder}/{name}")).unwrap()
}

/// Images of 48 × 32 pixels: the file, its media type, and its kind on a page.
pub const IMAGES: [(&str, &str, &str); 5] = [
    ("tide.png", "image/png", "PNG image"),
    ("tide.jpg", "image/jpeg", "JPEG image"),
    ("tide.gif", "image/gif", "GIF image"),
    ("tide.webp", "image/webp", "WebP image"),
    ("tide.avif", "image/avif", "AVIF image"),
];

fn showing() -> TestServer {
    TestServer::with(&["--images", "on"])
}

/// Saves bytes under options in the query.
fn save(server: &TestServer, query: &str, bytes: &[u8]) -> Saved {
    let request = server.request("POST", &format!("/?{query}"));
    Saved::of(&request.body(bytes).send())
}

fn assert_runs_nothing(response: &Response) {
    let header = |name| response.header(name).unwrap_or_default();
    assert_eq!(
        header("content-security-policy"),
        "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox"
    );
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("cross-origin-resource-policy"), "same-origin");
    assert_eq!(header("x-frame-options"), "DENY");
}

#[test]
fn a_page_shows_an_image_with_its_format_and_dimensions() {
    let server = showing();
    for (name, _, label) in IMAGES {
        let saved = save(&server, "title=high%20tide", &image(name));
        let page = server.browse(&saved.path);
        let source = format!("src=\"{}?embedded\"", saved.raw());
        for part in [
            label,
            "48 × 32 pixels",
            "width=\"48\" height=\"32\" alt=\"high tide\"",
            &source,
        ] {
            assert!(page.text().contains(part), "{part}: {}", page.text());
        }
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("img-src 'self';"), "{policy}");
    }
}

#[test]
fn an_image_with_too_many_pixels_also_in_a_frame_is_only_offered_as_a_download() {
    let server = showing();
    let mut png = image("tide.png");
    png[16..24].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x20, 0]);
    // A screen of one pixel with a frame of 20,000 × 20,000
    let gif = b"GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x20\x4e\x20\x4e\0\x02\x01\xff\0;";
    for bytes in [&png[..], gif] {
        let page = server.browse(&server.save(bytes).path);
        assert!(page.text().contains("too many pixels"), "{}", page.text());
        assert!(!page.text().contains("?embedded"));
    }
}

#[test]
fn the_raw_bytes_of_an_image_have_its_type_and_run_nothing() {
    let server = showing();
    for (name, media_type, _) in IMAGES {
        let bytes = image(name);
        let saved = server.save(&bytes);
        for path in [saved.raw(), format!("{}?embedded", saved.raw())] {
            let raw = server.get(&path);
            assert_eq!(raw.header("content-type"), Some(media_type), "{name}");
            assert_eq!(raw.body, bytes);
            assert_runs_nothing(&raw);
        }
        // All else is as it was.
        for path in [&saved.path, &saved.download()] {
            let other = server.get(path);
            assert_eq!(
                other.header("content-type"),
                Some("application/octet-stream")
            );
            assert_eq!(other.body, bytes);
        }
    }
}

#[test]
fn a_server_that_shows_no_images_names_their_format_and_offers_the_download() {
    let server = TestServer::start();
    for (name, _, label) in IMAGES {
        let saved = server.save(image(name));
        let page = server.browse(&saved.path);
        for part in [label, "48 × 32 pixels", "this server does not show images."] {
            assert!(page.text().contains(part), "{part}: {}", page.text());
        }
        assert!(
            page.text()
                .contains(&format!("href=\"{}\"", saved.download()))
        );
        for absent in ["id=\"image\"", "class=\"hex\"", "?embedded"] {
            assert!(!page.text().contains(absent), "{absent}");
        }
        let raw = server.get(&saved.raw());
        assert_eq!(raw.header("content-type"), Some("application/octet-stream"));
        assert_runs_nothing(&raw);
    }
}

#[test]
fn a_download_without_a_name_gets_the_ending_of_the_format() {
    for server in [showing(), TestServer::start()] {
        let png = image("tide.png");
        for (title, name) in [
            ("", None),
            ("tide", Some("tide.png")),
            ("a.jpg", Some("a.jpg")),
        ] {
            let saved = save(&server, &format!("title={title}"), &png);
            let name = name.map_or_else(|| format!("{}.png", saved.id), str::to_owned);
            let file = server.get(&saved.download());
            let disposition = format!("attachment; filename=\"{name}\"");
            assert_eq!(file.header("content-disposition"), Some(&*disposition));
        }
    }
}

#[test]
fn a_change_names_an_image_by_the_tag_of_its_bytes() {
    let server = showing();
    let saved = server.save(image("tide.png"));
    let etag = server.get(&saved.raw()).header("etag").unwrap().to_owned();
    let change = |etag: &str| {
        let request = server.request("PUT", &saved.path).body("a text");
        let request = request.header("X-Token", &saved.token);
        request.header("If-Match", etag).send().status
    };
    assert_eq!(change("\"e4-1\""), 412);
    assert_eq!(change(&etag), 200);
    let raw = server.get(&saved.raw());
    assert_eq!(
        raw.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
}

#[test]
fn the_image_on_a_page_is_not_a_view_of_its_own() {
    let server = showing();
    let views = |saved: &Saved| stats(&server, &saved.id, &saved.token)["reads"].clone();
    let picture = server.save(image("tide.png"));
    server.browse(&picture.path);
    server.get(&format!("{}?embedded", picture.raw()));
    assert_eq!(views(&picture), 1);
    server.get(&picture.raw());
    assert_eq!(views(&picture), 2);
    // The name in the query hides no other view.
    for content in [&b"text"[..], b"\xff\0"] {
        let other = server.save(content);
        server.get(&format!("{}?embedded", other.raw()));
        assert_eq!(views(&other), 1);
    }
}

#[test]
fn a_switched_setting_shows_to_a_browser_that_stored_the_page_and_the_image() {
    // Given responses that a browser has stored of a server that shows images
    let flags = |images| ["--base-url", "https://bin.example", "--images", images];
    let server = TestServer::of(Tier::Disk, &flags("on"));
    let saved = server.save(image("tide.png"));
    let ask = |server: &TestServer, path: &str, etag: &str| {
        let request = server
            .request("GET", path)
            .header("Accept", "text/html,*/*");
        request.header("If-None-Match", etag).send()
    };
    let paths = [saved.path.clone(), saved.raw()];
    let etags = |server: &TestServer| {
        let etag = |path: &String| ask(server, path, "").header("etag").unwrap().to_owned();
        paths.each_ref().map(etag)
    };
    let known = etags(&server);
    assert_eq!(ask(&server, &paths[1], &known[1]).status, 304);
    // When the operator switches images off, and on again
    let server = server.restart_with(&flags("off"));
    for (path, etag) in paths.iter().zip(&known) {
        assert_eq!(ask(&server, path, etag).status, 200, "{path}");
    }
    let plain = etags(&server);
    let server = server.restart_with(&flags("on"));
    for (path, etag) in paths.iter().zip(&plain) {
        assert_eq!(ask(&server, path, etag).status, 200, "{path}");
    }
    assert_eq!(etags(&server), known);
}

/// The reader's browser presses the button of the gate.
fn open(server: &TestServer, path: &str, password: &str) -> Response {
    let request = server
        .request("POST", path)
        .form(format!("password={password}"));
    request.header("Accept", "text/html,*/*;q=0.8").send()
}

#[test]
fn a_protected_image_is_in_its_page_and_is_not_read_twice() {
    let server = showing();
    let bytes = image("tide.png");
    let data = format!(
        "src=\"data:image/png;base64,{}\"",
        BASE64_STANDARD.encode(&bytes)
    );
    for (burn, password) in [("2", ""), ("", "dead-reckoning"), ("2", "dead-reckoning")] {
        let request = server.request(
            "POST",
            &format!(
                "/?title=tide{}",
                match burn {
                    "" => String::new(),
                    views => format!("&burn={views}"),
                }
            ),
        );
        let request = match password {
            "" => request,
            password => request.header("X-Password", password),
        };
        let saved = Saved::of(&request.body(&bytes).send());
        for left in [Some(1), Some(0)] {
            let page = open(&server, &saved.path, password);
            assert_eq!(page.status, 200);
            assert!(page.text().contains(&data) && page.text().contains("download=\"tide.png\""));
            assert!(!page.text().contains("?embedded") && !page.text().contains("dead-reckoning"));
            let policy = page.header("content-security-policy").unwrap();
            assert!(policy.contains("img-src 'self' data:;"), "{policy}");
            assert_eq!(page.header("cache-control"), Some("no-store"));
            let gate = server.browse(&saved.path);
            assert!(
                !gate
                    .header("content-security-policy")
                    .unwrap()
                    .contains("data:")
            );
            let is_gone = left == Some(0) && !burn.is_empty();
            assert_eq!(gate.status == 410, is_gone);
        }
    }
}

#[test]
fn a_protected_image_that_a_page_cannot_hold_is_downloaded() {
    let png = image("tide.png");
    let long = [&*png, &vec![0; 1024 * 1024]].concat();
    let vast = with_dimensions(&png, 65535, 65535);
    let hosts = ["on", "off"]
        .map(|images| TestServer::with(&["--images", images, "--max-paste-size", "2MiB"]));
    let [on, off] = &hosts;
    for (server, bytes) in [(on, &long), (on, &vast), (off, &png)] {
        for (options, password) in [("burn=1", ""), ("", "dead-reckoning")] {
            let request = server.request("POST", &format!("/?{options}"));
            let request = match password {
                "" => request,
                password => request.header("X-Password", password),
            };
            let saved = Saved::of(&request.body(bytes).send());
            let file = open(server, &saved.path, password);
            assert_eq!(&file.body, bytes);
            let disposition = format!("attachment; filename=\"{}.png\"", saved.id);
            assert_eq!(file.header("content-disposition"), Some(&*disposition));
            assert_runs_nothing(&file);
        }
    }
}

/// A PNG whose header states these dimensions.
pub fn with_dimensions(png: &[u8], width: u32, height: u32) -> Vec<u8> {
    let sides = [width.to_be_bytes(), height.to_be_bytes()].concat();
    [&png[..16], &sides, &png[24..]].concat()
}

/// A file that is a GIF and a script or a page at once.
fn polyglot(start: &[u8]) -> Vec<u8> {
    let script = b"=1;alert(1)//<script>alert(1)</script>\xff";
    [start, script].concat()
}

#[test]
fn a_hostile_image_is_an_image_or_bytes_and_nothing_else() {
    let server = showing();
    let [png, jpeg] = ["tide.png", "tide.jpg"].map(image);
    let html = b"<script>alert(1)</script><img src=x onerror=alert(1)>";
    for (bytes, media_type, is_shown) in [
        ([&*png, html].concat(), "image/png", true),
        (polyglot(b"GIF89a/*\x01\x01*/"), "image/gif", true),
        (
            [&jpeg[..2], b"\xff\xfe\x00\x11*/alert(1)//<b>", &jpeg[2..]].concat(),
            "image/jpeg",
            true,
        ),
        (with_dimensions(&png, 1, 9), "image/png", true),
        (with_dimensions(&png, 65535, 1000), "image/png", true),
        (with_dimensions(&png, 65535, 65535), "image/png", false),
        (
            with_dimensions(&png, u32::MAX, u32::MAX),
            "image/png",
            false,
        ),
        (png[..40].to_vec(), "image/png", true),
        (
            with_dimensions(&png, 0, 9),
            "application/octet-stream",
            false,
        ),
        (png[..20].to_vec(), "application/octet-stream", false),
        (
            b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".to_vec(),
            "text/plain; charset=utf-8",
            false,
        ),
        (
            b"GIF89a=1;alert(1)//".to_vec(),
            "text/plain; charset=utf-8",
            false,
        ),
    ] {
        let saved = save(&server, "title=%22%3E%3Cscript%3Ealert(2)", &bytes);
        let raw = server.get(&saved.raw());
        assert_eq!(raw.header("content-type"), Some(media_type));
        assert_eq!(raw.body, bytes);
        assert_runs_nothing(&raw);
        let page = server.browse(&saved.path);
        assert_eq!(
            page.text().contains("id=\"image\""),
            is_shown,
            "{media_type}"
        );
        assert!(!page.text().contains("<script>alert"), "{}", page.text());
        assert!(page.body.len() < 16_000, "{} bytes", page.body.len());
    }
}
