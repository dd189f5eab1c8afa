//! These tests specify limits that several nodes share. The engine is a map, and the tests drive the time.

mod exact;
mod failures;
mod settling;
mod states;
mod sums;

use std::collections::HashMap;
use std::future::poll_fn;
use std::ops::Range;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

use proptest::test_runner::Config as ProptestConfig;

use super::*;

/// 2026-01-01T00:00:00Z.
const EPOCH: Duration = Duration::from_secs(1_767_225_600);

/// The time between two ticks of the settling task.
const TICK: Duration = Duration::from_millis(250);

/// The version and state of each entry, by its network and key.
type Entries = HashMap<(u64, u64), (u64, Vec<u8>)>;

/// An engine whose entries are in a map.
#[derive(Debug, Default)]
struct MapEngine {
    entries: Mutex<Entries>,
    /// True if every call fails.
    fails: AtomicBool,
    /// True if calls take some time before and after they take effect.
    lags: AtomicBool,
    calls: AtomicU64,
    random: Mutex<Random>,
}

impl MapEngine {
    fn run(&self, network: u64, entries: Vec<LimitEntry>) -> LimitExchange {
        let mut map = self.entries.lock();
        let known = |key: u64, map: &Entries| -> (u64, Vec<u8>) {
            map.get(&(network, key)).cloned().unwrap_or_default()
        };
        let replaces = entries
            .iter()
            .all(|entry| !entry.state.is_empty() && known(entry.key, &map).0 == entry.version);
        let found = entries.into_iter().map(|entry| {
            let (version, state) = known(entry.key, &map);
            if replaces {
                map.insert((network, entry.key), (version + 1, entry.state));
            }
            LimitEntry {
                key: entry.key,
                version,
                state,
            }
        });
        let found = found.collect();
        match replaces {
            true => LimitExchange::Stored,
            false => LimitExchange::Conflict(found),
        }
    }

    fn lag(&self) -> u64 {
        u64::from(self.lags.load(Relaxed)) * self.random.lock().below(4)
    }

    fn calls(&self) -> u64 {
        self.calls.load(Relaxed)
    }
}

impl LimitEngine for MapEngine {
    fn exchange(&self, network: u64, entries: Vec<LimitEntry>, ttl: Duration) -> Exchange<'_> {
        assert!(ttl >= seconds(60), "{ttl:?}");
        Box::pin(async move {
            self.calls.fetch_add(1, Relaxed);
            yields(self.lag()).await;
            if self.fails.load(Relaxed) {
                return Err(LimitsUnavailable);
            }
            let answer = self.run(network, entries);
            yields(self.lag()).await;
            Ok(answer)
        })
    }
}

/// Returns pseudo-random numbers, by splitmix64 (Steele, Lea, Flood 2014).
#[derive(Debug, Default)]
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

/// The seeds of random steps. There are more of them if `PROPTEST_CASES` is larger.
fn seeds() -> Range<u64> {
    0..u64::from(ProptestConfig::default().cases.div_ceil(8))
}

/// Nodes that share one engine.
struct Nodes {
    engine: Arc<MapEngine>,
    limiters: Vec<Limiter>,
}

impl Nodes {
    fn new(count: usize, rules: &RulesByAction) -> Self {
        let engine = Arc::new(MapEngine::default());
        let limiters = (0..count).map(|_| node(rules.clone(), &engine)).collect();
        Self { engine, limiters }
    }

    /// Settles everything on all nodes, twice, so that each knows the charges of all.
    fn settle(&self, now: Duration) {
        for limiter in self.limiters.iter().chain(&self.limiters) {
            finish(limiter.settle(now, true));
        }
    }
}

fn node(rules: RulesByAction, engine: &Arc<MapEngine>) -> Limiter {
    let sizes = TableSizes {
        clients: 1024,
        networks: 1024,
    };
    Limiter::shared(rules, sizes, EPOCH, Arc::<MapEngine>::clone(engine))
}

const READ: LimitRequest = LimitRequest {
    action: Action::Read,
    requests: 1,
    bytes: 0,
    looks_up: false,
};

fn save(bytes: u64) -> LimitRequest {
    LimitRequest::one(Action::Save).with_bytes(bytes)
}

/// Completes after this many polls.
async fn yields(mut polls: u64) {
    poll_fn(|context| {
        context.waker().wake_by_ref();
        polls = polls.wrapping_sub(1);
        match polls {
            u64::MAX => Poll::Ready(()),
            _ => Poll::Pending,
        }
    })
    .await;
}

fn poll<T>(future: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Poll<T> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Polls the future until it is ready.
fn finish<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    for _ in 0..10_000 {
        if let Poll::Ready(output) = poll(future.as_mut()) {
            return output;
        }
    }
    panic!("never ready");
}

/// Polls the futures in a random order until all are ready.
fn interleave<T>(futures: Vec<impl Future<Output = T>>, random: &mut Random) -> Vec<T> {
    let mut open: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut outputs = Vec::new();
    while !open.is_empty() {
        let next = usize::try_from(random.below(open.len() as u64)).unwrap();
        if let Poll::Ready(output) = poll(open[next].as_mut()) {
            outputs.push(output);
            drop(open.swap_remove(next));
        }
    }
    outputs
}
