//! The pages and the errors for the holder of a key, and for a client without one.

use super::{basic, bearer, save, server};
use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::server::TestServer;

/// A form of `/mine/forget` by the holder of this key.
fn forget(server: &TestServer, key: &str, body: &str) -> Response {
    let request = server.request("POST", "/mine/forget");
    bearer(request, key).form(body).send()
}

fn with_cookie(request: Request, key: &str) -> Request {
    let request = request.header("Accept", "text/html");
    request.header("Cookie", format!("key={key}"))
}

#[test]
fn a_key_or_a_secret_is_not_forgotten_but_its_pastes_may_be_deleted() {
    let (server, _file, key) = server("open");
    for proof in [&*key, "tbo_0123456789abcdefABCDEF"] {
        save(&server, proof);
        let refused = forget(&server, proof, "");
        let sentence = "This forgets a browser. A secret or a key stays valid; send `pastes=1` to delete its pastes.";
        assert_eq!((refused.status, refused.sentence()), (400, sentence));
        let list = || bearer(server.request("GET", "/mine"), proof).send();
        assert!(list().text().contains("http://"));
        let deleted = forget(&server, proof, "pastes=1");
        assert_eq!(deleted.text(), "All your pastes are deleted.\n");
        assert_eq!(list().text(), "No pastes yet.\n");
    }
}

#[test]
fn the_page_of_a_holder_logs_out_and_forgets_nothing() {
    let (server, _file, key) = server("private");
    let page = with_cookie(server.request("GET", "/mine"), &key).send();
    let text = page.text();
    assert!(text.contains("<a href=\"/login\">Log out</a>"), "{text}");
    assert!(text.contains("Delete all my pastes") && !text.contains("Forget me"));
    // And the editor says who can read a paste
    let editor = with_cookie(server.request("GET", "/"), &key).send();
    let sentence = "Anyone with the link and a key can read it.";
    assert!(editor.text().contains(sentence));
    for access in ["open", "save-by-key"] {
        let (server, _file, key) = super::server(access);
        let editor = with_cookie(server.request("GET", "/"), &key).send();
        assert!(editor.text().contains("Anyone with the link can read it."));
        // And a browser without a key finds the login
        let page = server.browse("/mine");
        assert!(page.text().contains("<a href=\"/login\">Log in</a>"));
    }
    let page = TestServer::start().browse("/mine");
    assert!(!page.text().contains("/login"));
}

#[test]
fn a_private_server_says_so_wherever_a_key_is_missing() {
    let (server, _file, _key) = server("private");
    for (method, path) in [("GET", "/"), ("PUT", "/x.txt"), ("GET", "/help")] {
        let refused = server.request(method, path).send();
        let sentence = refused.sentence();
        assert_eq!(refused.status, 401);
        let start = "This server is private. Send a key, as in `curl -H @key.header";
        assert!(sentence.starts_with(start), "{path}: {sentence}");
    }
}

#[test]
fn a_key_without_the_right_to_operate_is_403_and_the_dialog_still_opens() {
    let (server, _file, key) = server("private");
    for path in ["/metrics", "/operate", "/api/v1/operate"] {
        let refused = bearer(server.request("GET", path), &key).send();
        let sentence = match path {
            "/metrics" => "This key does not allow reading the metrics.",
            _ => "This key is not an operator's.",
        };
        assert_eq!(refused.status, 403, "{path}");
        assert!(refused.text().contains(sentence), "{path}");
        // A browser may have the key of a user, and its user the operator's token.
        for request in [
            with_cookie(server.request("GET", path), &key),
            server
                .request("GET", path)
                .header("Authorization", basic(&key)),
        ] {
            let asked = request.send();
            assert_eq!(asked.status, 401, "{path}");
            let challenge = asked.header("www-authenticate").unwrap();
            assert!(challenge.starts_with("Basic realm=\"tidebin operator\""));
        }
    }
}

#[test]
fn help_tells_how_to_send_a_key_if_one_is_needed() {
    for (access, is_told) in [("open", false), ("save-by-key", true), ("private", true)] {
        let (server, _file, key) = server(access);
        for path in ["/help", "/api"] {
            for accept in ["*/*", "text/html"] {
                let request = bearer(server.request("GET", path), &key);
                let help = request.header("Accept", accept).send();
                let has = help.text().contains("-H @key.header");
                assert_eq!(has, is_told, "{access} {path} {accept}");
            }
        }
    }
}
