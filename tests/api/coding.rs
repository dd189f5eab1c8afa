//! Compression: pages and assets are compressed if the client accepts it, and pastes are sent as they were saved.

use std::io::Read;

use crate::client::Response;
use crate::server::TestServer;

/// What a client accepts, and the codings of a page and of an asset.
const CODINGS: [(&str, Option<&str>, Option<&str>); 6] = [
    ("gzip, deflate, br, zstd", Some("gzip"), Some("br")),
    ("gzip", Some("gzip"), Some("gzip")),
    ("br;q=0, gzip;q=0.5", Some("gzip"), Some("gzip")),
    ("br", None, Some("br")),
    ("identity", None, None),
    ("zstd", None, None),
];

fn browse(server: &TestServer, path: &str, codings: &str) -> Response {
    server
        .request("GET", path)
        .header("Accept", "text/html")
        .header("Accept-Encoding", codings)
        .send()
}

pub fn decoded(answer: &Response) -> Vec<u8> {
    let mut decoded = Vec::new();
    let body = answer.body.as_slice();
    match answer.header("content-encoding") {
        Some("br") => {
            _ = brotli::Decompressor::new(body, 4096)
                .read_to_end(&mut decoded)
                .unwrap()
        }
        Some("gzip") => {
            _ = flate2::read::GzDecoder::new(body)
                .read_to_end(&mut decoded)
                .unwrap()
        }
        Some(other) => panic!("{other} was not asked for"),
        None => decoded.extend_from_slice(body),
    }
    decoded
}

#[test]
fn pages_and_assets_are_compressed_as_the_client_accepts() {
    let server = TestServer::start();
    let saved = server.save("fn main() {}\n".repeat(50));
    let page = server.browse("/");
    let style = page
        .text()
        .split('"')
        .find(|text| text.contains("/assets/style"));
    let style = style.expect("a page names its style sheet").to_owned();
    for path in ["/", "/help", &saved.path, &style] {
        let plain = server.browse(path);
        for (accepted, of_page, of_asset) in CODINGS {
            let coding = if path == style { of_asset } else { of_page };
            let answer = browse(&server, path, accepted);
            assert_eq!(
                answer.header("content-encoding"),
                coding,
                "{path} {accepted}"
            );
            assert_eq!(answer.header("vary"), Some("Accept, Accept-Encoding"));
            if coding.is_some() {
                assert!(
                    answer.body.len() < plain.body.len() / 2,
                    "{path} {accepted}"
                );
            }
            assert_eq!(decoded(&answer), plain.body, "{path} {accepted}");
        }
    }
}

#[test]
fn the_bytes_of_a_paste_are_never_compressed() {
    let server = TestServer::start();
    let saved = server.save("a".repeat(5000));
    for path in [saved.raw(), saved.download()] {
        let answer = browse(&server, &path, "gzip, br");
        assert_eq!(answer.header("content-encoding"), None);
        assert_eq!(answer.header("vary"), Some("Accept"));
        assert_eq!(answer.body.len(), 5000);
    }
}

/// Code of this many bytes whose names are random, so that it hardly compresses.
fn dense(bytes: usize) -> String {
    let mut state = 1_u64;
    let mut letters = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap())
    });
    let mut word = || letters.by_ref().take(7).collect::<String>();
    let mut code = String::new();
    while code.len() < bytes {
        code += &format!("let {} = {}(\"{}\");\n", word(), word(), word());
    }
    code.truncate(bytes);
    code
}

#[test]
fn a_page_of_code_with_all_it_needs_is_at_most_12_kib_on_the_wire() {
    let server = TestServer::start();
    let saved = server.save(dense(1024));
    let page = browse(&server, &format!("{}.rs", saved.path), "gzip, br");
    let html = String::from_utf8(decoded(&page)).unwrap();
    let mut assets: Vec<&str> = html
        .split('"')
        // A page loads this module once a line is marked.
        .filter(|text| text.starts_with("/assets/") && !text.starts_with("/assets/lines."))
        .collect();
    assets.sort_unstable();
    assets.dedup();
    let sizes = assets
        .iter()
        .map(|path| browse(&server, path, "gzip, br").body.len());
    let total = page.body.len() + sizes.sum::<usize>();
    assert!(total <= 12 * 1024, "{total} bytes in {assets:?}");
    // That of every page, and that of pastes
    assert_eq!(html.matches("rel=\"stylesheet\"").count(), 2);
    assert!(html.matches("<script").count() <= 1);
}
