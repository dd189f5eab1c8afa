//! The detection of languages: its time, how often it is right, and the program that makes its table.
//!
//! `cargo bench --bench languages` prints the time. `-- test DIR` prints how often each language is right, wrong or
//! plain, for the texts in `DIR/test`. `-- train DIR` goes on from the table in `src/detection/classifier/table.bin` with
//! the texts in `DIR/train`, which takes about a minute. The first table was made from the repositories of `sources.txt`,
//! and this one from that and the packages of `packages.txt`. `collect DIR`, `plain DIR` and `packages FOLDER DIR` in
//! `benches/languages` fill both, and make the same texts in every run.
//!
//! Numbers that are chosen by hand, such as the thresholds of the classifier, are chosen without the texts in
//! `DIR/test`:
//! `-- train DIR others` makes a table without a fifth of the authors in `DIR/train`, and `-- try DIR` prints how often
//! it is right for their texts.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a program that prints what it measures"
)]

mod corpus;
mod dice;
#[path = "../../src/detection/classifier/features.rs"]
mod features;
#[path = "../../src/detection/classifier/layout.rs"]
mod layout;
#[path = "../random/mod.rs"]
mod random;
mod report;
mod train;
mod write;

use std::path::Path;
use std::time::Instant;

use corpus::Authors;
use tidebin::detection::detect;

const TABLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/src/detection/classifier/table.bin"
);

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => print_times(),
        ["test", folder] => report::print(&corpus::load(
            &Path::new(folder).join("test"),
            1,
            1,
            Authors::All,
        )),
        ["try", folder] => report::print(&corpus::load(
            &Path::new(folder).join("train"),
            1,
            1,
            Authors::HeldOut,
        )),
        ["train", folder, ref others @ ..] => {
            let authors = if others.is_empty() {
                Authors::All
            } else {
                Authors::Others
            };
            let samples = corpus::load(&Path::new(folder).join("train"), 2, 5, authors);
            let model = train::train(&samples, &std::fs::read(TABLE).unwrap());
            let file = write::file(&model);
            println!("{} features, {} bytes", model.features.len(), file.len());
            std::fs::write(TABLE, file).unwrap();
        }
        _ => println!("usage: [test DIR | train DIR [others] | try DIR]"),
    }
}

/// Prints the time for 4 KiB of several languages, the best of many calls.
fn print_times() {
    for (name, line) in [
        (
            "Rust",
            "    let found = self.rows.iter().find(|row| row.key == key)?;\n",
        ),
        (
            "JavaScript",
            "  const found = rows.filter((row) => row.key === key); // a: b, c: d\n",
        ),
        (
            "prose",
            "It was the best of times, it was the worst of times, it was so.\n",
        ),
        ("signs", "=<>-+*/(){}[];:,.!?@#$%^&|~\n"),
        (
            "letters",
            "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 \n",
        ),
    ] {
        let text = line.repeat(4096 / line.len());
        let time = || {
            let start = Instant::now();
            std::hint::black_box(detect(text.as_bytes(), None));
            start.elapsed()
        };
        let best = (0..2000).map(|_| time()).min().unwrap();
        println!("{name:10} {:6.1} µs", best.as_secs_f64() * 1e6);
    }
}
