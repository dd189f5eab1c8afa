//! The cost of the shared tier: the engine's time for each function beside its own `GET` and `SET`, the processor time
//! of a node for each operation, operations a second of one, two and four nodes, and the engine's memory for a paste.
//!
//! `cargo bench --bench shared` takes two minutes and needs `valkey-server` or `redis-server`, which it starts on a
//! socket and ends. Contents are random, so none becomes smaller. On a machine with few cores, the engine, the nodes and
//! the clients share them, so the numbers of operations a second say how they divide them.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod engine;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tidebin::config::{KeyUse, Secret};
use tidebin::fairness::ClientKey;
use tidebin::limit::{LimitEngine, LimitEntry};
use tidebin::paste::{
    Access, Content, Draft, Expiry, PasteId, ReadsLeft, Revision, StoredPaste, Timestamp, Token,
};
use tidebin::store::Tier;
use tidebin::store::seal::Keys;
use tidebin::store::valkey::{Opened, StandingClock, Store};
use tidebin::store::{Reason, Saver};

use engine::Engine;

/// Operations for each figure.
const OPERATIONS: u64 = 20_000;

/// Operations in progress at once.
const CONCURRENT: u64 = 64;

/// The rounds of which the median counts, for figures that the scheduler of the machine changes most.
const ROUNDS: usize = 3;

/// The content of a paste.
const CONTENT: usize = 1024;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn main() {
    let mut engine = Engine::start();
    println!("engine: {}", engine.version());
    functions(&mut engine);
    memory(&mut engine);
    nodes(&mut engine);
}

fn open(engine: &Engine, budget: usize) -> Store {
    let secret = Secret::new("the secret of the bench, of enough characters").unwrap();
    let keys = Keys::new(&secret.derive(KeyUse::Storage));
    let opened = Opened::open(&[engine.url()], keys, budget, 1 << 20).unwrap();
    Store::start(opened, Box::new(|_| ()), StandingClock(NOW)).unwrap()
}

fn id(number: u64) -> PasteId {
    PasteId::from_random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes())
}

/// A paste that never expires, or one that expires.
fn paste(number: u64, access: Access, bytes: usize) -> StoredPaste {
    let mut content = vec![0; bytes];
    getrandom::fill(&mut content).unwrap();
    let draft = Draft {
        content: Content::new(&content, 1 << 20).unwrap(),
        title: None,
        language: None,
        expiry: Expiry::Seconds(std::num::NonZeroU64::new(86_400).unwrap()),
        slug: None,
    };
    let revision = Revision::from_random(number.to_be_bytes());
    StoredPaste::new(
        draft,
        access,
        revision,
        NOW,
        Token::from_random([1; 16]).hash(),
    )
}

/// One of a hundred clients in ten networks.
fn saver(number: u64) -> Saver {
    Saver {
        client: ClientKey {
            network: number % 10,
            client: number % 100,
        },
        owner: None,
        slug: None,
    }
}

/// Runs operations, many at once, and returns how long all took.
fn run<F: Future<Output = ()>>(count: u64, operation: impl Fn(u64) -> F) -> Duration {
    let start = Instant::now();
    actix_web::rt::System::new().block_on(async {
        let next = std::cell::Cell::new(0);
        let lane = || async {
            while next.get() < count {
                let number = next.replace(next.get() + 1);
                operation(number).await;
            }
        };
        let lanes = (0..CONCURRENT).map(|_| lane());
        futures_util::future::join_all(lanes).await;
    });
    start.elapsed()
}

/// The processor time of this process.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap(),
        u32::try_from(time.tv_nsec).unwrap(),
    )
}

/// Prints the engine's time and the node's time for an operation.
fn measure<F: Future<Output = ()>>(
    engine: &mut Engine,
    name: &str,
    base: Option<f64>,
    operation: impl Fn(u64) -> F,
) {
    engine.reset_stats();
    let before = processor_time();
    run(OPERATIONS, operation);
    #[expect(clippy::cast_precision_loss, reason = "a number of operations")]
    let of_node = (processor_time() - before).as_secs_f64() * 1e6 / OPERATIONS as f64;
    let of_engine = engine.time_of_fcall();
    let ratio = base.map(|base| format!("{:.1}", of_engine / base));
    let ratio = ratio.unwrap_or_default();
    println!("{name:28} {of_engine:10.2} {ratio:>8} {of_node:12.2}");
}

fn functions(engine: &mut Engine) {
    let [set, get] = engine.time_of_set_and_get(OPERATIONS, CONTENT);
    println!("engine's own SET of 1 KiB {set:.2} µs, GET {get:.2} µs");
    println!(
        "{:28} {:>10} {:>8} {:>12}",
        "operation", "engine µs", "ratio", "node µs"
    );
    let store = Arc::new(open(engine, 1 << 30));
    let saved = |first: u64, access: Access| {
        let store = Arc::clone(&store);
        move |number| {
            let store = Arc::clone(&store);
            async move {
                let number = first + number;
                let paste = paste(number, access, CONTENT);
                store
                    .insert(NOW, saver(number), id(number), paste)
                    .await
                    .unwrap();
            }
        }
    };
    measure(
        engine,
        "save (beside SET)",
        Some(set),
        saved(0, Access::Open),
    );
    let burning = Access::Burn(ReadsLeft::new(2).unwrap());
    run(OPERATIONS, saved(OPERATIONS, burning));
    let store = &store;
    let seen: Vec<_> = actix_web::rt::System::new().block_on(async {
        let mut seen = Vec::new();
        for number in OPERATIONS..2 * OPERATIONS {
            seen.push(store.peek(NOW, id(number)).await.unwrap());
        }
        seen
    });
    let consume = |number: u64| {
        let seen = &seen[usize::try_from(number).unwrap()];
        async move {
            store
                .consume(NOW, id(OPERATIONS + number), seen)
                .await
                .unwrap();
        }
    };
    measure(engine, "consume, a view left", Some(get), consume);
    measure(engine, "consume, the last view", Some(get), consume);
    let state = vec![7; 200];
    measure(engine, "limits of a save", Some(get), |number| {
        let entry = |key| LimitEntry {
            key,
            version: 0,
            state: state.clone(),
        };
        let entries = vec![entry(1), entry(2)];
        async move {
            let ttl = Duration::from_secs(60);
            store.exchange(number, entries, ttl).await.unwrap();
        }
    });
    measure(engine, "delete", Some(get), |number| async move {
        store
            .remove(NOW, id(number), Reason::Deleted)
            .await
            .unwrap();
    });
    // Otherwise it would tell the next one its budget.
    store.close();
    // A store that is full: every save evicts.
    engine.clear();
    let small = open(engine, 80 << 20);
    let fill = |first: u64| {
        let small = &small;
        move |number: u64| async move {
            let number = first + number;
            let paste = paste(number, Access::Open, CONTENT);
            small
                .insert(NOW, saver(number), id(number), paste)
                .await
                .unwrap();
        }
    };
    while small.removal_counts().evicted < OPERATIONS {
        run(
            OPERATIONS,
            fill(
                small.removal_counts().evicted + 10 * OPERATIONS + small.occupancy().pastes as u64,
            ),
        );
    }
    measure(engine, "save that evicts", Some(set), fill(1 << 40));
    small.close();
}

fn memory(engine: &mut Engine) {
    println!(
        "{:28} {:>10} {:>12}",
        "memory of a paste", "charged", "in the engine"
    );
    for bytes in [100, CONTENT] {
        engine.clear();
        let before = engine.used_memory();
        let store = open(engine, 1 << 30);
        run(OPERATIONS, |number| {
            let store = &store;
            async move {
                let paste = paste(number, Access::Open, bytes);
                store
                    .insert(NOW, saver(number), id(number), paste)
                    .await
                    .unwrap();
            }
        });
        let charged = store.occupancy().bytes as u64 / OPERATIONS;
        let used = (engine.used_memory() - before) / OPERATIONS;
        println!("{:28} {charged:10} {used:12}", format!("{bytes} bytes"));
        // Every hour and day of a month that is counted
        for hour in 0..54 {
            let now = Timestamp::from_millis(NOW.as_millis() - (53 - hour) * 3_600_000 * 13);
            run(OPERATIONS, |number| {
                let store = &store;
                async move {
                    store.get(now, id(number)).await.unwrap();
                }
            });
            actix_web::rt::System::new().block_on(store.report_reads(NOW));
        }
        let used = (engine.used_memory() - before) / OPERATIONS;
        println!(
            "{:28} {charged:10} {used:12}",
            format!("{bytes} bytes, read for a month")
        );
        store.close();
    }
}

/// What a node does: it starts at this number, and does it so often.
type Operation<'a> = &'a (dyn Fn(&Store, u64, u64) + Sync);

fn nodes(engine: &mut Engine) {
    println!(
        "{:28} {:>10} {:>10} {:>10}",
        "operations a second", "1 node", "2 nodes", "4 nodes"
    );
    engine.clear();
    let stores: Vec<_> = (0..4).map(|_| open(engine, 1 << 30)).collect();
    let save = |store: &Store, first: u64, count: u64| {
        run(count, |number| async move {
            let number = first + number;
            let paste = paste(number, Access::Open, CONTENT);
            store
                .insert(NOW, saver(number), id(number), paste)
                .await
                .unwrap();
        });
    };
    let read = |store: &Store, _: u64, count: u64| {
        run(count, |number| async move {
            store.get(NOW, id(number % OPERATIONS)).await.unwrap();
        });
    };
    let operations: [(&str, Operation<'_>); 2] = [("save", &save), ("read", &read)];
    let mut first = 0;
    for (name, operation) in operations {
        print!("{name:28}");
        for count in [1, 2, 4] {
            let mut rounds = [(); ROUNDS].map(|()| {
                let start = Instant::now();
                std::thread::scope(|scope| {
                    for store in &stores[..count] {
                        let from = first;
                        first += OPERATIONS;
                        scope.spawn(move || operation(store, from, OPERATIONS));
                    }
                });
                start.elapsed()
            });
            rounds.sort_unstable();
            let median = rounds[ROUNDS / 2].as_secs_f64();
            #[expect(clippy::cast_precision_loss, reason = "a number of operations")]
            let rate = (count as u64 * OPERATIONS) as f64 / median;
            print!(" {rate:10.0}");
        }
        println!();
    }
    stores.iter().for_each(Store::close);
}
