//! `tidebin backup` and `tidebin check`, run as an operator runs them, beside a server that is in use.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;

use crate::folder::Folder;
use crate::process::{Running, tidebin};

/// Returns the path of a file or folder in this folder.
fn path(folder: &Folder, name: &str) -> String {
    let path = folder.path().join(name);
    path.to_str().expect("text").to_owned()
}

/// Starts a server on this directory. Its first line tells where it listens.
fn serve(data: &str) -> Running {
    let quiet = "info,tidebin::http::storage=warn,tidebin::http::access_log=warn";
    let limits = ["--limit-save", "off", "--limit-read", "off"];
    let flags = ["--data", data, "--max-disk", "64MiB", "--log", quiet];
    Running::start(&[&flags[..], &limits].concat())
}

fn run(args: &[&str]) -> Output {
    tidebin(args).output().expect("it runs")
}

fn lines(output: &Output) -> String {
    let all = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8(all).expect("messages are text")
}

#[test]
fn a_backup_while_saves_go_on_has_every_save_that_was_answered_before_it() {
    let folder = Folder::new("backup");
    let (data, other) = (path(&folder, "data"), path(&folder, "other"));
    let file = path(&folder, "backup.db");
    // Given a server with four clients that save all the time
    let running = serve(&data);
    let (saved, stop) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let (before, made) = std::thread::scope(|scope| {
        for client in 0..4 {
            let (running, saved, stop) = (&running, &saved, &stop);
            scope.spawn(move || {
                for number in 0.. {
                    let content = format!("{client} {number}");
                    let answer = running.request("POST", "/").body(&content).send();
                    assert_eq!(answer.status, 201);
                    let url = answer.text();
                    let id = url.trim_end().rsplit('/').next().unwrap_or_default();
                    let paste = (format!("/{id}"), content);
                    saved.lock().expect("no client panicked").push(paste);
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                }
            });
        }
        while saved.lock().expect("no client panicked").len() < 100 {
            std::thread::yield_now();
        }
        // When a backup is made
        let before = saved.lock().expect("no client panicked").clone();
        let made = run(&["backup", "--data", &data, &file]);
        stop.store(true, Ordering::SeqCst);
        (before, made)
    });
    assert_eq!(made.status.code(), Some(0), "{}", lines(&made));
    let secret = format!("{data}/secret");
    assert!(lines(&made).contains(&secret), "{}", lines(&made));
    running.send(Signal::TERM);
    assert_eq!(running.wait().0, Some(0));
    // And restored into another directory with its secret
    fs::create_dir(&other).expect("a new folder");
    fs::rename(&file, Path::new(&other).join("tidebin.db")).expect("one file system");
    fs::copy(secret, Path::new(&other).join("secret")).expect("one file system");
    let checked = run(&["check", "--data", &other, "--max-disk", "64MiB"]);
    assert_eq!(checked.status.code(), Some(0), "{}", lines(&checked));
    // Then all that was answered before is there
    let restored = serve(&other);
    for (path, content) in before {
        assert_eq!(restored.request("GET", &path).send().text(), content);
    }
}

#[test]
fn a_check_tells_why_it_cannot_be_made_and_exits_with_1() {
    let folder = Folder::new("check");
    let (data, empty) = (path(&folder, "data"), path(&folder, "empty"));
    fs::create_dir(&empty).expect("a new folder");
    let running = serve(&data);
    for (args, said) in [
        (&["check"][..], "TIDEBIN_DATA is not set"),
        (&["check", "--data", &empty], "has no database"),
        (&["backup", "--data", &empty, "x"], "has no database"),
        (&["check", "--data", &data], "Another process uses"),
    ] {
        let refused = run(args);
        assert_eq!(refused.status.code(), Some(1), "{args:?}");
        assert!(lines(&refused).contains(said), "{}", lines(&refused));
    }
    // Nothing was made in the empty folder
    assert_eq!(fs::read_dir(&empty).expect("it is there").count(), 0);
    running.send(Signal::TERM);
    assert_eq!(running.wait().0, Some(0));
    let checked = run(&["check", "--data", &data]);
    assert!(lines(&checked).starts_with("Structure: intact.\nPastes: 0,"));
    assert_eq!(checked.status.code(), Some(0), "{}", lines(&checked));
}
