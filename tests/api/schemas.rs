//! A data directory of every schema that was released: a paste saved with it can be read for ever.
//!
//! The folder `fixtures/schema-N` holds the database of the last server with schema N and its secret. The server ran
//! with `TIDEBIN_MAX_EXPIRY=never`. curl saved an open paste, one with the password `right`, one that burns after one
//! view, a link, and a paste that it deleted; all with `expires=never`. From schema 2 on, all but the deleted one
//! belong to the owner with the secret [`OWNER`]. Then the server was stopped with SIGTERM.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::process::Running;

/// The secret of the owner.
const OWNER: &str = "tbo_0123456789abcdefABCDEF";

/// The pastes of a fixture, and the token of the open one.
struct Fixture {
    folder: &'static str,
    open: &'static str,
    token: &'static str,
    locked: &'static str,
    burning: &'static str,
    link: &'static str,
    deleted: &'static str,
}

/// A data directory with a copy of a fixture.
fn copy(name: &str) -> Folder {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/api/fixtures")
        .join(name);
    let data = Folder::new("schema");
    for file in ["tidebin.db", "secret"] {
        data.write(file, fs::read(fixture.join(file)).expect("a fixture"));
    }
    data
}

fn serve(data: &Folder) -> Running {
    let path = data.path().to_str().expect("a path of text");
    Running::start(&["--data", path, "--max-disk", "64MiB"])
}

/// Asserts that all of the fixture can be read, before and after a restart. Returns the list of the owner's ids.
fn read_all(fixture: &Fixture) -> Vec<String> {
    let data = copy(fixture.folder);
    let mut listed = Vec::new();
    for start in 1..=2 {
        // Given a server on the data directory of an earlier one
        let running = serve(&data);
        let get = |path: String| running.request("GET", &path);
        let read = |id: &str| running.request("POST", &format!("/{id}"));
        // Then the owner has a list
        let list = get("/api/v1/pastes".to_owned());
        let list = list
            .header("Authorization", format!("Bearer {OWNER}"))
            .send();
        let list: Value = serde_json::from_slice(&list.body).unwrap();
        let ids = list["pastes"].as_array().unwrap().iter();
        let ids = ids.map(|paste| paste["id"].as_str().unwrap().to_owned());
        if start == 1 {
            listed = ids.collect();
        }
        // And an open paste has its content, title and language
        let open = get(format!("/raw/{}", fixture.open)).send();
        assert_eq!(open.text(), "an open paste, kept for ever\n");
        let page = get(format!("/{}", fixture.open));
        let page = page.header("Accept", "text/html,*/*;q=0.8").send();
        for part in ["a title", "Rust"] {
            assert!(page.text().contains(part), "no {part}");
        }
        // And its token still names its owner
        let stats = get(format!("/{}/stats", fixture.open));
        let stats = stats.header("X-Token", fixture.token);
        assert_eq!(stats.send().status, 200);
        // And a password opens its paste
        assert_eq!(read(fixture.locked).send().status, 401);
        let locked = read(fixture.locked).header("X-Password", "right").send();
        assert_eq!(locked.text(), "only with the password\n");
        // And a link leads to its target
        let link = get(format!("/{}", fixture.link)).send();
        assert_eq!(link.header("location"), Some("https://example.org/a"));
        // And one that burns is shown once, and never after a restart
        let burning = read(fixture.burning).send();
        match start {
            1 => assert_eq!(burning.text(), "shown once\n"),
            _ => assert_eq!(burning.status, 410),
        }
        // And one that was deleted says so
        let deleted = get(format!("/{}", fixture.deleted)).send();
        assert_eq!(deleted.status, 410);
        assert!(deleted.sentence().contains("deleted by its owner"));
        running.send(Signal::TERM);
        assert_eq!(running.wait().0, Some(0));
    }
    listed
}

#[test]
fn a_paste_of_an_older_schema_is_named_on_the_list_once_it_was_read() {
    let fixture = &FIXTURES[3];
    let data = copy(fixture.folder);
    for start in 1..=2 {
        let running = serve(&data);
        let names = || {
            let list = running.request("GET", "/api/v1/pastes");
            let list = list.header("Authorization", format!("Bearer {OWNER}"));
            let list: Value = serde_json::from_slice(&list.send().body).unwrap();
            let pastes = list["pastes"].as_array().unwrap().iter();
            let names = pastes.map(|paste| paste["name"].clone());
            names.collect::<Vec<_>>()
        };
        if start == 1 {
            assert_eq!(names(), vec![Value::Null; 4]);
            running.request("GET", &format!("/{}", fixture.link)).send();
        }
        // The link alone was read, and the others have a title or none is derived from them.
        let expected = [
            json!("https://example.org/a"),
            Value::Null,
            Value::Null,
            Value::Null,
        ];
        assert_eq!(names(), expected);
        running.send(Signal::TERM);
        assert_eq!(running.wait().0, Some(0));
    }
}

const FIXTURES: [Fixture; 4] = [
    Fixture {
        folder: "schema-1",
        open: "LcVAxK5mMAzU",
        token: "L14TXgQJPgvFqvptj1_b9A",
        locked: "n2QDhEgCtaxA",
        burning: "N5CQ429Smgzo",
        link: "BucHNoMFAMEc",
        deleted: "QQxxCZJ-i0kw",
    },
    Fixture {
        folder: "schema-2",
        open: "FbLO0OVlh7DM",
        token: "kBmO_ogiYm1185JRX3xv_g",
        locked: "nQBsyj5HVUHc",
        burning: "uiQ-LPQTJUAV",
        link: "3Wym39T3RG3M",
        deleted: "dAL1exTAVQgM",
    },
    Fixture {
        folder: "schema-3",
        open: "8EW8rEqXyn3c",
        token: "QGFFboBtbfL3YjhBw2cQqg",
        locked: "Sv8QNAlCS4XA",
        burning: "AkGrMfARqI7E",
        link: "z1gBbCbqERAs",
        deleted: "gqYLl1KBUWSE",
    },
    Fixture {
        folder: "schema-4",
        open: "zxj5qusUfHj0",
        token: "umxiDMW3f_suEA3jCWvejw",
        locked: "LuNBEhOTMxN8",
        burning: "yf3YcIkthEgs",
        link: "H6aRN2DEui34",
        deleted: "6U3XqLt-yw7w",
    },
];

#[test]
fn every_paste_of_every_schema_can_be_read_and_listed_by_this_version() {
    for fixture in &FIXTURES {
        let listed = read_all(fixture);
        let all = [fixture.link, fixture.burning, fixture.locked, fixture.open];
        // Schema 1 had no owners.
        let is_first = fixture.folder == "schema-1";
        let expected = if is_first { &[][..] } else { &all };
        assert_eq!(listed, expected, "{}", fixture.folder);
    }
}
