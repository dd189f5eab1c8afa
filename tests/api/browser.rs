//! What people do in a browser: a real one, with scripts and without.

use serde_json::json;

use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};

/// Several lines, every character with a meaning in HTML, two writing directions, no line feed at the end.
const TYPED: &str = "fn main() {\n    <b>&\"bold\"</b> &amp; 'quoted'\n\nسلام é\n}";

/// What would do something if it became markup anywhere.
const HOSTILE: &str =
    "</title></textarea></script><script>alert(1)</script>\"'><img src=/x onerror=alert(2)>{{7*7}}";

/// Types a paste and saves it; gives its path.
async fn save(visitor: &Visitor<'_>, text: &str, title: &str) -> String {
    visitor.open("/").await;
    visitor.type_into("#content", text).await;
    visitor.type_into("#title", title).await;
    visitor.choose("#lang", "rust").await;
    visitor.choose("#expires", "1h").await;
    visitor.click(".editor button").await;
    visitor.element(".listing").await;
    visitor.path().await
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn what_is_typed_into_the_form_is_on_the_page_that_the_save_leads_to() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "a <title> & more").await;
            assert_eq!(path.len(), "/".len() + 12, "{path} is not short");
            assert_eq!(visitor.text("h1").await, "a <title> & more");
            let title = visitor.client.title().await.unwrap();
            assert_eq!(title, "a <title> & more · tidebin");
            let facts = visitor.text(".facts").await;
            for fact in ["Rust", "5 lines", "goes out in 1 hour", "read once"] {
                assert!(facts.contains(fact), "no {fact} in {facts}");
            }
            let link = visitor.element("#link").await.prop("value").await.unwrap();
            let url = format!("http://{}{path}", visitor.server.addr);
            assert_eq!(link, Some(url));
            assert_eq!(visitor.text(".listing code").await, TYPED);
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn every_line_has_its_number_which_is_no_part_of_what_is_selected() {
    visit(Off, async |visitor| {
        save(visitor, TYPED, "").await;
        let lines = "[...document.querySelectorAll('.listing code > span')]";
        let ids = visitor
            .evaluate(&format!("{lines}.map(line => line.id)"))
            .await;
        assert_eq!(ids, json!(["L1", "L2", "L3", "L4", "L5"]));
        let drawn =
            "getComputedStyle(line.firstChild, '::before').content + line.firstChild.offsetWidth";
        let numbers = visitor
            .evaluate(&format!("{lines}.map(line => {drawn})"))
            .await;
        for number in numbers.as_array().unwrap() {
            let number = number.as_str().unwrap();
            assert!(
                number.starts_with("counter(line)") && !number.ends_with(")0"),
                "{number}"
            );
        }
        visitor
            .evaluate("getSelection().selectAllChildren(document.querySelector('.listing'))")
            .await;
        assert_eq!(visitor.evaluate("getSelection().toString()").await, TYPED);
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn raw_shows_the_exact_text_with_its_line_ends_as_typed() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "").await;
            visitor.click(".actions a[href^='/raw/']").await;
            assert_eq!(visitor.text("body > pre").await, TYPED);
            assert_eq!(visitor.path().await, format!("/raw{path}"));
            let raw = visitor.server.get(&format!("/raw{path}"));
            assert_eq!(raw.text(), TYPED);
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn lines_that_are_asked_for_are_marked_and_in_view() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let long: String = (1..=300).map(|n| format!("line {n}\n")).collect();
            let path = visitor.server.save(long).path;
            visitor.open(&format!("{path}.rs?lines=200-202")).await;
            visitor.element(".listing .marked").await;
            let marked = "[...document.querySelectorAll('.marked')]";
            let texts = visitor
                .evaluate(&format!("{marked}.map(line => line.textContent)"))
                .await;
            assert_eq!(texts, json!(["line 200\n", "line 201\n", "line 202\n"]));
            assert!(visitor.evaluate("scrollY").await.as_f64() > Some(0.0));
            let places = format!("{marked}.map(line => line.getBoundingClientRect())");
            let seen =
                format!("{places}.every(place => place.top > 0 && place.bottom < innerHeight)");
            assert_eq!(visitor.evaluate(&seen).await, true);

            visitor.open(&format!("{path}?lines=2-3")).await;
            assert_eq!(visitor.evaluate(&format!("{marked}.length")).await, 2);
            assert_eq!(visitor.evaluate("scrollY").await, 0);
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn who_saved_a_paste_deletes_it_with_its_pages_button() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, TYPED, "").await;
            visitor.click(".actions .danger").await;
            visitor.element(".message").await;
            assert_eq!(visitor.text("h1").await, "Deleted");
            visitor.open(&path).await;
            assert_eq!(visitor.text("h1").await, "Gone");
            assert!(visitor.text("main").await.contains("saved it deleted it"));
            assert_eq!(visitor.server.browse(&path).status, 410);
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn who_has_the_token_deletes_a_paste_from_any_browser() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let saved = visitor.server.save("x");
            visitor.open(&saved.path).await;
            visitor.click(".delete summary").await;
            visitor.type_into("#token", &saved.token).await;
            visitor.click(".actions .danger").await;
            visitor.element(".message").await;
            assert_eq!(visitor.text("h1").await, "Deleted");
            assert_eq!(visitor.server.get(&saved.path).status, 410);
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_copy_button_copies_the_text_and_is_not_there_without_scripts() {
    visit(On, async |visitor| {
        save(visitor, TYPED, "").await;
        visitor.click("#copy").await;
        visitor
            .client
            .wait()
            .for_element(fantoccini::Locator::XPath("//button[.='Copied']"))
            .await
            .unwrap();
        visitor.open("/").await;
        visitor.type_into("#content", "\u{e009}v").await;
        let pasted = visitor.element("#content").await.prop("value").await;
        assert_eq!(pasted.unwrap().as_deref(), Some(TYPED));
    });
    visit(Off, async |visitor| {
        save(visitor, TYPED, "").await;
        assert!(!visitor.element("#copy").await.is_displayed().await.unwrap());
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn control_and_enter_save_without_the_mouse() {
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.type_into("#content", "typed\u{e009}\u{e007}").await;
        assert_eq!(visitor.text(".listing code").await, "typed");
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn hostile_text_stays_text_on_every_page() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = save(visitor, HOSTILE, HOSTILE).await;
            for page in [
                path.clone(),
                format!("{path}.html"),
                format!("{path}?lines=1"),
            ] {
                visitor.open(&page).await;
                assert_eq!(visitor.text("h1").await, HOSTILE);
                assert_eq!(visitor.text(".listing code").await, HOSTILE);
                assert_eq!(visitor.evaluate("document.images.length").await, 2);
                let title = visitor.client.title().await.unwrap();
                assert_eq!(title, format!("{HOSTILE} · tidebin"));
            }
            visitor.open(&format!("/raw{path}")).await;
            assert_eq!(visitor.text("body > pre").await, HOSTILE);
            visitor.open("/<img%20src=x>?lines=<script>").await;
            assert_eq!(visitor.evaluate("document.images.length").await, 1);
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn what_is_not_there_leads_back_to_a_new_paste_and_help_is_at_hand() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            visitor.open("/nothing").await;
            assert_eq!(visitor.text("h1").await, "Not Found");
            visitor.click(".message .button").await;
            visitor.element(".editor").await;
            assert_eq!(visitor.path().await, "/");
            visitor.click(".top a[href='/help']").await;
            let command = format!("curl -T notes.txt http://{}/", visitor.server.addr);
            assert!(visitor.text("main pre").await.contains(&command));
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn long_lines_wrap_until_asked_not_to() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = visitor.server.save("long ".repeat(200)).path;
            visitor.open(&path).await;
            visitor.element("#wrap").await;
            let hidden =
                "(pre => pre.scrollWidth - pre.clientWidth)(document.querySelector('.listing'))";
            assert_eq!(visitor.evaluate(hidden).await, 0);
            visitor.click("#wrap").await;
            assert!(visitor.evaluate(hidden).await.as_i64() > Some(1000));
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn no_page_is_wider_than_a_phone() {
    visit(Off, async |visitor| {
        let unbroken = "x".repeat(5000);
        let request = |content: &[u8]| {
            let request = visitor
                .server
                .request("POST", "/")
                .header("X-Title", &unbroken);
            crate::server::Saved::of(&request.body(content).send()).path
        };
        let (text, binary) = (request(unbroken.as_bytes()), request(&[0xff; 5000]));
        visitor.take_a_phone();
        for path in ["/", &text, &binary, "/help", "/nothing"] {
            visitor.open(path).await;
            assert_eq!(visitor.evaluate("innerWidth").await, 360, "{path}");
            let width = visitor
                .evaluate("document.documentElement.scrollWidth")
                .await;
            assert_eq!(width, 360, "{path}");
        }
        // The whole form is in view.
        visitor.open("/").await;
        let save =
            "document.querySelector('.submit button').getBoundingClientRect().bottom < innerHeight";
        assert_eq!(visitor.evaluate(save).await, true);
    });
}
