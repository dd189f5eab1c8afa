//! The cost of the parts of a request that no other bench measures, in processor time and in instructions.
//!
//! `cargo bench --bench parts` takes about a quarter of an hour with `valgrind`. It prints two tables: parts that can
//! be called directly, and whole requests on one connection compared with a bare actix-web handler that gets the same
//! bytes. The cost of a part inside the HTTP room is the difference between two requests that differ in this part only.
//! Each figure comes from processes of its own. Times are medians of twenty equal parts. Instructions do not depend on
//! the load of the machine. Two processes are counted for each figure, one with twice as many calls, and the figure is
//! the difference.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod flags;
mod instructions;
mod loopback;
mod requests;

use std::hint::black_box;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use instructions::Counter;
use requests::{Request, requests};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use tidebin::allocator::return_freed_memory;
use tidebin::page::{
    self, Availability, Coding, EditorPage, Effort, MessagePage, NextStep, Page, PasteHead,
    PastePage, Site,
};
use tidebin::paste::{
    Access, Content, Draft, Encryption, Expiry, IdCodec, Language, LineRange, LinkTarget, PasteId,
    Revision, StoredPaste, Timestamp, Title, Token,
};
use tidebin::render::{RenderKey, Rendered, TimeBudget};

/// A prepared call, which is measured.
type Call = Box<dyn FnMut()>;

/// A part that can be called by itself.
struct Part {
    name: &'static str,
    /// The number of calls that are timed.
    calls: u32,
    prepare: fn() -> Call,
}

/// The number of calls in a process whose instructions are counted, and the number of slow calls.
const COUNTED: u32 = 200;
const COUNTED_SLOW: u32 = 20;
/// A part is slow if fewer calls than this are timed.
const SLOW: u32 = 1000;

fn main() {
    // The program does the same, so memory is allocated and returned here as in the program.
    return_freed_memory(tidebin::store::PAGES_FROM, false).expect("a thread starts");
    let asked =
        |name: &str| std::env::args().find_map(|arg| Some(arg.strip_prefix(name)?.to_owned()));
    if let (Some(name), Some(calls)) = (asked("part="), asked("timed=")) {
        keep_to_one_processor();
        let ns = timed(calls.parse().unwrap(), prepared(&name));
        println!("{ns}");
        // This does not wait for servers in this process.
        std::process::exit(0);
    }
    if let (Some(name), Some(calls)) = (asked("part="), asked("counted=")) {
        let mut call = prepared(&name);
        (0..calls.parse().unwrap()).for_each(|_: u32| call());
        std::process::exit(0);
    }
    let counter = Counter::find();
    if counter.is_none() {
        println!(
            "Instructions are not counted: perf has no counters here, and valgrind is not installed (Debian: apt-get install valgrind).\n"
        );
    }
    println!("| part | ns | instructions |\n|---|--:|--:|");
    for Part { name, calls, .. } in parts() {
        println!("| {name} | {} |", cost(name, calls, counter));
    }
    println!(
        "\n| request | ns | instructions | bare ns | bare instructions |\n|---|--:|--:|--:|--:|"
    );
    for Request { name, calls, .. } in requests() {
        let [ours, bare] =
            [TIDEBIN, BARE].map(|server| cost(&format!("{server}{name}"), calls, counter));
        println!("| {name} | {ours} | {bare} |");
    }
}

const TIDEBIN: &str = "tidebin: ";
const BARE: &str = "bare: ";

/// Prepares the part with this name, or the request with this name to one of the servers.
fn prepared(name: &str) -> Call {
    if let Some(name) = name.strip_prefix(TIDEBIN) {
        return Request::named(name).to_tidebin();
    }
    if let Some(name) = name.strip_prefix(BARE) {
        return Request::named(name).to_bare();
    }
    let part = parts().into_iter().find(|part| part.name == name).unwrap();
    (part.prepare)()
}

/// Returns two cells of the table: nanoseconds and instructions per call.
fn cost(name: &str, calls: u32, counter: Option<Counter>) -> String {
    let this = std::env::current_exe().unwrap();
    let args = |what: &str, calls: u32| [format!("part={name}"), format!("{what}={calls}")];
    let ran = Command::new(&this)
        .args(args("timed", calls))
        .output()
        .unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    let ns: f64 = said.trim().parse().unwrap();
    let counted = if calls < SLOW { COUNTED_SLOW } else { COUNTED };
    let instructions = counter.and_then(|counter| {
        let count = |calls| counter.count(this.to_str()?, &args("counted", calls));
        let (once, twice) = std::thread::scope(|scope| {
            let once = scope.spawn(|| count(counted));
            (count(2 * counted), once.join().unwrap())
        });
        // A smaller count for more calls is an error of the measurement.
        Some(twice?.checked_sub(once?)? / u64::from(counted))
    });
    let instructions = instructions.map_or("–".to_owned(), |count| count.to_string());
    format!("{ns:.0} | {instructions}")
}

/// Nanoseconds of processor time per call in all threads: the median of twenty equal parts.
fn timed(calls: u32, mut call: Call) -> f64 {
    const PARTS: u32 = 20;
    let part = calls / PARTS;
    let mut parts: Vec<Duration> = (0..PARTS)
        .map(|_| {
            let started = processor_time();
            (0..part).for_each(|_| call());
            processor_time() - started
        })
        .collect();
    parts.sort_unstable();
    parts[parts.len() / 2].as_secs_f64() * 1e9 / f64::from(part)
}

/// Keeps this process on one processor. On two idle processors, a client and a server that wake each other sometimes
/// take ten times as long.
fn keep_to_one_processor() {
    let mut first = CpuSet::new();
    let allowed = sched_getaffinity(None).unwrap();
    let number = (0..CpuSet::MAX_CPU).find(|number| allowed.is_set(*number));
    first.set(number.unwrap());
    sched_setaffinity(None, &first).unwrap();
}

fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap()
}

/// Prepares a call. It is called once before the measurement, so that one-time preparations do not count.
fn calling<T>(mut call: impl FnMut() -> T + 'static) -> Call {
    black_box(call());
    Box::new(move || _ = black_box(call()))
}

const CODE: &str = "fn main() { println!(\"hello\"); }\n";

/// 1 KiB of Rust.
fn code() -> String {
    CODE.repeat(32)
}

/// 1 MiB of Rust, the largest size of a paste by default.
fn large() -> String {
    CODE.repeat((1 << 20) / CODE.len())
}

fn parts() -> Vec<Part> {
    let part = |name, prepare| Part {
        name,
        calls: 20_000,
        prepare,
    };
    let slow = |name, prepare| Part {
        name,
        calls: 400,
        prepare,
    };
    vec![
        part("encode an id", || {
            with_id(|codec, id, _| _ = black_box(codec.encode(id)))
        }),
        part("decode an id", || {
            with_id(|codec, _, text| _ = black_box(codec.decode(text)))
        }),
        part("parse an expiry", || {
            calling(|| black_box("7d").parse::<Expiry>())
        }),
        part("parse a range of lines", || {
            calling(|| LineRange::parse(black_box("12-34")))
        }),
        part("title from a file name", || {
            calling(|| Title::from_file_name(black_box("src/main.rs")))
        }),
        part("language from a file name", || {
            calling(|| Language::from_file_name(black_box("src/main.rs")))
        }),
        part("language from 1 KiB of content", || {
            let code = code();
            calling(move || Language::detect(black_box(code.as_bytes())))
        }),
        part("parse the target of a link", || {
            calling(|| LinkTarget::parse(black_box("https://example.org/a/b?c=d#e")))
        }),
        part("make content, 1 KiB", || {
            let code = code();
            calling(move || Content::new(black_box(code.as_bytes()), 1 << 20))
        }),
        slow("make content, 1 MiB", || {
            let large = large();
            calling(move || Content::new(black_box(large.as_bytes()), 1 << 20))
        }),
        part("page around a rendered paste", || {
            with_page(|page| drop(black_box(page::paste(page))))
        }),
        part("the same, brotli", || {
            with_page(|page| _ = black_box(compressed(page, Coding::Brotli)))
        }),
        part("the same, gzip", || {
            with_page(|page| _ = black_box(compressed(page, Coding::Gzip)))
        }),
        part("page of the editor", || calling(editor)),
        part("page of an error", || {
            calling(|| {
                MessagePage {
                    site: &Site::default(),
                    heading: "Not found",
                    sentence: "No paste has this link.",
                    next_step: NextStep::NewPaste,
                    line: "",
                }
                .html()
            })
        }),
    ]
}

/// A call with a codec, an id and its text.
fn with_id(call: fn(&IdCodec, PasteId, &str)) -> Call {
    let codec = IdCodec::new("a key of the operator's choice");
    let id = PasteId::from_random(0x0123_4567_89ab_cdef_u64.to_be_bytes());
    let text = codec.encode(id);
    calling(move || call(&codec, black_box(id), black_box(&text)))
}

/// A call with the page of 1 KiB of Rust, rendered beforehand.
fn with_page(call: fn(&PastePage<'_>)) -> Call {
    let draft = Draft {
        slug: None,
        content: Content::new(code().as_bytes(), 1 << 20).unwrap(),
        title: Title::new("main.rs"),
        language: Language::from_name("rust"),
        expiry: "7d".parse().unwrap(),
    };
    let paste = StoredPaste::new(
        draft,
        Access::Open,
        Revision::default(),
        Timestamp::default(),
        Token::from_random([0; 16]).hash(),
    );
    let paste = paste.open().unwrap();
    let key = RenderKey::new(paste.named_language(), false);
    let rendered = Rendered::new(&paste, key, TimeBudget::until(&|| false));
    calling(move || {
        call(&PastePage {
            site: &Site::default(),
            head: PasteHead {
                id: "0123456789ab",
                url: "http://localhost/0123456789ab",
                can_report: true,
                may_delete: false,
                saved: None,
            },
            paste: black_box(&paste),
            rendered: &rendered,
            images: true,
            availability: Availability::Open,
        });
    })
}

fn compressed(page: &PastePage<'_>, coding: Coding) -> usize {
    let (_, bytes) = coding.encode(page::paste(page).into_bytes(), Effort::Dynamic);
    bytes.len()
}

fn editor() -> String {
    page::editor(&EditorPage {
        is_private: false,
        lists_recent: true,
        slugs: false,
        encryption: Encryption::On,
        images: true,
        site: Arc::default(),
        edited: None,
        links: true,
        max_size: "1 MiB".into(),
        max_bytes: 1 << 20,
        default_expiry: "7d".parse().unwrap(),
        longest_expiry: "30d".parse().unwrap(),
        prefill: None,
        complaint: None,
    })
}
