//! Folders of files: of rustypaste, haste, linx and 0x0.

use std::process::Command;

use serde_json::{Value, json};

use super::Import;

/// After the time at which the server of a test stands.
const END: u64 = 1_798_761_600_000;

fn object(import: &Import, slug: &str) -> Value {
    serde_json::from_slice(&import.read(&format!("/api/v1/pastes/{slug}"))).unwrap()
}

/// Where an old path leads.
fn moved(import: &Import, path: &str) -> String {
    let map = String::from_utf8(import.folder.read("moved.map")).unwrap();
    let line = map
        .lines()
        .find(|line| line.starts_with(&format!("\"~^{path}$\" ")));
    let line = line.unwrap_or_else(|| panic!("{path}: {map}"));
    line.split(' ')
        .next_back()
        .unwrap()
        .trim_end_matches(';')
        .to_owned()
}

#[test]
#[ignore = "needs python3"]
fn a_thousand_files_of_rustypaste_move_with_names_ends_views_and_links() {
    let import = Import::start("files.py", &["upload"]);
    let many: Vec<_> = (0..990)
        .map(|number| format!("upload/mole-{number}.rs"))
        .collect();
    let many: Vec<_> = many
        .iter()
        .map(|path| (&**path, "fn main() {}\n"))
        .collect();
    import.write(&many);
    let ending = format!("upload/brave-mole.txt.{END}");
    import.write(&[
        (&ending, "ends"),
        ("upload/past-mole.txt.1650460320000", "ended"),
        ("upload/same.txt", "a text"),
        ("upload/same.md", "# a text"),
        ("upload/archive.tar.gz", "not really"),
        ("upload/UPPER.py", "print()"),
        ("upload/empty.txt", ""),
        ("upload/5d41402abc4b2a76b9719d911017c592", "of haste"),
        ("upload/oneshot/once-only.txt", "once"),
        ("upload/url/a-link", "https://example.org/a?b=c"),
        ("upload/oneshot_url/b-link", "https://example.org/"),
        ("upload/protected/locked.txt", "needs a password"),
        ("upload/a/folder/deep.txt", "of no pastebin"),
    ]);
    let (_, left) = import.run_interrupted();
    let left: Vec<_> = left
        .lines()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    let paths = [
        "/empty.txt",
        "/past-mole.txt",
        "/b-link",
        "/locked.txt",
        "/deep.txt",
    ];
    assert_eq!(left, paths.map(|path| format!("Left out {path}")));
    assert_eq!(import.pastes(), 998);
    assert_eq!(
        import.run().0,
        "0 saved, 998 were saved before, 5 left out\n"
    );
    let told = object(&import, "mole-7");
    assert_eq!(
        [&told["title"], &told["language"], &told["expires"]],
        [&json!("mole-7.rs"), &json!("rust"), &Value::Null]
    );
    assert_eq!(import.read("/mole-7.rs"), b"fn main() {}\n");
    assert_eq!(object(&import, "brave-mole")["expires"], END);
    // The second of two names with one stem has another address.
    assert_eq!(import.read("/same.md"), b"# a text");
    assert_eq!(import.read(&moved(&import, "/same\\\\.txt")), b"a text");
    assert_eq!(import.read(&moved(&import, "/UPPER\\\\.py")), b"print()");
    assert_eq!(
        import.read(&moved(&import, "/archive\\\\.tar\\\\.gz")),
        b"not really"
    );
    let hash = object(&import, "5d41402abc4b2a76b9719d911017c592");
    assert_eq!(
        (&hash["title"], &hash["content"]),
        (&Value::Null, &json!("of haste"))
    );
    let once = import.server.request("POST", "/once-only");
    assert_eq!([(); 2].map(|()| once.send().status), [200, 410]);
    let link = import.get("/a-link").send();
    assert_eq!(link.header("location"), Some("https://example.org/a?b=c"));
}

#[test]
#[ignore = "needs python3"]
fn below_a_base_path_every_old_address_leads_elsewhere() {
    let import = Import::below("/bin", "files.py", &["upload"]);
    import.write(&[("upload/fine-name.md", "x")]);
    import.run();
    assert_eq!(moved(&import, "/fine\\\\-name\\\\.md"), "/bin/fine-name");
    assert_eq!(import.read("/bin/fine-name"), b"x");
}

#[test]
#[ignore = "needs python3"]
fn files_of_linx_move_with_their_ends_and_without_those_that_need_a_password() {
    let import = Import::start("files.py", &["files", "meta"]);
    let meta = |end: u64, key: &str| {
        let mut told = json!({ "delete_key": "k", "sha256sum": "", "mimetype": "text/plain", "size": 1, "expiry": end });
        if !key.is_empty() {
            told["access_key"] = key.into();
        }
        told.to_string()
    };
    import.write(&[
        ("files/z9x8c7.go", "package main\n"),
        ("meta/z9x8c7.go", &meta(END / 1000, "")),
        ("files/for-ever.txt", "x"),
        ("meta/for-ever.txt", &meta(0, "")),
        ("files/locked.txt", "secret"),
        ("meta/locked.txt", &meta(0, "$scrypt$")),
    ]);
    let (printed, left) = import.run();
    assert_eq!(printed, "2 saved, 0 were saved before, 1 left out\n");
    assert!(
        left.starts_with("Left out /locked.txt: It has a password."),
        "{left}"
    );
    let told = object(&import, "z9x8c7");
    assert_eq!(
        (&told["language"], &told["expires"]),
        (&json!("go"), &json!(END))
    );
    assert_eq!(object(&import, "for-ever")["expires"], Value::Null);
    assert_eq!(
        import.read(&moved(&import, "/selif/z9x8c7\\\\.go")),
        b"package main\n"
    );
}

#[test]
#[ignore = "needs python3"]
fn files_and_links_of_0x0_move_with_the_addresses_that_its_database_gives_them() {
    let import = Import::start("files.py", &["up", "db.sqlite"]);
    import.write(&[
        ("up/aa", "one\n"),
        ("up/bb", "<?php\n"),
        ("up/cc", "removed"),
        ("up/dd", "secret\n"),
    ]);
    let fill = "import sqlite3\nwith sqlite3.connect('db.sqlite') as db:\n    \
        db.execute('CREATE TABLE file (id INTEGER PRIMARY KEY, sha256, ext, removed, expiration, secret)')\n    \
        db.execute('CREATE TABLE \"URL\" (id INTEGER PRIMARY KEY, url)')\n    \
        db.executemany('INSERT INTO file VALUES (?, ?, ?, ?, ?, ?)', [(1, 'aa', '.txt', 0, END, None), \
        (4097, 'bb', '.php', 0, None, None), (3, 'cc', '.txt', 1, None, None), (64, 'dd', '.txt', 0, END, 'S3cret')])\n    \
        db.execute('INSERT INTO \"URL\" VALUES (65, ?)', ['https://example.org/'])\n";
    let fill = fill.replace("END", &END.to_string());
    let filled = Command::new("python3")
        .args(["-c", &fill])
        .current_dir(import.folder.path())
        .status();
    assert!(filled.unwrap().success());
    let (printed, left) = import.run();
    assert_eq!(printed, "4 saved, 0 were saved before, 1 left out\n");
    assert!(
        left.starts_with("Left out /h.txt: Its operator removed it."),
        "{left}"
    );
    let read = |path: &str| import.read(&moved(&import, path));
    assert_eq!(read("/E\\\\.txt"), b"one\n");
    assert_eq!(read("/EDE\\\\.php"), b"<?php\n");
    assert_eq!(read("/s/S3cret/ED\\\\.txt"), b"secret\n");
    let link = import.get(&moved(&import, "/EE")).send();
    assert_eq!(link.header("location"), Some("https://example.org/"));
    let told = object(&import, &moved(&import, "/EDE\\\\.php")[1..]);
    assert_eq!(
        (&told["title"], &told["language"]),
        (&json!("EDE.php"), &json!("php"))
    );
    assert_eq!(import.run().0, "0 saved, 4 were saved before, 1 left out\n");
}
