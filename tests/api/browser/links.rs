//! Short links: a page shows the target before anyone follows the link.

use crate::chromium::Scripts::{Off, On};
use crate::chromium::visit;
use crate::server::TestServer;

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_short_link_redirects_after_a_page_that_shows_its_target() {
    let elsewhere = TestServer::start();
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            visitor.may_go_to(&elsewhere);
            let target = format!("http://{}/help?a=1&b=2#read", elsewhere.addr);
            for key in ["", "\u{e007}"] {
                visitor.open("/").await;
                // The text in the other form is not part of the link.
                visitor.type_into("#content", "a draft").await;
                visitor.type_into("#url", &format!("{target}{key}")).await;
                if key.is_empty() {
                    visitor.click(".shorten button").await;
                }
                visitor.shows(".target", &target).await;
            }
            let page = visitor.path().await;
            let path = page.strip_suffix('+').expect("the page before it");
            assert_eq!(path.len(), "/".len() + 12);
            visitor.shows(".target b", "127.0.0.1").await;
            visitor.tells(".facts", "No clicks yet").await;
            let short = format!("http://{}{path}", visitor.server.addr);
            visitor.holds("#link", &short).await;
            visitor.click(".gate .button").await;
            visitor.element(".prose").await;
            visitor.finds("location.href", &*target).await;
            visitor.finds("document.referrer", "").await;

            visitor.client.goto(&short).await.unwrap();
            visitor.finds("location.href", &*target).await;
            visitor.open(&page).await;
            visitor.tells(".facts", "1 click").await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_server_that_previews_links_answers_a_short_link_with_the_preview() {
    let elsewhere = TestServer::start();
    let server = TestServer::with(&["--redirect", "preview"]);
    crate::chromium::visit_server(server, Off, async |visitor| {
        visitor.may_go_to(&elsewhere);
        let target = format!("http://{}/", elsewhere.addr);
        visitor.open("/").await;
        visitor.type_into("#url", &target).await;
        visitor.click(".shorten button").await;
        visitor.element(".target").await;
        let page = visitor.path().await;
        visitor.open(page.trim_end_matches('+')).await;
        visitor.shows(".target", &target).await;
        visitor.click(".gate .button").await;
        visitor.element(".editor").await;
        visitor.finds("location.href", &*target).await;
    });
}
