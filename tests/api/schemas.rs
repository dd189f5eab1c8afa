//! A data directory of every schema that was released: what was saved with it can be read for ever.
//!
//! The folder `fixtures/schema-N` holds the database of the last server with schema N and its secret. The server ran with
//! `TIDEBIN_MAX_EXPIRY=never`. curl saved an open paste, one with the password `right`, one that burns after one view, a
//! link, and a paste that it deleted; all with `expires=never`. Then the server was stopped with SIGTERM.

use std::fs;
use std::path::Path;

use rustix::process::Signal;

use crate::folder::Folder;
use crate::process::Running;

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

#[test]
fn every_paste_of_schema_1_can_be_read_by_this_version() {
    let data = copy("schema-1");
    for start in 1..=2 {
        // Given a server on the data directory of an earlier one
        let running = serve(&data);
        let read = |path: &str| running.request("POST", path).send();
        // Then an open paste has its content, title and language
        let open = running.request("GET", "/raw/LcVAxK5mMAzU").send();
        assert_eq!(open.text(), "an open paste, kept for ever\n");
        let page = running.request("GET", "/LcVAxK5mMAzU");
        let page = page.header("Accept", "text/html,*/*;q=0.8").send();
        for part in ["a title", "Rust"] {
            assert!(page.text().contains(part), "no {part}");
        }
        // And its token still names its owner
        let stats = running.request("GET", "/LcVAxK5mMAzU/stats");
        let stats = stats.header("X-Token", "L14TXgQJPgvFqvptj1_b9A");
        assert_eq!(stats.send().status, 200);
        // And a password opens its paste
        assert_eq!(read("/n2QDhEgCtaxA").status, 401);
        let locked = running.request("POST", "/n2QDhEgCtaxA");
        let locked = locked.header("X-Password", "right").send();
        assert_eq!(locked.text(), "only with the password\n");
        // And a link leads to its target
        let link = running.request("GET", "/BucHNoMFAMEc").send();
        assert_eq!(link.header("location"), Some("https://example.org/a"));
        // And one that burns is shown once, and never after a restart
        let burning = read("/N5CQ429Smgzo");
        match start {
            1 => assert_eq!(burning.text(), "shown once\n"),
            _ => assert_eq!(burning.status, 410),
        }
        // And one that was deleted says so
        let deleted = running.request("GET", "/QQxxCZJ-i0kw").send();
        assert_eq!(deleted.status, 410);
        assert!(deleted.sentence().contains("deleted by its owner"));
        running.send(Signal::TERM);
        assert_eq!(running.wait().0, Some(0));
    }
}
