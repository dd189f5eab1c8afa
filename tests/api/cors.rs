//! Pages of other sites (CORS): which of them may use which routes, and with which headers.

use crate::client::{Request, Response};
use crate::keys::KeysFile;
use crate::process::tidebin;
use crate::server::TestServer;

const APP: &str = "https://app.example";
const LIST: [&str; 2] = ["--cors", "https://app.example, http://b.example:81"];

fn from_page(server: &TestServer, method: &str, path: &str, origin: &str) -> Request {
    server.request(method, path).header("Origin", origin)
}

fn preflight(server: &TestServer, path: &str, origin: &str) -> Response {
    from_page(server, "OPTIONS", path, origin)
        .header("Access-Control-Request-Method", "PUT")
        .header("Access-Control-Request-Headers", "authorization,x-expires")
        .checked_by(|_, _| ())
        .send()
}

fn allowed(response: &Response) -> Option<&str> {
    assert_eq!(response.header("access-control-allow-credentials"), None);
    response.header("access-control-allow-origin")
}

#[test]
fn by_default_no_page_of_another_site_reads_a_response() {
    let server = TestServer::start();
    assert_eq!(
        allowed(&from_page(&server, "GET", "/healthz", APP).send()),
        None
    );
    let saved = from_page(&server, "POST", "/", APP).body("x").send();
    assert_eq!((saved.status, allowed(&saved)), (201, None));
    assert_eq!(preflight(&server, "/", APP).status, 405);
}

#[test]
fn a_page_of_a_listed_origin_saves_and_reads() {
    let server = TestServer::with(&LIST);
    let saved = from_page(&server, "POST", "/", APP).body("x").send();
    assert_eq!((saved.status, allowed(&saved)), (201, Some(APP)));
    assert_eq!(saved.header("access-control-expose-headers"), Some("*"));
    let id = saved
        .text()
        .trim_end()
        .rsplit('/')
        .next()
        .expect("an id")
        .to_owned();
    for path in [
        format!("/raw/{id}"),
        format!("/{id}"),
        format!("/api/v1/pastes/{id}"),
    ] {
        let read = from_page(&server, "GET", &path, "http://b.example:81").send();
        assert_eq!(
            (read.status, allowed(&read)),
            (200, Some("http://b.example:81")),
            "{path}"
        );
    }
    let missing = from_page(&server, "GET", "/raw/aaaaaaaaaaaa", APP).send();
    assert_eq!((missing.status, allowed(&missing)), (404, Some(APP)));
}

#[test]
fn other_origins_get_no_permission_and_caches_keep_them_apart() {
    let server = TestServer::with(&LIST);
    for origin in [
        "https://evil.example",
        "null",
        "https://app.example.evil.example",
        "HTTPS://app.example",
        "",
    ] {
        let response = from_page(&server, "GET", "/raw/aaaaaaaaaaaa", origin).send();
        assert_eq!(allowed(&response), None, "{origin}");
        assert!(
            response.header("vary") == Some("Accept, Origin"),
            "{origin}"
        );
        assert_eq!(allowed(&preflight(&server, "/", origin)), None, "{origin}");
    }
}

#[test]
fn a_preflight_allows_every_method_and_header_and_is_remembered() {
    // Also on a private server, as browsers send it without credentials.
    let keys = KeysFile::new();
    keys.make(&["anna"]);
    let server =
        TestServer::limited(&["--cors", "*", "--access", "private", "--keys", keys.path()]);
    for path in [
        "/",
        "/notes.txt",
        "/api/v1/pastes",
        "/api/v1/pastes/aaaaaaaaaaaa/read",
    ] {
        let response = preflight(&server, path, APP);
        assert_eq!(
            (response.status, allowed(&response)),
            (204, Some("*")),
            "{path}"
        );
        let header = |name| response.header(name).unwrap_or_default().to_owned();
        assert!(header("access-control-allow-methods").contains("PUT"));
        assert_eq!(header("access-control-allow-headers"), "*, Authorization");
        assert_eq!(header("access-control-max-age"), "86400");
    }
}

#[test]
fn a_preflight_is_charged_as_a_read() {
    let server = TestServer::limited(&["--cors", "*", "--limit-read", "rate 1/1h burst 2"]);
    let statuses = [(); 3].map(|()| preflight(&server, "/", APP).status);
    assert_eq!(statuses, [204, 204, 429]);
    assert_eq!(server.get("/").status, 429);
}

#[test]
fn the_pages_of_users_and_of_the_operator_are_never_shared() {
    let server = TestServer::with(&["--cors", "*", "--admin-token", "correct-horse-battery"]);
    for path in [
        "/mine",
        "/login",
        "/operate",
        "/metrics",
        "/api/v1/operate",
        "/help",
    ] {
        assert_eq!(
            allowed(&from_page(&server, "GET", path, APP).send()),
            None,
            "{path}"
        );
        assert_eq!(preflight(&server, path, APP).status, 405, "{path}");
    }
}

#[test]
fn a_malformed_origin_and_a_proxy_that_names_users_are_refused_at_the_start() {
    let proxy = ["--auth-header=Remote-User", "--trusted-proxies=127.0.0.1"];
    for (flags, problem) in [
        (
            &["--cors=app.example"][..],
            "does not start with http:// or https://",
        ),
        (&["--cors=https://app.example/x"], "has a path"),
        (&["--cors=https://a.example,*"], "does not start with"),
        (&["--cors=*", proxy[0], proxy[1]], "are both set"),
    ] {
        let ended = tidebin(flags).output().expect("it ends");
        let message = String::from_utf8(ended.stderr).expect("text");
        assert!(
            !ended.status.success() && message.contains(problem),
            "{message}"
        );
    }
}
