//! The cost of rendering code: the first render of a language, later ones per KiB, and hostile texts. Hostile texts
//! have the budget of the server: 100 ms of processor time.
//!
//! `cargo bench --bench render` prints a table; `cargo bench --bench render -- rust=FILE c=FILE` measures those files.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod resident;

use std::time::{Duration, Instant};

use resident::resident_bytes;
use rustix::time::{ClockId, clock_gettime};
use tidebin::paste::{Content, Draft, Expiry, Language, Paste, Revision, Timestamp, Token};
use tidebin::render::{RenderKey, Rendered, TimeBudget};

/// The time budget of the server.
const ALLOWED: Duration = Duration::from_millis(100);

/// A few lines of some languages, repeated to 32 KiB.
const SAMPLES: [(&str, &str); 12] = [
    (
        "rust",
        "/// Adds.\nfn add(a: u32, b: &str) -> Option<u32> { Some(a + b.parse::<u32>().ok()? * 2) }\n",
    ),
    (
        "python",
        "def add(a, b=1):\n    \"\"\"Adds.\"\"\"\n    return [f\"{x!r}\" for x in range(a) if x > b]  # all\n",
    ),
    (
        "c",
        "/* adds */\nstatic int add(const char *a, size_t n) { return n ? a[0] + 0x1f : -1; }\n",
    ),
    (
        "cpp",
        "template <typename T> auto add(const std::vector<T>& a) -> T { return a.empty() ? T{} : a[0]; }\n",
    ),
    (
        "javascript",
        "export const add = async (a, b = 1) => { await f(`x${a}`); return a + b; }; // sum\n",
    ),
    (
        "typescript",
        "export function add<T extends number>(a: T, b?: string): Promise<T> { return g(a as T); }\n",
    ),
    (
        "go",
        "func Add(a int, b string) (int, error) { if b == \"\" { return 0, nil }; return a + 1, nil } // sum\n",
    ),
    (
        "java",
        "public static List<String> add(final int a, String b) { return List.of(b, \"x\" + a); } // sum\n",
    ),
    (
        "html",
        "<p class=\"a\" id='b'>text &amp; <a href=\"/x\">link</a><!-- note --></p>\n",
    ),
    (
        "json",
        "{\"name\": \"value\", \"list\": [1, 2.5, true, null], \"deep\": {\"a\": \"b\"}},\n",
    ),
    (
        "bash",
        "for f in *.txt; do echo \"$f: $(wc -l < \"$f\")\" | grep -v '^0' && rm -- \"$f\"; done # all\n",
    ),
    (
        "markdown",
        "## Head\n\nSome **bold** and _soft_ words, `code`, [a link](http://x/y).\n\n- item\n",
    ),
];

/// Texts on which some highlighters were slow.
fn hostile() -> Vec<(&'static str, String)> {
    vec![
        ("20 kB of brackets on one line", "[({".repeat(7_000)),
        ("1 MiB on one line", "f(x, 1) ".repeat(1 << 17)),
        ("500,000 short lines", "x\n".repeat(500_000)),
        ("nested 20,000 deep", "{[(\n".repeat(20_000)),
        (
            "unterminated",
            format!("\"'`/* <!-- {}", "hello world\n".repeat(20_000)),
        ),
        (
            "lines of 500 brackets",
            format!("{}\n", "[({".repeat(166)).repeat(500),
        ),
        (
            "lines of 500 slashes",
            format!("{}\n", "/".repeat(500)).repeat(50),
        ),
        (
            "lines of 500 <",
            format!("{}\n", "<".repeat(500)).repeat(500),
        ),
        (
            "$(eval $(shell",
            format!("x := {}\n", "$(eval $(shell ".repeat(33)).repeat(500),
        ),
    ]
}

/// Lines that make a search backtrack: the start of each line, and the part that is repeated.
const HOSTILE_LINES: [(&str, &str); 14] = [
    ("", "/"),
    ("", "<"),
    ("", "([{"),
    ("", "$"),
    ("", "\\"),
    ("", " "),
    ("@a{", "@"),
    ("\"/&^", "`"),
    ("\"/&^", "~"),
    ("->*!\"/&^", "`_a0."),
    ("<a ]", ".<a<b"),
    ("+@a<a ", "*a(->*"),
    ("", "a={"),
    ("[_a(*_a", "f _a{a[)"),
];

fn main() {
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

/// Processor time of this thread.
fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap()
}

fn paste(text: &str) -> Paste {
    let draft = Draft {
        content: Content::new(text.as_bytes(), usize::MAX).unwrap(),
        title: None,
        language: Language::PLAIN,
        expiry: Expiry::Never,
    };
    Paste::new(
        draft,
        Revision::default(),
        Timestamp::default(),
        Token::from_random([0; 16]).hash(),
    )
}
