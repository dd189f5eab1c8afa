//! Slugs: addresses that the holders of keys choose for their pastes.

mod known;

use serde_json::Value;

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::keys::KeysFile;
use crate::operate::ADMIN;
use crate::server::TestServer;

/// A server, the file of its keys, and a key that may save and read.
struct Slugs {
    server: TestServer,
    file: KeysFile,
    key: String,
}

impl Slugs {
    fn start(flags: &[&str]) -> Self {
        let file = KeysFile::new();
        let key = file.make(&["alice"]);
        let server = TestServer::with(&[&["--keys", file.path()], flags].concat());
        Self { server, file, key }
    }

    fn with_key(&self, method: &str, path: &str) -> Request {
        let request = self.server.request(method, path);
        request.header("Authorization", format!("Bearer {}", self.key))
    }

    fn save(&self, slug: &str, content: &str) -> Response {
        let request = self.with_key("POST", "/").header("X-Slug", slug);
        request.body(content).send()
    }

    fn delete(&self, path: &str) -> u16 {
        self.with_key("DELETE", path).send().status
    }

    fn url(&self, slug: &str) -> String {
        format!("http://{}/{slug}", self.server.addr)
    }
}

fn json(answer: &Response) -> Value {
    serde_json::from_slice(&answer.body).expect("JSON")
}

fn form(request: Request, body: &str) -> Request {
    request.form(body)
}

#[test]
fn a_paste_with_a_slug_is_found_in_every_form_of_its_address() {
    let it = Slugs::start(&[]);
    // Given a paste with a slug
    let saved = it.save("release-notes", "fn main() {}\nsecond\n");
    assert_eq!(saved.status, 201, "{saved:?}");
    assert_eq!(saved.text(), it.url("release-notes") + "\n");
    assert_eq!(saved.header("location"), Some(&*it.url("release-notes")));
    // Then it is read as one with an id
    for (path, part) in [
        ("/release-notes", "fn main"),
        ("/release-notes.rs", "fn main"),
        ("/release-notes/rs", "fn main"),
        ("/release-notes.rs/main.rs", "fn main"),
        ("/release-notes/raw.txt", "fn main"),
        ("/release-notes?lines=2", "second"),
        ("/raw/release-notes", "fn main"),
        ("/dl/release-notes", "fn main"),
        ("/share/release-notes", "fn main"),
        ("/documents/release-notes", "fn main"),
        ("/api/v1/pastes/release-notes", "\"id\":\"release-notes\""),
        ("/qr/release-notes", "<svg"),
    ] {
        let answer = it.server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.text().contains(part), "{path}: {answer:?}");
    }
    let page = it.server.browse("/release-notes");
    assert!(page.text().contains("href=\"/raw/release-notes\""));
    // And its owner and the holder of its token count, change and delete it there
    let token = saved.header("x-token").unwrap();
    let stats = it.server.request("GET", "/release-notes/stats");
    assert_eq!(stats.header("X-Token", token).send().status, 200);
    assert_eq!(it.with_key("GET", "/release-notes/edit").send().status, 200);
    let changed = it.server.request("PUT", "/release-notes").body("new");
    let changed = changed.header("X-Token", token).send();
    assert_eq!(changed.text(), it.url("release-notes") + "\n");
    assert_eq!(it.server.get("/release-notes").body, b"new");
    assert_eq!(it.delete("/raw/release-notes"), 200);
    let gone = it.server.get("/release-notes");
    assert_eq!(gone.status, 410);
    assert!(gone.sentence().contains("deleted by its owner"));
}

#[test]
fn a_slug_is_sent_as_every_other_option_is() {
    let it = Slugs::start(&[]);
    let post = |path: &str| it.with_key("POST", path);
    for (request, slug) in [
        (
            post("/").header("X-Slug", "in-a-header").body("x"),
            "in-a-header",
        ),
        (post("/?slug=in-a-query").body("x"), "in-a-query"),
        (
            it.with_key("PUT", "/notes.txt?slug=in-a-put").body("x"),
            "in-a-put",
        ),
        (form(post("/"), "file=x&slug=in-a-form"), "in-a-form"),
        (
            post("/").parts(&[("slug", "in-parts"), ("file", "x")]),
            "in-parts",
        ),
        (
            post("/api/v1/pastes").body(r#"{"content":"x","slug":"in-json"}"#),
            "in-json",
        ),
        (
            form(post("/"), "url=https://example.org/a&slug=a-link"),
            "a-link",
        ),
    ] {
        let saved = request.send();
        assert!(matches!(saved.status, 200 | 201), "{slug}: {saved:?}");
        let known = it.server.request("HEAD", &format!("/{slug}")).send().status;
        assert!(matches!(known, 200 | 302), "{slug}: {known}");
        assert!(saved.text().contains(&it.url(slug)), "{saved:?}");
    }
    let link = it.server.get("/a-link");
    assert_eq!(link.header("location"), Some("https://example.org/a"));
    // And a file that is sent to a path keeps its name, and gets a random id
    let file = it.with_key("PUT", "/my-notes").body("x").send();
    assert_eq!(file.status, 201);
    assert_eq!(it.server.get("/my-notes").status, 404);
    let id = file.text().trim_end().rsplit('/').next().unwrap();
    let named = it.server.get(&format!("/dl/{id}"));
    assert!(
        named
            .header("content-disposition")
            .unwrap()
            .contains("my-notes")
    );
}

#[test]
fn a_slug_is_for_those_whom_the_operator_knows_by_name() {
    let it = Slugs::start(&["--admin-token", ADMIN]);
    let reader = it.file.make(&["reader", "--rights", "read"]);
    let it = Slugs {
        server: it.server.restart(),
        ..it
    };
    for (authorization, status) in [
        ("Bearer tbo_0123456789abcdefABCDEF", 401),
        (&*format!("Bearer {ADMIN}"), 401),
        (&format!("Bearer {reader}"), 403),
        ("", 401),
    ] {
        for request in [
            it.server
                .request("POST", "/")
                .header("X-Slug", "notes")
                .body("x"),
            form(it.server.request("POST", "/"), "file=x&slug=notes"),
            it.server
                .request("POST", "/api/v1/pastes")
                .body(r#"{"content":"x","slug":"notes"}"#),
            it.server.request("PUT", "/a.txt?slug=notes").body("x"),
        ] {
            let request = match authorization {
                "" => request,
                _ => request.header("Authorization", authorization),
            };
            let refused = request.header("Accept", "application/json").send();
            assert_eq!(refused.status, status, "{authorization} {refused:?}");
            let detail = json(&refused)["detail"].as_str().unwrap().to_owned();
            let part = if status == 401 {
                "needs a key"
            } else {
                "does not allow saving"
            };
            assert!(detail.contains(part), "{detail}");
        }
    }
    assert_eq!(it.server.pastes(), 0);
    // And the editor offers the field to them alone
    let editor = |request: Request| request.header("Accept", "text/html").send();
    let has_field = |page: &Response| page.text().contains("name=\"slug\"");
    assert!(has_field(&editor(it.with_key("GET", "/"))));
    assert!(!has_field(&editor(it.server.request("GET", "/"))));
}

#[test]
fn a_user_of_the_proxy_may_choose_a_slug() {
    let flags = ["--auth-header", "Remote-User"];
    let server = TestServer::unlimited(&flags);
    let save = server
        .request("POST", "/")
        .header("X-Slug", "notes")
        .body("x");
    let saved = save
        .header("Remote-User", "alice")
        .header("Sec-Fetch-Site", "same-origin");
    assert_eq!(saved.send().status, 201);
    assert_eq!(server.get("/notes").body, b"x");
}

#[test]
fn a_text_that_is_no_slug_is_refused_with_a_sentence() {
    let it = Slugs::start(&[]);
    for (slug, part) in [
        ("ab", "3 to 64 characters"),
        ("Notes", "3 to 64 characters"),
        ("twelve-chars", "12 characters"),
        ("help", "a page of this server"),
    ] {
        let refused = it.save(slug, "x");
        assert_eq!(refused.status, 400, "{slug}");
        assert!(refused.sentence().contains(part), "{slug}: {refused:?}");
    }
    let twice = it.with_key("POST", "/?slug=abc").header("X-Slug", "abc");
    assert_eq!(twice.body("x").send().status, 201);
    let twice = it.with_key("POST", "/?slug=abcd&slug=abcd").body("x");
    assert_eq!(twice.send().status, 400);
}

#[test]
fn a_slug_never_changes_and_is_of_one_paste_alone() {
    let it = Slugs::start(&[]);
    assert_eq!(it.save("notes", "x").status, 201);
    let patch = |body: &str| {
        it.with_key("PATCH", "/api/v1/pastes/notes")
            .body(body)
            .send()
    };
    for refused in [
        patch(r#"{"slug":"other"}"#),
        patch(r#"{"content":"y","slug":"other"}"#),
        it.with_key("PATCH", "/api/v1/pastes/notes?slug=other")
            .body("{}")
            .send(),
    ] {
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.text().contains("cannot be changed"), "{refused:?}");
    }
    let changed = patch(r#"{"content":"y","title":"t"}"#);
    assert_eq!(
        (changed.status, &json(&changed)["id"]),
        (200, &Value::from("notes"))
    );
    assert_eq!(it.server.pastes(), 1);
}

#[test]
fn a_slug_goes_with_a_password_and_with_a_burn() {
    let it = Slugs::start(&[]);
    let locked = it
        .with_key("POST", "/?slug=locked")
        .header("X-Password", "right");
    assert_eq!(locked.body("secret").send().status, 201);
    assert_eq!(it.server.get("/locked").status, 401);
    let read = it
        .server
        .request("POST", "/locked")
        .header("X-Password", "right");
    assert_eq!(read.send().body, b"secret");
    let burning = it.with_key("POST", "/?slug=burning&burn=1").body("once");
    assert_eq!(burning.send().status, 201);
    assert_eq!(it.server.get("/burning").status, 405);
    assert_eq!(it.server.request("POST", "/burning").send().body, b"once");
    assert_eq!(it.server.get("/burning").status, 410);
}

#[test]
fn a_body_for_a_slug_that_does_not_exist_was_meant_to_be_saved() {
    let it = Slugs::start(&[]);
    for (method, path) in [
        ("POST", "/upload"),
        ("POST", "/upload/now"),
        ("PUT", "/upload/now.txt"),
    ] {
        let refused = it.server.request(method, path).body("some text\n").send();
        assert_eq!(refused.status, 404, "{method} {path}");
        assert!(
            refused.sentence().contains("nothing was saved"),
            "{refused:?}"
        );
    }
}
