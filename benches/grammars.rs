//! The cost of the grammars: the processor time of the first page in each language, and the resident memory while eight
//! threads render pages in all languages, in random orders.
//!
//! `cargo bench --bench grammars` prints both. `-- DIR` also renders the texts of that directory; a file has the name
//! of its language and any ending.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod pastes;
mod random;
mod resident;

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use tidebin::allocator::return_freed_memory;
use tidebin::clock::processor_time;
use tidebin::paste::{Language, Paste};
use tidebin::render::{RenderKey, Rendered, TimeBudget};
use tidebin::store::PAGES_FROM;

use crate::pastes::paste_of as paste;
use crate::random::random;
use crate::resident::resident_bytes;

/// The time budget of the server.
const ALLOWED: Duration = Duration::from_millis(100);

const THREADS: u64 = 8;
const ROUNDS: u64 = 3;

/// One in so many pages is of the text with blocks of all languages. These pages use up their time budget.
const HOSTILE: u64 = 4;

/// The bytes of pages that each thread keeps, as the page cache does.
const KEPT: usize = 1024 * 1024;

/// Lines that mean something in most languages.
const LINES: &str = "# one\n// two\n-- three\n; four\n% five\n<b a=\"c\">d</b>\nkey = 1\nkey: \"x\"\n\
    if x then return 2\nclass A { def f() { let y = 'z' } }\n/* six */\n<!-- seven -->\n== head ==\n\
    me@host:~$ ls -l\n{{ a | b }}\n{% if c %}\na,b,c\na\tb\tc\n";

fn main() {
    return_freed_memory(PAGES_FROM, false).expect("a thread starts");
    let files = files(std::env::args().skip(1).find(|arg| !arg.starts_with('-')));
    first_pages(&files);
    let hostile = hostile(&files);
    println!(
        "resident after one page in each language: {} MiB",
        resident()
    );
    for round in 0..ROUNDS {
        let highest = under_attack(&hostile, &files, round);
        println!(
            "round {round} with {THREADS} threads: resident at most {highest} MiB, then {} MiB",
            resident()
        );
    }
}

/// Prints the processor time of the first and second pages in the languages where the first takes longest.
fn first_pages(files: &[(Language, String)]) {
    let mut times: Vec<(Duration, Duration, &str)> = Language::all()
        .map(|language| {
            let own = files.iter().find(|(of, _)| *of == language);
            let paste = paste(own.map_or(LINES, |(_, text)| text));
            let [first, second] = [(); 2].map(|()| time(&paste, language));
            (first, second, language.name())
        })
        .collect();
    times.sort_unstable();
    let sum: Duration = times.iter().map(|(first, ..)| *first).sum();
    println!(
        "first page: {:.2} ms on average",
        milliseconds(sum) / f64::from(u32::try_from(times.len()).unwrap())
    );
    for (first, second, language) in times.iter().rev().take(20) {
        println!(
            "{language:16} first {:6.1} ms, second {:6.1} ms",
            milliseconds(*first),
            milliseconds(*second)
        );
    }
}

/// Renders pages in all languages on all threads. Returns the highest resident memory in MiB.
fn under_attack(hostile: &str, files: &[(Language, String)], round: u64) -> usize {
    let attack = |thread: u64| {
        let seed = |language: &Language| {
            let name = language.name().bytes().map(u64::from);
            name.fold(thread + THREADS * round, |seed, byte| random(seed ^ byte))
        };
        let mut languages: Vec<Language> = Language::all().collect();
        languages.sort_by_key(seed);
        let mut kept = VecDeque::new();
        let mut highest = 0;
        for language in languages {
            let own = files.iter().find(|(of, _)| *of == language);
            let text = match seed(&language).is_multiple_of(HOSTILE) {
                true => hostile,
                false => own.map_or(LINES, |(_, text)| text),
            };
            kept.push_back(render(&paste(text), language));
            while kept.iter().map(Rendered::size).sum::<usize>() > KEPT {
                kept.pop_front();
            }
            highest = highest.max(resident());
        }
        highest
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || attack(thread)))
            .collect();
        let highest = threads.into_iter().map(|thread| thread.join().unwrap());
        highest.max().unwrap()
    })
}

/// A text with a block of every language, for the languages that can contain others.
fn hostile(files: &[(Language, String)]) -> String {
    Language::all()
        .map(|language| {
            let own = files.iter().find(|(of, _)| *of == language);
            let code = own.map_or(LINES, |(_, text)| text);
            let name = language.name();
            format!("```{name}\n{code}\n```\n\n<script lang=\"{name}\">\n{code}\n</script>\n")
        })
        .collect()
}

fn files(folder: Option<String>) -> Vec<(Language, String)> {
    let entries = folder.map(|folder| std::fs::read_dir(folder).unwrap());
    let read = |path: &Path| {
        let language = Language::from_name(path.file_stem()?.to_str()?)?;
        Some((language, std::fs::read_to_string(path).ok()?))
    };
    entries
        .into_iter()
        .flatten()
        .filter_map(|entry| read(&entry.unwrap().path()))
        .collect()
}

/// Returns the processor time of a page.
fn time(paste: &Paste, language: Language) -> Duration {
    let start = processor_time();
    drop(render(paste, language));
    processor_time() - start
}

fn render(paste: &Paste, language: Language) -> Rendered {
    let until = processor_time() + ALLOWED;
    let is_over = || processor_time() >= until;
    let key = RenderKey::new(language, true);
    Rendered::new(paste, key, TimeBudget::until(&is_over))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Resident memory of this process in MiB.
fn resident() -> usize {
    resident_bytes() >> 20
}
