//! The cost of the data directory: saves, reads, evictions, starts after a kill, and the server over HTTP.
//!
//! `cargo bench --bench durable` takes about six minutes and prints a table for each part. The words `saves`, `reads`,
//! `evictions`, `starts`, `http` and `memory` select parts. `most=200000` limits the number of pastes. All files are in
//! `tmp` in the target directory: its file system should be on a disk. Contents are random, so none becomes
//! smaller, except those of saves over HTTP, which are text.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod bare_database;
mod directory;
mod evictions;
#[path = "../flags/mod.rs"]
mod flags;
mod full;
#[path = "../load/mod.rs"]
mod load;
mod over_http;
#[path = "../pastes/mod.rs"]
mod pastes;
#[path = "../random/mod.rs"]
mod random;
mod reads;
mod savers;
mod saves;
mod starts;
mod synced_log;
#[path = "../timing/mod.rs"]
mod timing;
mod usage;

use tidebin::allocator::return_freed_memory;

use directory::Directory;
use full::Full;

/// The numbers of pastes of the stores that are filled.
const COUNTS: [u64; 2] = [200_000, 1_000_000];

fn main() {
    // The program does the same, so memory is allocated and returned here as in the program.
    return_freed_memory(tidebin::store::PAGES_FROM, false).expect("a thread starts");
    if starts::is_child() {
        return;
    }
    println!("file system: {}", Directory::new("kind").file_system());
    if is_asked(&["saves"]) {
        saves::run();
    }
    let most = number("most").unwrap_or(u64::MAX);
    for count in COUNTS.into_iter().filter(|count| *count <= most) {
        if !is_asked(&["reads", "evictions", "starts"]) {
            continue;
        }
        let full = Full::fill(count);
        if is_asked(&["reads"]) {
            reads::run(&full);
        }
        if is_asked(&["evictions"]) {
            evictions::run(&full);
        }
        if is_asked(&["starts"]) {
            starts::run(full);
        }
    }
    if is_asked(&["http", "memory"]) && load::wrk_is_there() {
        over_http::run(is_asked(&["http"]), is_asked(&["memory"]));
    }
}

/// Returns whether one of these parts was asked for. Without words, all are.
fn is_asked(names: &[&str]) -> bool {
    const PARTS: [&str; 6] = ["saves", "reads", "evictions", "starts", "http", "memory"];
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let is_word = |name: &&str| asked.iter().any(|arg| arg == *name);
    names.iter().any(is_word) || !PARTS.iter().any(is_word)
}

/// Returns the number in an argument such as `most=1000`.
fn number(name: &str) -> Option<u64> {
    text(name)?.parse().ok()
}

/// Returns the text in an argument such as `saving=PATH`.
fn text(name: &str) -> Option<String> {
    std::env::args().find_map(|arg| Some(arg.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
}
