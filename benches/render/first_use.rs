//! The first render in a language that nobody asked for yet, and the memory of the grammars of all languages.
//!
//! Each first render is in a process of its own, because a grammar may include other grammars.

use std::process::Command;
use std::thread;

use tidebin::paste::{Language, Paste};
use tidebin::render::{RenderKey, Rendered, TimeBudget};

use crate::resident::{bytes_of, resident_bytes};
use crate::texts::SAMPLES;
use crate::{paste, processor_time};

/// The number of clients that ask for all languages at the same time, each in an order of its own.
const CLIENTS: usize = 8;

const MEBIBYTE: usize = 1 << 20;

/// Prints the languages whose first render takes longest, and the memory that grammars take.
pub(crate) fn measure() {
    let first = |language: Language| in_own_process(language.name()).trim().parse().unwrap();
    let mut times: Vec<(f64, &str)> = Language::all()
        .map(|language| (first(language), language.name()))
        .collect();
    times.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
    let worst: Vec<String> = times
        .iter()
        .take(8)
        .map(|(ms, name)| format!("{name} {ms:.0}"))
        .collect();
    println!(
        "first render of 1 KiB, ms of processor time: median {:.1}, slowest of {}: {}",
        times[times.len() / 2].0,
        times.len(),
        worst.join(", ")
    );
    print!("{}", in_own_process("all"));
}

/// Runs this program for one language, or for all. Returns its output.
fn in_own_process(language: &str) -> String {
    let this = std::env::current_exe().unwrap();
    let argument = format!("first={language}");
    let output = Command::new(this).arg(argument).output().unwrap();
    assert!(output.status.success(), "{language}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns whether this process was started for one language, or for all. If so, measures and prints.
pub(crate) fn is_child() -> bool {
    let asked = std::env::args().find_map(|arg| arg.strip_prefix("first=").map(ToOwned::to_owned));
    match asked.as_deref() {
        None => return false,
        Some("all") => all_languages(),
        Some(name) => {
            let start = processor_time();
            render(&text(), Language::from_name(name).unwrap());
            println!("{}", (processor_time() - start).as_secs_f64() * 1e3);
        }
    }
    true
}

/// Renders a text in all languages, by one client and then by several at once.
fn all_languages() {
    let text = text();
    let before = resident_bytes();
    let languages: Vec<Language> = Language::all().collect();
    let mib = |bytes: usize| bytes.saturating_sub(before) / MEBIBYTE;
    languages
        .iter()
        .for_each(|language| render(&text, *language));
    println!(
        "grammars of all languages, one client: {} MiB",
        mib(resident_bytes())
    );
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (text, languages) = (&text, &languages);
            scope.spawn(move || {
                let from = client * languages.len() / CLIENTS;
                let order = languages.iter().cycle().skip(from).take(languages.len());
                order.for_each(|language| render(text, *language));
            });
        }
    });
    println!(
        "grammars of all languages, {CLIENTS} clients at once: {} MiB, at most {} MiB",
        mib(resident_bytes()),
        mib(bytes_of("self", "VmHWM:"))
    );
}

fn render(text: &Paste, language: Language) {
    let key = RenderKey::new(language, false);
    drop(Rendered::new(text, key, TimeBudget::until(&|| false)));
}

/// About 1 KiB in several languages, so that each grammar finds strings, comments and numbers.
fn text() -> Paste {
    let lines: String = SAMPLES.iter().map(|(_, lines)| *lines).collect();
    paste(&lines)
}
