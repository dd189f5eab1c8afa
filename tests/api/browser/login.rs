//! A browser on a server that asks for keys.

use super::{TYPED, save};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit_server};
use crate::keys::KeysFile;
use crate::server::TestServer;

/// Sends this key on the login page.
pub(super) fn log_in(visitor: &Visitor, key: &str) {
    visitor.type_into("#key", key);
    visitor.follow(".gate form button");
}

#[test]
#[ignore = "needs chromium"]
fn a_browser_logs_in_saves_comes_back_and_logs_out() {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let server = TestServer::with(&["--access", "private", "--keys", file.path()]);
    visit_server(server, On, |visitor| {
        // Given a browser that wants to save
        visitor.open("/");
        visitor.shows("h1", "Log in");
        log_in(visitor, "tbk_wrong");
        visitor.tells("#complaint", "This key is not valid here");
        log_in(visitor, &key);
        // When it has the right key, then it is at the editor and saves
        visitor.is_at("/");
        let path = save(visitor, TYPED, "notes");
        visitor.open("/login");
        visitor.tells(".gate p", "the key of alice");
        visitor.follow(".gate form button");
        // After it logged out, the paste asks for a key, and the browser comes back to it
        let path = format!("{path}?lines=2");
        visitor.open(&path);
        visitor.shows("h1", "Log in");
        log_in(visitor, &key);
        visitor.is_at(&path);
        visitor.element(".listing");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_text_outlives_a_session_that_ends_while_it_is_typed() {
    for scripts in [On, Off] {
        let file = KeysFile::new();
        let key = file.make(&["alice"]);
        let server = TestServer::with(&["--access", "private", "--keys", file.path()]);
        let old = visitor_paste(&server, &key);
        visit_server(server, scripts, |visitor| {
            for editor in ["/".to_owned(), format!("{old}/edit")] {
                // Given a text in the editor, whose session ends
                visitor.forget_cookies();
                visitor.open("/login");
                log_in(visitor, &key);
                visitor.open(&editor);
                visitor.type_into("#content", TYPED);
                let editing = visitor.session().front().to_owned();
                visitor.forget_cookies();
                // When the browser saves, then it is led to the login in a new tab
                visitor.click(".submit button");
                let link = "main a[href$='/login']";
                visitor.element(link);
                visitor.click(link);
                let tab = visitor.session().tab_behind();
                visitor.session().switch_to(&tab);
                log_in(visitor, &key);
                visitor.session().close_tab();
                visitor.session().switch_to(&editing);
                // And then the text is saved as it was typed
                match scripts {
                    On => visitor.click(".submit button"),
                    Off => visitor.reload(),
                }
                visitor.element(".listing");
                let raw = visitor.path().replacen('/', "/raw/", 1);
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
