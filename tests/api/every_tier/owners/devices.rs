//! An owner takes the list to another device by a code.

use std::time::Duration;

use super::browsers::{behind_tls, cookie_of, form, mine};
use super::{OTHER, SECRET, save, with};
use crate::client::Response;
use crate::server::TestServer;

const COOKIE: &str = "__Host-owner=tbo_0123456789abcdefABCDEF";

/// Asks for a code in a terminal.
fn ask(server: &TestServer, secret: &str) -> String {
    let answer = with(server.request("POST", "/mine/code"), secret).send();
    assert_eq!(
        (answer.status, answer.header("cache-control")),
        (200, Some("no-store"))
    );
    answer.text().lines().next().unwrap().to_owned()
}

/// Uses a code in a terminal.
fn enter(server: &TestServer, code: &str) -> Response {
    let request = server.request("POST", "/mine/device");
    request.body(format!("code={code}")).send()
}

/// The code on the page that a browser got.
fn code_on(page: &Response) -> String {
    let (_, rest) = page.text().split_once("<p class=\"target\">").unwrap();
    rest.split('<').next().unwrap().to_owned()
}

#[test]
fn a_browser_without_a_list_gets_that_of_another_by_a_code() {
    let server = behind_tls();
    let saved = save(&server, SECRET, "x");
    let shown = form(&server, "/mine/code", COOKIE, "");
    assert_eq!(shown.header("cache-control"), Some("no-store"));
    // When it is typed in small letters and without hyphens
    let code = code_on(&shown).to_lowercase().replace('-', "");
    let entered = form(&server, "/mine/device", "", &format!("code={code}"));
    // Then the other browser is the same owner
    assert_eq!(
        (entered.status, entered.header("location")),
        (303, Some("/mine"))
    );
    assert_eq!(cookie_of(&entered, "__Host-owner").as_deref(), Some(COOKIE));
    assert!(mine(&server, COOKIE).contains(&saved.id));
    // And the code is used up
    let again = form(&server, "/mine/device", "", &format!("code={code}"));
    assert_eq!(again.status, 403);
    assert!(
        again
            .text()
            .contains("role=\"alert\">This code is not valid")
    );
}

#[test]
fn a_list_is_replaced_only_if_its_owner_says_so_and_the_code_stays_until_then() {
    let server = behind_tls();
    let own = format!("__Host-owner={OTHER}");
    let request = server.request("GET", "/mine/device").header("Cookie", &own);
    let page = request.header("Accept", "text/html").send();
    assert!(page.text().contains("already has a list"));
    let code = ask(&server, SECRET);
    let refused = form(&server, "/mine/device", &own, &format!("code={code}"));
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("role=\"alert\">"));
    assert_eq!(cookie_of(&refused, "__Host-owner"), None);
    assert!(refused.text().contains(&format!("value=\"{code}\"")));
    for (value, status) in [("0", 409), ("false", 409), ("no", 400)] {
        let body = format!("code={code}&replace={value}");
        let kept = form(&server, "/mine/device", &own, &body);
        assert_eq!(
            (kept.status, cookie_of(&kept, "__Host-owner")),
            (status, None)
        );
    }
    let body = format!("code={code}&replace=1");
    let replaced = form(&server, "/mine/device", &own, &body);
    assert_eq!(
        cookie_of(&replaced, "__Host-owner").as_deref(),
        Some(COOKIE)
    );
}

#[test]
fn a_terminal_gets_the_secret_of_a_browser_and_gives_its_own_to_one() {
    let server = behind_tls();
    let code = code_on(&form(&server, "/mine/code", COOKIE, ""));
    let secret = enter(&server, &code);
    assert_eq!(
        (secret.text(), secret.header("cache-control")),
        (&*format!("{SECRET}\n"), Some("no-store"))
    );
    assert_eq!(secret.headers("set-cookie").count(), 0);
    let body = format!("code={}", ask(&server, SECRET));
    let entered = form(&server, "/mine/device", "", &body);
    assert_eq!(cookie_of(&entered, "__Host-owner").as_deref(), Some(COOKIE));
}

#[test]
fn a_code_ends_after_ten_minutes_and_with_the_next_one() {
    let server = TestServer::start();
    let first = ask(&server, SECRET);
    let second = ask(&server, SECRET);
    assert_eq!(enter(&server, &first).status, 403);
    server.advance(Duration::from_secs(599));
    assert_eq!(enter(&server, &second).status, 200);
    let third = ask(&server, SECRET);
    server.advance(Duration::from_secs(600));
    assert_eq!(enter(&server, &third).status, 403);
}

#[test]
fn without_tls_a_browser_is_told_so_and_uses_up_no_code() {
    let server = TestServer::start();
    let code = ask(&server, SECRET);
    assert!(server.browse("/mine/device").text().contains("needs HTTPS"));
    let entered = form(&server, "/mine/device", "", &format!("code={code}"));
    assert_eq!(entered.status, 403);
    assert_eq!(entered.headers("set-cookie").count(), 0);
    assert_eq!(enter(&server, &code).text(), format!("{SECRET}\n"));
}

#[test]
fn what_is_no_code_or_no_owner_is_refused() {
    let server = behind_tls();
    assert_eq!(server.request("POST", "/mine/code").send().status, 401);
    assert_eq!(form(&server, "/mine/code", "", "").status, 401);
    for (path, body) in [
        ("/mine/code", "code=1"),
        ("/mine/device", "code=1&code=2"),
        ("/mine/device", "cod=1"),
    ] {
        let request = with(server.request("POST", path), SECRET).body(body);
        assert_eq!(request.send().status, 400, "{path} {body}");
    }
    let long = format!("code={}", "0".repeat(17_000));
    assert_eq!(form(&server, "/mine/device", "", &long).status, 413);
}

#[test]
fn the_list_of_a_user_of_the_proxy_has_no_code() {
    let flags = ["--trusted-proxies", "127.0.0.1", "--auth-header", "X-User"];
    let server = TestServer::with(&[&flags[..], &["--base-url", "https://bin.example"]].concat());
    for (method, path) in [
        ("POST", "/mine/code"),
        ("GET", "/mine/device"),
        ("POST", "/mine/device"),
    ] {
        let request = server.request(method, path).header("X-User", "alice");
        let answer = request.header("Cookie", COOKIE).send();
        assert_eq!(answer.status, 403, "{method} {path}");
        assert!(answer.text().contains("log in as you did here"));
    }
}
