//! `/operate` by a key with the right `operate`, in every form in which a browser or a program sends it.

use super::{KeysFile, basic};
use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::operate::ADMIN;
use crate::server::{Saved, TestServer};

/// A request to `/operate`, as a browser sends it.
fn operate(server: &TestServer, method: &str, (name, value): (&str, &str)) -> Request {
    let request = server.request(method, "/operate");
    let request = request.header("Accept", "text/html");
    request.header(name, value)
}

fn remove(server: &TestServer, credential: (&str, &str), site: &str, id: &str) -> Response {
    let request = operate(server, "POST", credential);
    let request = request.header("Sec-Fetch-Site", site);
    request.form(format!("act=remove&paste={id}")).send()
}

#[test]
fn a_key_with_the_right_operates_by_cookie_password_and_bearer_token() {
    for access in ["open", "private"] {
        let file = KeysFile::new();
        let [user_key, root_key] =
            [&["user"][..], &["root", "--rights", "save,read,operate"]].map(|args| file.make(args));
        let server = TestServer::with(&["--access", access, "--keys", file.path()]);
        let credential = |form: &str, key: &str| match form {
            "cookie" => ("Cookie", format!("key={key}")),
            "basic" => ("Authorization", basic(key)),
            _ => ("Authorization", format!("Bearer {key}")),
        };
        for form in ["cookie", "basic", "bearer"] {
            let ((name, user), (_, root)) =
                (credential(form, &user_key), credential(form, &root_key));
            let (user, root) = ((name, &*user), (name, &*root));
            let saved = super::save(&server, &root_key);
            // Without the right, nothing is shown or done. A browser asks its user for another password.
            let refused = if user.1.starts_with("Bearer") {
                403
            } else {
                401
            };
            for method in ["GET", "HEAD"] {
                assert_eq!(operate(&server, method, user).send().status, refused);
            }
            let other = remove(&server, user, "same-origin", &saved.id);
            assert_eq!(other.status, refused);
            // With it, the page is shown, and its forms work from this server alone.
            let page = operate(&server, "GET", root).send();
            assert_eq!(page.status, 200, "{access} {form}");
            assert!(page.text().contains("<h1>Operate</h1>"));
            if form != "bearer" {
                let foreign = remove(&server, root, "cross-site", &saved.id);
                assert_eq!(foreign.status, 403, "{access} {form}");
            }
            let shown = || operate(&server, "GET", root).send();
            assert!(shown().text().contains("<dt>Pastes</dt><dd>1</dd>"));
            let removed = remove(&server, root, "same-origin", &saved.id);
            assert_eq!(removed.status, 303, "{access} {form} {removed:?}");
            assert!(shown().text().contains("<dt>Pastes</dt><dd>0</dd>"));
        }
    }
}

#[test]
fn a_key_with_the_right_to_metrics_reads_them_and_does_nothing_else() {
    for access in ["open", "private"] {
        let file = KeysFile::new();
        let key = file.make(&["prometheus", "--rights", "metrics"]);
        let root_key = file.make(&["root", "--rights", "save,read,operate"]);
        let server = TestServer::with(&["--access", access, "--keys", file.path()]);
        let saved = super::save(&server, &root_key);
        let send = |method: &str, path: &str| {
            let request = server.request(method, path);
            request
                .header("Authorization", format!("Bearer {key}"))
                .send()
        };
        // It scrapes
        assert_eq!(send("GET", "/metrics").status, 200, "{access}");
        // It sees and removes nothing
        for (method, path) in [
            ("GET", "/operate"),
            ("GET", "/api/v1/operate"),
            ("DELETE", &saved.path),
        ] {
            assert_eq!(send(method, path).status, 403, "{access} {method} {path}");
        }
        // On a private server it neither reads nor saves
        let read = send("GET", &saved.path).status;
        assert_eq!(read, if access == "open" { 200 } else { 403 });
    }
}

#[test]
fn a_key_without_the_right_to_read_sees_no_content_of_a_reported_paste() {
    // Given a reported paste on a private server
    let file = KeysFile::new();
    let make = |name, rights| file.make(&[name, "--rights", rights]);
    let (reads, operates) = (make("one", "save,read,operate"), make("two", "operate"));
    let flags = [
        "--access",
        "private",
        "--keys",
        file.path(),
        "--contact",
        "abuse@bin.example",
    ];
    let server = TestServer::with(&[&flags[..], &["--admin-token", ADMIN]].concat());
    let post = |path: &str| {
        server
            .request("POST", path)
            .header("Authorization", basic(&reads))
    };
    let saved = Saved::of(&post("/").body("a reported text").send());
    let report = post(&format!("{}/report", saved.path)).header("Sec-Fetch-Site", "same-origin");
    assert_eq!(report.form("reason=spam").send().status, 200);
    // Then each sees the report, and the beginning of the text if it may read
    for (password, may_read) in [(&*reads, true), (&operates, false), (ADMIN, true)] {
        let page = operate(&server, "GET", ("Authorization", &basic(password))).send();
        assert!(page.text().contains("spam"), "{page:?}");
        assert_eq!(page.text().contains("a reported text"), may_read);
    }
}
