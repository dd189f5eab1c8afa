//! The growth of costs with the number of pastes, with their size and with concurrent work.
//!
//! `cargo bench --bench growth` takes about four minutes. It prints figures and draws curves into `tmp/curves` in the
//! target directory. The words `operations`, `memory`, `mix`, `stalls` and `http` select parts, and `most=100000` limits
//! the number of pastes in `operations`. Everything runs on one machine: readers, savers and the load take processor
//! time from each other.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

#[path = "../curve/mod.rs"]
mod curve;
#[path = "../flags/mod.rs"]
mod flags;
#[path = "../load/mod.rs"]
mod load;
mod memory;
mod operations;
mod over_http;
#[path = "../pastes/mod.rs"]
mod pastes;
mod percentiles;
#[path = "../random/mod.rs"]
mod random;
mod size_mix;
mod stalls;
#[path = "../timing/mod.rs"]
mod timing;

use std::path::Path;
use std::process::Command;

use tidebin::allocator::return_freed_memory;

/// Runs one part: prints its figures, and draws its curves into this folder.
type Run = fn(&Path);

const PARTS: [(&str, Run); 5] = [
    ("operations", operations::run),
    ("memory", memory::run),
    ("mix", size_mix::run),
    ("stalls", stalls::run),
    ("http", over_http::run),
];

fn main() {
    // The program does the same, so memory is allocated and returned here as in the program.
    return_freed_memory(tidebin::store::PAGES_FROM, false).expect("a thread starts");
    if operations::is_child() || memory::is_child() {
        return;
    }
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |name: &str| asked.iter().any(|arg| arg == name);
    let is_any = PARTS.iter().any(|(name, _)| is_asked(name));
    let folder = curve::folder();
    for (name, run) in PARTS {
        if !is_any || is_asked(name) {
            run(&folder);
        }
    }
}

/// Returns the number in an argument such as `most=1000`.
fn number(name: &str) -> Option<u64> {
    std::env::args().find_map(|arg| arg.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

/// Runs this program with these arguments and returns its figures. A process keeps freed memory, so measurements of
/// memory need a process of their own.
fn in_own_process(arguments: &[String]) -> Vec<f64> {
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    text.split_whitespace()
        .map(|figure| figure.parse().unwrap())
        .collect()
}

/// Formats a whole number with commas between the thousands.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let first = digits.len() % 3;
    let (head, rest) = digits.split_at(first);
    let groups = rest.as_bytes().chunks(3).map(String::from_utf8_lossy);
    let groups: Vec<_> = std::iter::once(head.into())
        .filter(|head: &std::borrow::Cow<'_, str>| !head.is_empty())
        .chain(groups)
        .collect();
    groups.join(",")
}
