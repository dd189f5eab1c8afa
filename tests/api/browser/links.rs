//! Short links: where one leads is told before anybody goes there.

use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};
use crate::server::TestServer;

/// What is open, wherever it is.
async fn url(visitor: &Visitor<'_>) -> String {
    let url = visitor.client.current_url().await;
    url.expect("a page is open").to_string()
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_shortened_address_leads_there_after_a_page_that_tells_where() {
    let elsewhere = TestServer::start();
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            visitor.may_go_to(&elsewhere);
            let target = format!("http://{}/help?a=1&b=2#read", elsewhere.addr);
            for key in ["", "\u{e007}"] {
                visitor.open("/").await;
                // What is in the other form stays out of it.
                visitor.type_into("#content", "a draft").await;
                visitor.type_into("#url", &format!("{target}{key}")).await;
                if key.is_empty() {
                    visitor.click(".shorten button").await;
                }
                assert_eq!(visitor.text(".target").await, target);
            }
            let page = visitor.path().await;
            let path = page.strip_suffix('+').expect("the page before it");
            assert_eq!(path.len(), "/".len() + 12);
            assert_eq!(visitor.text(".target b").await, "127.0.0.1");
            assert!(visitor.text(".facts").await.contains("not followed yet"));
            let short = format!("http://{}{path}", visitor.server.addr);
            assert_eq!(super::value(visitor, "#link").await, short);
            visitor.click(".gate .button").await;
            visitor.element(".prose").await;
            assert_eq!(url(visitor).await, target);
            assert_eq!(visitor.evaluate("document.referrer").await, "");

            visitor.client.goto(&short).await.unwrap();
            assert_eq!(url(visitor).await, target);
            visitor.open(&page).await;
            assert!(visitor.text(".facts").await.contains("followed once"));
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn where_links_are_shown_first_the_short_address_leads_to_the_page() {
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
        assert_eq!(visitor.text(".target").await, target);
        visitor.click(".gate .button").await;
        visitor.element(".editor").await;
        assert_eq!(url(visitor).await, target);
    });
}
