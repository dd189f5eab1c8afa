//! An owner takes the list to another device by the secret.

use super::browsers::{behind_tls, cookie_of, form, mine};
use super::{OTHER, SECRET, save, with};
use crate::forms::Forms;
use crate::server::TestServer;

const COOKIE: &str = "__Host-owner=tbo_0123456789abcdefABCDEF";

#[test]
fn a_browser_shows_its_secret_and_another_one_gets_the_list_by_it() {
    let server = behind_tls();
    let saved = save(&server, SECRET, "x");
    // When a browser asks for its secret
    let shown = form(&server, "/mine/device", COOKIE, "show=1");
    // Then it is shown as text and as a picture, and stored nowhere
    assert_eq!(shown.header("cache-control"), Some("no-store"));
    let text = format!("<p class=\"target\">{SECRET}</p>");
    assert!(shown.text().contains(&text) && shown.text().contains("<svg "));
    // And another browser is the same owner
    let entered = form(
        &server,
        "/mine/device",
        "",
        &format!("secret=+{SECRET}%0D%0A"),
    );
    assert_eq!(
        (entered.status, entered.header("location")),
        (303, Some("/mine"))
    );
    assert_eq!(cookie_of(&entered, "__Host-owner").as_deref(), Some(COOKIE));
    assert!(mine(&server, COOKIE).contains(&saved.id));
}

#[test]
fn a_secret_is_not_shown_to_a_get_nor_without_the_cookie_of_the_browser() {
    let server = behind_tls();
    for (method, cookie, body, status) in [
        ("GET", COOKIE, "", 200),
        ("POST", "", "show=1", 401),
        ("POST", COOKIE, "show=0", 409),
    ] {
        let path = if method == "GET" {
            "/mine/device?show=1"
        } else {
            "/mine/device"
        };
        let request = server.request(method, path).header("Accept", "text/html");
        let answer = request.header("Cookie", cookie).form(body).send();
        assert_eq!(answer.status, status, "{method} {body}");
        assert!(!answer.text().contains(SECRET), "{method} {body}");
    }
}

#[test]
fn a_list_is_replaced_only_if_its_owner_says_so() {
    let server = behind_tls();
    save(&server, SECRET, "x");
    let own = format!("__Host-owner={OTHER}");
    let request = server.request("GET", "/mine/device").header("Cookie", &own);
    let page = request.header("Accept", "text/html").send();
    assert!(page.text().contains("already has a list"));
    let refused = form(&server, "/mine/device", &own, &format!("secret={SECRET}"));
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("role=\"alert\">"));
    assert_eq!(cookie_of(&refused, "__Host-owner"), None);
    assert!(refused.text().contains(&format!("value=\"{SECRET}\"")));
    for (value, status) in [("0", 409), ("false", 409), ("no", 400)] {
        let body = format!("secret={SECRET}&replace={value}");
        let kept = form(&server, "/mine/device", &own, &body);
        assert_eq!(
            (kept.status, cookie_of(&kept, "__Host-owner")),
            (status, None)
        );
    }
    let body = format!("secret={SECRET}&replace=1");
    let replaced = form(&server, "/mine/device", &own, &body);
    assert_eq!(
        cookie_of(&replaced, "__Host-owner").as_deref(),
        Some(COOKIE)
    );
}

#[test]
fn a_secret_without_pastes_is_refused_and_stays_in_the_form() {
    let server = behind_tls();
    save(&server, SECRET, "x");
    for secret in [OTHER, &SECRET[..20], "\"><b>"] {
        let body = format!("secret={secret}");
        let refused = form(&server, "/mine/device", "", &body);
        assert_eq!(refused.status, 403, "{secret}");
        assert_eq!(refused.headers("set-cookie").count(), 0);
        let text = refused.text();
        assert!(text.contains("role=\"alert\">No pastes belong to this secret"));
        assert!(text.contains(&format!("value=\"{}", secret.split('"').next().unwrap())));
        assert!(!text.contains("<b>"));
    }
}

#[test]
fn without_tls_a_browser_is_told_so() {
    let server = TestServer::start();
    save(&server, SECRET, "x");
    assert!(server.browse("/mine/device").text().contains("needs HTTPS"));
    for body in ["show=1".to_owned(), format!("secret={SECRET}")] {
        let answer = form(&server, "/mine/device", COOKIE, &body);
        assert_eq!(answer.status, 403, "{body}");
        assert_eq!(answer.headers("set-cookie").count(), 0);
        assert!(!answer.text().contains(SECRET));
    }
}

#[test]
fn a_terminal_gets_a_line_of_text() {
    let server = behind_tls();
    let ask = |body: &str| {
        let request = server.request("POST", "/mine/device");
        let answer = request.header("Cookie", COOKIE).body(body).send();
        (answer.status, answer.text().to_owned())
    };
    assert_eq!(ask("show=1"), (200, format!("{SECRET}\n")));
    let (status, text) = ask("secret=tbo_&replace=1");
    assert_eq!(
        (status, text.starts_with("No pastes belong")),
        (403, true),
        "{text}"
    );
    let form = server.request("GET", "/mine/device").send();
    assert!(form.text().contains("Authorization: Bearer tbo_"));
}

#[test]
fn a_form_with_other_fields_or_too_long_is_refused() {
    let server = behind_tls();
    for body in ["secret=1&secret=2", "secre=1", "code=1", "show=yes"] {
        let request = with(server.request("POST", "/mine/device"), SECRET).body(body);
        assert_eq!(request.send().status, 400, "{body}");
    }
    let long = format!("secret={}", "0".repeat(17_000));
    assert_eq!(form(&server, "/mine/device", "", &long).status, 413);
}

#[test]
fn the_list_of_a_user_of_the_proxy_has_no_secret() {
    let flags = ["--trusted-proxies", "127.0.0.1", "--auth-header", "X-User"];
    let server = TestServer::with(&[&flags[..], &["--base-url", "https://bin.example"]].concat());
    for (method, body) in [("GET", ""), ("POST", "show=1"), ("POST", "secret=x")] {
        let request = server.request(method, "/mine/device");
        let request = request.header("X-User", "alice").header("Cookie", COOKIE);
        let answer = request.form(body).send();
        assert_eq!(answer.status, 403, "{method} {body}");
        assert!(answer.text().contains("log in as you did here"));
        assert_eq!(answer.headers("set-cookie").count(), 0);
    }
}
