//! What the store costs: find and save by size and number of holders, lock holds while much leaves at once, resident bytes a paste.
//!
//! `cargo bench --bench store` prints a table; figures are of one thread unless it says otherwise.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tidebin::paste::{Content, Draft, Language, Lifetime, Moment, Paste, PasteId, Token};
use tidebin::store::{Budget, Holder, Store};

/// One of so many holders, four in a network, none of which saves more often than another.
fn holder(n: u64, holders: u64) -> Holder {
    let client = random(n) % holders;
    Holder {
        network: random(client / 4),
        client: random(client),
    }
}

fn main() {
    // Resident memory is that of a process of its own: what an earlier store freed is used again.
    let asked =
        |name: &str| std::env::args().find_map(|arg| arg.strip_prefix(name)?.parse::<u64>().ok());
    if std::env::args().any(|arg| arg == "passing") {
        return passing();
    }
    if let Some(megabytes) = asked("turnovers=") {
        return turnovers(usize::try_from(megabytes << 20).unwrap());
    }
    if let Some(size) = asked("resident=") {
        let size = usize::try_from(size).unwrap();
        return resident(size, asked("holders=").unwrap_or(1));
    }
    for count in [1_000u64, 100_000, 1_000_000] {
        for holders in [1, 1_000, 100_000] {
            operations(count, holders);
        }
    }
    mass_expiry();
    large_evicts_tiny();
    for megabytes in [128, 172] {
        turnovers(megabytes << 20);
    }
    for (size, holders) in [64, 1024, 16 * 1024, 1 << 20]
        .map(|size| (size, 1))
        .into_iter()
        .chain([(1024, 1_000), (1024, 100_000), (1024, u64::MAX)])
    {
        let this = std::env::current_exe().unwrap();
        std::process::Command::new(this)
            .arg(format!("resident={size}"))
            .arg(format!("holders={holders}"))
            .status()
            .unwrap();
    }
    let this = std::env::current_exe().unwrap();
    std::process::Command::new(this)
        .arg("passing")
        .status()
        .unwrap();
}

fn at(millis: u64) -> Moment {
    Moment::since_start(Duration::from_millis(millis))
}

/// Random enough and repeatable: splitmix64 (Steele, Lea, Flood 2014).
fn random(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn id(n: u64) -> PasteId {
    PasteId::from_random(random(n + 1).to_be_bytes())
}

fn paste(size: usize, seconds: u64, now: Moment) -> Paste {
    let draft = Draft {
        content: Content::new(&vec![b'x'; size], size).unwrap(),
        title: None,
        language: Language::PLAIN,
        lifetime: Lifetime::from_seconds(seconds).unwrap(),
    };
    Paste::new(draft, now, Token::from_random([7; 16]).hash())
}

/// Nanoseconds a call: the median of twenty equal parts, since others may use the machine.
fn timed(count: u64, mut call: impl FnMut(u64)) -> f64 {
    const PARTS: u64 = 20;
    let part = count / PARTS;
    let mut parts: Vec<Duration> = (0..PARTS)
        .map(|nth| {
            let start = Instant::now();
            (nth * part..(nth + 1) * part).for_each(&mut call);
            start.elapsed()
        })
        .collect();
    parts.sort_unstable();
    parts[parts.len() / 2].as_secs_f64() * 1e9 / f64::from(u32::try_from(part).unwrap())
}

fn operations(count: u64, holders: u64) {
    // Tiny contents, so that the structure is measured and not the copying; each costs the least there is.
    let budget = count * 768 * 5 / 4 + holders.min(count) * 120;
    let store = Store::new(Budget::new(usize::try_from(budget).unwrap()));
    let pastes: Vec<Paste> = (0..count)
        .map(|n| paste(64, 3600 + n % 1000, at(n)))
        .collect();
    let growing = timed(count, |n| {
        store
            .save(
                at(n),
                holder(n, holders),
                id(n),
                pastes[usize::try_from(n).unwrap()].clone(),
            )
            .unwrap()
    });
    let calls = 1_000_000.min(count * 100);
    let kept = store.occupancy().pastes as u64;
    let find = timed(calls, |n| {
        assert!(store.find(at(count), id(random(n) % kept)).is_ok())
    });
    let miss = timed(calls, |n| {
        assert!(store.find(at(count), id(count * 10 + n)).is_err())
    });
    while store.departures().evicted == 0 {
        let n = store.occupancy().pastes as u64;
        store
            .save(
                at(count),
                holder(n, holders),
                id(count * 20 + n),
                pastes[0].clone(),
            )
            .unwrap();
    }
    let evicting = timed(count, |n| {
        store
            .save(
                at(count),
                holder(n, holders),
                id(count * 40 + n),
                pastes[usize::try_from(n).unwrap()].clone(),
            )
            .unwrap()
    });
    println!(
        "{count:>9} pastes of {holders:>6} holders: find {find:>5.0} ns, miss {miss:>5.0} ns, save {growing:>5.0} ns, save that evicts {evicting:>5.0} ns"
    );
}

/// A quantile of sorted durations, and the last of them.
fn quantiles(mut all: Vec<Duration>) -> String {
    all.sort_unstable();
    let p99 = all[all.len() * 99 / 100];
    let longest = all[all.len() - 1];
    format!(
        "p99 {:.3} ms, longest {:.3} ms of {}",
        p99.as_secs_f64() * 1e3,
        longest.as_secs_f64() * 1e3,
        all.len()
    )
}

/// The longest saves while everything in a full store of tiny pastes is replaced again and again: a hash table that
/// has to be swept of the marks of what went would do it in one of them.
fn turnovers(budget: usize) {
    const TURNOVERS: u64 = 20;
    let store = Store::new(Budget::new(budget));
    let paste = paste(64, 3600, at(0));
    let mut n = 0;
    let mut save = || {
        let copy = paste.clone();
        let start = on_processor();
        store.save(at(0), holder(n, 1_000), id(n), copy).unwrap();
        n += 1;
        on_processor() - start
    };
    while store.departures().evicted == 0 {
        save();
    }
    let kept = store.occupancy().pastes as u64;
    let mut saves: Vec<Duration> = (0..TURNOVERS * kept).map(|_| save()).collect();
    saves.sort_unstable();
    let [p9999, longest] = [saves.len() * 9999 / 10_000, saves.len() - 1].map(|nth| saves[nth]);
    println!(
        "{TURNOVERS} turnovers of {kept} pastes in {} MiB: a save p99.99 {:.3} ms, longest {:.3} ms of processor time",
        budget >> 20,
        p9999.as_secs_f64() * 1e3,
        longest.as_secs_f64() * 1e3
    );
}

/// Time that this thread was running: what else the machine does is not measured.
fn on_processor() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap()
}

/// Every look of another thread while `work` goes on: none waits longer than the lock is held.
fn looks_during(store: &Store, work: impl FnOnce() + Send) -> Vec<Duration> {
    let done = AtomicBool::new(false);
    let mut looks = Vec::with_capacity(1 << 22);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            work();
            done.store(true, Ordering::SeqCst);
        });
        let mut n = 0;
        while !done.load(Ordering::SeqCst) {
            let start = Instant::now();
            let _ = std::hint::black_box(store.peek(at(0), id(n)));
            looks.push(start.elapsed());
            n += 1;
        }
    });
    looks
}

fn mass_expiry() {
    const COUNT: u64 = 100_000;
    let fill = |deadline: &dyn Fn(u64) -> u64| {
        let store = Store::new(Budget::new(256 << 20));
        for n in 0..COUNT {
            store
                .save(at(0), holder(n, 1), id(n), paste(1024, deadline(n), at(0)))
                .unwrap();
        }
        store
    };
    // One batch a deadline: each sweep is one lock hold, and the freeing after it.
    let store = fill(&|n| 1 + n / 256);
    let holds = (1..=COUNT / 256 + 1).map(|second| {
        let start = Instant::now();
        store.sweep(at(second * 1000));
        start.elapsed()
    });
    println!(
        "100,000 pastes expire: a batch and its freeing {}",
        quantiles(holds.collect())
    );
    let store = fill(&|_| 1);
    let start = Instant::now();
    let looks = looks_during(&store, || _ = store.sweep(at(2000)));
    println!(
        "100,000 pastes expire at once in {:.0} ms: a look by another thread {}",
        start.elapsed().as_secs_f64() * 1e3,
        quantiles(looks)
    );
}

fn large_evicts_tiny() {
    let store = Store::new(Budget::new(128 << 20));
    let tiny = paste(1, 3600, at(0));
    let tiny_pastes = store.room() as u64 / 800;
    (0..tiny_pastes).for_each(|n| {
        store
            .save(at(0), holder(n, 1), id(n), tiny.clone())
            .unwrap()
    });
    let large = paste(1 << 20, 3600, at(0));
    let looks = looks_during(&store, || {
        (0..100).for_each(|n| {
            store
                .save(at(0), holder(n, 1), id(tiny_pastes * 2 + n), large.clone())
                .unwrap()
        })
    });
    println!(
        "1 MiB pastes evict tiny ones: a look by another thread {}",
        quantiles(looks)
    );
}

/// Resident memory a paste, beside what the store charges for it.
fn resident(size: usize, holders: u64) {
    let budget = 128 << 20;
    let store = Store::new(Budget::new(budget));
    let before = resident_bytes();
    // Until it is full, with no paste of which more is resident than is kept.
    let mut n = 0;
    while store.occupancy().bytes + size + 1024 < store.room() {
        store
            .save(at(n), holder(n, holders), id(n), paste(size, 3600, at(n)))
            .unwrap();
        n += 1;
    }
    let kept = store.occupancy().pastes;
    let (resident, charged) = (
        resident_bytes() - before,
        store.occupancy().bytes + budget - store.room(),
    );
    println!(
        "{kept:>7} pastes of {size:>7} bytes, {:>6} holders: {:>7} resident each, {:>7} charged each with the tables",
        holders.min(n),
        resident / kept,
        charged / kept
    );
}

/// Resident memory while a million holders, each in a network of its own, pass through a full store.
fn passing() {
    let store = Store::new(Budget::new(128 << 20));
    let save = |n: u64| {
        let holder = Holder {
            network: random(n),
            client: random(n),
        };
        store
            .save(at(n), holder, id(n), paste(64, 3600, at(n)))
            .unwrap();
    };
    (0..250_000).for_each(save);
    let before = resident_bytes();
    (250_000..1_250_000).for_each(save);
    println!(
        "1,000,000 holders pass through {} pastes: resident {before} bytes before, {} after",
        store.occupancy().pastes,
        resident_bytes()
    );
}

fn resident_bytes() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}
