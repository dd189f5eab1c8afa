//! Pictures of every kind of page at four widths in both schemes, for people to look at. They are written to
//! `target/pictures`, or to the folder in `PICTURES`.

use std::path::PathBuf;

use super::logs::LOG;
use super::operate::{moderated, operate};
use super::recent::at_the_browsers_time;
use super::secrets::github_token;
use super::{TYPED, open_closed, open_menu, save, save_closed};
use crate::chromium::Scripts::On;
use crate::chromium::{Visitor, visit_server};
use crate::server::TestServer;

const WIDTHS: [u32; 4] = [390, 800, 1280, 1920];

/// The distance of the content's first line from the top of the page.
const FIRST_LINE: &str = "document.querySelector('.listing span, .document > *')\
    .getBoundingClientRect().top + scrollY";

/// Takes the pictures of the open page, and asserts that none is wider than its window.
async fn photograph(visitor: &Visitor<'_>, name: &str) {
    let folder = std::env::var_os("PICTURES").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/pictures"),
        PathBuf::from,
    );
    std::fs::create_dir_all(&folder).unwrap();
    for width in WIDTHS {
        visitor.be_wide(width, 844);
        let content = visitor.evaluate("document.documentElement.scrollWidth");
        assert!(
            content.await.as_u64() <= Some(width.into()),
            "{name} {width}"
        );
        for scheme in ["light", "dark"] {
            visitor.prefer(scheme);
            let picture = visitor.client.screenshot().await.unwrap();
            let file = folder.join(format!("{name}-{width}-{scheme}.png"));
            std::fs::write(file, picture).unwrap();
        }
    }
    visitor.be_wide(390, 844);
}

fn server() -> TestServer {
    at_the_browsers_time(moderated())
}

async fn photograph_at(visitor: &Visitor<'_>, path: &str, name: &str) {
    visitor.open(path).await;
    photograph(visitor, name).await;
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn every_page_for_a_reader_has_its_pictures() {
    visit_server(server(), On, async |visitor| {
        let code = include_str!("../../../src/page/qr.rs");
        let put = |name: &str, content: &[u8]| {
            let request = visitor.server.request("PUT", name).body(content);
            crate::server::Saved::of(&request.send()).path
        };
        let code = put("/qr.rs", code.as_bytes());
        let document = put("/read.md", include_bytes!("document.md"));
        let table = put("/sizes.csv", super::data::table().as_bytes());
        let json = put("/answer.json", super::data::minified().as_bytes());
        let log = put("/app.log", LOG.as_bytes());
        let binary = put("/data.bin", &[0xff; 3000]);
        for (path, name) in [
            ("/", "editor"),
            (&code, "code"),
            (&format!("{code}?lines=10-20"), "code-lines"),
            (&format!("{code}/language"), "languages"),
            (&format!("{code}/stats"), "token"),
            (&format!("{code}/report"), "report"),
            (&document, "document"),
            (&table, "table"),
            (&json, "json"),
            (&log, "log"),
            (&binary, "binary"),
            ("/help", "help"),
            ("/api", "api"),
            ("/mine", "mine-empty"),
            ("/login", "login"),
            ("/nothing", "message"),
        ] {
            photograph_at(visitor, path, name).await;
        }
        visitor.open(&code).await;
        open_menu(visitor).await;
        photograph(visitor, "code-menu").await;
        visitor.open(&code).await;
        visitor.click("#kind").await;
        visitor.element("#languages").await;
        photograph(visitor, "code-languages").await;
        visitor.open("/").await;
        visitor
            .type_into("#content", &format!("one\ntoken = {}", github_token()))
            .await;
        visitor.click(".submit button").await;
        visitor.element("dialog[open]").await;
        photograph(visitor, "editor-secret").await;
        visitor.open(&log).await;
        visitor.type_into("#filter", "order").await;
        visitor.element("#shown:not(:empty)").await;
        photograph(visitor, "log-filtered").await;
        operate(visitor).await;
        photograph(visitor, "operate").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn every_page_of_an_image_has_its_pictures() {
    let large = include_bytes!("../../../docs/pictures/light.png");
    for images in ["on", "off"] {
        visit_server(
            TestServer::with(&["--images", images]),
            On,
            async |visitor| {
                let put = |name: &str, burn: &str, bytes: &[u8]| {
                    let request = visitor.server.request("PUT", name).header("X-Burn", burn);
                    crate::server::Saved::of(&request.body(bytes).send()).path
                };
                let small = visitor.server.save(crate::images::image("tide.png")).path;
                let burning = put("/screenshot.png", "1", large);
                photograph_at(visitor, &small, &format!("image-{images}")).await;
                visitor.open(&burning).await;
                if images == "on" {
                    open_closed(visitor, "").await;
                    photograph(visitor, "image-burned").await;
                    visitor.open("/").await;
                    super::images::paste(visitor, large).await;
                    visitor
                        .until("!document.querySelector('#thumbnail').hidden")
                        .await;
                    photograph(visitor, "editor-image").await;
                }
            },
        );
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn every_page_for_an_owner_has_its_pictures() {
    visit_server(server(), On, async |visitor| {
        let own = save(visitor, TYPED, "A title of some words").await;
        photograph(visitor, "saved").await;
        photograph_at(visitor, &own, "own").await;
        open_menu(visitor).await;
        visitor.click(".delete summary").await;
        photograph(visitor, "own-menu").await;
        for page in ["edit", "stats", "language"] {
            photograph_at(visitor, &format!("{own}/{page}"), &format!("own-{page}")).await;
        }
        let burning = save_closed(visitor, "a secret", "1", "").await;
        photograph_at(visitor, &burning, "burning").await;
        save_closed(visitor, "a secret", "3", "dead reckoning").await;
        photograph(visitor, "locked-saved").await;
        open_closed(visitor, "wrong").await;
        photograph(visitor, "locked-complaint").await;
        open_closed(visitor, "dead reckoning").await;
        photograph(visitor, "unlocked").await;
        photograph_at(visitor, "/mine", "mine-recent").await;
        visitor.open("/").await;
        visitor.type_into("#url", "https://example.org/a").await;
        visitor.click(".shorten button").await;
        visitor.element(".target").await;
        photograph(visitor, "link").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_first_line_of_a_paste_is_near_the_top_of_a_phone() {
    visit_server(server(), On, async |visitor| {
        visitor.be_wide(390, 844);
        let own = save(visitor, TYPED, "A title of some words").await;
        let document = visitor.server.save("# A title\n\nAnd text.\n").path;
        let log = visitor.server.save(LOG).path;
        for path in [own, format!("{document}.md"), format!("{log}.log")] {
            visitor.open(&path).await;
            visitor.element(".actions").await;
            let top = visitor.evaluate(FIRST_LINE).await.as_f64().unwrap();
            assert!(top <= 200.0, "{path}: {top}");
        }
    });
}
