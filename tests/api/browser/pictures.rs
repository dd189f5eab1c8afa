//! Every kind of page at four widths: none is wider than its window. With a folder in `PICTURES`, pictures of them are
//! written there in both schemes, for people to look at.

use std::path::PathBuf;

use super::logs::LOG;
use super::operate::{moderated, operate};
use super::recent::at_the_browsers_time;
use super::secrets::github_token;
use super::{TYPED, open_closed, open_menu, save, save_closed};
use crate::chromium::Scripts::On;
use crate::chromium::{Visitor, visit_server};
use crate::forms::Forms;
use crate::server::TestServer;

const WIDTHS: [u32; 4] = [390, 800, 1280, 1920];

/// The distance of the content's first line from the top of the page.
const FIRST_LINE: &str = "document.querySelector('.listing span, .document > *')\
    .getBoundingClientRect().top + scrollY";

/// Asserts that the open page is not wider than its window, and takes its pictures if they are wanted.
fn photograph(visitor: &Visitor, name: &str) {
    let folder = std::env::var_os("PICTURES").map(PathBuf::from);
    for width in WIDTHS {
        visitor.be_wide(width, 844);
        let content = visitor.evaluate("document.documentElement.scrollWidth");
        assert!(content.as_u64() <= Some(width.into()), "{name} {width}");
        for scheme in ["light", "dark"] {
            let Some(folder) = &folder else { continue };
            visitor.prefer(scheme);
            let file = folder.join(format!("{name}-{width}-{scheme}.png"));
            std::fs::write(file, visitor.picture()).unwrap();
        }
    }
    visitor.be_wide(390, 844);
}

fn server() -> TestServer {
    at_the_browsers_time(moderated())
}

fn photograph_at(visitor: &Visitor, path: &str, name: &str) {
    visitor.open(path);
    photograph(visitor, name);
}

#[test]
#[ignore = "needs chromium"]
fn every_page_for_a_reader_has_its_pictures() {
    visit_server(server(), On, |visitor| {
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
        let binary = put("/data.bin", &[0xff_u8, 1].repeat(1500));
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
            photograph_at(visitor, path, name);
        }
        visitor.open(&code);
        open_menu(visitor);
        photograph(visitor, "code-menu");
        visitor.open(&code);
        visitor.click("#kind");
        visitor.element("#languages");
        photograph(visitor, "code-languages");
        visitor.open("/");
        visitor.type_into("#content", &format!("one\ntoken = {}", github_token()));
        visitor.click(".submit button");
        visitor.element("dialog[open]");
        photograph(visitor, "editor-secret");
        visitor.open(&log);
        visitor.type_into("#filter", "order");
        visitor.element("#shown:not(:empty)");
        photograph(visitor, "log-filtered");
        for path in [
            &code,
            &json,
            &binary,
            &visitor.server.save("\u{202e}x ".repeat(99)).path,
        ] {
            let report = format!("{path}/report");
            let report = visitor
                .server
                .request("POST", &report)
                .form("reason=Phishing");
            assert_eq!(report.send().status, 200);
        }
        operate(visitor);
        photograph(visitor, "operate");
    });
}

#[test]
#[ignore = "needs chromium"]
fn every_page_of_a_list_has_its_pictures() {
    let own = TestServer::with(&["--base-url", "https://bin.example"]);
    for (server, name) in [
        (server(), "mine-recent"),
        (at_the_browsers_time(own), "mine"),
    ] {
        visit_server(server, On, |visitor| {
            for title in ["", "main.rs", &"A long title ".repeat(15)] {
                save(visitor, TYPED, title);
            }
            save_closed(visitor, "a secret", "", "dead reckoning");
            photograph_at(visitor, "/mine", name);
            if name == "mine" {
                visitor.click(".mine input");
                visitor.click(".delete summary");
                photograph(visitor, "mine-question");
            }
            visitor.type_into("#filter", "rust");
            photograph(visitor, &format!("{name}-filtered"));
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn every_page_of_an_image_has_its_pictures() {
    let large = include_bytes!("../../../docs/pictures/light.png");
    for images in ["on", "off"] {
        visit_server(TestServer::with(&["--images", images]), On, |visitor| {
            let put = |name: &str, burn: &str, bytes: &[u8]| {
                let request = visitor.server.request("PUT", name).header("X-Burn", burn);
                crate::server::Saved::of(&request.body(bytes).send()).path
            };
            let small = visitor.server.save(crate::images::image("tide.png")).path;
            let burning = put("/screenshot.png", "1", large);
            photograph_at(visitor, &small, &format!("image-{images}"));
            visitor.open(&burning);
            if images == "on" {
                open_closed(visitor, "");
                photograph(visitor, "image-burned");
                visitor.open("/");
                super::images::paste(visitor, large);
                visitor.until("!document.querySelector('#thumbnail').hidden");
                photograph(visitor, "editor-image");
            }
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn every_page_for_an_owner_has_its_pictures() {
    visit_server(server(), On, |visitor| {
        let own = save(visitor, TYPED, "A title of some words");
        photograph(visitor, "saved");
        photograph_at(visitor, &own, "own");
        open_menu(visitor);
        photograph(visitor, "own-menu");
        visitor.click(".delete summary");
        photograph(visitor, "own-delete");
        for page in ["edit", "stats", "language"] {
            photograph_at(visitor, &format!("{own}/{page}"), &format!("own-{page}"));
        }
        let burning = save_closed(visitor, "a secret", "1", "");
        photograph_at(visitor, &burning, "burning");
        let locked = save_closed(visitor, "a secret", "3", "dead reckoning");
        photograph(visitor, "locked-saved");
        visitor.open(&locked);
        open_closed(visitor, "wrong");
        photograph(visitor, "locked-complaint");
        open_closed(visitor, "dead reckoning");
        photograph(visitor, "unlocked");
        photograph_at(visitor, "/mine", "mine-recent");
        visitor.open("/");
        visitor.click(".shorten summary");
        visitor.type_into("#url", "https://example.org/a");
        visitor.click(".shorten button");
        visitor.element(".target");
        photograph(visitor, "link");
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_first_line_of_a_paste_is_near_the_top_of_a_phone() {
    visit_server(server(), On, |visitor| {
        visitor.be_wide(390, 844);
        let own = save(visitor, TYPED, "A title of some words");
        let document = visitor.server.save("# A title\n\nAnd text.\n").path;
        let log = visitor.server.save(LOG).path;
        for path in [own, format!("{document}.md"), format!("{log}.log")] {
            visitor.open(&path);
            visitor.element(".actions");
            let top = visitor.evaluate(FIRST_LINE).as_f64().unwrap();
            assert!(top <= 200.0, "{path}: {top}");
        }
    });
}
