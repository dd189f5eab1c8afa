//! A browser on a server that asks for keys.

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
