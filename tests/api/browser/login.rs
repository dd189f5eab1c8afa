//! A browser on a server that asks for keys.

use fantoccini::wd::WindowHandle;

use super::access::{axe, breaks_no_rule};
use super::{TYPED, save};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit_server};
use crate::keys::KeysFile;
use crate::server::TestServer;

/// Sends this key on the login page.
async fn log_in(visitor: &Visitor<'_>, key: &str) {
    visitor.type_into("#key", key).await;
    visitor.follow(".gate form button").await;
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_browser_logs_in_saves_comes_back_and_logs_out() {
    for scripts in [On, Off] {
        let file = KeysFile::new();
        let key = file.make(&["alice"]);
        let server = TestServer::with(&["--access", "private", "--keys", file.path()]);
        visit_server(server, scripts, async |visitor| {
            // Given a browser that wants to save
            visitor.open("/").await;
            visitor.shows("h1", "Log in").await;
            log_in(visitor, "tbk_wrong").await;
            visitor
                .tells("#complaint", "This key is not valid here")
                .await;
            log_in(visitor, &key).await;
            // When it has the right key, then it is at the editor and saves
            visitor.is_at("/").await;
            let path = save(visitor, TYPED, "notes").await;
            visitor.open("/login").await;
            visitor.tells(".gate p", "the key of alice").await;
            visitor.follow(".gate form button").await;
            // After it logged out, the paste asks for a key, and the browser comes back to it
            let path = format!("{path}?lines=2");
            visitor.open(&path).await;
            visitor.shows("h1", "Log in").await;
            log_in(visitor, &key).await;
            visitor.is_at(&path).await;
            visitor.element(".listing").await;
        });
    }
}

#[test]
#[ignore = "needs chromium, chromedriver and axe-core"]
fn a_text_outlives_a_session_that_ends_while_it_is_typed() {
    let axe = axe();
    for scripts in [On, Off] {
        let file = KeysFile::new();
        let key = file.make(&["alice"]);
        let server = TestServer::with(&["--access", "private", "--keys", file.path()]);
        let old = visitor_paste(&server, &key);
        visit_server(server, scripts, async |visitor| {
            for editor in ["/".to_owned(), format!("{old}/edit")] {
                // Given a text in the editor, whose session ends
                visitor.forget_cookies();
                visitor.open("/login").await;
                log_in(visitor, &key).await;
                visitor.open(&editor).await;
                visitor.type_into("#content", TYPED).await;
                let editing = visitor.client.window().await.unwrap();
                visitor.forget_cookies();
                // When the browser saves, then it is led to the login in a new tab
                visitor.click(".submit button").await;
                let link = "main a[href$='/login']";
                visitor.element(link).await;
                if scripts == On {
                    breaks_no_rule(visitor, &axe, "a key is needed").await;
                }
                visitor.click(link).await;
                let tab = other_window(visitor, &editing).await;
                visitor.client.switch_to_window(tab).await.unwrap();
                log_in(visitor, &key).await;
                visitor.client.close_window().await.unwrap();
                visitor.client.switch_to_window(editing).await.unwrap();
                // And then the text is saved as it was typed
                match scripts {
                    On => visitor.click(".submit button").await,
                    Off => visitor.client.refresh().await.unwrap(),
                }
                visitor.element(".listing").await;
                let raw = visitor.path().await.replacen('/', "/raw/", 1);
                let raw = visitor.server.request("GET", &raw);
                let saved = raw.header("Authorization", format!("Bearer {key}")).send();
                assert!(saved.text().contains(TYPED), "{saved:?}");
            }
        });
    }
}

/// Saves a paste of the holder of this key; returns its path.
fn visitor_paste(server: &TestServer, key: &str) -> String {
    let request = server.request("POST", "/").body("old ");
    let saved = request
        .header("Authorization", format!("Bearer {key}"))
        .send();
    crate::server::Saved::of(&saved).path
}

/// Waits for a second window.
async fn other_window(visitor: &Visitor<'_>, first: &WindowHandle) -> WindowHandle {
    loop {
        let windows = visitor.client.windows().await.unwrap();
        if let Some(other) = windows.into_iter().find(|it| it != first) {
            return other;
        }
    }
}

#[test]
#[ignore = "needs chromium, chromedriver and axe-core"]
fn the_login_page_breaks_no_accessibility_rule() {
    let axe = axe();
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let server = TestServer::with(&["--access", "private", "--keys", file.path()]);
    visit_server(server, On, async |visitor| {
        visitor.open("/").await;
        breaks_no_rule(visitor, &axe, "login").await;
        log_in(visitor, "tbk_wrong").await;
        breaks_no_rule(visitor, &axe, "wrong key").await;
        log_in(visitor, &key).await;
        visitor.open("/login").await;
        breaks_no_rule(visitor, &axe, "logged in").await;
    });
}
