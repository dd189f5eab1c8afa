//! The cost of rendering code: the first render of 32 KiB, later ones per KiB, and hostile texts. Hostile texts have
//! the budget of the server: 100 ms of processor time.
//!
//! `cargo bench --bench render` takes about four minutes and prints a table and lines.
//! `-- rust=FILE c=FILE` measures these files. The bench `grammars` measures all languages and their memory.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

#[path = "../pastes/mod.rs"]
mod pastes;
#[path = "../random/mod.rs"]
mod random;
#[path = "../resident/mod.rs"]
mod resident;
mod texts;

use std::time::{Duration, Instant};

use pastes::paste_of as paste;
use resident::resident_bytes;
use tidebin::allocator::return_freed_memory;
use tidebin::clock::processor_time;
use tidebin::paste::{Language, Paste};
use tidebin::render::{RenderKey, Rendered, TimeBudget};

use texts::{HOSTILE_LINES, SAMPLES, hostile};

/// The time budget of the server.
const ALLOWED: Duration = Duration::from_millis(100);

fn main() {
    // The program does the same, so memory is allocated and returned here as in the program.
    return_freed_memory(tidebin::store::PAGES_FROM, false).expect("a thread starts");
    let files: Vec<(String, String)> = std::env::args()
        .filter_map(|arg| {
            let (language, file) = arg.split_once('=')?;
            let text = std::fs::read(file).unwrap();
            Some((
                language.to_owned(),
                String::from_utf8_lossy(&text).into_owned(),
            ))
        })
        .collect();
    println!(
        "{:12} {:>9} {:>10} {:>10} {:>7}",
        "language", "KiB", "first ms", "later ms", "ms/KiB"
    );
    if files.is_empty() {
        for (language, lines) in SAMPLES {
            print_times(language, &lines.repeat(32 * 1024 / lines.len()));
        }
    }
    for (language, text) in &files {
        print_times(language, text);
    }
    if files.is_empty() {
        for (what, text) in hostile() {
            slowest(what, &text);
        }
        slowest_line();
    }
    println!("resident {} KiB", resident_bytes() / 1024);
}

/// Prints the time of the first render, which prepares the grammar, and the best time of five more. No budget applies.
fn print_times(language: &str, text: &str) {
    let paste = paste(text);
    let language = Language::from_name(language).unwrap();
    let render = || {
        let start = Instant::now();
        let rendered = Rendered::new(
            &paste,
            RenderKey::new(language, false),
            TimeBudget::until(&|| false),
        );
        assert!(rendered.size() > text.len());
        start.elapsed().as_secs_f64() * 1e3
    };
    let first = render();
    let later = (0..5).map(|_| render()).fold(f64::INFINITY, f64::min);
    let kib = Duration::from_secs(text.len() as u64).as_secs_f64() / 1024.0;
    println!(
        "{:12} {kib:9.1} {first:10.2} {later:10.2} {:7.3}",
        language.name(),
        later / kib
    );
}

/// Prints the languages in which one hostile line takes longest, with the grammars prepared. A search in a line cannot
/// be interrupted, so each line is as long as the limit of some language.
fn slowest_line() {
    let texts: Vec<(String, Paste)> = HOSTILE_LINES
        .iter()
        .flat_map(|(opening, part)| {
            [128, 256, 512].map(|length| {
                let line: String = opening
                    .chars()
                    .chain(part.chars().cycle())
                    .take(length)
                    .collect();
                (format!("{opening}{part}.. {length}"), paste(&line))
            })
        })
        .collect();
    let of = |language| {
        prepare(language);
        let times = texts
            .iter()
            .map(|(name, paste)| (until_allowed(paste, RenderKey::new(language, true)), name));
        times
            .max()
            .map(|(time, name)| (time, language.name(), name.as_str()))
    };
    let mut times: Vec<(Duration, &str, &str)> = Language::all().filter_map(of).collect();
    times.sort_unstable();
    for (time, language, line) in times.iter().rev().take(8) {
        println!(
            "one line, {language}: {:.1} ms ({line})",
            time.as_secs_f64() * 1e3
        );
    }
}

/// Prints the languages in which a text takes longest, with the grammars prepared.
fn slowest(what: &str, text: &str) {
    let paste = paste(text);
    let mut times: Vec<(Duration, &str)> = Language::all()
        .map(|language| {
            prepare(language);
            (
                until_allowed(&paste, RenderKey::new(language, false)),
                language.name(),
            )
        })
        .collect();
    times.sort_unstable();
    let worst: Vec<String> = times
        .iter()
        .rev()
        .take(4)
        .map(|(time, language)| format!("{language} {:.0}", time.as_secs_f64() * 1e3))
        .collect();
    println!("{what:32} slowest languages, in ms: {}", worst.join(", "));
}

/// Renders a small text, which prepares the grammar of the language.
fn prepare(language: Language) {
    let key = RenderKey::new(language, true);
    drop(Rendered::new(
        &paste("hello\n"),
        key,
        TimeBudget::until(&|| false),
    ));
}

/// Renders a paste within the server's time budget. Returns the processor time.
fn until_allowed(paste: &Paste, key: RenderKey) -> Duration {
    let start = processor_time();
    let taken = || processor_time() - start;
    let is_out_of_time = || taken() >= ALLOWED;
    drop(Rendered::new(
        paste,
        key,
        TimeBudget::until(&is_out_of_time),
    ));
    taken()
}
