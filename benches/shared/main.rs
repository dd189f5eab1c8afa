//! The cost of the shared tier: the engine's time for each operation beside its own `GET` and `SET`, the processor time
//! of a node for each operation, operations a second of one, two and four nodes, and the engine's memory for a paste.
//!
//! `cargo bench --bench shared` takes a minute and needs `valkey-server` or `redis-server`, which it starts on a socket
//! and ends. Contents are random, so none becomes smaller. On a machine with few cores, the engine, the nodes and the
//! clients share them, so the numbers of operations a second say how they divide them.
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
use tidebin::limit::{Action, Multiplier, Rules, SharedLimits, Subject};
use tidebin::paste::{
    Access, Change, Content, Draft, Expiry, OwnerId, PasteId, ReadsLeft, Revision, StoredPaste,
    Timestamp, Token,
};
use tidebin::store::Tier;
use tidebin::store::seal::Keys;
use tidebin::store::valkey::{EngineClock, Store};
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

/// The windows of the default limits, with figures that deny nothing here.
const RULES: &str = "rate 1000/s burst 30000, quota 2000000/1d, quota 1GiB/1d";

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn main() {
    let mut engine = Engine::start();
    println!("engine: {}", engine.version());
    operations(&mut engine);
    memory(&mut engine);
    nodes(&mut engine);
}

/// A clock that stands still.
struct StandingClock;

impl EngineClock for StandingClock {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn follow(&self, _time: Timestamp) {}
}

/// How long a node waits for an answer, so that a busy machine does not end the bench.
const PATIENCE: Duration = Duration::from_secs(20);

fn open(engine: &Engine) -> Store {
    let secret = Secret::new("the secret of the bench, of enough characters").unwrap();
    let keys = Keys::new(&secret.derive(KeyUse::Storage));
    let limits = (PATIENCE, 1 << 20);
    Store::open(
        &[engine.url()],
        keys,
        limits,
        Box::new(|_| ()),
        StandingClock,
    )
    .unwrap()
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

/// Prints the engine's time for the commands of an operation, also in terms of a command of its own, and the node's
/// time.
fn measure<F: Future<Output = ()>>(
    engine: &mut Engine,
    name: &str,
    commands: &[&str],
    base: f64,
    operation: impl Fn(u64) -> F,
) {
    engine.reset_stats();
    let before = processor_time();
    run(OPERATIONS, operation);
    #[expect(clippy::cast_precision_loss, reason = "a number of operations")]
    let of_node = (processor_time() - before).as_secs_f64() * 1e6 / OPERATIONS as f64;
    let of_engine = engine.time_of_all(commands, OPERATIONS);
    let ratio = of_engine / base;
    println!("{name:28} {of_engine:10.2} {ratio:>8.1} {of_node:12.2}");
}

fn operations(engine: &mut Engine) {
    let [set, get] = engine.time_of_set_and_get(OPERATIONS, CONTENT);
    println!("engine's own SET of 1 KiB {set:.2} µs, GET {get:.2} µs");
    println!(
        "{:28} {:>10} {:>8} {:>12}",
        "operation", "engine µs", "ratio", "node µs"
    );
    let store = Arc::new(open(engine));
    let counters = Arc::<Store>::clone(&store);
    let rules = Rules::parse(RULES, Action::Save).unwrap();
    let limits = &SharedLimits::new(&rules, counters).unwrap();
    let store = &*store;
    let saved = |first: u64, access: Access, owner: Option<OwnerId>| {
        move |number| async move {
            let number = first + number;
            let paste = paste(number, access, CONTENT);
            let saver = Saver {
                owner,
                ..saver(number)
            };
            store.insert(NOW, saver, id(number), paste).await.unwrap();
        }
    };
    let open = saved(0, Access::Open, None);
    measure(engine, "save (beside SET)", &["set"], set, open);
    let owner = OwnerId::of_secret("an owner");
    let owned = saved(OPERATIONS, Access::Open, Some(owner));
    let commands = ["set", "multi", "exec"];
    measure(engine, "save of an owner (SET)", &commands, set, owned);
    let count = |number| async move {
        let now = Duration::from_millis(NOW.as_millis());
        let client = saver(number).client;
        let multiplier = Multiplier::ONE;
        let subject = Subject { client, multiplier };
        let counted = limits.charge(now, subject, [1, CONTENT as u64]).await;
        let _ = counted.unwrap();
    };
    measure(engine, "limits of a save", &["incrby", "mget"], get, count);
    measure(engine, "read", &["get"], get, |number| async move {
        store.get(NOW, id(number)).await.unwrap();
    });
    engine.reset_stats();
    actix_web::rt::System::new().block_on(store.report_reads());
    let reported = engine.time_of_all(&["evalsha"], OPERATIONS);
    println!(
        "{:28} {reported:10.2} {:>8.1}",
        "report of a read",
        reported / get
    );
    for (first, views) in [(2, 1), (3, 40)] {
        let (first, left) = (first * OPERATIONS, ReadsLeft::new(views).unwrap());
        run(OPERATIONS, saved(first, Access::Burn(left), None));
        let seen: Vec<_> = actix_web::rt::System::new().block_on(async {
            let mut seen = Vec::new();
            for number in first..first + OPERATIONS {
                seen.push(store.peek(id(number)).await.unwrap());
            }
            seen
        });
        let consume = |number: u64| {
            let seen = &seen[usize::try_from(number).unwrap()];
            async move {
                store.consume(NOW, id(first + number), seen).await.unwrap();
            }
        };
        match views {
            1 => measure(engine, "the only view", &["multi", "exec"], get, consume),
            _ => measure(engine, "one of n views", &["evalsha"], get, consume),
        }
    }
    measure(engine, "change", &["evalsha"], get, |number| async move {
        let change = Change {
            content: Content::new(&[b'x'; CONTENT], CONTENT).ok(),
            ..Change::default()
        };
        let revision = Revision::from_random((number + 1).to_be_bytes());
        let updated = store.update(NOW, id(number), &change, revision);
        updated.await.unwrap();
    });
    let commands = ["multi", "exec", "unlink"];
    measure(engine, "delete", &commands, get, |number| async move {
        let removed = store.remove(id(number), Reason::Deleted.into());
        removed.await.unwrap();
    });
    store.close();
}

fn memory(engine: &mut Engine) {
    println!("{:28} {:>10}", "memory of a paste", "bytes");
    for bytes in [100, CONTENT] {
        engine.clear();
        let store = open(engine);
        let before = engine.used_memory();
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
        let used = (engine.used_memory() - before) / OPERATIONS;
        println!("{:28} {used:10}", format!("{bytes} bytes"));
        // Every hour and day of a month that is counted
        for hour in 0..54 {
            let now = Timestamp::from_millis(NOW.as_millis() - (53 - hour) * 3_600_000 * 13);
            run(OPERATIONS, |number| {
                let store = &store;
                async move {
                    store.get(now, id(number)).await.unwrap();
                }
            });
            actix_web::rt::System::new().block_on(store.report_reads());
        }
        let used = (engine.used_memory() - before) / OPERATIONS;
        println!(
            "{:28} {used:10}",
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
    let stores: Vec<_> = (0..4).map(|_| open(engine)).collect();
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
