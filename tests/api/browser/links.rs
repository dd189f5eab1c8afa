//! Short links: a page shows the target before anyone follows the link.

use crate::chromium::Scripts::{Off, On};
use crate::chromium::input::ENTER;
use crate::chromium::visit;
use crate::server::TestServer;

#[test]
#[ignore = "needs chromium"]
fn a_short_link_redirects_after_a_page_that_shows_its_target() {
    let elsewhere = TestServer::start();
    visit(On, |visitor| {
        visitor.may_go_to(&elsewhere);
        let target = format!("http://{}/help?a=1&b=2#read", elsewhere.addr);
        for key in ["", ENTER] {
            visitor.open("/");
            // The text in the other form is not part of the link.
            visitor.type_into("#content", "a draft");
            visitor.click(".shorten summary");
            visitor.type_into("#url", &format!("{target}{key}"));
            if key.is_empty() {
                visitor.click(".shorten button");
            }
            visitor.shows(".target", &target);
        }
        let page = visitor.path();
        let path = page.strip_suffix('+').expect("the page before it");
        assert_eq!(path.len(), "/".len() + 12);
        visitor.shows(".target b", "127.0.0.1");
        visitor.tells(".facts", "No clicks yet");
        let short = format!("http://{}{path}", visitor.server.addr);
        visitor.holds("#link", &short);
        visitor.click(".gate .button");
        visitor.element(".prose");
        visitor.finds("location.href", &*target);
        visitor.finds("document.referrer", "");

        visitor.open_url(&short);
        visitor.finds("location.href", &*target);
        visitor.open(&page);
        visitor.tells(".facts", "1 click");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_server_that_previews_links_answers_a_short_link_with_the_preview() {
    let elsewhere = TestServer::start();
    let server = TestServer::with(&["--redirect", "preview"]);
    crate::chromium::visit_server(server, Off, |visitor| {
        visitor.may_go_to(&elsewhere);
        let target = format!("http://{}/", elsewhere.addr);
        visitor.open("/");
        visitor.click(".shorten summary");
        visitor.type_into("#url", &target);
        visitor.click(".shorten button");
        visitor.element(".target");
        let page = visitor.path();
        visitor.open(page.trim_end_matches('+'));
        visitor.shows(".target", &target);
        visitor.click(".gate .button");
        visitor.element(".editor");
        visitor.finds("location.href", &*target);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_refused_url_comes_back_in_its_open_form_with_the_reason() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            let own = format!("http://{}/x", visitor.server.addr);
            visitor.open("/");
            visitor.click(".shorten summary");
            visitor.type_into("#url", &own);
            visitor.follow(".shorten button");
            visitor.tells(".shorten[open] .complaint", "this server");
            visitor.finds("document.querySelectorAll('.complaint').length", 1);
            // It is above the field, in the whole width.
            let rows = "['.complaint', '#url'].map(css => document.querySelector(css).getBoundingClientRect())";
            visitor.until(&format!("(([one, two]) => one.bottom < two.top)({rows})"));
            visitor.finds("document.activeElement.id", "url");
            visitor.holds("#url", &own);
            visitor.clear("#url");
            visitor.type_into("#url", "https://example.org/a");
            visitor.follow(".shorten button");
            visitor.tells(".target", "https://example.org/a");
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_password_can_be_seen_and_a_text_that_is_one_url_can_be_shortened_instead() {
    visit(On, |visitor| {
        visitor.open("/");
        let readers = "document.querySelector('#readers').innerText";
        visitor.finds(readers, "Anyone with the link can read it.");
        visitor.click("[value=password]");
        visitor.until(&format!("{readers}.includes('the password')"));
        visitor.type_into("#password", "dead reckoning");
        visitor.click(".peek");
        visitor.finds("document.querySelector('#password').type", "text");
        visitor.click(".peek");
        visitor.finds("document.querySelector('#password').type", "password");
        visitor.click("[value=once]");
        visitor.finds(readers, "It is deleted after one view.");
        visitor.holds("#password", "");
        visitor.click("#options summary");
        visitor.choose("#burn", "3");
        visitor.finds(readers, "It is deleted after 3 views.");
        visitor.choose("#burn", "");
        visitor.finds(readers, "Anyone with the link can read it.");
        visitor.type_into("#content", "https://example.org/a two");
        visitor.finds("document.querySelector('#shorten-it').hidden", true);
        visitor.open("/");
        visitor.clear("#content");
        visitor.type_into("#content", "https://example.org/a");
        visitor.click("#shorten-it");
        visitor.tells(".target", "https://example.org/a");
        visitor.finds("localStorage.getItem('draft')", serde_json::Value::Null);
    });
}
