//! `tidebin backup` and `tidebin check`, run as an operator runs them, beside a server that is in use.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::mpsc;

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::folder::Folder;
use crate::process::{Running, tidebin};

/// A secret that no database of these tests has.
const WRONG: &str = "correct horse battery staple, 32";

/// Returns the path of a file or folder in this folder.
fn path(folder: &Folder, name: &str) -> String {
    let path = folder.path().join(name);
    path.to_str().expect("text").to_owned()
}

/// Starts a server on this directory. Its first line tells where it listens.
fn serve(data: &str) -> Running {
    let quiet = "info,tidebin::http::storage=warn,tidebin::http::log=warn";
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
    let (save, saved) = mpsc::channel();
    let (before, made) = std::thread::scope(|scope| {
        for client in 0..4 {
            let (running, save) = (&running, save.clone());
            scope.spawn(move || {
                for number in 0.. {
                    let content = format!("{client} {number}");
                    let answer = running.request("POST", "/").body(&content).send();
                    assert_eq!(answer.status, 201);
                    let url = answer.text();
                    let id = url.trim_end().rsplit('/').next().unwrap_or_default();
                    if save.send((format!("/{id}"), content)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(save);
        let mut before: Vec<_> = saved.iter().take(100).collect();
        // When a backup is made
        before.extend(saved.try_iter());
        let made = run(&["backup", "--data", &data, &file]);
        drop(saved);
        (before, made)
    });
    assert!(before.len() >= 100);
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
    let file = path(&folder, "file");
    fs::create_dir(&empty).expect("a new folder");
    fs::write(&file, "").expect("a new file");
    let running = serve(&data);
    for (args, said) in [
        (&["check"][..], "TIDEBIN_DATA is not set"),
        (&["check", "--data", &empty], "has no database"),
        (&["backup", "--data", &empty, "x"], "has no database"),
        (&["check", "--data", &data], "Another process uses"),
        (
            &["check", "--data", &file],
            "cannot be read (Not a directory",
        ),
        (
            &["backup", "--data", &data, "--secret", WRONG, "x"],
            "The secret is not that of this database.",
        ),
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

#[test]
fn a_start_that_is_refused_for_a_budget_names_one_that_is_enough_and_makes_nothing() {
    let large = ["--max-paste-size", "60MiB", "--max-in-flight", "120MiB"];
    let all = Folder::new("budgets");
    let data = path(&all, "data");
    let too_small = [
        "--max-in-flight=1MiB",
        "--max-store-size=8MiB",
        "--max-disk=64MiB",
    ];
    let all = [&large[..2], &too_small, &["--data", &data]].concat();
    let refused = lines(&run(&all));
    assert_eq!(refused.matches("is too small").count(), 3, "{refused}");
    for (others, flag, budget, enough) in [
        (
            &["--max-disk", "16GiB"][..],
            "--max-store-size",
            "128MiB",
            "363 MiB",
        ),
        (
            &["--max-disk", "64MiB", "--max-paste-size", "4MiB"],
            "--max-store-size",
            "8MiB",
            "11 MiB",
        ),
        (&large, "--max-store-size", "128MiB", "149 MiB"),
        (
            &[&large[..], &["--max-store-size", "1GiB"]].concat(),
            "--max-disk",
            "64MiB",
            "75 MiB",
        ),
    ] {
        let folder = Folder::new("budgets");
        let data = path(&folder, "data");
        let with = |budget| [others, &["--data", &data, flag, budget]].concat();
        // Given a budget that is too small
        let refused = run(&[&["--addr", "127.0.0.1:0"], &with(budget)[..]].concat());
        assert_eq!(refused.status.code(), Some(1), "{others:?}");
        let way_out = format!("to {enough}, or lower TIDEBIN_MAX_");
        assert!(lines(&refused).contains(&way_out), "{}", lines(&refused));
        assert!(!Path::new(&data).exists());
        // When the one that the message names is set, then the server starts
        Running::start(&with(enough));
    }
}

#[test]
fn the_log_tells_where_pastes_are_and_that_a_database_is_lost_or_closed() {
    let log = |args: &[&str], lost: bool| {
        let mut command = tidebin(&[&["--addr", "127.0.0.1:0"], args].concat());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut log = BufReader::new(child.stderr.take().expect("it has a log"));
        let mut text = String::new();
        while !text.contains("http://") {
            assert!(log.read_line(&mut text).expect("text") > 0, "{text}");
        }
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, Signal::TERM).expect("it runs");
        log.read_to_string(&mut text).expect("text");
        assert_eq!(child.wait().expect("it ends").code(), Some(0));
        assert_eq!(
            text.contains("files of an earlier start but no tidebin.db"),
            lost,
            "{text}"
        );
        text
    };
    // Given a server in memory, whose budget of disk has no effect
    let text = log(&["--max-disk", "1GiB"], false);
    assert!(text.contains("WARN TIDEBIN_MAX_DISK has no effect without TIDEBIN_DATA"));
    assert!(text.contains("INFO TIDEBIN_DATA is not set: pastes are in memory alone"));
    assert!(!log(&[], false).contains("MAX_DISK"));
    // And one with a directory
    let folder = Folder::new("lost");
    let data = path(&folder, "data");
    for on_disk in [
        &["--data", &data][..],
        &["--data", &data, "--secret", WRONG],
    ] {
        let text = log(on_disk, false);
        let end = text.lines().last().expect("a line");
        assert!(end.contains("the database is closed pastes=0 "), "{text}");
        assert!(!text.contains("in memory alone"));
        log(on_disk, false);
        // When its database is lost
        fs::remove_file(Path::new(&data).join("tidebin.db")).expect("it was there");
        // Then the next start says so, once
        log(on_disk, true);
        log(on_disk, false);
        // And so it does if the database is empty
        fs::write(Path::new(&data).join("tidebin.db"), "").expect("it was there");
        log(on_disk, true);
        fs::remove_dir_all(&data).expect("it was there");
    }
}

/// Makes a terminal. Returns what it shows, and the end for a program.
fn terminal() -> (File, File) {
    let shown = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&shown)
        .and_then(|()| unlockpt(&shown))
        .expect("it is ours");
    let name = ptsname(&shown, Vec::new())
        .expect("a name")
        .into_string()
        .expect("text");
    let end = OpenOptions::new()
        .read(true)
        .write(true)
        .open(name)
        .expect("it opens");
    (shown.into(), end)
}

/// Reads what a terminal shows, until it has shown this or is closed.
fn read_until(shown: &mut File, text: &str) -> String {
    let (mut read, mut bytes) = (String::new(), [0; 512]);
    while !read.contains(text) {
        match shown.read(&mut bytes) {
            Ok(0) | Err(_) => return read,
            Ok(length) => read += &String::from_utf8_lossy(&bytes[..length]),
        }
    }
    read
}

#[test]
fn long_work_tells_a_terminal_that_it_goes_on_and_ends_cleanly_by_ctrl_c() {
    let folder = Folder::new("stopped");
    let (data, file) = (path(&folder, "data"), path(&folder, "backup.db"));
    let running = serve(&data);
    for _ in 0..9 {
        running.request("POST", "/").body("x").send();
    }
    running.send(Signal::TERM);
    assert_eq!(running.wait().0, Some(0));
    assert!(run(&["backup", "--data", &data, &file]).stderr.is_empty());
    let made = fs::read(&file).expect("a backup");
    for (args, said) in [
        (vec!["backup", "other.db"], "There is no backup"),
        (vec!["restore", &file], "The database is as it was."),
        (vec!["check"], "Nothing was changed."),
    ] {
        // Given work that has to wait, because another program holds the file
        let held = match args[0] {
            "restore" => file.clone(),
            _ => format!("{data}/tidebin.db"),
        };
        let before = fs::read(&held).expect("a database");
        let holder = rusqlite::Connection::open(&held).expect("it opens");
        let hold = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";
        holder.execute_batch(hold).expect("it is free");
        let (mut shown, end) = terminal();
        let mut command = tidebin(&args);
        command.args(["--data", &data]).current_dir(folder.path());
        let mut child = command.stderr(end).spawn().expect("it starts");
        drop(command);
        // When it is told to end
        let told = read_until(&mut shown, "Ctrl+C");
        assert!(told.contains(" of "), "{told}");
        kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
        read_until(&mut shown, "Stopping.");
        drop(holder);
        // Then it says what is left, and that is so
        let told = read_until(&mut shown, "the end");
        assert!(
            told.contains("tidebin: Stopped. ") && told.contains(said),
            "{told}"
        );
        assert_eq!(child.wait().expect("it ends").code(), Some(1));
        let database = fs::read(&held).expect("a database");
        assert!(database == before, "{args:?}");
        let left = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 2, "{args:?}");
    }
    assert!(fs::read(&file).expect("a backup") == made);
}
