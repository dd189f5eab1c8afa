//! Keys: who may save and read on a server that asks for them.

mod ambient;
mod guesses;
mod holders;
mod login;
mod operate;
mod proxy;
mod reload;
mod shares;

use std::collections::BTreeSet;
use std::process::Output;

use crate::client::{Request, Response};
use crate::folder::Folder;
use crate::forms::{Forms, MULTIPART, parts};
use crate::process::tidebin;
use crate::server::{Saved, TestServer};

/// A file of keys.
pub struct KeysFile {
    folder: Folder,
    path: String,
}

impl KeysFile {
    pub fn new() -> Self {
        let folder = Folder::new("keys");
        let path = folder.path().join("keys").display().to_string();
        Self { folder, path }
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Runs `tidebin key` with these arguments.
    pub fn run(&self, args: &[&str]) -> Output {
        let args = [&["key"], args, &["--keys", self.path()]].concat();
        tidebin(&args).output().expect("the program runs")
    }

    /// Makes a key, and returns it.
    pub fn make(&self, args: &[&str]) -> String {
        let made = self.run(&[&["new"], args].concat());
        assert!(made.status.success(), "{made:?}");
        String::from_utf8(made.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    /// Makes a key that is valid until this day, which may be over.
    pub fn make_until(&self, name: &str, end: &str) -> String {
        let key = self.make(&[name, "--until", "2999-12-31"]);
        let text = std::fs::read_to_string(self.path()).expect("the file of keys");
        self.write(&text.replace("2999-12-31", end));
        key
    }

    pub fn write(&self, text: &str) {
        self.folder.write("keys", text);
    }
}

/// A server without limits and with this access, its file of keys, and a key that may save and read.
pub fn server(access: &str) -> (TestServer, KeysFile, String) {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let server = TestServer::with(&["--access", access, "--keys", file.path()]);
    (server, file, key)
}

fn bearer(request: Request, key: &str) -> Request {
    request.header("Authorization", format!("Bearer {key}"))
}

/// `Authorization: Basic` with an empty user.
fn basic(key: &str) -> String {
    use base64::Engine;
    let encoded = base64::engine::general_purpose::STANDARD.encode(format!(":{key}"));
    format!("Basic {encoded}")
}

/// All headers but the time, without this id.
fn headers_of(answer: &Response, id: &str) -> BTreeSet<(String, String)> {
    let headers = answer.headers.iter();
    let headers = headers.filter(|(name, _)| name != "date");
    headers
        .map(|(name, value)| (name.clone(), value.replace(id, "ID")))
        .collect()
}

fn save(server: &TestServer, key: &str) -> Saved {
    let answer = bearer(server.request("POST", "/"), key).body("x").send();
    assert_eq!(answer.status, 201, "{answer:?}");
    Saved::of(&answer)
}

#[test]
fn saving_by_key_needs_a_key_and_reading_needs_none() {
    let (server, _file, key) = server("save-by-key");
    let refused = server.request("POST", "/").body("x").send();
    assert_eq!(refused.status, 401);
    assert_eq!(
        refused.header("www-authenticate"),
        Some("Basic realm=\"tidebin\", charset=\"UTF-8\"")
    );
    let start = "Saving needs a key here. Send it, as in `curl -H @key.header -T FILE URL`";
    assert!(refused.sentence().starts_with(start));
    assert_eq!(server.store.occupancy().pastes, 0);
    for authorization in [
        format!("Bearer {key}"),
        format!("bearer {key}"),
        basic(&key),
        key,
    ] {
        let request = server.request("PUT", "/x.txt").body("x");
        let saved = request.header("Authorization", &authorization).send();
        assert_eq!(saved.status, 201, "{authorization}");
        assert_eq!(server.get(&Saved::of(&saved).path).body, b"x");
    }
}

#[test]
fn a_private_server_answers_existing_and_unknown_pastes_alike() {
    let (server, _file, key) = server("private");
    let saved = save(&server, &key);
    assert_eq!(
        bearer(server.request("GET", &saved.path), &key).send().body,
        b"x"
    );
    let unknown = TestServer::start().save("y");
    for (method, format) in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"]
        .iter()
        .flat_map(|method| ["*/*", "text/html", "application/json"].map(|it| (*method, it)))
    {
        for form in [
            "/ID",
            "/raw/ID",
            "/dl/ID",
            "/qr/ID",
            "/ID/stats",
            "/ID/edit",
            "/ID/report",
            "/ID/name.rs",
            "/ID+",
            "/share/ID",
            "/documents/ID",
            "/record/ID",
            "/api/v1/pastes/ID",
            "/api/v1/pastes/ID/stats",
        ] {
            let [known, unknown] = [&saved.id, &unknown.id].map(|id| {
                let request = server.request(method, &form.replace("ID", id));
                let request = request
                    .header("Accept", format)
                    .header("X-Token", &saved.token);
                let answer = request.send();
                let body = answer.text().replace(id, "ID");
                assert_eq!(answer.status, 401, "{answer:?}");
                (body, headers_of(&answer, id))
            });
            assert_eq!(known, unknown, "{method} {form} {format}");
        }
    }
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn the_challenge_opens_no_dialog_in_a_browser() {
    let (server, _file, _) = server("private");
    let challenge = |headers: &[(&str, &str)]| {
        let request = server.request("GET", "/abc");
        let request = headers
            .iter()
            .fold(request, |it, (name, value)| it.header(name, value));
        request.send().header("www-authenticate").map(str::to_owned)
    };
    let bearer = Some("Bearer realm=\"tidebin\"".to_owned());
    assert_eq!(challenge(&[("Accept", "text/html,*/*")]), bearer);
    assert_eq!(challenge(&[("Accept", "application/json")]), bearer);
    assert_eq!(challenge(&[("Sec-Fetch-Mode", "no-cors")]), bearer);
    assert_ne!(challenge(&[]), bearer);
}

#[test]
fn a_key_gives_no_more_than_its_rights() {
    let file = KeysFile::new();
    let [both, saver, reader] = [
        &["both"][..],
        &["saver", "--rights", "save"],
        &["reader", "--rights", "read"],
    ]
    .map(|args| file.make(args));
    let server = TestServer::with(&["--access", "private", "--keys", file.path()]);
    let saved = save(&server, &both);
    save(&server, &saver);
    let status = |method, path: &str, key| {
        let answer = bearer(server.request(method, path), key).body("y").send();
        if answer.status == 403 {
            let sentence = answer.sentence();
            assert!(
                sentence.starts_with("This key does not allow "),
                "{sentence}"
            );
        }
        answer.status
    };
    assert_eq!(status("POST", "/", &reader), 403);
    assert_eq!(status("PUT", &saved.path, &reader), 403);
    assert_eq!(status("GET", &saved.path, &reader), 200);
    assert_eq!(status("GET", &saved.path, &saver), 403);
    // The editor is for savers. A copy of a paste in it is a read.
    let edit = |path: &str| {
        let request = bearer(server.request("GET", path), &saver);
        request.header("Accept", "text/html").send().status
    };
    assert_eq!(edit("/"), 200);
    assert_eq!(edit(&format!("/?from={}", saved.id)), 403);
}

#[test]
fn a_key_that_may_only_save_does_not_learn_which_pastes_exist() {
    // Given a private server with a paste, a removed one and an unknown one
    let file = KeysFile::new();
    let (both, saver) = (
        file.make(&["both"]),
        file.make(&["saver", "--rights", "save"]),
    );
    let server = TestServer::with(&["--access", "private", "--keys", file.path()]);
    let (saved, gone) = (save(&server, &both), save(&server, &both));
    let delete = server.request("DELETE", &gone.path);
    assert_eq!(bearer(delete, &both).send().status, 200);
    let unknown = TestServer::start().save("y").id;
    let edit = parts(&[("content", "new")]);
    let replace = parts(&[("id:1", "ID"), ("f:1", "new")]);
    let remove = parts(&[("rm", "ID")]);
    // When a key that may only save tries to change each of them
    for (method, path, content_type, body) in [
        ("PUT", "/ID", "", "new"),
        ("POST", "/ID/edit", MULTIPART, &*edit),
        ("POST", "/", MULTIPART, &replace),
        ("POST", "/", MULTIPART, &remove),
        (
            "PATCH",
            "/api/v1/pastes/ID",
            "application/json",
            r#"{"title":"new"}"#,
        ),
    ] {
        for (token, format) in [Some("wrong"), None]
            .into_iter()
            .flat_map(|token| ["*/*", "text/html"].map(|format| (token, format)))
            .filter(|(token, _)| token.is_some() || method != "PUT")
        {
            let answer = |id: &str| {
                let request = server.request(method, &path.replace("ID", id));
                let request = bearer(request, &saver).header("Accept", format);
                let request = request.header("Content-Type", content_type);
                let request = token
                    .into_iter()
                    .fold(request, |it, token| it.header("X-Token", token));
                let answer = request.body(body.replace("ID", id)).send();
                let body = answer.text().replace(id, "ID");
                (answer.status, headers_of(&answer, id), body)
            };
            let existing = answer(&saved.id);
            // Then they are answered alike
            assert_eq!(existing.0, 403, "{method} {path} {existing:?}");
            for id in [&gone.id, &unknown, "0123456789AB"] {
                assert_eq!(answer(id), existing, "{method} {path} {token:?} {format}");
            }
        }
    }
    // And it replaces the content of its own paste, and of one whose token it has
    let own = save(&server, &saver);
    let put = server.request("PUT", &saved.path).body("new");
    let put = put.header("X-Token", &saved.token);
    assert_eq!(bearer(put, &saver).send().status, 200);
    let request = server.request("POST", &format!("{}/edit", own.path));
    let request = request.header("Content-Type", MULTIPART).body(&edit);
    assert_eq!(bearer(request, &saver).send().status, 200);
}

#[test]
fn each_try_of_a_key_that_may_only_save_is_a_miss() {
    let file = KeysFile::new();
    let (both, saver) = (
        file.make(&["both"]),
        file.make(&["saver", "--rights", "save"]),
    );
    let limits = ["--limit-save", "off", "--limit-miss", "rate 1/s burst 3"];
    let flags = [&limits[..], &["--access", "private", "--keys", file.path()]];
    let server = TestServer::limited(&flags.concat());
    let saved = save(&server, &both);
    for id in [&*saved.id, "0123456789AB"] {
        server.advance(std::time::Duration::from_secs(60));
        let patch = || {
            let request = server.request("PATCH", &format!("/api/v1/pastes/{id}"));
            bearer(request, &saver).body("{}").send().status
        };
        assert_eq!([patch(), patch(), patch(), patch()], [403, 403, 403, 429]);
    }
}

#[test]
fn a_key_that_may_operate_and_the_operators_token_delete_any_paste() {
    const TOKEN: &str = "correct-horse-battery";
    let file = KeysFile::new();
    let [key, other, operator, remover] = [
        &["alice"][..],
        &["bob"],
        &["root", "--rights", "read,operate"],
        &["remover", "--rights", "operate"],
    ]
    .map(|args| file.make(args));
    let flags = [
        "--access",
        "private",
        "--keys",
        file.path(),
        "--admin-token",
        TOKEN,
    ];
    let server = TestServer::with(&flags);
    for secret in [TOKEN, &operator, &remover] {
        let saved = save(&server, &key);
        let delete = |key| bearer(server.request("DELETE", &saved.path), key).send();
        assert_eq!(delete(&other).status, 403);
        assert_eq!(delete(secret).status, 200);
        let gone = bearer(server.request("GET", &saved.path), &key).send();
        assert_eq!(gone.status, 410);
        assert!(
            gone.sentence().contains("removed by the operator"),
            "{gone:?}"
        );
    }
}

#[test]
fn the_factor_of_a_key_multiplies_the_limits_of_its_client() {
    let file = KeysFile::new();
    let (key, thrice) = (file.make(&["a"]), file.make(&["b", "--limit", "x3"]));
    let limit = ["--limit-save", "rate 1/m burst 2", "--keys", file.path()];
    let server = TestServer::limited(&limit);
    for (client, key, allowed) in [("192.0.2.1", &key, 2), ("198.51.100.1", &thrice, 6)] {
        let save = || {
            let request = server.request("POST", "/").from(client).body("x");
            bearer(request, key).send()
        };
        for _ in 0..allowed {
            assert_eq!(save().status, 201);
        }
        let refused = save();
        assert_eq!(refused.status, 429, "{refused:?}");
    }
}

#[test]
fn the_page_of_a_refused_save_keeps_the_text() {
    let (server, _file, _) = server("save-by-key");
    let request = server.request("POST", "/").header("Accept", "text/html");
    let refused = request.parts(&[("content", "hello")]).send();
    assert_eq!(refused.status, 401);
    let page = refused.text();
    assert!(page.contains("href=\"/login\" target=\"_blank\""), "{page}");
}

#[test]
fn the_holder_of_a_key_owns_what_was_saved_with_it() {
    let file = KeysFile::new();
    let (key, other) = (file.make(&["alice"]), file.make(&["bob"]));
    let server = TestServer::with(&["--keys", file.path()]);
    let saved = save(&server, &key);
    let list = |key: &str| {
        let list = bearer(server.request("GET", "/api/v1/pastes"), key).send();
        let list: serde_json::Value = serde_json::from_slice(&list.body).unwrap();
        let names = list["pastes"].as_array().unwrap().iter();
        names.map(|it| it["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!((list(&key), list(&other)), (vec!["x".into()], vec![]));
    let delete = |key: &str| {
        let request = bearer(server.request("DELETE", &saved.path), key);
        request.send().status
    };
    assert_eq!(delete(&other), 403);
    assert_eq!(delete(&key), 200);
    assert_eq!(list(&key), [""; 0]);
}
