//! Rules of the project that the compiler does not check: layers, file sizes, and the files that may read the clock or
//! the environment.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop"
)]

mod documents;
mod imports;
mod layers;
mod names;

use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust file below a folder, with its text.
fn sources(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![root.join(folder)];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push((name_below(root, &path), fs::read_to_string(&path).unwrap()));
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no sources in {folder}");
    found
}

fn name_below(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(&PathBuf::new())
        .to_string_lossy()
        .into_owned()
}

/// The lines of code, without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
}

/// Asserts that no code below `folder` contains one of these words, except in the files of `except`.
#[track_caller]
fn never_names(folder: &str, words: &[&str], except: &[&str]) {
    for (file, text) in sources(folder) {
        if except.iter().any(|excepted| file.starts_with(excepted)) {
            continue;
        }
        for line in code(&text) {
            let word = words.iter().find(|word| line.contains(**word));
            assert!(word.is_none(), "{file} names {}: {line}", word.unwrap());
        }
    }
}

#[test]
fn frameworks_stay_at_the_edge() {
    never_names("src", &["actix"], &["src/http", "src/main.rs", "src/log"]);
    never_names(
        "src",
        &["tokio"],
        &[
            "src/http",
            "src/limit",
            "src/overload",
            "src/store",
            "src/main.rs",
        ],
    );
    never_names("src", &["rusqlite"], &["src/store/sqlite"]);
    never_names("src", &["redis::"], &["src/store/valkey"]);
}

#[test]
fn time_and_environment_each_have_one_reader() {
    never_names(
        "src",
        &["Instant::now", "SystemTime::now"],
        &["src/clock.rs"],
    );
    never_names(
        "src",
        &["env::var", "env::args", "dotenvy"],
        &["src/config"],
    );
}

#[test]
fn no_test_sleeps_or_spins() {
    let waits = [concat!("sleep", "("), concat!("yield", "_now")];
    never_names("tests", &waits, &[]);
    never_names("src", &waits, &[]);
}

#[test]
fn every_file_starts_with_a_description_and_has_at_most_400_lines() {
    for folder in ["src", "tests", "benches"] {
        for (file, text) in sources(folder) {
            assert!(
                text.starts_with("//!"),
                "{file} does not open with what it is"
            );
            let lines = text.lines().count();
            assert!(lines <= 400, "{file} has {lines} lines");
        }
    }
}

#[test]
fn unsafe_code_is_in_two_files() {
    let calls_of_c = [
        "src/allocator.rs",
        "src/store/valkey/connection/host_names.rs",
    ];
    never_names("src", &["unsafe_code", "unsafe {"], &calls_of_c);
}

#[test]
fn main_only_wires() {
    let main =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main.rs")).unwrap();
    assert!(
        main.lines().count() <= 40,
        "main.rs has {} lines",
        main.lines().count()
    );
}

#[test]
fn no_code_is_left_unfinished() {
    for words in [
        ["todo", "!("].concat(),
        ["unimplemented", "!("].concat(),
        ["FIX", "ME"].concat(),
    ] {
        never_names("src", &[words.as_str()], &[]);
    }
}
