//! Data directories that the program refuses at its start: it says why, exits with 1, and changes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::folder::Folder;
use crate::process::{Running, tidebin};

/// Starts a server that must be refused. Returns its message.
fn refusal(data: &Path, environment: &[(&str, &str)]) -> String {
    let mut command = tidebin(&["--addr", "127.0.0.1:0"]);
    command.env("TIDEBIN_DATA", data);
    command.envs(environment.iter().copied());
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.expect("it runs");
    let (id, (ended, end)) = (Pid::from_child(&child), mpsc::channel());
    thread::spawn(move || ended.send(child.wait_with_output()));
    let Ok(output) = end.recv_timeout(Duration::from_secs(60)) else {
        kill_process(id, Signal::KILL).expect("it runs");
        panic!("it was not refused");
    };
    let output = output.expect("it ends");
    let message = String::from_utf8(output.stderr).expect("messages are text");
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(output.stdout.is_empty());
    let last = message.lines().last().expect("a message");
    assert!(
        last.starts_with("tidebin: ") && last.ends_with('.'),
        "{message}"
    );
    last.to_owned()
}

/// Returns the files of a folder with their bytes. Each start makes a lock, and an empty log with its index, which hold
/// nothing.
fn files(data: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(data).expect("a folder");
    files
        .map(|file| file.expect("a file").path())
        .filter(|path| !path.ends_with("tidebin.db-shm"))
        .map(|path| (path.clone(), fs::read(path).expect("a file")))
        .filter(|(_, bytes)| !bytes.is_empty())
        .map(|(path, bytes)| (path.file_name().expect("a name").to_owned(), bytes))
        .map(|(name, bytes)| (name.into_string().expect("text"), bytes))
        .collect()
}

/// Changes the bytes of the database from this place on.
fn overwrite(data: &Folder, at: usize, bytes: &[u8]) {
    let mut database = data.read("tidebin.db");
    database[at..at + bytes.len()].copy_from_slice(bytes);
    data.write("tidebin.db", database);
}

/// A change of a data directory before a start: its name, a function that does it, and words of the refusal.
type Case = (&'static str, fn(&Folder), &'static [&'static str]);

const DAMAGED: [Case; 6] = [
    (
        "the first bytes of the header are not those of a database",
        |data| overwrite(data, 0, b"s"),
        &["tidebin.db"],
    ),
    (
        "the database is that of another program",
        |data| overwrite(data, 68, &[0, 0, 0, 9]),
        &["tidebin.db"],
    ),
    (
        "the page of the schema is damaged",
        |data| overwrite(data, 100, &[0x55; 64]),
        &["tidebin.db"],
    ),
    (
        "the database has a newer schema",
        |data| overwrite(data, 60, &[0, 0, 0, 99]),
        &["newer", "schema 99"],
    ),
    (
        "the file of the secret was removed",
        |data| fs::remove_file(data.path().join("secret")).expect("it was there"),
        &["secret", "TIDEBIN_SECRET"],
    ),
    (
        "the secret is another one",
        |data| data.write("secret", "0123456789abcdef".repeat(4)),
        &["TIDEBIN_SECRET"],
    ),
];

#[test]
fn a_damaged_directory_is_refused_with_a_sentence_and_stays_as_it_is() {
    // Given the directory of a server that was stopped
    let served = Folder::new("refused");
    let path = served.path().to_str().expect("a path of text");
    let running = Running::start(&["--data", path, "--max-disk", "64MiB"]);
    assert_eq!(running.request("POST", "/").body("kept").send().status, 201);
    running.send(Signal::TERM);
    assert_eq!(running.wait().0, Some(0));
    for (case, damage, words) in DAMAGED {
        let data = Folder::new("refused");
        for (name, bytes) in files(served.path()) {
            data.write(&name, bytes);
        }
        // When it is damaged, and another server starts on it
        damage(&data);
        let before = files(data.path());
        let message = refusal(data.path(), &[]);
        // Then the message names what is wrong, and no file is changed
        for word in words {
            assert!(message.contains(word), "{case}: {message}");
        }
        assert!(files(data.path()) == before, "{case}: a file was changed");
    }
}

#[test]
fn after_a_refused_database_was_moved_away_the_server_starts() {
    // Given a directory with the database of another program, which was refused
    let data = Folder::new("refused");
    data.write("tidebin.db", "no database".repeat(900));
    refusal(data.path(), &[]);
    // When the operator moves it away, as the message says
    fs::remove_file(data.path().join("tidebin.db")).expect("it is there");
    // Then the server starts
    let path = data.path().to_str().expect("a path of text");
    let running = Running::start(&["--data", path, "--max-disk", "64MiB"]);
    assert_eq!(running.request("POST", "/").body("new").send().status, 201);
}

#[test]
fn a_directory_that_is_a_file_or_not_writable_is_refused_and_named() {
    let folder = Folder::new("refused");
    folder.write("file", "precious");
    let file = folder.path().join("file");
    // Not even root can create a file in /sys.
    for data in [file.as_path(), &file.join("data"), Path::new("/sys")] {
        let message = refusal(data, &[]);
        let path = data.to_str().expect("a path of text");
        for word in ["TIDEBIN_DATA", path] {
            assert!(message.contains(word), "{message}");
        }
    }
    assert_eq!(folder.read("file"), b"precious");
}

#[test]
fn a_directory_of_other_programs_is_refused_and_none_of_its_files_is_changed() {
    // Given a home, with a file of a name that tidebin uses too
    let home = Folder::new("refused");
    home.write("ballast", "precious");
    home.write(".profile", "");
    let link = Folder::new("refused");
    let link = link.path().join("link");
    std::os::unix::fs::symlink(home.path(), &link).expect("a link");
    for data in [home.path(), &link, Path::new("/"), Path::new("/etc")] {
        // When a server starts in it, then it is refused
        let message = refusal(data, &[]);
        assert!(
            message.contains(" has files of others, such as "),
            "{message}"
        );
    }
    assert_eq!(files(home.path()).len(), 1);
    assert_eq!(home.read("ballast"), b"precious");
    // But a link to an empty directory is one
    fs::remove_file(home.path().join("ballast")).expect("it is there");
    let running = Running::start(&["--data", link.to_str().expect("text"), "--max-disk=64MiB"]);
    assert_eq!(running.request("POST", "/").body("kept").send().status, 201);
}

#[test]
fn an_index_that_does_not_fit_into_the_memory_is_refused_before_any_file_is_made() {
    let folder = Folder::new("refused");
    let message = refusal(folder.path(), &[("TIDEBIN_MAX_DISK", "64GiB")]);
    for word in ["TIDEBIN_MAX_DISK", "TIDEBIN_MAX_STORE_SIZE"] {
        assert!(message.contains(word), "{message}");
    }
    assert!(!folder.path().join("tidebin.db").exists());
}
