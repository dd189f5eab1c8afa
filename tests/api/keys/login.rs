//! The login page.

use super::{KeysFile, server};
use crate::client::Response;
use crate::forms::Forms;
use crate::server::TestServer;

/// Sends the form of the login page.
fn log_in(server: &TestServer, fields: &str, headers: &[(&str, &str)]) -> Response {
    let request = server
        .request("POST", "/login")
        .header("Accept", "text/html");
    let request = headers
        .iter()
        .fold(request, |it, (name, value)| it.header(name, value));
    request.form(fields).send()
}

#[test]
fn a_browser_logs_in_and_comes_back_to_the_page_that_needed_a_key() {
    let (server, _file, key) = server("private");
    let path = super::save(&server, &key).path;
    // Given a browser without a key
    let asked = server.browse(&format!("{path}?lines=1"));
    assert_eq!(asked.status, 401);
    let field = format!("name=\"to\" value=\"{path}?lines=1\"");
    assert!(asked.text().contains(&field), "{asked:?}");
    // When it sends one
    let fields = format!("key={key}&to={path}%3Flines%3D1");
    let answer = log_in(&server, &fields, &[]);
    // Then it is sent back, with a cookie
    assert_eq!(answer.status, 303, "{answer:?}");
    assert_eq!(answer.header("location"), Some(&*format!("{path}?lines=1")));
    let cookie = answer.header("set-cookie").unwrap();
    assert_eq!(
        cookie,
        format!("key={key}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000")
    );
    let (cookie, _) = cookie.split_once(';').unwrap();
    let request = server.request("GET", &path).header("Cookie", cookie);
    assert_eq!(request.send().body, b"x");
    // And may log out
    let page = server.request("GET", "/login").header("Cookie", cookie);
    assert!(page.send().text().contains("the key of alice."));
    let left = log_in(&server, "logout=1", &[("Cookie", cookie)]);
    assert_eq!(
        (left.status, left.header("location")),
        (303, Some("/login"))
    );
    let removed = left.header("set-cookie").unwrap();
    assert!(
        removed.starts_with("key=; ") && removed.contains("Max-Age=0"),
        "{removed}"
    );
}

#[test]
fn over_https_the_cookie_is_one_that_no_other_host_can_set() {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let flags = ["--access", "private", "--keys", file.path()];
    let flags = [&flags[..], &["--base-url", "https://paste.example"]].concat();
    let server = TestServer::with(&flags);
    let answer = log_in(&server, &format!("key={key}"), &[]);
    let cookie = answer.header("set-cookie").unwrap();
    assert_eq!(
        cookie,
        format!("__Host-key={key}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure")
    );
    for (cookie, status) in [
        (format!("__Host-key={key}"), 200),
        (format!("key={key}"), 401),
    ] {
        let request = server.request("GET", "/help").header("Cookie", cookie);
        assert_eq!(request.send().status, status);
    }
}

#[test]
fn a_wrong_key_gets_the_page_again_and_no_cookie() {
    let (server, _file, key) = server("private");
    for fields in [
        "key=tbk_wrong&to=/abc",
        "key=&to=/abc",
        "to=/abc",
        "",
        "key=%FF",
    ] {
        let answer = log_in(&server, fields, &[]);
        let status = if fields == "key=%FF" { 400 } else { 401 };
        assert_eq!(answer.status, status, "{fields}");
        assert_eq!(answer.header("set-cookie"), None);
    }
    let page = log_in(&server, "key=&to=/abc", &[]);
    let complaint = "role=\"alert\">Enter a key.</p>";
    assert!(page.text().contains(complaint), "{page:?}");
    let page = log_in(&server, "key=tbk_wrong&to=/abc", &[]);
    assert!(
        page.text()
            .contains("role=\"alert\">This key is not valid here"),
        "{page:?}"
    );
    assert!(
        page.text().contains("name=\"to\" value=\"/abc\""),
        "{page:?}"
    );
    let long = format!("key={key}&to=/{}", "a".repeat(17_000));
    assert_eq!(log_in(&server, &long, &[]).status, 413);
}

#[test]
fn a_cookie_with_an_old_key_is_removed_and_one_of_8_kb_is_ignored() {
    const OLD: &str = "key=tbk_0123456789abcdefghijkl";
    let (server, _file, key) = server("save-by-key");
    let path = super::save(&server, &key).path;
    let browse = |path: &str, cookie: &str| {
        let request = server.request("GET", path).header("Accept", "text/html");
        request.header("Cookie", cookie).send()
    };
    // A paste that everyone may read is shown. The editor needs a key.
    let shown = browse(&path, OLD);
    assert_eq!((shown.status, shown.header("set-cookie")), (200, None));
    let old = browse("/", OLD);
    assert_eq!(old.status, 401);
    assert!(
        old.header("set-cookie").unwrap().starts_with("key=; "),
        "{old:?}"
    );
    let large = browse(&path, &format!("key={}", "a".repeat(8192)));
    assert_eq!((large.status, large.header("set-cookie")), (200, None));
    // A script or an image needs no key here, and gets no page.
    let raw = server.request("GET", &path).header("Cookie", OLD).send();
    assert_eq!(raw.body, b"x");
}
